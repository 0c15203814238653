package publish

import (
	"fmt"
	"time"

	"selffix/gates"
	"selffix/internal/scratch"
	"selffix/pipeline/policy"
)

// message is the same for every repair: text of a model would be read by the next agent, and by people.
const message = "repair what the test bot found\n\nMade by an agent from the bot's report and judged by a checker.\nA person reviews it before it merges.\n"

// commit is the one commit that is pushed, in full. Its id follows from these fields.
type commit struct {
	tree, parent string
	at           time.Time
	policy       policy.Policy
}

// data is the commit object as git writes it.
func (c commit) data() []byte {
	who := fmt.Sprintf("%s <%s> %d +0000", c.policy.Robot.Name, c.policy.Robot.Email, c.at.Unix())
	return fmt.Appendf(nil, "tree %s\nparent %s\nauthor %s\ncommitter %s\n\n%s%s", c.tree, c.parent, who, who, c.policy.Robot.Message, message)
}

func (c commit) id() string { return scratch.HashObject("commit", c.data()) }

// record is the commit as the review gate will see it, without ids that GitHub has still to link.
func (c commit) record() gates.Commit {
	p := c.policy.Robot
	return gates.Commit{
		SHA: c.id(), Tree: c.tree, Parents: []string{c.parent}, Message: p.Message + message,
		AuthorName: p.Name, AuthorEmail: p.Email, AuthorDate: c.at, Committer: p.Name, CommitterMail: p.Email, CommitterDate: c.at,
	}
}
