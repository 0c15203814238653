package doctor

import (
	"errors"
	"fmt"

	"selffix/internal/visible"
)

// Status is what a check found.
type Status string

// The statuses of a check.
const (
	Pass    Status = "pass"
	Fail    Status = "fail"
	Unknown Status = "unknown" // it could not be read; nobody has looked
)

// Finding is one check's word.
type Finding struct {
	ID     string `json:"id"`
	Check  string `json:"check"`
	Status Status `json:"status"`
	Detail string `json:"detail"` // what was met
	Fix    string `json:"fix"`    // what to do; "" if it passed
}

// Report is one finding for each check, in the order of their ids.
type Report struct {
	Repository string    `json:"repository"`
	Findings   []Finding `json:"findings"`
}

// ExitCode is 0 if every check passed, 2 if one could not be made, else 1.
func (r Report) ExitCode() int {
	code := 0
	for _, f := range r.Findings {
		switch {
		case f.Status == Unknown || f.Status != Pass && f.Status != Fail:
			return 2
		case f.Status == Fail:
			code = 1
		}
	}
	if len(r.Findings) == 0 {
		return 2
	}
	return code
}

// check is one thing to look at. run returns what was met: nil if all is well, a weakness, or a reading's error.
type check struct {
	id, name string
	fix      string
	run      func(Facts) (detail string, err error)
}

// weakness is what a check found.
type weakness struct{ what string }

func (w weakness) Error() string { return w.what }

func weak(format string, args ...any) error { return weakness{fmt.Sprintf(format, args...)} }

// Examine makes every check.
func Examine(f Facts) Report {
	r := Report{Repository: f.Repository.FullName}
	for _, c := range checks() {
		r.Findings = append(r.Findings, c.examine(f))
	}
	return r
}

func (c check) examine(f Facts) Finding {
	detail, err := c.run(f)
	out := Finding{ID: c.id, Check: c.name, Status: Pass, Detail: visible.Cut(detail, 400)}
	if err == nil {
		return out
	}
	out.Status, out.Detail, out.Fix = Unknown, visible.Cut(err.Error(), 400), c.fix
	var w weakness
	if errors.As(err, &w) || errors.Is(err, errNoPolicy) || errors.Is(err, errBadPolicy) {
		out.Status = Fail
	}
	return out
}

// checks lists the checks in the order of their ids.
func checks() []check {
	var all []check
	for _, group := range [][]check{policyChecks(), statusChecks(), environmentChecks(), rightChecks(), pathChecks(), previewChecks(), workflowChecks(), pinChecks()} {
		all = append(all, group...)
	}
	return all
}
