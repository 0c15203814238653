package report

import (
	"bytes"
	"io"
	"strconv"

	"github.com/sethvargo/go-githubactions"

	"selffix/checker"
	"selffix/internal/visible"
)

// writeGitHub writes one ::error:: command a finding, through the library that escapes data and properties.
// What is shown has no control characters left, so neither a file name nor a message can begin a
// command of its own.
func writeGitHub(w io.Writer, rules []checker.Rule, r checker.Report) error {
	var out bytes.Buffer
	none := func(string) string { return "" } // the library must not look at this process's environment
	action := githubactions.New(githubactions.WithWriter(&out), githubactions.WithGetenv(none))
	byID := index(rules)
	for _, f := range r.Findings {
		fields := map[string]string{"title": string(f.Rule) + " " + f.Kind}
		if t := byID[f.Rule].Title; t != "" {
			fields["title"] = string(f.Rule) + " " + t
		}
		if f.File != "" {
			fields["file"] = visible.String(f.File)
		}
		if f.Line > 0 {
			fields["line"] = strconv.Itoa(f.Line)
		}
		if f.Column > 0 {
			fields["col"] = strconv.Itoa(f.Column)
		}
		action.WithFieldsMap(fields).Errorf("%s", visible.String(f.Message))
	}
	switch r.Verdict {
	case checker.Accept:
		action.Noticef("%s", "self-fix check: accept")
	case checker.Refuse:
		action.Noticef("%s", "self-fix check: refuse, "+count(len(r.Findings), "finding"))
	default:
		action.Errorf("%s", "self-fix check: undecided, the patch could not be judged")
	}
	_, err := w.Write(out.Bytes())
	return err
}
