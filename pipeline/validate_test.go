package pipeline

import (
	"errors"
	"slices"
	"testing"
)

func TestBuiltInPlansAreValid(t *testing.T) {
	plans := append(Plans(), Review(ReviewByToken))
	for _, p := range plans {
		if err := p.Validate(); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

// edit changes one step of a copy of a plan.
func edit(p Plan, name StepName, change func(*Step)) Plan {
	p.Steps = slices.Clone(p.Steps)
	for i := range p.Steps {
		if p.Steps[i].Name == name {
			s := p.Steps[i]
			s.In, s.Out, s.Secrets = slices.Clone(s.In), slices.Clone(s.Out), slices.Clone(s.Secrets)
			s.Exposed, s.Net.Hosts = slices.Clone(s.Exposed), slices.Clone(s.Net.Hosts)
			change(&s)
			p.Steps[i] = s
		}
	}
	return p
}

// inputs changes the inputs of a copy of a plan.
func inputs(p Plan, change func([]PlanInput) []PlanInput) Plan {
	p.Inputs = change(slices.Clone(p.Inputs))
	return p
}

// Every rule stands here with plans that break the invariant in the one way that only this rule sees.
type brokenPlan struct {
	rule string
	name string
	plan Plan
}

var broken = []brokenPlan{
	{"secret-meets-code", "the agent holds the bot's key", edit(Fix(), "agent", func(s *Step) {
		s.Secrets = grant(SecretGitHubRead)
		s.In = append(s.In, mountVerdict("fix-regate.verdict"))
	})},
	{"secret-meets-code", "a test run that holds a token", edit(Fix(), "check", func(s *Step) {
		s.Exposed, s.Secrets, s.Fresh = []Exposure{PullRequestCode}, grant(SecretGitHubRead), true
	})},
	{"secret-meets-code", "a step that a model steers may push", edit(Fix(), "agent", func(s *Step) {
		s.Effect = EffectPush
		s.In = []Input{mountVerdict("fix-regate.verdict")}
	})},
	{"exposure-undeclared", "evidence is read as if it were trusted", edit(Fix(), "evidence-read", func(s *Step) { s.Exposed = []Exposure{PullRequestData} })},
	{"exposure-undeclared", "the checker forgets that a patch is hostile", edit(Fix(), "check", func(s *Step) { s.Exposed = []Exposure{UntrustedText} })},
	{"exposure-undeclared", "a step talks to the model and does not say so", edit(Fix(), "diff", func(s *Step) { s.Net.Relay = "model-proxy" })},
	{"write-secret-mounts", "publish mounts the lockfile", inputs(edit(Push(), "publish", func(s *Step) {
		s.In = append(s.In, Input{Ref: "in.lock", Path: InDir + "/lock"})
	}), func(in []PlanInput) []PlanInput {
		return append(in, PlanInput{Ref: "in.lock", Kind: KindLockfile, MaxBytes: 1})
	})},
	{"write-secret-exposed", "publish reads pull request data", edit(Push(), "publish", func(s *Step) { s.Exposed = []Exposure{PullRequestData}; s.Net.Hosts = nil })},
	{"secret-shared", "the bot's key in two steps", edit(Fix(), "fetch", func(s *Step) { s.Secrets = grant(SecretBot) })},
	{"secret-shared", "one secret twice in a step", edit(Gate(), "gate", func(s *Step) { s.Secrets = append(s.Secrets, s.Secrets...) })},
	{"secret-place", "a secret among the inputs", edit(Gate(), "gate", func(s *Step) { s.Secrets[0].Path = InDir + "/token" })},
	{"secret-named", "a variable that names a secret's file", edit(Gate(), "gate", func(s *Step) { s.Env = map[string]string{"TOKEN_FILE": SecretDir + "/github-read"} })},
	{"secret-cached", "a fetch that may be cached", edit(Gate(), "gate", func(s *Step) { s.Fresh = false })},
	{"exposed-network", "the checker may reach GitHub", edit(Fix(), "check", func(s *Step) { s.Net.Hosts = []HostKey{HostNPM} })},
	{"relay-target", "a relay to a step that is no service", edit(Fix(), "agent", func(s *Step) { s.Net.Relay = "check" })},
	{"service-exception", "the proxy may reach GitHub too", edit(Fix(), "model-proxy", func(s *Step) { s.Net.Hosts = append(s.Net.Hosts, HostGitHubAPI) })},
	{"service-exception", "the proxy is exposed to pull request data", edit(Fix(), "model-proxy", func(s *Step) { s.Exposed = append(s.Exposed, PullRequestData) })},
	{"raw-bytes-maker", "the gate brings objects", edit(Gate(), "gate", func(s *Step) {
		s.Out = append(s.Out, folder("objects", OutDir+"/o", KindObjects, 1, 1))
	})},
	{"output-unbounded", "a patch without bound", edit(Fix(), "diff", func(s *Step) { s.Out[0].MaxBytes = 0 })},
	{"output-unbounded", "a candidate of 2 MiB", edit(Fix(), "check", func(s *Step) { s.Out[2].MaxBytes = 2 * mib })},
	{"output-unbounded", "a tree without bound on its files", edit(Fix(), "agent", func(s *Step) { s.Out[0].MaxFiles = 0 })},
	{"folder-from-exposed", "the agent hands on a folder of programs", edit(Fix(), "agent", func(s *Step) {
		s.Out = append(s.Out, folder("cache", OutDir+"/cache", KindTools, 1, 1))
	})},
	{"unexposed-reads-exposed", "a trusted step reads the checker's report", trusted("check.report")},
	{"unexposed-reads-exposed", "a trusted step reads the agent's summary", trusted("agent.summary")},
	{"job-crossing", "a tree crosses jobs", inputs(Recheck(), func(in []PlanInput) []PlanInput {
		return append(in, PlanInput{Ref: "in.tree", Kind: KindTree, Dir: true, MaxBytes: 1, MaxFiles: 1})
	})},
	{"job-crossing", "a candidate without bound", inputs(Recheck(), func(in []PlanInput) []PlanInput { in[3].MaxBytes = 0; return in })},
	{"verdict-maker", "a verdict from another job", inputs(Push(), func(in []PlanInput) []PlanInput {
		return append(in, PlanInput{Ref: "in.verdict", Kind: KindVerdict, MaxBytes: 1})
	})},
	{"verdict-maker", "the checker makes a verdict", edit(Fix(), "check", func(s *Step) { s.Out[0].Kind, s.Out[0].MaxBytes = KindVerdict, 1 })},
	{"verdict-maker", "a gate that does not look at the event", edit(Gate(), "gate", func(s *Step) { s.In = []Input{mountPolicy()}; s.Secrets, s.Net.Hosts = nil, nil })},
	{"run-source", "a gate that does not know which run it is", edit(Gate(), "gate", func(s *Step) { s.In = []Input{mountPolicy(), mountEvent()} })},
	{"run-source", "a review gate that does not know its event", edit(Review(ReviewByApp), "review-gate", func(s *Step) { s.In = []Input{mountPolicy(), mountEvent()}; s.Out = nil })},
	{"run-source", "a step that makes up a run", edit(LocalFix(), "target", func(s *Step) { s.Out = append(s.Out, file("run", "run.json", KindRun, 1)) })},
	{"identity-source", "a fetch that learns the commit from nowhere", edit(Recheck(), "recheck-fetch", func(s *Step) { s.In = []Input{mountPolicy()} })},
	{"effect-ungated", "a push on the event alone", edit(Push(), "publish", func(s *Step) { s.In[1] = mountEvent() })},
	{"world-cached", "a listing without a token that may be cached", edit(Gate(), "gate", func(s *Step) { s.Secrets, s.Fresh = nil, false })},
	{"unknown-value", "an image outside the table", edit(Gate(), "gate", func(s *Step) { s.Image = "latest" })},
	{"unknown-value", "an exposure that nobody knows", edit(Fix(), "check", func(s *Step) { s.Exposed = append(s.Exposed, "some") })},
	{"unknown-value", "a secret that does not exist", edit(Gate(), "gate", func(s *Step) { s.Secrets = grant("admin") })},
	{"unknown-value", "a host outside the policy", edit(Gate(), "gate", func(s *Step) { s.Net.Hosts = []HostKey{"evil.example"} })},
	{"unknown-value", "an effect", edit(LocalFix(), "target", func(s *Step) { s.Effect = "delete" })},
	{"unknown-value", "an access", edit(Gate(), "gate", func(s *Step) { s.In[0].Access = "write" })},
	{"unknown-value", "a job", edit(Gate(), "gate", func(s *Step) { s.Job = "" })},
	{"unknown-value", "a kind", edit(Gate(), "gate", func(s *Step) { s.Out = append(s.Out, file("x", "x", "blob", 1)) })},
	{"limit-zero", "no time limit", edit(Gate(), "gate", func(s *Step) { s.Limits.Timeout = 0 })},
	{"limit-zero", "no limit on processes", edit(Gate(), "gate", func(s *Step) { s.Limits.Processes = 0 })},
	{"step-name", "no steps", Plan{Name: "empty"}},
	{"step-name", "an argument more", edit(Gate(), "gate", func(s *Step) { s.Args = append(s.Args, "--help") })},
	{"step-name", "a step twice", Plan{Name: "twice", Inputs: Gate().Inputs, Steps: append(Gate().Steps, Gate().Steps...)}},
	{"step-name", "no sentence", edit(Gate(), "gate", func(s *Step) { s.Doc = "" })},
	{"ref-unmade", "an input that nobody makes", inputs(Gate(), func(in []PlanInput) []PlanInput {
		return append(in, PlanInput{Ref: "policy", Kind: KindPolicy, MaxBytes: 1})
	})},
	{"path-place", "an input over the secrets", edit(Gate(), "gate", func(s *Step) { s.In[0].Path = SecretDir })},
	{"path-place", "an output over the inputs", edit(Gate(), "gate", func(s *Step) { s.Out[0].Path = InDir + "/verdict.json" })},
	{"path-place", "a path that climbs", edit(Gate(), "gate", func(s *Step) { s.Out[0].Path = OutDir + "/../etc/passwd" })},
	{"path-place", "two inputs at one place", edit(Gate(), "gate", func(s *Step) { s.In[1].Path = s.In[0].Path })},
}

// trusted is the fix plan with a step at its end that is not exposed and mounts ref.
func trusted(ref Ref) Plan {
	p := Fix()
	s := worker(JobFix, "notify", "tells people")
	s.In = []Input{{Ref: ref, Path: InDir + "/file"}}
	p.Steps = append(p.Steps, s)
	return p
}

func TestEachRuleHasAnExampleThatOnlyItRefuses(t *testing.T) {
	covered := make(map[string]bool)
	for _, tt := range slices.Concat(broken, brokenCode) {
		t.Run(tt.rule+"/"+tt.name, func(t *testing.T) {
			covered[tt.rule] = true
			err := tt.plan.Validate()
			if !errors.Is(err, ErrPlan) {
				t.Fatalf("Validate() = %v, want an error that wraps ErrPlan", err)
			}
			for _, r := range violated(t, err) {
				if r != tt.rule {
					t.Errorf("rule %s refuses it too: %v", r, err)
				}
			}
			without := slices.DeleteFunc(planRules(), func(r planRule) bool { return r.name == tt.rule })
			if err := tt.plan.validate(without); err != nil {
				t.Errorf("without the rule: %v, want no other rule to refuse", err)
			}
		})
	}
	for _, r := range planRules() {
		if !covered[r.name] {
			t.Errorf("rule %s has no example", r.name)
		}
	}
}

func TestEachInvariantHasARule(t *testing.T) {
	for _, inv := range Invariants() {
		if !slices.ContainsFunc(planRules(), func(r planRule) bool { return r.invariant == inv.Number }) {
			t.Errorf("invariant %d has no rule", inv.Number)
		}
	}
}

func violated(t *testing.T, err error) []string {
	t.Helper()
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("%T is no joined error", err)
	}
	var rules []string
	for _, e := range joined.Unwrap() {
		var v *Violation
		if !errors.As(e, &v) {
			t.Fatalf("%v is no violation", e)
		}
		rules = append(rules, v.Rule)
	}
	return rules
}
