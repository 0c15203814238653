package fence

import (
	"fmt"
	"strings"
)

// Report is what a fence does on this machine, found by putting one on.
type Report struct {
	Kernel  string // release and architecture
	Err     error  // why no fence can be put on here; nil if one was
	Layers  Layers // of the fence that was put on
	Root    bool   // the caller is root
	Relay   bool   // the kernel can answer connects (seccomp user notification)
	Cgroups string // what there is of control groups
}

// String is the report for people: what is enforced, what is not, and what stays open with every layer in place.
func (r Report) String() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-22s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("kernel", "%s", r.Kernel)
	if r.Err != nil {
		line("fence", "no: %v", r.Err)
		return b.String()
	}
	line("fence", "yes: a program was run behind it just now")
	line("landlock", "ABI %d: %s", r.Layers.Landlock, landlockMeaning(r.Layers.Landlock))
	line("system calls", "default-deny, native architecture only; profiles %s", strings.Join(Profiles(), " and "))
	line("connects", "%s", choose(r.Relay, "refused, or answered with the relay (seccomp notification)",
		"refused; no relay: this kernel or container has no seccomp notification"))
	line("namespaces", "%s", choose(r.Layers.Namespaces, "root, process, network, ipc and host name of its own",
		"none: a process of the same user can be seen by name, and paths outside can be seen to exist"))
	line("uid", "%s", choose(r.Layers.User != 0, "one that no process has, no groups",
		"the caller's own, with its groups: only root can take another"))
	line("signals", "%s", choose(r.Layers.Namespaces || r.Layers.Scope, "kept inside by the kernel",
		"only to threads of the program itself, in both profiles"))
	line("cgroup", "%s", r.Cgroups)
	line("processes", "one group that none can leave, killed and reaped before the fence returns")
	b.WriteString("\nstays open behind this fence:\n")
	for _, s := range r.open() {
		fmt.Fprintf(&b, "  - %s\n", s)
	}
	return b.String()
}

// open lists what no layer that is there closes.
func (r Report) open() []string {
	where := "anywhere"
	if r.Layers.Namespaces {
		where = "below the given paths"
	}
	list := []string{
		"stat, readlink and inotify " + where + " tell whether a path exists, its size and when it changes",
		"the machine's name of kernel, load, memory size and clock (uname, sysinfo, clock_gettime)",
		"what lies below a path to read is read as far as file permissions allow",
		"private memory is bounded for each process, and so by their number; shared mappings are not: when memory runs out, the kernel ends these processes first",
	}
	if !r.Layers.Namespaces {
		list = append(list, "fchmod and times of a file of the program's user that lies below a path to read")
	}
	if r.Layers.User == 0 && !r.Layers.Namespaces {
		list = append(list, "the number of processes is counted together with the caller's others")
	}
	if !r.Layers.Namespaces {
		list = append(list, "if supervisor and caller are both killed by SIGKILL in one moment, children of the program may live on, fenced")
	}
	return list
}

func landlockMeaning(abi int) string {
	parts := []string{"files, rename and link between folders, truncate"}
	for _, p := range []struct {
		abi  int
		what string
	}{{4, "TCP bind and connect"}, {5, "ioctl on devices"}, {6, "signals and abstract sockets kept inside"}} {
		if abi >= p.abi {
			parts = append(parts, p.what)
		}
	}
	return strings.Join(parts, "; ")
}

func choose(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}
