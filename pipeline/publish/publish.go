package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"selffix/gates"
	"selffix/gates/github"
	"selffix/internal/scratch"
	"selffix/internal/tokens"
	"selffix/pipeline/checkout"
	"selffix/pipeline/policy"
)

// maxAge is how long after recheck a commit may be published, and maxAhead how far its date may lie ahead of this clock.
const (
	maxAge   = 6 * time.Hour
	maxAhead = 2 * time.Minute
)

// GitHub is what the publisher asks of GitHub, after the push. *github.Client is one.
type GitHub interface {
	Ref(ctx context.Context, branch string) (string, error)
	Commit(ctx context.Context, sha string) (gates.Commit, error)
	PostReview(ctx context.Context, sha string, s github.State, p policy.Policy) (gates.Posted, error)
	PostComment(ctx context.Context, number int, body string) (int64, error)
}

// Input is what a push needs. Target is this job's own verdict; it is the only source of identity.
type Input struct {
	Policy  policy.Policy
	Target  gates.Target
	Result  Result
	Pack    string // file
	Now     time.Time
	Scratch string // folder for temporary files; "" is the system's
}

// Receipt says what was done.
type Receipt struct {
	Rule         string `json:"rule"`
	Reason       string `json:"reason"`
	Pushed       bool   `json:"pushed"`
	RepositoryID int64  `json:"repository_id"`
	PullRequest  int    `json:"pull_request"`
	TestedCommit string `json:"tested_commit"`
	Commit       string `json:"commit"`
	Tree         string `json:"tree"`
	PolicySHA256 string `json:"policy_sha256"`
	PatchSHA256  string `json:"patch_sha256"`
	StatusID     int64  `json:"status_id"`  // of the pending review status; 0 if it was not posted
	CommentID    int64  `json:"comment_id"` // 0 if it was not posted
}

// DryRun does everything of a push that takes no secret and changes nothing outside a scratch folder. Gates read GitHub with a
// token, so there is no verdict here: the target is what the result itself claims.
func DryRun(ctx context.Context, in Input) (Receipt, error) {
	in.Target = gates.Target{
		RepositoryID: in.Result.RepositoryID, PullRequest: in.Result.PullRequest, RunID: in.Result.RunID,
		TestedCommit: in.Result.TestedCommit, PolicySHA256: in.Result.PolicySHA256,
	}
	if err := agree(in); err != nil {
		return Receipt{}, err
	}
	p, err := prepare(ctx, in)
	if err != nil {
		return Receipt{}, err
	}
	defer p.folder.Close()
	return p.receipt(ruleDryRun, "nothing was pushed: this was a dry run"), nil
}

// Publish pushes the commit once, reads back what the branch names, posts the pending review status and a comment. An
// error whose receipt says Pushed means that the commit is there and what follows a push is not complete.
func Publish(ctx context.Context, in Input, token tokens.Token, gh GitHub, wait func(context.Context, time.Duration) error) (Receipt, error) {
	if err := tokens.Check(in.Policy.Sandbox, in.Policy.Hosts.GitHubGit, token); err != nil {
		return Receipt{}, err
	}
	if err := in.Target.Check(); err != nil {
		return Receipt{}, fail(ruleIdentity, err, "this job's verdict")
	}
	if err := agree(in); err != nil {
		return Receipt{}, err
	}
	p, err := prepare(ctx, in)
	if err != nil {
		return Receipt{}, err
	}
	defer p.folder.Close()
	pushErr := p.push(ctx, token)
	if err := p.settle(ctx, gh, pushErr, wait); err != nil {
		return Receipt{}, err
	}
	return p.announce(ctx, gh)
}

// push is one push under way.
type push struct {
	in     Input
	commit commit
	folder *scratch.Folder
}

// prepare computes the commit anew, holds it to the robot's marks and indexes the pack.
func prepare(ctx context.Context, in Input) (*push, error) {
	c := commit{tree: in.Result.ResultTree, parent: in.Target.TestedCommit, at: time.Unix(in.Result.CommittedAt, 0).UTC(), policy: in.Policy}
	if c.id() != in.Result.Commit {
		return nil, fail(rulePack, nil, "the result's commit is not the one that its fields make")
	}
	if !gates.IsRobot(c.record(), in.Policy) {
		return nil, fail(ruleRobot, nil, "the review gate would not know the commit as a robot's: check the policy's robot")
	}
	f, err := scratch.Open(scratch.Repository{}, scratch.Options{Parent: in.Scratch, Timeout: 2 * time.Minute})
	if err != nil {
		return nil, err
	}
	if err := index(ctx, f, in.Pack, in.Result, c); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &push{in: in, commit: c, folder: f}, nil
}

// agree compares the result with the target and the policy.
func agree(in Input) error {
	r, t := in.Result, in.Target
	if err := r.valid(); err != nil {
		return err
	}
	at := time.Unix(r.CommittedAt, 0)
	switch {
	case !in.Policy.Enabled || in.Policy.Digest == "" || t.PolicySHA256 != in.Policy.Digest || r.PolicySHA256 != in.Policy.Digest:
		return fail(rulePolicy, nil, "policy, verdict and result do not name one and the same policy that is enabled")
	case r.Sandbox != in.Policy.Sandbox:
		return fail(ruleSandbox, nil, "one of result and policy is of a sandbox, the other is not")
	case r.RepositoryID != t.RepositoryID || r.PullRequest != t.PullRequest || r.RunID != t.RunID || r.TestedCommit != t.TestedCommit:
		return fail(ruleIdentity, nil, "the result is for another repository, pull request, run or commit than this job's verdict")
	case in.Now.IsZero() || at.After(in.Now.Add(maxAhead)) || at.Before(in.Now.Add(-maxAge)):
		return fail(ruleResult, nil, "the commit is dated more than %s ago or lies ahead", maxAge)
	}
	return nil
}

// errRefused is git's own word that the server, or the lease, refused the one ref: the only end of a push after which it is
// certain that nothing was changed. A lost connection is none, the server may have accepted before it.
var errRefused = errors.New("the ref was rejected")

// push runs the one push. No error, and any but errRefused, is no answer: settle reads the branch.
func (p *push) push(ctx context.Context, token tokens.Token) error {
	t := p.in.Target
	remote := checkout.Remote{Base: p.in.Policy.Hosts.GitHubGit, Repository: t.Repository, Commit: t.TestedCommit, Token: token.Reveal()}
	address, env, err := remote.Access()
	if err != nil {
		return err
	}
	var report bytes.Buffer
	_, err = p.folder.Run(ctx, scratch.Command{
		Args: []string{
			"-c", "http.followRedirects=false", "-c", "push.default=nothing", "-c", "push.followTags=false", "-c", "credential.helper=",
			"push", "--porcelain", "--no-verify", "--no-signed", "--recurse-submodules=no",
			"--force-with-lease=" + t.Ref + ":" + t.TestedCommit, "--", address, p.commit.id() + ":" + t.Ref,
		},
		Env: env, Timeout: 2 * time.Minute, Stdout: &report,
	})
	if err != nil && rejected(report.String(), t.Ref) {
		return fmt.Errorf("%w: %w", errRefused, err)
	}
	return err
}

// rejected reads the report of git push --porcelain, one line a ref: flag, names and summary, with tabs between. A summary of
// "[remote failure]" says that the server told nothing.
func rejected(report, ref string) bool {
	for line := range strings.Lines(report) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 3 || fields[0] != "!" || !strings.HasSuffix(fields[1], ":"+ref) {
			continue
		}
		return strings.HasPrefix(fields[2], "[rejected]") || strings.HasPrefix(fields[2], "[remote rejected]")
	}
	return false
}

// readings is how often the branch is read at most: GitHub's API may show a push some seconds late.
const readings = 5

// settle decides by the ref alone what became of the push. The push is never repeated.
func (p *push) settle(ctx context.Context, gh GitHub, pushErr error, wait func(context.Context, time.Duration) error) error {
	branch := strings.TrimPrefix(p.in.Target.Ref, "refs/heads/")
	for i := range readings {
		head, err := gh.Ref(ctx, branch)
		switch {
		case err != nil:
			return fail(ruleUnknown, err, "the branch cannot be read after the push")
		case head == p.commit.id():
			return nil
		case head != p.in.Target.TestedCommit:
			return fail(ruleUnknown, pushErr, "the branch names another commit: somebody else pushed, perhaps on top of this run's commit")
		case errors.Is(pushErr, errRefused):
			return fail(ruleRefused, pushErr, "the branch still names the tested commit")
		}
		if i < readings-1 {
			if err := wait(ctx, time.Duration(i+1)*time.Second); err != nil {
				return fail(ruleUnknown, err, "the wait for the branch was cut short")
			}
		}
	}
	if pushErr != nil {
		return fail(ruleUnknown, pushErr, "git could not tell whether it pushed, and the branch still names the tested commit")
	}
	return fail(ruleUnknown, nil, "git reports a push, and the branch still names the tested commit")
}

// announce posts what follows a push: first the status that holds the merge, then the check of GitHub's record, then the comment.
func (p *push) announce(ctx context.Context, gh GitHub) (Receipt, error) {
	r := p.receipt(rulePushed, "one commit was pushed; the review status holds the merge until a person labels it")
	r.Pushed = true
	posted, err := gh.PostReview(ctx, p.commit.id(), github.Pending, p.in.Policy)
	if err != nil {
		return r.but(fail(rulePending, err, "the commit was pushed, but not its pending review status"))
	}
	r.StatusID = posted.ID
	if err := p.remote(ctx, gh); err != nil {
		return r.but(err)
	}
	if r.CommentID, err = gh.PostComment(ctx, p.in.Target.PullRequest, comment(p.in.Result)); err != nil {
		return r.but(fail(ruleComment, err, "the commit was pushed and is held, but the comment was not posted"))
	}
	return r, nil
}

// remote reads GitHub's record of the commit and holds it to what was rechecked.
func (p *push) remote(ctx context.Context, gh GitHub) error {
	c, err := gh.Commit(ctx, p.commit.id())
	if err != nil {
		return fail(ruleRemote, err, "GitHub's record of the pushed commit cannot be read")
	}
	switch {
	case c.SHA != p.commit.id() || c.Tree != p.in.Result.ResultTree:
		return fail(ruleRemote, nil, "GitHub's record names another tree: do not merge")
	case len(c.Parents) != 1 || c.Parents[0] != p.in.Target.TestedCommit:
		return fail(ruleRemote, nil, "GitHub's record names other parents: do not merge")
	case !gates.IsRobot(c, p.in.Policy):
		return fail(ruleRemote, nil, "GitHub's record does not bear the robot's marks: do not merge")
	}
	return nil
}

func (p *push) receipt(rule, reason string) Receipt {
	t, r := p.in.Target, p.in.Result
	return Receipt{
		Rule: rule, Reason: reason, RepositoryID: t.RepositoryID, PullRequest: t.PullRequest, TestedCommit: t.TestedCommit,
		Commit: p.commit.id(), Tree: r.ResultTree, PolicySHA256: p.in.Policy.Digest, PatchSHA256: r.PatchSHA256,
	}
}

// Word says in a word what became of the push. Where that is not known the commit may be on the branch, also below somebody else's.
func (r Receipt) Word() string {
	switch {
	case r.Pushed:
		return "pushed"
	case r.Rule == ruleUnknown:
		return "perhaps pushed"
	}
	return "not pushed"
}

// but turns a receipt into one of a push that is not complete.
func (r Receipt) but(err error) (Receipt, error) {
	var e *Error
	if errors.As(err, &e) {
		r.Rule, r.Reason = e.Rule, e.What
	}
	return r, err
}

// Wait sleeps, or ends with the context.
func Wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
