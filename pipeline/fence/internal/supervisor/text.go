package supervisor

import (
	"errors"
	"strconv"
)

// Cut keeps untrusted text in an error short.
func Cut(s string) string {
	const most = 80
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

func quoted(s string) string { return strconv.Quote(Cut(s)) }

// failure is an error with what was tried before it.
type failure struct {
	what string
	err  error
}

func (f *failure) Error() string { return f.what + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// wrap names what failed; no error stays none.
func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return &failure{what, err}
}

// errOther marks what fails where the kernel gives no namespaces, or not with these file systems: another layout may do.
var errOther = errors.New("no namespaces here")

type other struct{ err error }

func (o other) Error() string        { return o.err.Error() }
func (o other) Unwrap() error        { return o.err }
func (o other) Is(target error) bool { return target == errOther }

func otherwise(what string, err error) error {
	if err == nil {
		return nil
	}
	return other{wrap(what, err)}
}
