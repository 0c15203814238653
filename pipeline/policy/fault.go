package policy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The reasons for which a policy is not taken. Every fault wraps ErrPolicy and one of the others.
var (
	ErrPolicy     = errors.New("invalid policy")
	ErrSize       = errors.New("policy too large")
	ErrEncoding   = errors.New("policy is not plain UTF-8 text")
	ErrSyntax     = errors.New("not the strict YAML of a policy")
	ErrUnknownKey = errors.New("unknown key")
	ErrDuplicate  = errors.New("given twice")
	ErrMissing    = errors.New("missing key")
	ErrType       = errors.New("wrong type")
	ErrValue      = errors.New("value out of form or range")
	ErrFloor      = errors.New("widens the floor")
)

// Fault is one thing wrong with a policy, at its place in the file.
type Fault struct {
	Line, Column int    // from 1; Column counts code points, 0 when the YAML reader names none
	Key          string // "limits.changed_lines", "paths.roots[1]"; "" for the file itself
	Reason       error  // one of the sentinels, never ErrPolicy
	Message      string // what was met, what was expected; untrusted text in it is quoted and cut
}

// Error is the fault on one line.
func (f *Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "line %d", f.Line)
	if f.Column > 0 {
		fmt.Fprintf(&b, ", column %d", f.Column)
	}
	if f.Key != "" {
		b.WriteString(": " + f.Key)
	}
	return fmt.Sprintf("%s: %v: %s", b.String(), f.Reason, f.Message)
}

// Unwrap makes errors.Is find ErrPolicy and the reason.
func (f *Fault) Unwrap() []error { return []error{ErrPolicy, f.Reason} }

// Faults is everything wrong with one policy, in the order of the file. It is never empty.
type Faults []*Fault

// Error prints one fault a line.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.Is and errors.As every fault.
func (fs Faults) Unwrap() []error {
	out := make([]error, len(fs))
	for i, f := range fs {
		out[i] = f
	}
	return out
}

// sort puts faults in the order of the file, so that the answer does not depend on the order of the checks.
func (fs Faults) sort() {
	slices.SortStableFunc(fs, func(a, b *Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Key, b.Key))
	})
}

// maxFaults bounds the faults of one policy that are reported.
const maxFaults = 100

// bounded cuts sorted faults, and says how many were cut.
func (fs Faults) bounded() Faults {
	if len(fs) <= maxFaults {
		return fs
	}
	next := fs[maxFaults]
	last := &Fault{Line: next.Line, Column: next.Column, Reason: next.Reason, Message: fmt.Sprintf("this and %d more faults follow", len(fs)-maxFaults-1)}
	return append(slices.Clone(fs[:maxFaults]), last)
}

// maxQuoted bounds the untrusted text that one message repeats, in bytes.
const maxQuoted = 60

// quote shows untrusted text: ASCII only, escaped, cut.
func quote(s string) string {
	if len(s) <= maxQuoted {
		return strconv.QuoteToASCII(s)
	}
	return strconv.QuoteToASCII(strings.ToValidUTF8(s[:maxQuoted], "")) + "…"
}
