package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"selffix/internal/strictjson"
)

// ErrSettings is wrapped by every reason for which settings are not given to the agent.
var ErrSettings = errors.New("unusable agent settings")

// settings is the form of the settings file. Claude Code drops a file that is not of its form whole and silently, and with it
// every rule; so the file is held to this form before each start.
type settings struct {
	DisableAllHooks      bool        `json:"disableAllHooks"`
	DisableSkillShell    bool        `json:"disableSkillShellExecution"`
	DisableBundledSkills bool        `json:"disableBundledSkills"`
	DisableWorkflows     bool        `json:"disableWorkflows"`
	EnableAllProjectMCP  bool        `json:"enableAllProjectMcpServers"`
	AutoMemoryEnabled    bool        `json:"autoMemoryEnabled"`
	IncludeCoAuthoredBy  bool        `json:"includeCoAuthoredBy"`
	Permissions          permissions `json:"permissions"`
}

type permissions struct {
	DefaultMode         string   `json:"defaultMode"`
	DisableBypass       string   `json:"disableBypassPermissionsMode"`
	DenyInsteadOfAsking bool     `json:"denyInsteadOfPrompting"`
	BlockReadsOutside   bool     `json:"blockReadsOutsideWorkingDirectories"`
	BlockWritesOutside  bool     `json:"blockWritesOutsideWorkingDirectories"`
	Allow               []string `json:"allow"`
	Deny                []string `json:"deny"`
}

// checkSettings decodes settings strictly and demands what the safety of a call rests on.
func checkSettings(raw []byte) (settings, error) {
	// Claude Code's keys have capitals, which Scan refuses except below a free key.
	if err := strictjson.Scan(slices.Concat([]byte(`{"settings":`), raw, []byte("}")), strictjson.Object, "settings"); err != nil {
		return settings{}, fmt.Errorf("%w: %w", ErrSettings, err)
	}
	var s settings
	known := append(keysOf(settingsKeys), "permissions")
	top, err := fields(raw, known...)
	if err != nil {
		return s, fmt.Errorf("%w: the file %w", ErrSettings, err)
	}
	if _, err := fields(orNull(top["permissions"]), keysOf(permissionKeys)...); err != nil {
		return s, fmt.Errorf("%w: permissions %w", ErrSettings, err)
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, fmt.Errorf("%w: %w", ErrSettings, err)
	}
	return s, s.check()
}

const (
	settingsKeys   = "disableAllHooks disableSkillShellExecution disableBundledSkills disableWorkflows enableAllProjectMcpServers autoMemoryEnabled includeCoAuthoredBy"
	permissionKeys = "defaultMode disableBypassPermissionsMode denyInsteadOfPrompting blockReadsOutsideWorkingDirectories blockWritesOutsideWorkingDirectories allow deny"
)

func keysOf(list string) []string { return strings.Fields(list) }

func (s settings) check() error {
	p := s.Permissions
	switch {
	case !s.DisableAllHooks || !s.DisableSkillShell || !s.DisableBundledSkills || !s.DisableWorkflows || s.EnableAllProjectMCP:
		return fmt.Errorf("%w: hooks, skills, workflows and MCP servers must be off", ErrSettings)
	case p.DefaultMode != "dontAsk" || p.DisableBypass != "disable" || !p.DenyInsteadOfAsking:
		return fmt.Errorf("%w: whatever is not allowed must be denied", ErrSettings)
	case !p.BlockReadsOutside || !p.BlockWritesOutside:
		return fmt.Errorf("%w: reads and writes outside the working folders must be blocked", ErrSettings)
	case !slices.Equal(p.Allow, []string{"Read(./**)", "Edit(./**)"}):
		return fmt.Errorf("%w: only files below the checkout may be allowed", ErrSettings)
	}
	for _, rule := range mustDeny() {
		if !slices.Contains(p.Deny, rule) {
			return fmt.Errorf("%w: the rule %q is missing from deny", ErrSettings, rule)
		}
	}
	return nil
}

// mustDeny lists rules whose loss would open a way: other tools, machine folders, git, instruction files, workflows.
// "//x" is an absolute path, "/x" would be inert; Edit rules hold for Write too, Write rules are inert. A PDF would go to the
// model as a document, which the proxy refuses: without the rule one read of one would end the whole run.
func mustDeny() []string {
	rules := []string{"Read(**/*.pdf)", "Read(~/**)", "Edit(~/**)", "Read(**/.git/**)", "Read(**/.git)", "Edit(**/.git/**)", "Edit(**/.git)"}
	rules = append(rules, strings.Split(deniedTools, ",")...)
	for _, dir := range []string{"proc", "sys", "dev", "etc", "run", "root", "home"} {
		rules = append(rules, "Read(//"+dir+"/**)", "Edit(//"+dir+"/**)")
	}
	for _, file := range []string{
		".gitattributes", ".gitmodules", ".claude/**", "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".mcp.json", ".github/**",
	} {
		rules = append(rules, "Edit(**/"+file+")")
	}
	return rules
}
