package worker

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"selffix/gates"
	"selffix/internal/ghfake"
	"selffix/internal/tokens"
	"selffix/pipeline"
	"selffix/pipeline/policy"
)

// judged is a gate step that was given what its plan says, on a GitHub on which all four gates hold.
func judged(t *testing.T, sc *ghfake.Scene, name string) work {
	t.Helper()
	w := ground(t, name)
	w.give(t, "/in/policy.yaml", sandboxPolicy(t, "github_api: https://api.github.com", "github_api: "+sc.Server.URL))
	w.give(t, "/in/event.json", sc.Repo.StatusEvent(sc.Status))
	w.thisRun(t, sc.RunID, 1, "status")
	w.give(t, "/run/secrets/github-read", []byte(ghfake.ReadToken+"\n"))
	return w
}

func (w work) thisRun(t *testing.T, id int64, attempt int, event string) {
	t.Helper()
	text, err := pipeline.WriteRun(pipeline.ThisRun{RunID: id, Attempt: attempt, EventName: event})
	if err != nil {
		t.Fatal(err)
	}
	w.give(t, "/in/run.json", text)
}

func scene(t *testing.T, so ghfake.SceneOptions) *ghfake.Scene {
	t.Helper()
	sc, err := ghfake.NewScene(t.Context(), ghfake.Options{Dir: t.TempDir()}, so)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sc.Server.Close(); err != nil {
			t.Error(err)
		}
	})
	return sc
}

// decided runs a step and returns its outcome, and its verdict if it left one.
func (w work) decided(t *testing.T) (pipeline.Outcome, *gates.Verdict) {
	t.Helper()
	o, err := outerSteps()[w.step.Name](t.Context(), w)
	if err != nil {
		o = explain(err)
	}
	data, err := os.ReadFile(w.in("/out/verdict.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	v, err := gates.ReadVerdict(data)
	if err != nil {
		t.Fatal(err)
	}
	return o, &v
}

func TestGateSteps(t *testing.T) {
	sc := scene(t, ghfake.SceneOptions{})
	for _, name := range []string{"gate", "fix-regate", "recheck-regate", "regate"} {
		w := judged(t, sc, name)
		o, v := w.decided(t)
		if o.Decision != pipeline.Continue || v == nil || v.Target == nil {
			t.Fatalf("%s: %+v, %+v", name, o, v)
		}
		pol, err := w.policy()
		if err != nil {
			t.Fatal(err)
		}
		if id := *v.Target; id.RepositoryID != sc.Repo.ID() || id.PullRequest != sc.Pull.Number || id.RunID != sc.RunID || id.TestedCommit != sc.Tested || id.PolicySHA256 != pol.Digest {
			t.Errorf("%s: %+v", name, id)
		}
		if v.Facts[0].Name == "job" && v.Facts[0].Value != w.step.Job {
			t.Errorf("%s names the job %s", name, v.Facts[0].Value)
		}
	}
}

func TestGateStepDoesNothing(t *testing.T) {
	sc := scene(t, ghfake.SceneOptions{})
	tests := map[string]struct {
		set      func(work)
		decision pipeline.Decision
		rule     string
		verdict  bool
	}{
		"a re-run":                 {func(w work) { w.thisRun(t, sc.RunID, 2, "status") }, pipeline.Stop, "SF-GATE-004", true},
		"a run that is not listed": {func(w work) { w.thisRun(t, 987654321, 1, "status") }, pipeline.Undecided, "SF-GATE-090", true},
		"another event":            {func(w work) { w.thisRun(t, sc.RunID, 1, "merge_group") }, pipeline.Stop, "SF-GATE-005", true},
		"another bot's status": {func(w work) {
			w.give(t, "/in/event.json", []byte(strings.Replace(string(sc.Repo.StatusEvent(sc.Status)), "258111874", "258111875", -1)))
		}, pipeline.Stop, "SF-GATE-005", true},
		"disabled": {func(w work) {
			w.give(t, "/in/policy.yaml", sandboxPolicy(t, "enabled: true", "enabled: false"))
		}, pipeline.Stop, "SF-GATE-001", true},
		"no run":       {func(w work) { w.lose(t, "/in/run.json") }, pipeline.Undecided, "SF-IDENTITY-002", false},
		"an empty run": {func(w work) { w.give(t, "/in/run.json", nil) }, pipeline.Undecided, "SF-IDENTITY-002", false},
		"zeros for a run": {func(w work) {
			w.give(t, "/in/run.json", []byte(`{"schema":"self-fix/run/v1","run_id":0,"run_attempt":0,"event_name":"status"}`))
		}, pipeline.Undecided, "SF-IDENTITY-002", false},
		"a run that names its job": {func(w work) {
			w.give(t, "/in/run.json", []byte(`{"schema":"self-fix/run/v1","run_id":1,"run_attempt":1,"event_name":"status","job":"push"}`))
		}, pipeline.Undecided, "SF-IDENTITY-002", false},
		"a run file without end":          {func(w work) { w.give(t, "/in/run.json", make([]byte, 1<<20)) }, pipeline.Undecided, "SF-IDENTITY-002", false},
		"no event":                        {func(w work) { w.lose(t, "/in/event.json") }, pipeline.Undecided, "SF-IDENTITY-003", false},
		"a cut event":                     {func(w work) { w.give(t, "/in/event.json", []byte(`{"id":1`)) }, pipeline.Undecided, "SF-IDENTITY-003", false},
		"no token":                        {func(w work) { w.lose(t, "/run/secrets/github-read") }, pipeline.Undecided, "SF-TOKEN-002", false},
		"a token that is not a sandbox's": {func(w work) { w.give(t, "/run/secrets/github-read", []byte("gh"+"s_real")) }, pipeline.Undecided, "SF-TOKEN-001", false},
		"no policy":                       {func(w work) { w.lose(t, "/in/policy.yaml") }, pipeline.Undecided, "SF-POLICY-001", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := judged(t, sc, "regate")
			sc.Server.ForgetRequests()
			tt.set(w)
			o, v := w.decided(t)
			if o.Decision != tt.decision || o.Rule != tt.rule || o.Reason == "" || (v != nil) != tt.verdict {
				t.Errorf("%+v, %+v; want %q by %s", o, v, tt.decision, tt.rule)
			}
			if v != nil && (v.Target != nil || v.Rule != o.Rule) {
				t.Errorf("verdict %+v", v)
			}
			if n := len(sc.Server.Requests()); n > 0 && name != "a run that is not listed" {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func (w work) lose(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(w.in(path)); err != nil {
		t.Fatal(err)
	}
}

// reviewed is the review gate's step with an event that GitHub sends for the pull request.
func reviewed(t *testing.T, sc *ghfake.Scene, replace ...string) work {
	t.Helper()
	w := ground(t, "review-gate")
	w.give(t, "/in/policy.yaml", sandboxPolicy(t, append(replace, "github_api: https://api.github.com", "github_api: "+sc.Server.URL)...))
	w.give(t, "/in/event.json", sc.Pull.Event("labeled", sc.Maintainer))
	w.thisRun(t, 7, 3, "pull_request_target") // a re-run is how it recovers
	return w
}

func TestReviewStep(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	app := ghfake.App{ID: 42, Slug: "review", InstallationID: 7, PublicKey: &key.PublicKey, Bot: ghfake.User{ID: 4242, Login: "review[bot]"},
		Permissions: ghfake.Permissions{"statuses": "write", "metadata": "read"}}
	const byApp, status = "app_id: 42", "accept_branch_writers: true"
	read, write := []byte(ghfake.ReadToken), []byte(ghfake.WriteToken)
	private := append([]byte("sandbox-"), block...)
	tests := map[string]struct {
		policy   string
		secrets  map[string][]byte
		set      func(work, *ghfake.Scene)
		decision pipeline.Decision
		rule     string
		posted   string
	}{
		"by the app":         {byApp, map[string][]byte{"github-read": read, "review-app-key": private}, nil, pipeline.Continue, "SF-REVIEW-001", "pending success"},
		"by the run's token": {status, map[string][]byte{"github-status": write}, nil, pipeline.Continue, "SF-REVIEW-001", "pending success"},
		"no key for the app": {byApp, map[string][]byte{"github-status": write}, nil, pipeline.Undecided, "SF-REVIEW-006", ""},
		"a real key":         {byApp, map[string][]byte{"github-read": read, "review-app-key": block}, nil, pipeline.Undecided, "SF-REVIEW-006", ""},
		"a key without end":  {byApp, map[string][]byte{"github-read": read, "review-app-key": make([]byte, 1<<20)}, nil, pipeline.Undecided, "SF-REVIEW-006", ""},
		"no secret":          {status, nil, nil, pipeline.Undecided, "SF-TOKEN-004", ""},
		"both ways at once":  {byApp, map[string][]byte{"github-status": write, "github-read": read, "review-app-key": private}, nil, pipeline.Undecided, "SF-TOKEN-004", ""},
		"a status's event":   {status, map[string][]byte{"github-status": write}, func(w work, _ *ghfake.Scene) { w.thisRun(t, 7, 1, "status") }, pipeline.Undecided, "SF-IDENTITY-003", ""},
		"no run":             {status, map[string][]byte{"github-status": write}, func(w work, _ *ghfake.Scene) { w.lose(t, "/in/run.json") }, pipeline.Undecided, "SF-IDENTITY-002", ""},
		"a key in a merge group": {byApp, map[string][]byte{"github-read": read, "review-app-key": private}, func(w work, sc *ghfake.Scene) {
			w.give(t, "/in/event.json", sc.Repo.MergeGroupEvent(sc.Tested, 1, sc.Maintainer))
			w.thisRun(t, 7, 1, "merge_group")
		}, pipeline.Undecided, "SF-TOKEN-005", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			so := ghfake.SceneOptions{}
			if tt.policy == byApp {
				so.ReviewApp = app
			}
			sc := scene(t, so)
			w := reviewed(t, sc, status, tt.policy)
			for secret, text := range tt.secrets {
				w.give(t, "/run/secrets/"+secret, text)
			}
			if tt.set != nil {
				tt.set(w, sc)
			}
			o, v := w.decided(t)
			if o.Decision != tt.decision || o.Rule != tt.rule || (v != nil) != strings.HasPrefix(tt.rule, "SF-REVIEW") {
				t.Errorf("%+v, %+v; want %q by %s", o, v, tt.decision, tt.rule)
			}
			var states []string
			for _, s := range sc.Repo.Statuses(sc.Tested, "maintainer-review") {
				states = append(states, s.State)
			}
			if got := strings.Join(states, " "); got != tt.posted {
				t.Errorf("posted %q, want %q", got, tt.posted)
			}
		})
	}
}

// A caller that knows the repository beside the event is held to it before anything is asked.
func TestCallerAgrees(t *testing.T) {
	sc := scene(t, ghfake.SceneOptions{})
	pol, err := policy.Parse(sandboxPolicy(t, "github_api: https://api.github.com", "github_api: "+sc.Server.URL))
	if err != nil {
		t.Fatal(err)
	}
	c := Caller{Policy: pol, Run: gates.Run{ID: sc.RunID, Attempt: 1}, EventName: "status", Event: sc.Repo.StatusEvent(sc.Status),
		Token: func() (tokens.Token, error) { return tokens.New(ghfake.ReadToken) }}
	for name, tt := range map[string]struct {
		repository string
		id         int64
		want       error
	}{
		"nothing known": {"", 0, nil}, "the same": {"maintainer/app", sc.Repo.ID(), nil},
		"another name": {"maintainer/other", 0, ErrEvent}, "another id": {"maintainer/app", 1, ErrEvent},
	} {
		c.Repository, c.RepositoryID = tt.repository, tt.id
		if v, err := Gate(t.Context(), c); !errors.Is(err, tt.want) || tt.want == nil && v.Decision != gates.Act {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}
