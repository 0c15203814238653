//go:build amd64 || arm64

package fence

import (
	"errors"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// process is a child of this one. Package os would look first whether the kernel has process descriptors, by starting and
// waiting for a process of its own.
type process struct {
	pid  int
	mu   sync.Mutex
	gone bool // waited for: the number may be another process's by now
}

func startProcess(path string, args, env []string, files []int, attr *syscall.SysProcAttr) (*process, error) {
	fds := make([]uintptr, len(files))
	for i, fd := range files {
		fds[i] = uintptr(fd)
	}
	pid, err := syscall.ForkExec(path, args, &syscall.ProcAttr{Dir: "/", Env: env, Files: fds, Sys: attr})
	if err != nil {
		return nil, err
	}
	return &process{pid: pid}, nil
}

func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		_ = unix.Kill(p.pid, unix.SIGKILL)
	}
}

// wait returns when the process has ended. It waits without taking the number back, so that a kill at the same time reaches
// this process or none.
func (p *process) wait() {
	for {
		err := unix.Waitid(unix.P_PID, p.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	for {
		if _, err := unix.Wait4(p.pid, nil, 0, nil); !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
