package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"selffix/internal/ghfake"
	"selffix/internal/install"
	"selffix/internal/install/workflow"
)

// hosted plays GitHub Actions: it reads a workflow and runs each job's steps on a machine of its own, as far as the workflows of
// self-fix go. What it does not know fails the test: nothing in a workflow is passed over.
type hosted struct {
	t         *testing.T
	scene     *ghfake.Scene
	files     map[string][]byte // of the default branch
	secrets   map[string]string // by name, of every environment
	event     string            // name
	payload   []byte
	context   map[string]string // what expressions may name, beside a job's own
	programs  string            // folder of stand-ins for what a machine brings: curl, which brings dagger
	artifacts map[string]map[string][]byte
	extra     []string // variables for the stand-ins
}

// jobEnd is how a job ended.
type jobEnd struct {
	ran     bool
	failed  bool
	outputs map[string]string
	summary string
	log     string
}

// run runs a workflow and returns how each job ended.
func (h *hosted) run(name string) map[string]jobEnd {
	h.t.Helper()
	w, err := workflow.Parse(name, h.files[install.WorkflowsDir+"/"+name])
	if err != nil {
		h.t.Fatal(err)
	}
	if !slices.Contains(w.Triggers(), h.event) {
		h.t.Fatalf("%s is not started by %s", name, h.event)
	}
	h.artifacts = map[string]map[string][]byte{}
	ends := map[string]jobEnd{}
	for len(ends) < len(w.Jobs) {
		before := len(ends)
		for id, j := range w.Jobs {
			needs := j.Needed()
			if _, done := ends[id]; done || slices.ContainsFunc(needs, func(n string) bool { _, ok := ends[n]; return !ok }) {
				continue
			}
			ends[id] = h.job(id, j, ends)
		}
		if len(ends) == before {
			h.t.Fatalf("%s: jobs wait for each other", name)
		}
	}
	return ends
}

func (h *hosted) job(id string, j workflow.Job, ends map[string]jobEnd) jobEnd {
	h.t.Helper()
	context := maps.Clone(h.context)
	for _, n := range j.Needed() {
		if e := ends[n]; !e.ran || e.failed {
			return jobEnd{}
		}
		for k, v := range ends[n].outputs {
			context["needs."+n+".outputs."+k] = v
		}
	}
	if !h.holds(j.If, context) {
		return jobEnd{}
	}
	m := h.machine(id, j, context)
	end := jobEnd{ran: true, outputs: map[string]string{}}
	for i, s := range j.Steps {
		if end.failed || !h.holds(s.If, m.context) {
			continue
		}
		if err := m.step(s); err != nil {
			end.failed = true
			fmt.Fprintf(&m.log, "step %d: %v\n", i+1, err)
		}
	}
	for name, value := range j.Outputs {
		end.outputs[name] = h.fill(value, m.context)
	}
	end.summary, end.log = m.read("summary"), m.log.String()
	return end
}

// hostedMachine is a fresh machine of one job.
type hostedMachine struct {
	h               *hosted
	workspace, temp string
	context         map[string]string
	env             []string
	log             bytes.Buffer
}

func (h *hosted) machine(id string, j workflow.Job, context map[string]string) *hostedMachine {
	h.t.Helper()
	m := &hostedMachine{h: h, workspace: h.t.TempDir(), temp: h.t.TempDir(), context: context}
	token := ghfake.SandboxPrefix + "job-" + id
	rights := ghfake.Permissions{"metadata": "read"}
	for k, v := range *j.Permissions {
		rights[strings.ReplaceAll(k, "-", "_")] = v
	}
	if err := h.scene.Server.AddActionsToken(token, rights); err != nil {
		h.t.Fatal(err)
	}
	context["github.token"], context["runner.temp"] = token, m.temp
	m.write("event.json", h.payload)
	m.env = append(slices.Clone(h.extra), "PATH="+h.programs+":"+filepath.Dir(workerPath(h.t))+":"+os.Getenv("PATH"), "HOME="+h.t.TempDir(), "LC_ALL=C.UTF-8",
		"GITHUB_WORKSPACE="+m.workspace, "RUNNER_TEMP="+m.temp, "GITHUB_EVENT_NAME="+h.event, "GITHUB_EVENT_PATH="+m.temp+"/event.json", "GITHUB_JOB="+id,
		"GITHUB_REPOSITORY=maintainer/app", fmt.Sprintf("GITHUB_REPOSITORY_ID=%d", h.scene.Repo.ID()), fmt.Sprintf("GITHUB_RUN_ID=%d", h.scene.RunID), "GITHUB_RUN_ATTEMPT=1",
		"GITHUB_API_URL="+h.scene.Server.URL, "GITHUB_STEP_SUMMARY="+m.temp+"/summary", "GITHUB_OUTPUT="+m.temp+"/output", "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1")
	return m
}

func (m *hostedMachine) step(s workflow.Step) error {
	action, _, _ := strings.Cut(s.Uses, "@")
	switch {
	case s.Run != "":
		return m.command(s)
	case action == "actions/checkout":
		if s.With["ref"] != "refs/heads/main" || s.With["persist-credentials"] != "false" {
			return fmt.Errorf("checks out %q", s.With["ref"])
		}
		for name, text := range m.h.files {
			if slices.ContainsFunc(strings.Fields(s.With["sparse-checkout"]), func(p string) bool { return strings.HasPrefix("/"+name, p) }) {
				m.put(filepath.Join(m.workspace, name), text)
			}
		}
		return nil
	case action == "actions/upload-artifact":
		kept := map[string][]byte{}
		for _, path := range strings.Fields(m.h.fill(s.With["path"], m.context)) {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			kept[filepath.Base(path)] = data
		}
		m.h.artifacts[s.With["name"]] = kept
		return nil
	case action == "actions/download-artifact":
		for name, data := range m.h.artifacts[s.With["name"]] {
			m.put(filepath.Join(m.h.fill(s.With["path"], m.context), name), data)
		}
		return nil
	}
	return fmt.Errorf("a step that is not known: %q", s.Uses)
}

func (m *hostedMachine) command(s workflow.Step) error {
	m.write("output", nil)
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
	cmd.Dir, cmd.Env = m.workspace, slices.Clone(m.env)
	for k, v := range s.Env {
		cmd.Env = append(cmd.Env, k+"="+m.h.fill(v, m.context))
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	m.log.Write(out.Bytes())
	for _, line := range strings.Split(m.read("output"), "\n") {
		if k, v, ok := strings.Cut(line, "="); ok && s.ID != "" {
			m.context["steps."+s.ID+".outputs."+k] = v
		}
	}
	return err
}

func (m *hostedMachine) read(name string) string {
	data, err := os.ReadFile(filepath.Join(m.temp, name))
	if err != nil {
		return ""
	}
	return string(data)
}

func (m *hostedMachine) write(name string, data []byte) { m.put(filepath.Join(m.temp, name), data) }

func (m *hostedMachine) put(path string, data []byte) {
	m.h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.h.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		m.h.t.Fatal(err)
	}
}

var expressionForm = regexp.MustCompile(`\$\{\{ *([A-Za-z0-9_.-]+) *\}\}`)

// fill replaces expressions. A name that is not known is empty, as on GitHub, if it is an output; any other fails the test.
func (h *hosted) fill(text string, context map[string]string) string {
	h.t.Helper()
	out := expressionForm.ReplaceAllStringFunc(text, func(x string) string {
		return h.value(expressionForm.FindStringSubmatch(x)[1], context)
	})
	if strings.Contains(out, "${{") {
		h.t.Fatalf("an expression that is not known: %q", text)
	}
	return out
}

func (h *hosted) value(name string, context map[string]string) string {
	h.t.Helper()
	if secret, ok := strings.CutPrefix(name, "secrets."); ok {
		return h.secrets[secret]
	}
	v, ok := context[name]
	if !ok && !strings.Contains(name, ".outputs.") {
		h.t.Fatalf("an expression names %q", name)
	}
	return v
}

var comparison = regexp.MustCompile(`^([A-Za-z0-9_.-]+) == (?:'((?:[^']|'')*)'|([0-9]+))$`)

// holds evaluates a condition: comparisons joined by &&. GitHub compares texts without regard to case.
func (h *hosted) holds(condition string, context map[string]string) bool {
	h.t.Helper()
	if condition == "" {
		return true
	}
	for _, part := range strings.Split(condition, "&&") {
		m := comparison.FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			h.t.Fatalf("a condition that is not known: %q", part)
		}
		if !strings.EqualFold(h.value(m[1], context), strings.ReplaceAll(m[2], "''", "'")+m[3]) {
			return false
		}
	}
	return true
}

// archive packs one program as Dagger's release does.
func archive(t *testing.T, program string) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	w := tar.NewWriter(zip)
	if err := w.WriteHeader(&tar.Header{Name: "dagger", Mode: 0o755, Size: int64(len(program)), Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(program)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
