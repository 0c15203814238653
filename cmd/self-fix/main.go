// Command self-fix repairs red pull requests with an AI agent behind gates, a fence and a checker.
//
// It is both the command line for people and the worker: every step of the loop, in a container or on a
// laptop, is this binary called as "self-fix step NAME".
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	_ "selffix/internal/hugeheap" // before main: the tables of all packages are the first that lies in the heap
	"selffix/pipeline/fence"
)

// gcPercent lets the heap of what is nearly always a short process grow to almost five MiB before it is looked through. With more, the
// check of 128 KiB of dense source takes more than 64 MiB.
const gcPercent = 120

func main() {
	debug.SetGCPercent(gcPercent)
	helper := fence.Enter()
	ctx, stop := signal.NotifyContext(context.Background(), ends()...)
	context.AfterFunc(ctx, stop) // a second signal ends what does not look at the context, such as a read of a pipe
	code := run(ctx, os.Args[1:], env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Fence: helper,
	})
	stop()
	os.Exit(code)
}

// ends are the signals that end a command in order. One that was ignored at the start, as nohup does, stays so.
func ends() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}
