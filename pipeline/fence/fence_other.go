//go:build !linux || !(amd64 || arm64)

package fence

import (
	"context"
	"fmt"
	"runtime"
)

// Helper proves that Enter was called. Its zero value is refused by Run.
type Helper struct{ entered bool }

// Enter does nothing here.
func Enter() Helper { return Helper{entered: true} }

// Run refuses: the fence is made of Linux's Landlock and seccomp, on the architectures whose calls have been listed.
func Run(_ context.Context, o Options) (Result, error) {
	if _, err := o.checked(); err != nil {
		return Result{}, err
	}
	return Result{}, errHere()
}

// Explain says that there is no fence here.
func Explain(context.Context, Helper) Report {
	return Report{Kernel: runtime.GOOS + " " + runtime.GOARCH, Err: errHere()}
}

func errHere() error {
	return fmt.Errorf("%w: on %s/%s; it needs Linux 6.2 or newer on amd64 or arm64", ErrUnavailable, runtime.GOOS, runtime.GOARCH)
}
