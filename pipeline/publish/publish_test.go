package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"selffix/gates"
	"selffix/internal/ghfake"
	"selffix/internal/tokens"
	"selffix/pipeline/policy"
)

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func TestPublish(t *testing.T) {
	s := newSituation(t)
	in := s.rechecked()
	r, err := s.publish(in)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Pushed || r.Rule != rulePushed || r.StatusID == 0 || r.CommentID == 0 {
		t.Errorf("receipt %+v", r)
	}
	if head := s.scene.Repo.Head("feature"); head != in.Result.Commit {
		t.Errorf("the branch names %s, want %s", head, in.Result.Commit)
	}
	if head := s.scene.Pull.Head(); head != in.Result.Commit {
		t.Errorf("the pull request's head is %s, want %s", head, in.Result.Commit)
	}
	statuses := s.scene.Repo.Statuses(in.Result.Commit, s.policy.Review.Context)
	if len(statuses) != 1 || statuses[0].State != "pending" {
		t.Errorf("statuses %+v, want one that is pending", statuses)
	}
}

// TestPublishRefusesBeforeThePush holds each thing that is compared: nothing reaches the branch.
func TestPublishRefusesBeforeThePush(t *testing.T) {
	s := newSituation(t)
	good := s.rechecked()
	other := strings.Repeat("d", 40)
	for name, c := range map[string]struct {
		change func(*Input)
		rule   string
	}{
		"another repository":   {func(in *Input) { in.Result.RepositoryID++ }, ruleIdentity},
		"another pull request": {func(in *Input) { in.Result.PullRequest++ }, ruleIdentity},
		"another run":          {func(in *Input) { in.Result.RunID++ }, ruleIdentity},
		"a replay":             {func(in *Input) { in.Target.TestedCommit, in.Target.Evidence.Commit = other, other }, ruleIdentity},
		"made on a laptop":     {func(in *Input) { in.Result.RepositoryID, in.Result.PullRequest, in.Result.RunID = 0, 0, 0 }, ruleIdentity},
		"no verdict":           {func(in *Input) { in.Target = gates.Target{} }, ruleIdentity},
		"a re-run":             {func(in *Input) { in.Target.RunAttempt = 2 }, ruleIdentity},
		"policy changed":       {func(in *Input) { in.Target.PolicySHA256 = strings.Repeat("e", 64) }, rulePolicy},
		"policy switched off":  {func(in *Input) { in.Policy.Enabled = false }, rulePolicy},
		"result of a sandbox":  {func(in *Input) { in.Policy.Sandbox = false }, ""},
		"another tree":         {func(in *Input) { in.Result.ResultTree = other }, rulePack},
		"another commit":       {func(in *Input) { in.Result.Commit = other }, rulePack},
		"dated ahead":          {func(in *Input) { in.Now = in.Now.Add(-3 * time.Minute) }, ruleResult},
		"dated long ago":       {func(in *Input) { in.Now = in.Now.Add(7 * time.Hour) }, ruleResult},
		"no time":              {func(in *Input) { in.Now = time.Time{} }, ruleResult},
		"another pack":         {func(in *Input) { in.Pack = s.rewrite(in.Pack, func(b []byte) []byte { b[len(b)/2] ^= 1; return b }) }, rulePack},
		"a cut pack":           {func(in *Input) { in.Pack = s.rewrite(in.Pack, func(b []byte) []byte { return b[:len(b)-1] }) }, rulePack},
		"no pack":              {func(in *Input) { in.Pack += ".missing" }, rulePack},
		"no robot":             {func(in *Input) { in.anonymous() }, ruleRobot},
		"a path with markup":   {func(in *Input) { in.Result.Changed = []string{"a`@everyone`"} }, ruleResult},
		"paths not sorted":     {func(in *Input) { in.Result.Changed = []string{"b", "a"} }, ruleResult},
	} {
		t.Run(name, func(t *testing.T) {
			in := good
			c.change(&in)
			_, err := s.publish(in)
			if err == nil || c.rule != "" && RuleOf(err) != c.rule {
				t.Errorf("got %v, want %s", err, c.rule)
			}
			if head := s.scene.Repo.Head("feature"); head != s.scene.Tested {
				t.Fatalf("the branch was moved to %s", head)
			}
		})
	}
	if _, err := s.publish(good); err != nil {
		t.Errorf("the positive control was refused: %v", err)
	}
}

// anonymous is a policy that names no robot, with a result that is consistent with it.
func (in *Input) anonymous() {
	in.Policy.Robot = policy.Robot{}
	c := commit{tree: in.Result.ResultTree, parent: in.Target.TestedCommit, at: time.Unix(in.Result.CommittedAt, 0).UTC(), policy: in.Policy}
	in.Result.Commit = c.id()
}

// rewrite copies a pack with a change in it.
func (s *situation) rewrite(name string, change func([]byte) []byte) string {
	s.t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		s.t.Fatal(err)
	}
	to := s.t.TempDir() + "/pack"
	if err := os.WriteFile(to, change(data), 0o644); err != nil {
		s.t.Fatal(err)
	}
	return to
}

// A pack whose hash the forged result names, but which holds another commit, is found out by the commit's id.
func TestPublishRefusesAForeignPack(t *testing.T) {
	s := newSituation(t)
	in := s.rechecked()
	honest := in.Result
	other := s.recheckInput()
	other.Now = noon.Add(time.Minute)
	r, err := Recheck(context.Background(), other)
	if err != nil {
		t.Fatal(err)
	}
	in.Pack, in.Result.PackSHA256, in.Result.PackBytes = other.Pack, r.PackSHA256, r.PackBytes
	if r.Commit == honest.Commit {
		t.Fatal("the other commit is the same one: the test shows nothing")
	}
	if _, err := s.publish(in); RuleOf(err) != rulePack {
		t.Errorf("got %v, want %s", err, rulePack)
	}
}

func TestPublishWhenTheBranchMoved(t *testing.T) {
	for name, c := range map[string]struct {
		move func(*testing.T, *ghfake.Scene)
		rule string
	}{
		"forward": {func(t *testing.T, sc *ghfake.Scene) {
			if _, err := sc.Pull.Push(sc.Maintainer, ghfake.Commit{Message: "more", Files: map[string]string{"x.txt": "x\n"}}); err != nil {
				t.Fatal(err)
			}
		}, ruleUnknown},
		"back": {func(t *testing.T, sc *ghfake.Scene) {
			if err := sc.Repo.SetBranch(sc.Maintainer, "feature", sc.Repo.Head("main")); err != nil {
				t.Fatal(err)
			}
		}, ruleUnknown},
		"deleted": {func(t *testing.T, sc *ghfake.Scene) {
			if err := sc.Repo.SetBranch(sc.Maintainer, "feature", ""); err != nil {
				t.Fatal(err)
			}
		}, ruleUnknown},
		"protected": {func(t *testing.T, sc *ghfake.Scene) {
			if err := sc.Repo.Protect("feature", ghfake.Protection{RefusePush: "refuse"}); err != nil {
				t.Fatal(err)
			}
		}, ruleRefused},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSituation(t)
			in := s.rechecked()
			c.move(t, s.scene)
			before := s.scene.Repo.Head("feature")
			r, err := s.publish(in)
			if RuleOf(err) != c.rule || r.Pushed {
				t.Errorf("got %v, pushed %t, want %s", err, r.Pushed, c.rule)
			}
			if want := map[string]string{ruleUnknown: "perhaps pushed", ruleRefused: "not pushed"}[c.rule]; (Receipt{Rule: RuleOf(err)}).Word() != want {
				t.Errorf("%s is reported otherwise than as %q", c.rule, want)
			}
			if head := s.scene.Repo.Head("feature"); head != before {
				t.Errorf("the branch was moved from %s to %s", before, head)
			}
		})
	}
}

// The server accepted and the answer was lost: the ref decides, and what follows a push is done.
func TestPublishWhenTheAnswerIsLost(t *testing.T) {
	s := newSituation(t)
	in := s.rechecked()
	s.scene.Server.Inject(ghfake.Fault{Route: ghfake.RoutePush, Distortion: ghfake.Distortion{Name: "answer lost", After: func(a *ghfake.Answer) { a.Lost = true }}})
	r, err := s.publish(in)
	if err != nil || !r.Pushed || r.StatusID == 0 {
		t.Errorf("got %+v, %v, want a push that was noticed", r, err)
	}
}

// lagging answers the first reads of a branch with what it named before.
type lagging struct {
	GitHub
	was  string
	lags int
	read int
}

func (l *lagging) Ref(ctx context.Context, branch string) (string, error) {
	l.read++
	if l.read <= l.lags {
		return l.was, nil
	}
	return l.GitHub.Ref(ctx, branch)
}

// Lost answers of git and late ones of the API come together: only a rejection that git names is one.
func TestPublishWhenTheAnswerIsLostAndTheBranchIsReadLate(t *testing.T) {
	for _, c := range []struct {
		name string
		lags int
		rule string
	}{
		{"in time", 0, ""}, {"once", 1, ""}, {"four times", 4, ""}, {"for good", 99, ruleUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSituation(t)
			in := s.rechecked()
			s.scene.Server.Inject(ghfake.Fault{Route: ghfake.RoutePush, Distortion: ghfake.Distortion{Name: "answer lost", After: func(a *ghfake.Answer) { a.Lost = true }}})
			r, err := Publish(context.Background(), in, s.token(), &lagging{GitHub: s.client(), was: s.scene.Tested, lags: c.lags}, noWait)
			if RuleOf(err) != c.rule || r.Pushed != (c.rule == "") {
				t.Errorf("got %v, pushed %t, want rule %q", err, r.Pushed, c.rule)
			}
			if s.scene.Repo.Head("feature") != in.Result.Commit {
				t.Error("the commit is not on the branch: the test shows nothing")
			}
		})
	}
}

func TestRejectedIsWhatGitSaysOfTheRef(t *testing.T) {
	const ref = "refs/heads/feature"
	for report, want := range map[string]bool{
		"To https://x\n!\tabc:refs/heads/feature\t[rejected] (stale info)\nDone\n":        true,
		"!\tabc:refs/heads/feature\t[remote rejected] (protected branch hook declined)\n": true,
		"!\tabc:refs/heads/feature\t[remote failure] (remote failed to report status)\n":  false,
		"!\tabc:refs/heads/other\t[rejected] (stale info)\n":                              false,
		" \tabc:refs/heads/feature\tabc..def\n":                                           false,
		"fatal: the remote end hung up unexpectedly\n":                                    false,
		"": false,
	} {
		if got := rejected(report, ref); got != want {
			t.Errorf("%q: %t, want %t", report, got, want)
		}
	}
}

func TestEightPublishersPushOnce(t *testing.T) {
	s := newSituation(t)
	var inputs []Input
	for i := range 8 {
		ri := s.recheckInput()
		ri.Now = noon.Add(time.Duration(i) * time.Second)
		r, err := Recheck(context.Background(), ri)
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, Input{Policy: s.policy, Target: s.target, Result: r, Pack: ri.Pack, Now: noon})
	}
	var wg sync.WaitGroup
	pushed := make([]bool, len(inputs))
	for i, in := range inputs {
		gh := s.client()
		wg.Go(func() {
			r, _ := Publish(context.Background(), in, s.token(), gh, noWait)
			pushed[i] = r.Pushed
		})
	}
	wg.Wait()
	n := 0
	for i, ok := range pushed {
		if ok {
			n++
			if head := s.scene.Repo.Head("feature"); head != inputs[i].Result.Commit {
				t.Errorf("publisher %d says it pushed, and the branch names %s", i, head)
			}
		}
	}
	if n != 1 {
		t.Errorf("%d publishers say that they pushed, want exactly 1", n)
	}
}

func TestDryRunChangesNothing(t *testing.T) {
	s := newSituation(t)
	in := s.rechecked()
	s.scene.Server.ForgetRequests()
	r, err := DryRun(context.Background(), in)
	if err != nil || r.Pushed || r.Rule != ruleDryRun || r.Commit != in.Result.Commit {
		t.Errorf("got %+v, %v", r, err)
	}
	if n := len(s.scene.Server.Requests()); n != 0 {
		t.Errorf("a dry run made %d requests", n)
	}
	if head := s.scene.Repo.Head("feature"); head != s.scene.Tested {
		t.Error("a dry run moved the branch")
	}
}

// A real token is never sent to a loopback host, nor a sandbox's token anywhere else.
func TestPublishHoldsTokenToHost(t *testing.T) {
	s := newSituation(t)
	in := s.rechecked()
	token, err := tokens.New("gh" + "s_" + strings.Repeat("a", 36))
	if err != nil {
		t.Fatal(err)
	}
	s.scene.Server.ForgetRequests()
	if _, err := Publish(context.Background(), in, token, s.client(), noWait); err == nil {
		t.Error("a real token was taken for a fake")
	}
	if n := len(s.scene.Server.Requests()); n != 0 {
		t.Errorf("%d requests were made", n)
	}
}

func TestCommentListsAtMostThirtyFiles(t *testing.T) {
	r := Result{Commit: strings.Repeat("1", 40), TestedCommit: strings.Repeat("2", 40)}
	for i := range 33 {
		r.Changed = append(r.Changed, fmt.Sprintf("packages/core/src/[a](b) @x/%02d.ts", i))
	}
	text := comment(r)
	if n := strings.Count(text, "\n- `"); n != 30 || !strings.Contains(text, "and 3 more.") {
		t.Errorf("%d files are named, want 30 and 3 more:\n%s", n, text)
	}
	if !strings.HasPrefix(text, gates.CommentMark) || !strings.Contains(text, "git commit --allow-empty") {
		t.Errorf("the comment lacks its mark or its advice:\n%s", text)
	}
	r.Changed = r.Changed[:30]
	if strings.Contains(comment(r), "more.") {
		t.Error("30 files are all named; none is left over")
	}
}
