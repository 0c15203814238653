package policy

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Explain says in plain words what a policy allows: every key with its value, what it decides and what the floor adds.
func Explain(p Policy) string {
	var b strings.Builder
	before := ""
	for _, k := range Keys() {
		if section := sectionOf(k.Path); section != before {
			before = section
			fmt.Fprintf(&b, "\n%s: %s\n", section, Sections()[section])
		}
		fmt.Fprintf(&b, "  %s =%s\n", k.Name(), spaced(shown(p, k)))
		wrapped(&b, "      ", k.Allows)
		if k.Floor != "" {
			wrapped(&b, "      ", floorNote(k))
		}
	}
	return b.String()
}

// shown is the value of one key.
func shown(p Policy, k Key) string {
	switch v := k.field(&p).(type) {
	case *bool:
		return strconv.FormatBool(*v)
	case *int:
		return left(k, *v == 0, strconv.Itoa(*v))
	case *int64:
		return left(k, *v == 0, strconv.FormatInt(*v, 10))
	case *float64:
		return strconv.FormatFloat(*v, 'f', -1, 64)
	case *time.Duration:
		return left(k, *v == 0, v.String())
	case *string:
		return left(k, *v == "", strconv.Quote(*v))
	case *[]string:
		return left(k, len(*v) == 0, listed(*v))
	}
	return ""
}

func spaced(value string) string {
	if strings.HasPrefix(value, "\n") {
		return value
	}
	return " " + value
}

// listed shows a list on one line if it is short, else one item a line.
func listed(items []string) string {
	if line := strings.Join(items, ", "); len(line) <= 80 {
		return line
	}
	return "\n    - " + strings.Join(items, "\n    - ")
}

func left(k Key, zero bool, value string) string {
	if zero && k.Optional {
		return "(left out)"
	}
	return value
}

// wrapped writes a text in lines of at most 100 columns.
func wrapped(b *strings.Builder, indent, text string) {
	line := indent
	for word := range strings.FieldsSeq(text) {
		if len(line)+len(word) > 100 {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = indent
		}
		line += word + " "
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// Warnings lists what a valid policy allows that its owner should know, and what looks like a mistake.
func Warnings(p Policy) []string {
	var out []string
	if !p.Enabled {
		out = append(out, "enabled: the policy is disabled, so self-fix does nothing")
	}
	if p.Sandbox {
		out = append(out, "sandbox: loopback hosts and sandbox- tokens are taken; use it for tests and demonstrations only")
	}
	if p.Review.AcceptBranchWriters {
		out = append(out, "review.accept_branch_writers: whoever can push a branch can forge the review status; a GitHub App in review.app_id closes that")
	}
	if p.Verify.Enabled {
		out = append(out, "verify.enabled: the project's own code is run, without secret and network; a pull request that changes package or lock files is then not repaired")
	}
	out = append(out, outside(p, "paths.security_modules", p.Paths.SecurityModules)...)
	out = append(out, outside(p, "paths.security_folders", p.Paths.SecurityFolders)...)
	out = append(out, outside(p, "paths.app_folders", p.Paths.AppFolders)...)
	if p.Attempts.PerPullRequest > p.Attempts.PerDay {
		out = append(out, "attempts.per_pull_request: more than attempts.per_day, which ends them first")
	}
	return out
}

// outside names the paths that lie below no root: nothing there can change anyway, so the path may be misspelled.
func outside(p Policy, key string, paths []string) []string {
	var out []string
	for _, path := range paths {
		covered := false
		for _, root := range p.Paths.Roots {
			covered = covered || within(path, root)
		}
		if !covered {
			out = append(out, fmt.Sprintf("%s: %s lies below no root, so it protects nothing; is it misspelled?", key, strconv.Quote(path)))
		}
	}
	return out
}

// Bound says in one sentence what a day can cost at most.
func Bound(p Policy) string {
	return fmt.Sprintf("at most %d attempts a day of %s US dollars each: %s US dollars, and more only by as many attempts as pull requests fail in the same minute",
		p.Attempts.PerDay, strconv.FormatFloat(p.Agent.MaxUSD, 'f', -1, 64), strconv.FormatFloat(float64(p.Attempts.PerDay)*p.Agent.MaxUSD, 'f', -1, 64))
}
