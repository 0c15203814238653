package policy

import (
	"slices"
	"strings"
	"time"

	"selffix/internal/lazyregexp"
)

// wordForm is one word of a command: nothing that a shell would read, no blank, no pattern.
var wordForm = lazyregexp.New(`^[A-Za-z0-9@._/=:+,-]+$`).AtMost(200)

// programForm is the first word of a command: a name that is looked up, no path into the tree.
var programForm = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*$`).AtMost(100)

// commandReaders take a command in their arguments: with one of them, words that look constant are a shell's text again, or
// name another program than the first one.
var commandReaders = strings.Fields(`sh bash dash ash zsh ksh mksh fish csh tcsh busybox toybox env xargs sudo su doas setsid
	nohup nice timeout time unshare nsenter chroot script expect`)

func verifyKeys() []Key {
	return []Key{
		{Path: "verify.enabled", Optional: true, Want: "true or false",
			Allows: "Whether the project's own check is run on the repaired tree before a candidate is handed on.",
			Floor: "It can only stop a repair: what passes it has gained nothing. It holds no secret, reaches no network, and does not run " +
				"where the machine cannot keep it apart in full, nor on a pull request that changes package or lock files.",
			field: func(p *Policy) any { return &p.Verify.Enabled }},
		{Path: "verify.command", Optional: true, Repeats: true, Want: "a word of a command, such as npm or test", form: wordForm,
			Allows: "The program and its arguments, each a word of its own. The first is looked up in node_modules/.bin, then among the machine's programs.",
			Floor:  "No shell reads it: no blanks, quotes, patterns or variables, and no program that takes a command in its arguments.",
			field:  func(p *Policy) any { return &p.Verify.Command }},
		{Path: "verify.timeout", Optional: true, Want: "a duration from 1s to 30m", Min: int64(time.Second), Max: int64(30 * time.Minute),
			Allows: "The time of the check, after which it is killed with all it started, and the run is undecided.",
			field:  func(p *Policy) any { return &p.Verify.Timeout }},
	}
}

// verify demands a command and a time where the check is enabled, and a command that is one.
func (r *reader) verify() {
	v := r.policy.Verify
	if v.Enabled {
		for key, missing := range map[string]bool{"verify.command": v.Command == nil, "verify.timeout": v.Timeout == 0} {
			if _, read := r.places[key]; missing && !read {
				r.fault(r.placeOr("verify.enabled"), key, ErrMissing, "want it beside verify.enabled: true")
			}
		}
	}
	if len(v.Command) == 0 || r.faulty("verify.command") {
		return
	}
	const first = "verify.command[0]"
	program := v.Command[0]
	switch {
	case !programForm.MatchString(program):
		r.fault(r.placeOr(first), first, ErrFloor, "want the name of a program, without a path, got %s", quote(program))
	case slices.Contains(commandReaders, strings.ToLower(program)):
		r.fault(r.placeOr(first), first, ErrFloor, "want a program that takes no command in its arguments, got %s", quote(program))
	}
}
