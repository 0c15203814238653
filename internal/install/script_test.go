package install

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// station is a runner with an installed repository: its scripts, its temporary folder, and programs of ours first in its path.
type station struct {
	t    *testing.T
	dir  string // the workspace
	temp string
	bin  string
	env  []string
}

const fakeDagger = `#!/bin/bash
{ printf 'arg:%s\n' "$@"; printf 'cwd:%s\n' "$PWD"; printf 'in it:%s\n' "$(ls -A)"; env | sort; } >"$RUNNER_TEMP/seen"
`

func newStation(t *testing.T) *station {
	t.Helper()
	for _, tool := range []string{"bash", "jq", "tar", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the scripts need %s, which hosted runners have", tool)
		}
	}
	s := &station{t: t, dir: t.TempDir(), temp: t.TempDir(), bin: t.TempDir()}
	all, err := Workflows(seeds(t)["app"])
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range all {
		s.write(filepath.Join(s.dir, path), string(text))
	}
	archive := tarball(t, fakeDagger)
	s.write(filepath.Join(s.bin, "archive"), string(archive))
	// Plays the host: writes the archive where it is told to, and says what was asked for.
	s.write(filepath.Join(s.bin, "curl"), `#!/bin/bash
printf '%s\n' "$@" >"$RUNNER_TEMP/asked"
while (($#)); do [[ $1 != --output ]] || cp -- "`+s.bin+`/archive" "$2"; shift; done
`)
	s.pins(fmt.Sprintf("%x", sha256.Sum256(archive)))
	s.env = []string{"PATH=" + s.bin + ":" + os.Getenv("PATH"), "RUNNER_TEMP=" + s.temp, "HOME=" + t.TempDir(),
		"GITHUB_STEP_SUMMARY=" + filepath.Join(s.temp, "summary"), "GITHUB_OUTPUT=" + filepath.Join(s.temp, "output")}
	return s
}

func (s *station) write(path, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

func (s *station) pins(cli string) {
	s.t.Helper()
	text, err := render("pins", struct{ Pins Pins }{Pins{DaggerVersion, cli, strings.Repeat("e", 64), "github.com/octo/self-fix@" + strings.Repeat("c", 40)}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.write(filepath.Join(s.dir, PinsPath), string(text))
}

// run runs one script, and returns its exit code and all that it printed.
func (s *station) run(env []string, script string, args ...string) (int, string) {
	s.t.Helper()
	cmd := exec.Command("bash", append([]string{filepath.Join(s.dir, Folder, script)}, args...)...)
	cmd.Dir, cmd.Env = s.dir, append(slices.Clone(s.env), env...)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		s.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func (s *station) read(name string) string {
	data, err := os.ReadFile(filepath.Join(s.temp, name))
	if err != nil {
		return ""
	}
	return string(data)
}

func tarball(t *testing.T, dagger string) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	w := tar.NewWriter(zip)
	for name, text := range map[string]string{"dagger": dagger} {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSetupTakesThePinnedArchiveOnly(t *testing.T) {
	s := newStation(t)
	if code, out := s.run(nil, "setup.sh"); code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	if !strings.Contains(s.read("asked"), "https://dl.dagger.io/dagger/releases/0.21.8/dagger_v0.21.8_linux_amd64.tar.gz") {
		t.Errorf("asked for %s", s.read("asked"))
	}
	if s.read("self-fix/bin/dagger") != fakeDagger {
		t.Error("the command line was not unpacked")
	}
	for name, cli := range map[string]string{"another hash": strings.Repeat("0", 64), "not filled": Unset, "cut short": "abc"} {
		s := newStation(t)
		s.pins(cli)
		if code, out := s.run(nil, "setup.sh"); code != 2 || s.read("self-fix/bin/dagger") != "" {
			t.Errorf("%s: exit %d, unpacked %q: %s", name, code, s.read("self-fix/bin/dagger"), out)
		}
		if asked := s.read("asked"); name != "another hash" && asked != "" {
			t.Errorf("%s: asked for %s", name, asked)
		}
	}
}

func TestCallRunsOnePinnedCommandInAnEmptyFolder(t *testing.T) {
	s := newStation(t)
	if code, out := s.run(nil, "setup.sh"); code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	dirty := []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://odd", "DAGGER_CLOUD_TOKEN=odd", "_EXPERIMENTAL_DAGGER_CACHE_CONFIG=odd", "TRACEPARENT=odd", "DAGGER_SESSION_PORT=1", "KEY=value of a secret"}
	code, out := s.run(dirty, "call.sh", s.temp+"/self-fix/verdict.json", "gate", "--token", "env://KEY", "json")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	seen := s.read("seen")
	want := []string{"arg:--progress", "arg:plain", "arg:call", "arg:--mod", "arg:github.com/octo/self-fix@" + strings.Repeat("c", 40), "arg:--output",
		"arg:" + s.temp + "/self-fix/verdict.json", "arg:gate", "arg:--token", "arg:env://KEY", "arg:json"}
	if !strings.HasPrefix(seen, strings.Join(want, "\n")+"\ncwd:"+s.temp+"/self-fix-calls/work.") || !strings.Contains(seen, "\nin it:\n") {
		t.Errorf("saw %s", seen)
	}
	if !strings.Contains(seen, "\n_EXPERIMENTAL_DAGGER_RUNNER_HOST=image://registry.dagger.io/engine:v0.21.8@sha256:"+strings.Repeat("e", 64)+"\n") {
		t.Errorf("another engine: %s", seen)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "DAGGER_CLOUD_TOKEN", "_EXPERIMENTAL_DAGGER_CACHE_CONFIG", "TRACEPARENT", "DAGGER_SESSION_PORT"} {
		if strings.Contains(seen, "\n"+name+"=") {
			t.Errorf("%s was not cleared", name)
		}
	}
}

func TestCallRefuses(t *testing.T) {
	tests := []struct {
		name string
		set  func(*station)
		env  []string
		args []string
	}{
		{"a .env beside the calls", func(s *station) { s.write(s.temp+"/self-fix-calls/.env", "TOKEN=cmd://odd") }, nil, nil},
		{"a .env further up", func(s *station) { s.write(s.temp+"/.env", "") }, nil, nil},
		{"a .env that leads nowhere", func(s *station) {
			if err := os.Symlink("/nowhere", s.temp+"/.env"); err != nil {
				s.t.Fatal(err)
			}
		}, nil, nil},
		{"a dagger.json further up", func(s *station) { s.write(s.temp+"/dagger.json", "{}") }, nil, nil},
		{"another engine", nil, []string{"_EXPERIMENTAL_DAGGER_RUNNER_HOST=tcp://odd:1"}, nil},
		{"a result elsewhere", nil, nil, []string{"/tmp/odd", "gate"}},
		{"no function", nil, nil, []string{"x"}},
		{"a module by branch", func(s *station) { s.edit("module=.*", "module=github.com/octo/self-fix@main") }, nil, nil},
		{"a module by a short id", func(s *station) { s.edit("module=.*", "module=github.com/octo/self-fix@c0ffee") }, nil, nil},
		{"an engine that is not set", func(s *station) { s.edit("dagger_engine_sha256=.*", "dagger_engine_sha256=unset") }, nil, nil},
		{"a pin twice", func(s *station) { s.edit("module=.*", "&\\n&") }, nil, nil},
		{"no pins", func(s *station) { s.edit("module=.*", "") }, nil, nil},
		{"no temporary folder", nil, []string{"RUNNER_TEMP="}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStation(t)
			s.write(s.temp+"/self-fix/bin/dagger", fakeDagger)
			if tt.set != nil {
				tt.set(s)
			}
			args := tt.args
			if args == nil {
				args = []string{s.temp + "/self-fix/out", "gate"}
			}
			if code, out := s.run(tt.env, "call.sh", args...); code != 2 || !strings.HasPrefix(out, "self-fix: ") {
				t.Errorf("exit %d: %s", code, out)
			}
			if seen := s.read("seen"); seen != "" {
				t.Errorf("it called all the same: %s", seen)
			}
		})
	}
}

// edit changes the pins with a sed expression.
func (s *station) edit(pattern, with string) {
	s.t.Helper()
	if out, err := exec.Command("sed", "-i", "s#^"+pattern+"$#"+with+"#", filepath.Join(s.dir, PinsPath)).CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
}

func TestTakeHoldsAnArtifactToItsFiles(t *testing.T) {
	tests := []struct {
		name string
		set  func(dir string) error
		ok   bool
	}{
		{"two files", func(string) error { return nil }, true},
		{"a third", func(d string) error { return os.WriteFile(d+"/.env", nil, 0o600) }, false},
		{"a folder", func(d string) error { return os.Mkdir(d+"/x", 0o755) }, false},
		{"one missing", func(d string) error { return os.Remove(d + "/fix.patch") }, false},
		{"another name", func(d string) error { return os.Rename(d+"/fix.patch", d+"/fix.patch\n") }, false},
		{"a link", func(d string) error { return relink(d, os.Symlink, "/etc/hostname") }, false},
		{"a second name", func(d string) error { return os.Link(d+"/fix.patch", d+"/../elsewhere") }, false},
		{"a file in place of a folder", func(d string) error { return relink(d, os.Symlink, "candidate.json") }, false},
		{"too large", func(d string) error { return os.Truncate(d+"/fix.patch", 1048577) }, false},
		{"a pipe", func(d string) error {
			return relink(d, func(_, to string) error { return exec.Command("mkfifo", to).Run() }, "")
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStation(t)
			dir := filepath.Join(t.TempDir(), "unpacked")
			s.write(dir+"/candidate.json", "{}")
			s.write(dir+"/fix.patch", "diff")
			if err := tt.set(dir); err != nil {
				t.Fatal(err)
			}
			code, out := s.run(nil, "take.sh", dir, "candidate.json", "1048576", "fix.patch", "1048576")
			if (code == 0) != tt.ok || code != 0 && code != 2 {
				t.Errorf("exit %d: %s", code, out)
			}
		})
	}
}

func relink(dir string, link func(old, new string) error, to string) error {
	if err := os.Remove(dir + "/fix.patch"); err != nil {
		return err
	}
	return link(to, dir+"/fix.patch")
}

func TestAnswerShowsDecisionAndRulesOnly(t *testing.T) {
	tests := []struct {
		name, kind, answer, report string
		code                       int
		output, summary            string // parts that must be there
	}{
		{"act", "gate", `{"decision":"act","rule":"SF-GATE-000","target":{"pull_request":7}}`, "", 0, "decision=act\npr=7\n", "SF-GATE-000"},
		{"nothing", "gate", `{"decision":"nothing","rule":"SF-GATE-030"}`, "", 0, "decision=nothing\n", "SF-GATE-030"},
		{"undecided", "gate", `{"decision":"undecided","rule":"SF-GATE-090"}`, "", 2, "", ""},
		{"no number", "gate", `{"decision":"act","rule":"SF-GATE-000","target":{"pull_request":"7\nx=y"}}`, "", 2, "", ""},
		{"no JSON", "gate", `act`, "", 2, "", ""},
		{"an output in the decision", "review", `{"decision":"act\npr=9"}`, "", 2, "", ""},
		{"success", "review", `{"decision":"act","rule":"SF-REVIEW-000"}`, "", 0, "decision=act\n", "SF-REVIEW-000"},
		{"accepted", "check", `{"decision":"continue","rule":"","reason":""}`, `{"findings":[]}`, 0, "decision=accept\n", "accept"},
		{"refused", "check", `{"decision":"stop","rule":"SF-CHECK-001"}`, `{"findings":[{"rule":"SF-PATH-001"},{"rule":"SF-ENV-002"},{"rule":"SF-PATH-001"}]}`, 0, "decision=refuse\n", "- `SF-ENV-002`\n- `SF-PATH-001`\n"},
		{"odd rules", "check", `{"decision":"stop","rule":"<img src=x>"}`, `{"findings":[{"rule":"[x](javascript:)"},{"rule":{"a":1}},{"rule":"SF-A-1\nSF-PATH-001"}]}`, 0, "decision=refuse\n", "- `SF-PATH-001`\n"},
		{"no decision", "check", `{"decision":"","rule":""}`, "", 2, "", ""},
		{"rechecked", "recheck", `{"decision":"continue","rule":""}`, "", 0, "decision=accept\n", "accept"},
		{"pushed", "push", `{"pushed":true,"rule":"SF-PUSH-000"}`, "", 0, "decision=pushed\n", "SF-PUSH-000"},
		{"not pushed", "push", `{"pushed":false,"rule":"SF-PUSH-020"}`, "", 0, "decision=refused\n", "SF-PUSH-020"},
		{"gate said no before the push", "push", `{"decision":"nothing","rule":"SF-GATE-020"}`, "", 0, "decision=nothing\n", "SF-GATE-020"},
		{"unknown kind", "odd", `{"decision":"act"}`, "", 2, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStation(t)
			path := filepath.Join(s.temp, "answer")
			if tt.kind == "check" || tt.kind == "recheck" {
				s.write(path+"/outcome.json", tt.answer)
				if tt.report != "" {
					s.write(path+"/report.json", tt.report)
				}
			} else {
				s.write(path, tt.answer)
			}
			code, out := s.run(nil, "answer.sh", tt.kind, path)
			output, summary := s.read("output"), s.read("summary")
			if code != tt.code || tt.code == 0 && output != tt.output || !strings.Contains(summary, tt.summary) {
				t.Errorf("exit %d: %s\noutput %q\nsummary %q", code, out, output, summary)
			}
			if tt.code != 0 && (strings.Contains(output, "act") || strings.Contains(output, "pr=")) {
				t.Errorf("output %q", output)
			}
			if strings.ContainsAny(summary, "<[(") {
				t.Errorf("the summary shows %q", summary)
			}
		})
	}
}

// What a self-test printed is kept as text: a line of it can become no markup and no command.
func TestAnswerKeepsTheSelfTest(t *testing.T) {
	s := newStation(t)
	s.write(s.temp+"/self-fix/self-test.txt", "network refused\n\x1b[31m::set-output name=x::y\n# heading\n")
	if code, out := s.run(nil, "answer.sh", "self-test", s.temp+"/self-fix/self-test.txt"); code != 0 || out != "" {
		t.Fatalf("exit %d: %s", code, out)
	}
	want := "### self-fix: self-test\n\n    network refused\n    [31m::set-output name=x::y\n    # heading\n"
	if got := s.read("summary"); got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
}
