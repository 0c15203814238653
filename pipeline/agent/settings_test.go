package agent

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestSettings(t *testing.T) {
	good := string(settingsJSON)
	if _, err := checkSettings([]byte(good)); err != nil {
		t.Fatal(err)
	}
	swap := func(old, with string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the settings have no %q", old)
		}
		return strings.Replace(good, old, with, 1)
	}
	for name, bad := range map[string]string{
		"empty":                 "",
		"cut short":             good[:len(good)/2],
		"followed by more":      good + "{}",
		"a comment":             "// settings\n" + good,
		"hooks on":              swap(`"disableAllHooks": true`, `"disableAllHooks": false`),
		"a missing switch":      swap(`"disableWorkflows": true,`, ``),
		"a misspelt switch":     swap(`"disableAllHooks"`, `"disableallhooks"`),
		"an unknown key":        swap(`"disableAllHooks"`, `"env": {}, "disableAllHooks"`),
		"a key twice":           swap(`"disableAllHooks": true`, `"disableAllHooks": true, "disableAllHooks": false`),
		"a key twice, escaped":  swap(`"disableAllHooks": true`, `"disableAllHooks": true, "disableAllHook\u0073": false`),
		"another type":          swap(`"disableAllHooks": true`, `"disableAllHooks": "true"`),
		"asking mode":           swap(`"dontAsk"`, `"acceptEdits"`),
		"bypass possible":       swap(`"disableBypassPermissionsMode": "disable",`, ``),
		"prompts":               swap(`"denyInsteadOfPrompting": true`, `"denyInsteadOfPrompting": false`),
		"reads outside":         swap(`"blockReadsOutsideWorkingDirectories": true`, `"blockReadsOutsideWorkingDirectories": false`),
		"writes outside":        swap(`"blockWritesOutsideWorkingDirectories": true,`, ``),
		"a bare permission":     swap(`"Edit(./**)"`, `"Edit"`),
		"one permission more":   swap(`"Edit(./**)"]`, `"Edit(./**)", "Edit(//tmp/**)"]`),
		"no rule against Bash":  swap(`"Bash", `, ``),
		"one slash":             swap(`"Edit(//etc/**)"`, `"Edit(/etc/**)"`),
		"no rule for workflows": swap(`"Edit(**/.github/**)",`, ``),
		"no rule for git":       swap(`"Read(**/.git/**)",`, ``),
		"no rule for documents": swap(`,
      "Read(**/*.pdf)"`, ``),
		"project MCP servers": swap(`"enableAllProjectMcpServers": false`, `"enableAllProjectMcpServers": true`),
		"unknown permission":  swap(`"allow"`, `"ask": [], "allow"`),
		"permissions a list":  `{"permissions": []}`,
		"null":                "null",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := checkSettings([]byte(bad)); !errors.Is(err, ErrSettings) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

// A rule that is missing from mustDeny could be lost without anybody seeing it.
func TestSettingsDenyNoMoreThanIsDemanded(t *testing.T) {
	s, err := checkSettings(settingsJSON)
	if err != nil {
		t.Fatal(err)
	}
	named := strings.Join(mustDeny(), "\n") + "\n"
	// Tools that --tools does not offer either, and that came and went between versions.
	named += strings.Join([]string{"ToolSearch", "SendMessage", "RemoteTrigger", "CronCreate", "EnterWorktree"}, "\n") + "\n"
	for _, rule := range s.Permissions.Deny {
		if !strings.Contains(named, rule+"\n") {
			t.Errorf("%q is denied and not demanded", rule)
		}
	}
}

func TestBuiltInFiles(t *testing.T) {
	p, err := ThePin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ownLock(p); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"files/settings.json", "files/system.txt", "files/package-lock.json"} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
	if strings.HasPrefix(promptFirst, "/") || strings.ContainsAny(promptFirst, "\n@") {
		t.Error("the prompt's first line could be taken for a command or a mention")
	}
}
