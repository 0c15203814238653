package hugeheap

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// mapping is the part of the address space that holds an object which is made now.
type mapping struct {
	bytes uintptr // from the object to the end
	huge  bool    // huge pages are asked for
}

func here(t *testing.T) mapping {
	t.Helper()
	at := uintptr(unsafe.Pointer(object()))
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var m mapping
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); n == 2 {
			if m.bytes = 0; from <= at && at < to {
				m.bytes = to - at
			}
		}
		if flags, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok && m.bytes > 0 {
			m.huge = strings.Contains(flags+" ", " hg ")
			return m
		}
	}
	t.Fatalf("no mapping holds %#x", at)
	return m
}

// TestHugePages holds the package to its one effect: the heap ahead is mapped and asks for huge pages.
func TestHugePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skipf("this kernel has no huge pages to give: %v", err)
	}
	// The test's own framework may have used a part of what was made ready.
	if m := here(t); !m.huge || m.bytes < small/2 {
		t.Errorf("after the start: huge pages %v for the next %d bytes, want them for %d", m.huge, m.bytes, small/2)
	}
	Grow()
	if m := here(t); !m.huge || m.bytes < large/2 {
		t.Errorf("after Grow: huge pages %v for the next %d bytes, want them for %d", m.huge, m.bytes, large/2)
	}
}
