package gates

import (
	"strings"

	"selffix/internal/lazyregexp"
	"selffix/pipeline/policy"
)

// Robot marks that hold whatever the policy says.
const (
	actionsBotID = 41898282
	actionsBot   = "github-actions[bot]"
	robotSubject = "self-fix:"
)

// actionsMail is the address of GitHub's own bot, with or without its id in front.
var actionsMail = lazyregexp.New(`^(?:[0-9]+\+)?github-actions\[bot\]@users\.noreply\.github\.com$`)

// bullet is what squash merges and mail put before a quoted subject.
var bullet = lazyregexp.New(`^[\s>*+-]*`)

// IsRobot reports whether any mark of self-fix stands on c: author or committer by id, name or address, a
// line of the message that begins like a robot's subject, or a co-author trailer with the robot in it. One is
// enough. Squashing or amending a robot commit leaves only some of them, so marks widen and never excuse:
// anybody can fake one, which costs them a label.
func IsRobot(c Commit, p policy.Policy) bool {
	return robotID(c.AuthorID, p) || robotID(c.CommitterID, p) ||
		robotName(c.AuthorName, p) || robotName(c.Committer, p) ||
		robotMail(c.AuthorEmail, p) || robotMail(c.CommitterMail, p) ||
		robotMessage(c.Message, p)
}

func robotID(id int64, p policy.Policy) bool {
	return id == actionsBotID || id > 0 && id == p.Robot.ID
}

func robotName(name string, p policy.Policy) bool {
	name = strings.TrimSpace(name)
	return strings.EqualFold(name, actionsBot) || same(name, p.Robot.Name) || same(name, p.Robot.Login)
}

func robotMail(mail string, p policy.Policy) bool {
	mail = strings.Trim(strings.ToLower(mail), " \t\r\n<>")
	return actionsMail.MatchString(mail) || same(mail, p.Robot.Email)
}

func same(s, mark string) bool { return mark != "" && strings.EqualFold(s, mark) }

func robotMessage(message string, p policy.Policy) bool {
	subject := strings.ToLower(strings.TrimSpace(p.Robot.Message))
	for line := range strings.FieldsFuncSeq(message, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.ToLower(bullet.ReplaceAllString(line, ""))
		if strings.HasPrefix(line, robotSubject) || subject != "" && strings.HasPrefix(line, subject) {
			return true
		}
		if rest, ok := strings.CutPrefix(line, "co-authored-by"); ok && robotTrailer(rest, p) {
			return true
		}
	}
	return false
}

// robotTrailer reads "Name <address>" loosely: whatever follows the key and names the robot anywhere counts.
func robotTrailer(rest string, p policy.Policy) bool {
	if strings.Contains(rest, actionsBot) {
		return true
	}
	for _, mark := range []string{p.Robot.Name, p.Robot.Login, p.Robot.Email} {
		if mark != "" && strings.Contains(rest, strings.ToLower(mark)) {
			return true
		}
	}
	return false
}
