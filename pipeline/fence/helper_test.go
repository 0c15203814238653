//go:build linux && (amd64 || arm64)

package fence

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"testing"

	"selffix/pipeline/fence/internal/supervisor"
)

// initialised starts this test binary under a name, and lists the packages that were initialised in it and how it ended.
func initialised(t *testing.T, name string, args ...string) ([]string, int) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Args[0] = name
	cmd.Env = []string{"GODEBUG=inittrace=1"}
	var trace bytes.Buffer
	cmd.Stderr = &trace
	_ = cmd.Run()
	var packages []string
	for _, m := range regexp.MustCompile(`(?m)^init (\S+) @`).FindAllSubmatch(trace.Bytes(), -1) {
		packages = append(packages, string(m[1]))
	}
	return packages, cmd.ProcessState.ExitCode()
}

// TestTurnsOffFirst: the supervisor ends (here, for want of a request) before package unicode is initialised, and with it nearly every
// package of a large program. One import too many in package supervisor breaks that.
func TestTurnsOffFirst(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		code int
	}{supervisor.Name: {nil, ExitUnavailable}, "probe": {[]string{probeArg}, 0}} {
		packages, code := initialised(t, name, c.args...)
		if code != c.code {
			t.Errorf("%s: code %d, want %d", name, code, c.code)
		}
		if !slices.Contains(packages, "syscall") || slices.Contains(packages, "unicode") || slices.Contains(packages, "reflect") {
			t.Errorf("%s: initialised %q, want syscall and neither unicode nor what needs it", name, packages)
		}
	}
	packages, _ := initialised(t, os.Args[0], "-test.run=^$")
	if !slices.Contains(packages, "unicode") || !slices.Contains(packages, "reflect") {
		t.Errorf("control: otherwise %q are initialised, want unicode and reflect among them", packages)
	}
}
