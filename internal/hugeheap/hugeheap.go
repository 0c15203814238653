// Package hugeheap asks the kernel for pages of two MiB below the Go heap, so that a short process does not pay for each page of four KiB.
//
// self-fix starts a process for each step and each check. Such a process touches most pages of its heap once and ends: under a hypervisor
// a first touch costs 20 to 30 microseconds, and the 1,200 of a small check cost more than all that is done on them. With huge pages
// they are four. Go's runtime asks for none: it expects a heap that lives long and is given back.
//
// Importing the package does it for the first megabytes, before most other packages make their tables; [Grow] does it for a process that is
// about to need more. Nothing goes in and nothing comes out. It is advice: the kernel may turn it down, none of its answers is looked at, and
// no byte of the heap has another value for it. Memory that the heap never reaches is never touched. On systems other than Linux it does nothing.
package hugeheap

import "os"

// The first is what every command's own tables need, the second what the parsers need for the largest file that a policy may allow.
const (
	small = 8 << 20
	large = 32 << 20

	hugePage = 2 << 20
)

// Without an argument the program prints its usage, or is the supervisor of a fence, which makes no tables.
func init() {
	if len(os.Args) > 1 {
		advise(small, hugePage, reserve8MiB)
	}
}

// Grow makes ready for a heap of tens of megabytes. It takes less than a millisecond, and may run beside other work.
func Grow() { advise(large, small+2*hugePage, reserve32MiB) }
