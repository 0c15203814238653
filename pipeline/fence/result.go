package fence

import (
	"fmt"

	"selffix/pipeline/fence/internal/supervisor"
)

// End says how a run ended. The zero value is no end: a Result with it was never filled in.
type End string

// The ends of a run.
const (
	Exited    End = "exited"             // by itself; Code holds
	Signalled End = "signalled"          // by a signal that the fence did not send, such as the kernel's for a forbidden architecture
	Deadline  End = supervisor.Deadline  // killed at Options.Timeout
	Exceeded  End = supervisor.Exceeded  // killed for a limit: output, disk
	Cancelled End = supervisor.Cancelled // killed because the caller's context ended
)

// Exit codes of the command, beside the program's own. None is 128 or more: Dagger takes those for errors of its own.
const (
	ExitDeadline    = 124
	ExitUnavailable = supervisor.ExitUnavailable
	ExitSignalled   = 126
)

// Result is how one run ended, after every process of it is gone.
type Result struct {
	End    End
	Code   int    // the program's exit code when End is Exited
	Signal int    // the signal's number when End is Signalled
	Reason string // one line for people unless End is Exited
	Layers Layers // what was enforced
}

// Layers says which of the optional parts were there, beside the mandatory ones.
type Layers struct {
	Landlock   int    `json:"landlock"`   // ABI in force
	Namespaces bool   `json:"namespaces"` // root, network, process and ipc namespace of its own
	User       uint32 `json:"user"`       // the uid that no process had; 0: the caller's own
	Scope      bool   `json:"scope"`      // signals and abstract sockets kept inside by Landlock
	Relay      bool   `json:"relay"`      // connects lead to the relay
}

// ExitCode is the command's exit code for the result. A code of 128 or more, which shells use for "a child was ended by a
// signal", becomes ExitSignalled.
func (r Result) ExitCode() int {
	switch {
	case r.End == Exited && r.Code >= 0 && r.Code < 128:
		return r.Code
	case r.End == Exited:
		return ExitSignalled
	case r.End == Deadline:
		return ExitDeadline
	}
	return ExitSignalled
}

// String is one line for people.
func (r Result) String() string {
	if r.End == Exited {
		return fmt.Sprintf("exited with code %d", r.Code)
	}
	return fmt.Sprintf("%s: %s", r.End, r.Reason)
}
