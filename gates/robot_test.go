package gates_test

import (
	"testing"

	"selffix/gates"
	"selffix/pipeline/policy"
)

func TestIsRobot(t *testing.T) {
	msg := func(s string) func(*gates.Commit) { return func(c *gates.Commit) { c.Message = s } }
	tests := []struct {
		name string
		edit func(*gates.Commit)
		want bool
	}{
		{"the maintainer's own", func(*gates.Commit) {}, false},
		{"author id", func(c *gates.Commit) { c.AuthorID = robotID }, true},
		{"committer id", func(c *gates.Commit) { c.CommitterID = robotID }, true},
		{"author name", func(c *gates.Commit) { c.AuthorName = "github-actions[bot]" }, true},
		{"author name in capitals with blanks", func(c *gates.Commit) { c.AuthorName = " GitHub-Actions[bot] " }, true},
		{"committer name", func(c *gates.Commit) { c.Committer = "github-actions[bot]" }, true},
		{"author address", func(c *gates.Commit) { c.AuthorEmail = "41898282+github-actions[bot]@users.noreply.github.com" }, true},
		{"old address", func(c *gates.Commit) { c.AuthorEmail = "github-actions[bot]@users.noreply.github.com" }, true},
		{"address with another number", func(c *gates.Commit) { c.CommitterMail = "1+GitHub-Actions[bot]@users.noreply.github.com" }, true},
		{"address in brackets", func(c *gates.Commit) { c.AuthorEmail = "<github-actions[bot]@users.noreply.github.com>" }, true},
		{"address of another", func(c *gates.Commit) { c.AuthorEmail = "github-actions@users.noreply.github.com" }, false},
		{"unlinked author", func(c *gates.Commit) { c.AuthorID, c.CommitterID = 0, 0 }, false},
		{"subject", msg("self-fix: repair"), true},
		{"subject after blanks and in capitals", msg("\n  Self-Fix: repair"), true},
		{"subject about it", msg("docs: describe self-fix"), false},
		{"squashed", msg("feat: labels (#12)\n\n* add labels\n* self-fix: repair the label\n"), true},
		{"co-author", msg("feat\n\nCo-authored-by: github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>"), true},
		{"co-author, odd spelling", msg("feat\r\nCO-AUTHORED-BY:github-actions[bot]"), true},
		{"co-author by address only", msg("feat\n\nCo-authored-by: Bot <41898282+github-actions[bot]@users.noreply.github.com>"), true},
		{"co-author of another", msg("feat\n\nCo-authored-by: Ann <ann@example.org>"), false},
		{"the name in prose", msg("feat: thanks to github-actions[bot]"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := commit(tested, treeA, parent)
			tt.edit(&c)
			if got := gates.IsRobot(c, seedPolicy(t)); got != tt.want {
				t.Errorf("IsRobot = %v, want %v", got, tt.want)
			}
			if tt.want && !gates.IsRobot(c, policy.Policy{}) {
				t.Error("the mark depends on the policy")
			}
		})
	}
}

func TestIsRobotOfPolicy(t *testing.T) {
	p := seedPolicy(t)
	p.Robot = policy.Robot{Login: "fixer[bot]", ID: 31, Name: "Fixer", Email: "fixer@example.org", Message: "fixer: "}
	for name, edit := range map[string]func(*gates.Commit){
		"id":      func(c *gates.Commit) { c.AuthorID = 31 },
		"name":    func(c *gates.Commit) { c.Committer = "fixer" },
		"login":   func(c *gates.Commit) { c.AuthorName = "fixer[bot]" },
		"address": func(c *gates.Commit) { c.CommitterMail = "Fixer@example.org" },
		"subject": func(c *gates.Commit) { c.Message = "fixer: x" },
		"trailer": func(c *gates.Commit) { c.Message = "x\n\nCo-Authored-By: Fixer <a@b>" },
	} {
		c := commit(tested, treeA, parent)
		edit(&c)
		if !gates.IsRobot(c, p) {
			t.Errorf("%s: not seen as a robot's", name)
		}
	}
	// An unset id of the policy matches no unlinked account.
	p.Robot.ID = 0
	c := commit(tested, treeA, parent)
	c.AuthorID, c.CommitterID = 0, 0
	if gates.IsRobot(c, p) {
		t.Error("id 0 matched id 0")
	}
}
