//go:build amd64 || arm64

package fence

import (
	"fmt"

	"golang.org/x/sys/unix"

	"selffix/pipeline/fence/internal/supervisor"
)

// order tells the supervisor to end the program while it runs.
type order struct {
	Stop   End
	Reason string
}

// resultOf tells the program's own end from the fence's kill.
func resultOf(st supervisor.Status) Result {
	ws := unix.WaitStatus(st.Wait)
	switch {
	case st.Order.Stop != "" && ws.Signaled():
		return Result{End: End(st.Order.Stop), Reason: st.Order.Reason}
	case ws.Exited():
		return Result{End: Exited, Code: ws.ExitStatus()}
	}
	return Result{End: Signalled, Signal: int(ws.Signal()), Reason: signalReason(ws.Signal())}
}

func signalReason(sig unix.Signal) string {
	reason := fmt.Sprintf("ended by signal %d (%s)", int(sig), unix.SignalName(sig))
	switch sig {
	case unix.SIGSYS:
		return reason + ": it made a system call of another architecture"
	case unix.SIGXFSZ:
		return reason + ": a file reached its limit"
	}
	return reason
}
