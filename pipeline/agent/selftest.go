package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"selffix/internal/strictjson"
)

// ErrSelfTest is wrapped by every reason for which the fence is not trusted with the agent.
var ErrSelfTest = errors.New("the self-test in the fence failed")

// selfTestSchema is the only form that ReadReport reads.
const selfTestSchema = "self-fix/self-test/v1"

// maxReportBytes bounds a Ground and a Report.
const maxReportBytes = 64 << 10

// Ground says what the agent may do in the fence, so that the self-test can try what lies beyond.
type Ground struct {
	Write   []string `json:"write"`   // folders that it may write
	Read    []string `json:"read"`    // paths that it may read and must not write
	Outside []string `json:"outside"` // paths that it must neither read nor write, beside the usual ones
	Env     []string `json:"env"`     // names that its environment may have
}

// Ground is what a self-test of the command's fence tries. outside are further paths that must be out of reach, such as the
// caller's home and the folder of other steps.
func (c Command) Ground(outside ...string) Ground {
	return Ground{Write: c.Write, Read: c.Read, Outside: append([]string{}, outside...), Env: EnvNames()}
}

// Input is what the self-test reads on its standard input.
func (g Ground) Input() ([]byte, error) { return json.Marshal(g) }

// Check is one thing that was tried.
type Check struct {
	Name string `json:"name"`
	Held bool   `json:"held"`
}

// Report is what a self-test found. Only ReadReport says whether it is good.
type Report struct {
	Schema string  `json:"schema"`
	Checks []Check `json:"checks"`
}

// String lists what held, for a candidate's claim.
func (r Report) String() string {
	var held []string
	for _, c := range r.Checks {
		if c.Held {
			held = append(held, c.Name)
		}
	}
	return "held: " + strings.Join(held, ", ")
}

// SelfTest is the main function of a process that was started in the agent's own fence, with the agent's own environment, before
// the first model call. It reads a Ground from stdin and writes a Report to stdout. It sends nothing to anybody: the
// addresses that it tries are reserved for documentation, but for the one of cloud metadata services, to which a connection would be
// closed at once.
func SelfTest(stdin io.Reader, stdout io.Writer, environ []string) error {
	raw, err := io.ReadAll(io.LimitReader(stdin, maxReportBytes+1))
	if err != nil {
		return fmt.Errorf("%w: its input could not be read", ErrSelfTest)
	}
	var g Ground
	if err := strictjson.Unmarshal(raw, &g); err != nil || len(g.Write) == 0 || len(g.Env) == 0 {
		return fmt.Errorf("%w: its input is no ground", ErrSelfTest)
	}
	r := Report{Schema: selfTestSchema}
	for _, t := range trials() {
		r.Checks = append(r.Checks, Check{Name: t.name, Held: t.held(g, environ)})
	}
	return json.NewEncoder(stdout).Encode(r)
}

// ReadReport reads what a self-test wrote. Every check must be there, in order, and must have held; anything else, a cut or
// an empty output too, is an error that says which.
func ReadReport(raw []byte) (Report, error) {
	if len(raw) > maxReportBytes {
		return Report{}, fmt.Errorf("%w: its report is too long", ErrSelfTest)
	}
	var r Report
	if err := strictjson.Unmarshal(raw, &r); err != nil || r.Schema != selfTestSchema {
		return Report{}, fmt.Errorf("%w: it left no report; the fence may keep it from running", ErrSelfTest)
	}
	var names, failed []string
	for _, t := range trials() {
		names = append(names, t.name)
	}
	var got []string
	for _, c := range r.Checks {
		got = append(got, c.Name)
		if !c.Held {
			failed = append(failed, c.Name)
		}
	}
	if !slices.Equal(got, names) {
		return Report{}, fmt.Errorf("%w: its report does not have the checks %s", ErrSelfTest, strings.Join(names, ", "))
	}
	if len(failed) > 0 {
		return r, fmt.Errorf("%w: these did not hold: %s", ErrSelfTest, strings.Join(failed, ", "))
	}
	return r, nil
}
