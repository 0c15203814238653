package policy

import (
	"slices"
	"strings"
	"time"

	"selffix/internal/lazyregexp"
)

// MaxItems bounds every list of a policy.
const MaxItems = 200

// Key is one key of the policy file. The table of keys is the one source of the reader, the JSON Schema, the
// reference page and the explanation.
type Key struct {
	Path     string // "limits.changed_lines"
	Optional bool   // may be left out, which then means the zero value
	Repeats  bool   // a list in which an item may stand twice: the words of a command
	Want     string // what the value, or each item of a list, must be: "a whole number from 1 to 2000"
	Allows   string // what it decides, one or two sentences
	Floor    string // what code adds, whatever the key says; "" for nothing

	// Whole numbers, and durations in nanoseconds: the least and the greatest value. Of an amount only Max
	// counts, in whole dollars, and it is always above zero.
	Min, Max int64
	// Texts: a form that holds for the whole text, the only values, and a check that names its reason. Texts
	// that have none of them are refused by judge.
	form  *lazyregexp.Regexp
	oneOf []string
	check func(string) (because string, reason error)

	field func(*Policy) any // where the value goes; its type is the type of the key
}

// Name is the last part of the path.
func (k Key) Name() string {
	return k.Path[strings.LastIndexByte(k.Path, '.')+1:]
}

// List reports whether the key takes a list of texts.
func (k Key) List() bool {
	_, ok := k.field(new(Policy)).(*[]string)
	return ok
}

// judge holds one text to the form of the key.
func (k Key) judge(s string) (because string, reason error) {
	switch {
	case k.oneOf != nil && !slices.Contains(k.oneOf, s), k.form != nil && !k.form.MatchString(s):
		return k.refusedByForm(s)
	case k.check != nil:
		return k.check(s)
	case k.oneOf == nil && k.form == nil:
		return "; the key has no form", ErrValue
	}
	return "", nil
}

// refusedByForm asks the check as well, which may know a better reason than the form: a root "." is out of form
// because it would take in everything.
func (k Key) refusedByForm(s string) (string, error) {
	if k.check != nil {
		if because, reason := k.check(s); reason != nil {
			return because, reason
		}
	}
	return "", ErrValue
}

// Keys lists every key in the order of the file.
func Keys() []Key {
	return slices.Concat(
		switchKeys(), peopleKeys(), placeKeys(), limitKeys(), codeKeys(), agentKeys(), verifyKeys(), robotKeys(), hostKeys(),
	)
}

// Sections says what each mapping of the file is about, by its name.
func Sections() map[string]string {
	return map[string]string{
		"maintainer":  "The one person whose pull requests are served and whose label allows a merge.",
		"bot":         "The test bot whose failing status starts the loop.",
		"branches":    "The branches that self-fix works with.",
		"attempts":    "How often the loop may start. A run whose fix job started counts, whatever happened next.",
		"paths":       "The files that a patch may touch. Everything else is refused.",
		"limits":      "The size of a patch.",
		"secrets":     "What must not stand in a patch, beside the built-in shapes of secrets.",
		"code":        "The rules on TypeScript and CSS.",
		"evidence":    "The previews that a failure report may be about.",
		"agent":       "The agent, and the money and time it may use.",
		"agent.price": "What the model costs at most.",
		"verify":      "The project's own check of a repaired tree, such as its tests. Left out, no code of a pull request is run.",
		"robot":       "The identity of self-fix's own commits.",
		"review":      "The status that holds the merge of every robot commit.",
		"hosts":       "The only places that a token is sent to.",
		"images":      "Container images, in place of the built-in ones.",
	}
}

func switchKeys() []Key {
	return []Key{
		{Path: "version", Want: "the number 1", Min: 1, Max: 1,
			Allows: "The format of this file.",
			field:  func(p *Policy) any { return &p.Version }},
		{Path: "enabled", Optional: true, Want: "true or false",
			Allows: "Whether self-fix does anything at all. Left out, it is disabled: this is the kill switch.",
			Floor:  "The policy is read from the default branch in every job; a change between two jobs stops the run.",
			field:  func(p *Policy) any { return &p.Enabled }},
		{Path: "sandbox", Optional: true, Want: "true or false",
			Allows: "Whether hosts may be loopback addresses, for tests and demonstrations.",
			Floor:  "A loopback host is only ever given a token that begins with sandbox-, and such a token goes nowhere else. What a sandbox made is never pushed outside it. Unless github_api is one of them, the default branch's copy of the policy is compared as everywhere.",
			field:  func(p *Policy) any { return &p.Sandbox }},
		{Path: "repository_id", Optional: true, Want: "a GitHub id above 0", Min: 1, Max: maxID,
			Allows: "The repository that this policy is for. Left out, the id of the event is taken, which must then agree everywhere.",
			field:  func(p *Policy) any { return &p.RepositoryID }},
	}
}

// maxID is the largest integer that every JSON reader keeps exactly.
const maxID = 1<<53 - 1

func peopleKeys() []Key {
	return []Key{
		{Path: "maintainer.login", Want: "a GitHub login", form: personForm,
			Allows: "The login of the pull request's author. It must match together with the id: a login can be taken over.",
			field:  func(p *Policy) any { return &p.Maintainer.Login }},
		{Path: "maintainer.id", Want: "a GitHub id above 0", Min: 1, Max: maxID,
			Allows: "The numeric id of that account. It must match together with the login.",
			Floor:  "The maintainer, the bot and the robot are three different accounts.",
			field:  func(p *Policy) any { return &p.Maintainer.ID }},
		{Path: "bot.login", Want: "a GitHub login", form: loginForm,
			Allows: "The login of the test bot, for messages.",
			field:  func(p *Policy) any { return &p.Bot.Login }},
		{Path: "bot.id", Want: "a GitHub id above 0", Min: 1, Max: maxID,
			Allows: "The numeric id of the account that must have posted the failing status. A status of the same name from anyone else is ignored.",
			field:  func(p *Policy) any { return &p.Bot.ID }},
		{Path: "bot.context", Want: "one line of text, at most 100 characters", check: lineOf(100),
			Allows: "The exact name of the failing status, compared byte for byte.",
			field:  func(p *Policy) any { return &p.Bot.Context }},
		{Path: "bot.window", Want: "a duration from 1m to 24h", Min: int64(time.Minute), Max: int64(24 * time.Hour),
			Allows: "How long before the failing status the bot's run may have started to count as evidence.",
			Floor:  "It must also have started after the tested commit was made and deployed.",
			field:  func(p *Policy) any { return &p.Bot.Window }},
		{Path: "bot.app_id", Optional: true, Want: "a GitHub app id above 0", Min: 1, Max: maxID,
			Allows: "The app that the bot's required check must be pinned to; \"self-fix doctor\" looks.",
			field:  func(p *Policy) any { return &p.Bot.AppID }},
		{Path: "bot.source", Optional: true, Want: "testsprite or file", oneOf: []string{"testsprite", "file"},
			Allows: "The format of its reports. Left out, it is testsprite.",
			field:  func(p *Policy) any { return &p.Bot.Source }},

		{Path: "branches.default", Want: "a branch name", form: branchForm, check: branchCheck,
			Allows: "The branch that pull requests must go to, and that this policy is read from.",
			field:  func(p *Policy) any { return &p.Branches.Default }},
		{Path: "branches.never", Want: "a branch name", form: branchForm, check: branchCheck,
			Allows: "Head branches that are never pushed to.",
			Floor:  "It must name the default branch and main.",
			field:  func(p *Policy) any { return &p.Branches.Never }},

		{Path: "attempts.per_pull_request", Want: "a whole number from 1 to 10", Min: 1, Max: 10,
			Allows: "Attempts on one pull request.",
			field:  func(p *Policy) any { return &p.Attempts.PerPullRequest }},
		{Path: "attempts.per_day", Want: "a whole number from 1 to 50", Min: 1, Max: 50,
			Allows: "Attempts across the repository since midnight UTC.",
			field:  func(p *Policy) any { return &p.Attempts.PerDay }},
	}
}
