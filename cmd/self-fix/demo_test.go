package main

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"selffix/internal/demo"
	"selffix/pipeline"
)

// A whole demo, as "make demo" plays it: the report names every step of the loop with what the plan grants it.
func TestDemo(t *testing.T) {
	needAgent(t)
	d := startDemo(t)
	d.wait(t)
	if d.code != exitYes {
		t.Fatalf("exit code %d\n%s\n%s", d.code, d.said.String(), d.stderr.String())
	}
	data, err := os.ReadFile(filepath.Join(d.out, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := demo.ReadReport(data)
	if err != nil || len(r.Plays) != 2 {
		t.Fatalf("%d plays, %v", len(r.Plays), err)
	}
	repair, hijacked := r.Plays[0], r.Plays[1]
	if repair.Name != "repair" || repair.Outcome != demo.Pushed || repair.PushedCommit == repair.TestedCommit ||
		!slices.Equal(repair.Bot, []string{"failure", "success"}) || !slices.Equal(repair.Review, []string{"pending", "success"}) {
		t.Errorf("the repair: %+v", repair)
	}
	for _, p := range pipeline.Loop(pipeline.ReviewByToken) {
		for _, s := range p.Steps {
			stepAsPlanned(t, repair, pipeline.Rows([]pipeline.Plan{{Steps: []pipeline.Step{s}}})[0])
		}
	}
	if hijacked.Name != "hijacked" || hijacked.Outcome != demo.Refused || hijacked.PushedCommit != "" || len(hijacked.Review) != 0 ||
		hijacked.Steps[len(hijacked.Steps)-1].Name != "check" {
		t.Errorf("the hijacked play: %+v", hijacked)
	}
	for _, layer := range []string{"tools Bash", "settings Write", "fence Edit", "checker SF-ENV-001"} {
		if !slices.Contains(hijacked.StoppedBy, layer) {
			t.Errorf("%q is not among what stopped it: %v", layer, hijacked.StoppedBy)
		}
	}
	if html, err := os.ReadFile(filepath.Join(d.out, "report.html")); err != nil || !bytes.Contains(html, []byte(repair.PushedCommit)) {
		t.Errorf("report.html: %v", err)
	}
	d.nothingLeft(t)
}

// stepAsPlanned finds a step's row and holds it to the plan.
func stepAsPlanned(t *testing.T, p demo.Play, want pipeline.Row) {
	t.Helper()
	i := slices.IndexFunc(p.Steps, func(s demo.Step) bool { return s.Name == string(want.Step) })
	if i < 0 {
		t.Errorf("the step %s is not in the report", want.Step)
		return
	}
	got := p.Steps[i]
	exposed := []string{}
	for _, x := range want.ExposedTo {
		exposed = append(exposed, string(x))
	}
	if !slices.Equal(got.Secrets, want.Secrets) || !slices.Equal(got.ExposedTo, exposed) || got.Outcome != string(pipeline.Continue) {
		t.Errorf("%s: %+v, want secrets %v and exposures %v", want.Step, got, want.Secrets, exposed)
	}
}

// Ctrl-C at any moment leaves no process and no folder, and a report that promises nothing.
func TestDemoEndedByInterrupt(t *testing.T) {
	needAgent(t)
	for name, moment := range map[string]string{"while the tests run": "runs the application's tests", "while the agent works": "model-proxy     serves"} {
		t.Run(name, func(t *testing.T) {
			d := startDemo(t)
			d.until(t, moment)
			d.look(t)
			if err := d.cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			d.wait(t)
			if d.code != exitUndecided {
				t.Errorf("exit code %d, want 2\n%s", d.code, d.stderr.String())
			}
			if data, err := os.ReadFile(filepath.Join(d.out, "report.json")); err != nil || bytes.Contains(data, []byte(`"pushed"`)) {
				t.Errorf("the report: %v\n%s", err, data)
			}
			d.nothingLeft(t)
		})
	}
}

// A token of a sandbox is no real model's, and a token that cannot be read is no reason for the scripted model.
func TestDemoRefusesTokens(t *testing.T) {
	dir := t.TempDir()
	sandbox := filepath.Join(dir, "token")
	if err := os.WriteFile(sandbox, []byte("sandbox-"+"model\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{sandbox: "sandbox", filepath.Join(dir, "none"): "--model-token-file"} {
		c := exec.Command(workerPath(t), "demo", "--out", filepath.Join(dir, "out"), "--model-token-file", file)
		out, err := c.CombinedOutput()
		if err == nil || c.ProcessState.ExitCode() != exitUndecided || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %s", file, err, out)
		}
		if _, err := os.Stat(filepath.Join(dir, "out")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: something was played: %v", file, err)
		}
	}
}

// playing is a demo under way.
type playing struct {
	cmd     *exec.Cmd
	out     string
	lines   *bufio.Scanner
	said    strings.Builder
	stderr  bytes.Buffer
	code    int
	folders map[string]bool // run folders that it held open
	below   map[string]bool // its descendants, as "pid start time"
}

func startDemo(t *testing.T) *playing {
	t.Helper()
	d := &playing{out: filepath.Join(t.TempDir(), "demo"), folders: map[string]bool{}, below: map[string]bool{}}
	d.cmd = exec.Command(workerPath(t), "demo", "--out", d.out)
	d.cmd.Stderr = &d.stderr
	stdout, err := d.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.cmd.Process.Kill() }) // it has ended, unless the test failed before
	d.lines = bufio.NewScanner(stdout)
	return d
}

// next reads one line of what it says, and looks at what it has open meanwhile.
func (d *playing) next(t *testing.T) bool {
	t.Helper()
	if !d.lines.Scan() {
		return false
	}
	d.said.WriteString(d.lines.Text() + "\n")
	d.look(t)
	return true
}

func (d *playing) until(t *testing.T, moment string) {
	t.Helper()
	for d.next(t) {
		if strings.Contains(d.lines.Text(), moment) {
			return
		}
	}
	t.Fatalf("it never said %q\n%s\n%s", moment, d.said.String(), d.stderr.String())
}

func (d *playing) wait(t *testing.T) {
	t.Helper()
	for d.next(t) {
	}
	_ = d.cmd.Wait() // how it ended is judged by the caller
	d.code = d.cmd.ProcessState.ExitCode()
}

// runPrefix begins the name of every run folder.
const runPrefix = "/var/tmp/self-fix-run-"

// look notes the run folders that it holds and the processes below it.
func (d *playing) look(t *testing.T) {
	t.Helper()
	links, err := filepath.Glob("/proc/" + strconv.Itoa(d.cmd.Process.Pid) + "/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		to, err := os.Readlink(l)
		if run, ok := strings.CutPrefix(to, runPrefix); err == nil && ok {
			name, _, _ := strings.Cut(strings.TrimSuffix(run, " (deleted)"), "/")
			d.folders[runPrefix+name] = true
		}
	}
	children := map[string][]string{}
	starts := map[string]string{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stats {
		if pid, parent, start, ok := stat(s); ok {
			children[parent], starts[pid] = append(children[parent], pid), start
		}
	}
	todo := children[strconv.Itoa(d.cmd.Process.Pid)]
	for len(todo) > 0 {
		pid := todo[0]
		todo = append(todo[1:], children[pid]...)
		d.below[pid+" "+starts[pid]] = true
	}
}

// stat reads pid, parent and start time; a program's name may hold spaces and parentheses.
func stat(file string) (pid, parent, start string, ok bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", "", "", false
	}
	i := bytes.LastIndexByte(data, ')')
	if i < 0 {
		return "", "", "", false
	}
	f := strings.Fields(string(data[i+1:]))
	if len(f) < 20 {
		return "", "", "", false
	}
	return filepath.Base(filepath.Dir(file)), f[1], f[19], true
}

// nothingLeft demands that every folder and process that was seen is gone.
func (d *playing) nothingLeft(t *testing.T) {
	t.Helper()
	if len(d.folders) == 0 || len(d.below) == 0 {
		t.Errorf("nothing was seen of its run: folders %v, processes %v", d.folders, d.below)
	}
	for f := range d.folders {
		if _, err := os.Stat(f); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("left behind: %s (%v)", f, err)
		}
	}
	for p := range d.below {
		pid, start, _ := strings.Cut(p, " ")
		eventually(t, "the process "+pid+" has ended", func() bool {
			_, _, now, ok := stat("/proc/" + pid + "/stat")
			return !ok || now != start
		})
	}
}
