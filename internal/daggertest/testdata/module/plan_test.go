package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"selffix/internal/images"
	"selffix/pipeline"
	"selffix/pipeline/policy"
)

// call is what a function was given, and the part of the plan that it must have run.
type call struct {
	plan        pipeline.Plan
	first, last pipeline.StepName
	policy      policy.Policy
	files       map[pipeline.Ref]string // what is given, by its text
	folders     map[pipeline.Ref]*node
	secrets     map[pipeline.SecretName]string // by uri
	sandbox     map[string]*node               // stand-ins that a step must be bound to, by alias
	reaches     map[pipeline.StepName][]string // which step is bound to which stand-ins
}

// steps are the steps of the part that run as execs or services, in the order in which they start: a service just before the first
// step that relays to it, its collector after the last one.
func (c call) steps() []pipeline.Step {
	from := slices.IndexFunc(c.plan.Steps, func(s pipeline.Step) bool { return s.Name == c.first })
	to := slices.IndexFunc(c.plan.Steps, func(s pipeline.Step) bool { return s.Name == c.last })
	var out []pipeline.Step
	for _, s := range c.plan.Steps[from : to+1] {
		if s.Service() {
			continue
		}
		if s.Net.Relay == "" {
			out = append(out, s)
			continue
		}
		proxy, _ := c.plan.Step(s.Net.Relay)
		meter, _ := c.plan.Collector(s.Net.Relay)
		out = append(out, proxy, s, meter)
	}
	return out
}

// equals demands that the recorded programs are exactly the plan's steps.
func (c call) equals(t *testing.T, r *recorder) {
	t.Helper()
	want, got := c.steps(), r.states()
	var names, ran []string
	for _, s := range want {
		names = append(names, string(s.Name))
	}
	byStep := map[pipeline.StepName]state{}
	for _, s := range got {
		ran = append(ran, s.name())
		byStep[pipeline.StepName(s.name())] = s
	}
	if !slices.Equal(names, ran) {
		t.Fatalf("ran %v, the plan has %v", ran, names)
	}
	nonces := map[string]bool{}
	for _, s := range want {
		c.one(t, r, s, byStep)
		if nonce, ok := byStep[s.Name].env[nonceVariable]; ok && (len(nonce) < 20 || nonces[nonce]) {
			t.Errorf("%s: the nonce %q is short, or not its own", s.Name, nonce)
		} else if ok {
			nonces[nonce] = true
		}
	}
	c.build(t, r)
}

// build holds the only programs beside the worker to the two that make it, from this module's own source, with nothing secret near.
func (c call) build(t *testing.T, r *recorder) {
	t.Helper()
	image, err := images.Builder()
	if err != nil {
		t.Fatal(err)
	}
	var ran []string
	for _, s := range r.others() {
		ran = append(ran, strings.Join(s.args, " "))
		if s.image != image || len(s.secrets)+len(s.secretVs)+len(s.mounts)+len(s.bindings) != 0 {
			t.Errorf("%v: in %q, with %v %v %v %v", s.args, s.image, s.secrets, s.secretVs, s.mounts, s.bindings)
		}
	}
	if len(ran) != 2 || ran[0] != "go mod download" || !strings.HasPrefix(ran[1], "go build -trimpath ") {
		t.Errorf("programs beside the worker: %q", ran)
	}
}

// one holds one exec to its step.
func (c call) one(t *testing.T, r *recorder, s pipeline.Step, ran map[pipeline.StepName]state) {
	t.Helper()
	got := ran[s.Name]
	fail := func(format string, a ...any) { t.Errorf("%s: %s", s.Name, fmt.Sprintf(format, a...)) }
	image, err := images.For(s.Image, c.policy.Images)
	if err != nil {
		t.Fatal(err)
	}
	if got.image != image || got.user != "0:0" || got.workdir != "/" {
		fail("image %q as %q in %q, want %q as root in /", got.image, got.user, got.workdir, image)
	}
	if want := append([]string{WorkerPath}, s.Args...); !slices.Equal(got.args, want) || len(got.options) != 0 {
		fail("runs %q with %q, want %q and no option", got.args, got.options, want)
	}
	if got.port != int(s.Serves) || (got.exec.field == "asService") != s.Service() {
		fail("%s serves %d, want %d", got.exec.field, got.port, s.Serves)
	}
	env := []string{"HOME", "TMPDIR"}
	if s.Fresh || s.Effect != pipeline.EffectNone {
		env = append(env, nonceVariable)
	}
	if have := slices.Sorted(maps.Keys(got.env)); !slices.Equal(have, slices.Sorted(slices.Values(env))) || len(got.secretVs) != 0 {
		fail("variables %v and %v, want %v", have, got.secretVs, env)
	}
	c.granted(r, s, got, fail)
	c.mounted(r, s, got, ran, fail)
	c.bound(s, got, ran, fail)
}

// granted demands the step's secrets, each at its path for root alone, and no other; and that they are gone before anything is taken.
func (c call) granted(r *recorder, s pipeline.Step, got state, fail func(string, ...any)) {
	want := map[string]string{}
	for _, g := range s.Secrets {
		want[g.Path] = c.secrets[g.Secret]
	}
	for _, in := range s.In {
		if in.Ref == "in.run-key" {
			want[in.Path] = "run key"
		}
	}
	for path, uri := range want {
		g, ok := got.secrets[path]
		if !ok || g.owner != "0:0" || g.mode != 0o400 {
			fail("the secret at %s: %+v, want root's with mode 0400", path, g)
			continue
		}
		if is := g.source.str("uri"); is != uri && !(uri == "run key" && g.source.field == "setSecret") {
			fail("the secret at %s is %q, want %q", path, is, uri)
		}
		if !s.Service() && !slices.Contains(got.after, path) {
			fail("the secret at %s is not taken away after the exec", path)
		}
	}
	if len(got.secrets) != len(want) {
		fail("secrets %v, want %v", slices.Collect(maps.Keys(got.secrets)), want)
	}
}

// mounted demands the step's inputs, each at its path, from whom the plan says, and the worker, and nothing else.
func (c call) mounted(r *recorder, s pipeline.Step, got state, ran map[pipeline.StepName]state, fail func(string, ...any)) {
	want := 1
	if w := got.mounts[WorkerPath]; w.source == nil || !isWorker(w.source) {
		fail("the worker at %s is %v", WorkerPath, w.source)
	}
	for _, in := range s.In {
		if in.Ref == "in.run-key" {
			continue
		}
		want++
		m, ok := got.mounts[in.Path]
		if !ok {
			fail("nothing at %s", in.Path)
			continue
		}
		if isFolder := m.source.field != "file"; isFolder && m.readOnly != (in.Access == pipeline.ReadOnly) {
			fail("%s is read-only: %v, want access %q", in.Path, m.readOnly, in.Access)
		}
		if why := c.source(r, in.Ref, m.source, ran); why != "" {
			fail("%s at %s: %s", in.Ref, in.Path, why)
		}
	}
	if len(got.mounts) != want {
		fail("mounts %v, want %d", slices.Collect(maps.Keys(got.mounts)), want)
	}
}

// source says what is wrong with where an input comes from, "" if nothing is.
func (c call) source(r *recorder, ref pipeline.Ref, got *node, ran map[pipeline.StepName]state) string {
	if text, ok := c.files[ref]; ok {
		if have, err := r.content(got); err != nil || have != text {
			return fmt.Sprintf("%.60q, %v, want the given file", have, err)
		}
		return ""
	}
	if folder, ok := c.folders[ref]; ok {
		if got != folder {
			return "another folder than the given one"
		}
		return ""
	}
	for _, s := range c.plan.Steps {
		for _, o := range s.Out {
			if s.Ref(o.Name) != ref {
				continue
			}
			name := s.Name
			if s.Service() {
				meter, _ := c.plan.Collector(s.Name)
				name = meter.Name
			}
			if by, ok := ran[name]; !ok || !madeBy(got, by, o.Path) {
				return "not what " + string(name) + " left at " + o.Path
			}
			return ""
		}
	}
	return "from nowhere"
}

// bound demands the step's services and no others.
func (c call) bound(s pipeline.Step, got state, ran map[pipeline.StepName]state, fail func(string, ...any)) {
	want := map[string]*node{}
	if s.Net.Relay != "" {
		want[string(s.Net.Relay)] = ran[s.Net.Relay].exec
	}
	for _, alias := range c.reaches[s.Name] {
		want[alias] = c.sandbox[alias]
	}
	if !maps.Equal(got.bindings, want) {
		fail("bound to %v, want %v", slices.Collect(maps.Keys(got.bindings)), slices.Collect(maps.Keys(want)))
	}
}

// isWorker reports whether a file is the worker, built from the module's own context.
func isWorker(n *node) bool {
	var fields []string
	for _, at := range n.chain() {
		fields = append(fields, at.field)
		if at.field == "withDirectory" {
			source, ok := at.args["source"].(*node)
			if !ok || source.chain()[0].field != "currentModule" {
				return false
			}
		}
	}
	return n.str("path") == "/built/self-fix" && fields[0] == "container" && slices.Contains(fields, "withDirectory")
}
