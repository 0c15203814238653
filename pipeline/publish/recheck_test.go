package publish

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"selffix/internal/testrepo"
	"selffix/pipeline"
)

func TestRecheckMakesOneCommitOnTheTestedOne(t *testing.T) {
	s := newSituation(t)
	in := s.recheckInput()
	r, err := Recheck(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	// An empty repository that takes the pack in shows what is really in it.
	dir := t.TempDir()
	testrepo.Git(t, dir, "init", "-q", "--bare", ".")
	if err := os.WriteFile(filepath.Join(dir, "shallow"), []byte(r.TestedCommit+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	testrepo.Git(t, dir, "index-pack", "--strict", in.Pack)
	pack, err := os.ReadFile(in.Pack)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "objects", "pack", "pack-x.pack"), pack, 0o644); err != nil {
		t.Fatal(err)
	}
	testrepo.Git(t, dir, "index-pack", "objects/pack/pack-x.pack")
	for _, c := range []struct{ format, want string }{
		{"%P", s.scene.Tested}, {"%T", r.ResultTree}, {"%an <%ae>", s.policy.Robot.Name + " <" + s.policy.Robot.Email + ">"},
		{"%cn <%ce>", s.policy.Robot.Name + " <" + s.policy.Robot.Email + ">"}, {"%ct", "1773144000"},
	} {
		if got := strings.TrimSpace(testrepo.Git(t, dir, "show", "-s", "--format="+c.format, r.Commit)); got != c.want {
			t.Errorf("%s is %q, want %q", c.format, got, c.want)
		}
	}
	if got := testrepo.Git(t, dir, "show", "-s", "--format=%B", r.Commit); !strings.HasPrefix(got, "self-fix: ") {
		t.Errorf("the message is %q", got)
	}
	// What scrubbing hid from the agent stays in what is pushed.
	names := testrepo.Git(t, dir, "ls-tree", "-r", "--name-only", r.Commit)
	for _, want := range []string{"CLAUDE.md", "packages/web/.claude/hooks.sh", "packages/core/src/average.ts"} {
		if !strings.Contains(names, want+"\n") {
			t.Errorf("the pushed tree lacks %s", want)
		}
	}
	if len(r.Changed) != 1 || r.Changed[0] != "packages/core/src/average.ts" {
		t.Errorf("changed: %v", r.Changed)
	}
	if left, _ := os.ReadDir(in.Scratch); in.Scratch != "" && len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestRecheckComparesEveryField forges one field of the candidate at a time.
func TestRecheckComparesEveryField(t *testing.T) {
	s := newSituation(t)
	id := strings.Repeat("a", 40)
	sum := strings.Repeat("b", 64)
	for name, c := range map[string]struct {
		forge func(*pipeline.Candidate)
		rule  string
	}{
		"sandbox":         {func(c *pipeline.Candidate) { c.Sandbox = false }, ruleSandbox},
		"repository":      {func(c *pipeline.Candidate) { c.RepositoryID++ }, ruleIdentity},
		"pull request":    {func(c *pipeline.Candidate) { c.PullRequest++ }, ruleIdentity},
		"run":             {func(c *pipeline.Candidate) { c.RunID++ }, ruleIdentity},
		"tested commit":   {func(c *pipeline.Candidate) { c.TestedCommit = id }, ruleIdentity},
		"tested tree":     {func(c *pipeline.Candidate) { c.TestedTree = id }, ruleDiffers},
		"scrubbed tree":   {func(c *pipeline.Candidate) { c.ScrubbedTree = id }, ruleDiffers},
		"policy":          {func(c *pipeline.Candidate) { c.PolicySHA256 = sum }, rulePolicy},
		"patch":           {func(c *pipeline.Candidate) { c.PatchSHA256 = sum }, ruleCandidate},
		"patch size":      {func(c *pipeline.Candidate) { c.PatchBytes++ }, ruleCandidate},
		"result tree":     {func(c *pipeline.Candidate) { c.ResultTree = id }, ruleDiffers},
		"before":          {func(c *pipeline.Candidate) { c.Before.SHA256 = sum }, ruleDiffers},
		"before, files":   {func(c *pipeline.Candidate) { c.Before.Files++ }, ruleDiffers},
		"after":           {func(c *pipeline.Candidate) { c.After.Bytes++ }, ruleDiffers},
		"changed, id":     {func(c *pipeline.Candidate) { c.Changed[0].After = id }, ruleDiffers},
		"changed, path":   {func(c *pipeline.Candidate) { c.Changed[0].Path = "x.ts" }, ruleDiffers},
		"changed, more":   {func(c *pipeline.Candidate) { c.Changed = append(c.Changed, pipeline.Entry{Path: "z", After: id}) }, ruleDiffers},
		"changed, before": {func(c *pipeline.Candidate) { c.Changed[0].Before = "" }, ruleDiffers},
	} {
		t.Run(name, func(t *testing.T) {
			in := s.recheckInput()
			forged := s.candidate
			forged.Changed = append([]pipeline.Entry{}, s.candidate.Changed...)
			c.forge(&forged)
			text, err := pipeline.WriteCandidate(forged)
			if err != nil {
				t.Fatal(err)
			}
			in.Candidate = text
			if _, err := Recheck(context.Background(), in); RuleOf(err) != c.rule {
				t.Errorf("got %v, want %s", err, c.rule)
			}
		})
	}
}

func TestRecheckRefuses(t *testing.T) {
	s := newSituation(t)
	hostile := strings.Replace(repair, "n === 0 ? 0 : sum / n", "sum / Number(process.env.N)", 1)
	for name, c := range map[string]struct {
		change func(*RecheckInput)
		rule   string
	}{
		"no candidate":        {func(in *RecheckInput) { in.Candidate = nil }, ruleCandidate},
		"a key too many":      {func(in *RecheckInput) { in.Candidate = append(in.Candidate[:len(in.Candidate)-2], ",\"x\":1}"...) }, ruleCandidate},
		"another patch":       {func(in *RecheckInput) { in.Patch = []byte(hostile) }, ruleCandidate},
		"policy switched off": {func(in *RecheckInput) { in.Policy.Enabled = false }, rulePolicy},
		"policy changed":      {func(in *RecheckInput) { in.Policy.Digest = strings.Repeat("c", 64) }, rulePolicy},
		"no policy":           {func(in *RecheckInput) { in.Policy.Digest = "" }, rulePolicy},
		"no time":             {func(in *RecheckInput) { in.Now = in.Now.AddDate(-100, 0, 0) }, ruleResult},
		"no repository":       {func(in *RecheckInput) { in.Repo = t.TempDir() }, ruleTested},
	} {
		t.Run(name, func(t *testing.T) {
			in := s.recheckInput()
			c.change(&in)
			if _, err := Recheck(context.Background(), in); RuleOf(err) != c.rule {
				t.Errorf("got %v, want %s", err, c.rule)
			}
			if _, err := os.Stat(in.Pack); !errors.Is(err, os.ErrNotExist) {
				t.Error("a pack was left behind")
			}
		})
	}
}

// A candidate may say "accept" for a patch that the checker refuses: the second verdict is the one that counts.
func TestRecheckJudgesAnew(t *testing.T) {
	s := newSituation(t)
	s.patch = []byte(strings.Replace(repair, "n === 0 ? 0 : sum / n", "sum / Number(process.env.N)", 1))
	s.candidate.PatchSHA256, s.candidate.PatchBytes = digest(s.patch), int64(len(s.patch))
	if _, err := Recheck(context.Background(), s.recheckInput()); RuleOf(err) != ruleCheck {
		t.Errorf("got %v, want %s", err, ruleCheck)
	}
}
