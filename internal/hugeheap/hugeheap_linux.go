package hugeheap

import (
	"syscall"
	"unsafe"
)

// collapse is MADV_COLLAPSE, since Linux 6.1. Package syscall has no name for it.
const collapse = 25

// advise makes the heap's next n bytes ready. The runtime maps its heap four MiB at a time and takes advice away with each mapping, so
// the heap is made to reach that far first: on a goroutine of its own, whose stack lies in the heap and goes back to it. Of the first used
// bytes some small pages are there already, of objects or of an earlier such stack: huge ones take their place.
func advise(n, used uintptr, reserve func()) {
	done := make(chan struct{})
	go func() {
		reserve()
		close(done)
	}()
	<-done
	next := uintptr(unsafe.Pointer(object())) &^ (hugePage - 1)
	madvise(next, n, syscall.MADV_HUGEPAGE)
	for at := next; at < next+used; at += hugePage { // one at a time: the kernel stops at the first that holds nothing yet
		madvise(at, hugePage, collapse)
	}
}

// object makes an object in the heap: the runtime takes the lowest free place. Inlined, it would lie on the caller's stack.
//
//go:noinline
func object() *[64]byte { return new([64]byte) }

func madvise(at, n, advice uintptr) { syscall.RawSyscall(syscall.SYS_MADVISE, at, n, advice) }

// reserve8MiB and reserve32MiB need a stack of that size. They are assembly because Go would fill a variable of that size with zeros.
func reserve8MiB()
func reserve32MiB()
