package policy_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"selffix/pipeline/policy"
)

// verifying is the seed's policy with a block of its own.
func verifying(t *testing.T, block string) string {
	t.Helper()
	return edited(t, "\nrobot:\n", "\nverify:\n"+block+"\nrobot:\n")
}

func TestSeedRunsNoCode(t *testing.T) {
	p, err := policy.Load(seedFile)
	if err != nil || p.Verify.Enabled || p.Verify.Command != nil || p.Verify.Timeout != 0 {
		t.Errorf("%+v, %v", p.Verify, err)
	}
}

func TestVerifyRead(t *testing.T) {
	p, err := policy.Parse([]byte(verifying(t, "  enabled: true\n  command: [node, --import, tsx, --import, x]\n  timeout: 5m")))
	want := policy.Verify{Enabled: true, Command: []string{"node", "--import", "tsx", "--import", "x"}, Timeout: 5 * time.Minute}
	if err != nil || p.Verify.Enabled != want.Enabled || !slices.Equal(p.Verify.Command, want.Command) || p.Verify.Timeout != want.Timeout {
		t.Errorf("%+v, %v", p.Verify, err)
	}
	if !slices.ContainsFunc(policy.Warnings(p), func(w string) bool { return strings.HasPrefix(w, "verify.enabled:") }) {
		t.Error("nothing says that code is run")
	}
	if text := policy.Explain(p); !strings.Contains(text, "command = node, --import, tsx") || !strings.Contains(text, "timeout = 5m0s") {
		t.Errorf("not explained:\n%s", text)
	}
	off, err := policy.Parse([]byte(verifying(t, "  enabled: false")))
	if err != nil || off.Verify.Enabled {
		t.Errorf("disabled: %+v, %v", off.Verify, err)
	}
}

func TestVerifyRefused(t *testing.T) {
	const timeout = "\n  timeout: 5m"
	for name, tt := range map[string]struct {
		block, key string
		reason     error
	}{
		"one text":             {"  enabled: true\n  command: npm test" + timeout, "verify.command", policy.ErrType},
		"text for a shell":     {"  enabled: true\n  command: [npm, \"test; id\"]" + timeout, "verify.command[1]", policy.ErrValue},
		"variable":             {"  enabled: true\n  command: [npm, $HOME]" + timeout, "verify.command[1]", policy.ErrValue},
		"pattern":              {"  enabled: true\n  command: [node, --test, \"src/*.ts\"]" + timeout, "verify.command[2]", policy.ErrValue},
		"shell":                {"  enabled: true\n  command: [sh, -c, id]" + timeout, "verify.command[0]", policy.ErrFloor},
		"shell in capitals":    {"  enabled: true\n  command: [Bash, x]" + timeout, "verify.command[0]", policy.ErrFloor},
		"program that starts":  {"  enabled: true\n  command: [env, A=b, sh]" + timeout, "verify.command[0]", policy.ErrFloor},
		"path into the tree":   {"  enabled: true\n  command: [./run]" + timeout, "verify.command[0]", policy.ErrFloor},
		"flag as a program":    {"  enabled: true\n  command: [-c, x]" + timeout, "verify.command[0]", policy.ErrFloor},
		"no words":             {"  enabled: true\n  command: []" + timeout, "verify.command", policy.ErrValue},
		"number":               {"  enabled: true\n  command: [npm, 1]" + timeout, "verify.command[1]", policy.ErrType},
		"no command":           {"  enabled: true" + timeout, "verify.command", policy.ErrMissing},
		"no time":              {"  enabled: true\n  command: [npm, test]", "verify.timeout", policy.ErrMissing},
		"too long":             {"  enabled: true\n  command: [npm, test]\n  timeout: 31m", "verify.timeout", policy.ErrFloor},
		"no time at all":       {"  enabled: true\n  command: [npm, test]\n  timeout: 0s", "verify.timeout", policy.ErrValue},
		"secrets":              {"  enabled: true\n  command: [npm, test]\n  secrets: [A]" + timeout, "verify", policy.ErrUnknownKey},
		"network":              {"  enabled: true\n  command: [npm, test]\n  hosts: [a.example]" + timeout, "verify", policy.ErrUnknownKey},
		"nothing in the block": {"  {}", "verify", policy.ErrType},
		"shell while disabled": {"  enabled: false\n  command: [bash]", "verify.command[0]", policy.ErrFloor},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := policy.Parse([]byte(verifying(t, tt.block)))
			var faults policy.Faults
			if !errors.As(err, &faults) || len(faults) != 1 {
				t.Fatalf("%v, want one fault", err)
			}
			f := faults[0]
			if f.Key != tt.key || !errors.Is(f, tt.reason) || f.Line < 10 {
				t.Errorf("%v (key %q), want %v at %s with its line", f, f.Key, tt.reason, tt.key)
			}
		})
	}
}
