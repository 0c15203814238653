package fence

import (
	"fmt"
	"slices"
	"strings"
)

// Profile is the list of system calls that a fenced program may use. Both are default-deny.
type Profile string

// The profiles. The zero value is the narrower one.
const (
	// Agent is for the model's process: files below its paths, one relayed stream, no signal to anybody else.
	Agent Profile = ""
	// Tools is for git, node and a project's own checks: also pipelines of programs, timers, message passing over
	// a socketpair, and signals where the kernel keeps them inside (a process namespace, or Landlock's scope).
	Tools Profile = "tools"
)

// Profiles lists the names that the command line takes.
func Profiles() []string { return []string{"agent", "tools"} }

// ParseProfile reads a name of Profiles.
func ParseProfile(name string) (Profile, error) {
	switch name {
	case "agent":
		return Agent, nil
	case "tools":
		return Tools, nil
	}
	return Agent, fmt.Errorf("%w: profile %q, expected one of %v", ErrOptions, cut(name), Profiles())
}

// String is the name that the command line takes.
func (p Profile) String() string {
	if p == Agent {
		return "agent"
	}
	return string(p)
}

// Error numbers that a refused call answers with: the same on both supported architectures.
const (
	eperm        = 1
	enotty       = 25
	enosys       = 38
	eopnotsupp   = 95
	eafnosupport = 97
	enoprotoopt  = 92
	econnrefused = 111
)

func errno(n uint32) action { return actErrno + action(n) }

// architecture is what seccomp shows for a native call, the highest number that was known when the lists were written (what a
// newer kernel adds answers ENOSYS), and the number of each name on the lists.
type architecture struct {
	audit   uint32
	last    uint32
	numbers []number // sorted by name
}

type number struct {
	name string
	nr   uint32
}

// number of a name, if the architecture has the call.
func (a architecture) number(name string) (uint32, bool) {
	i, has := slices.BinarySearchFunc(a.numbers, name, func(n number, name string) int { return strings.Compare(n.name, name) })
	if !has {
		return 0, false
	}
	return a.numbers[i].nr, true
}

func (a architecture) table() table {
	return table{arch: a.audit, last: a.last, unknown: errno(enosys), deny: errno(eperm), rules: make([]rule, 0, len(a.numbers))}
}

// setting is what a profile's list depends on beside the profile.
type setting struct {
	net     netRule
	signals signalRule
	files   fileRule
}

// rulesOf builds a profile's table.
func rulesOf(p Profile, a architecture, s setting) table {
	t := a.table()
	// Conditions first: the kernel remembers the answer for a number without any, and runs the program for the others.
	for _, r := range slices.Concat(argumentRules(), s.net.rules(), s.signals.rules(p), s.files.rules(p)) {
		t.add(a, r)
	}
	// As on a file system without extended attributes: ls and cp take any other error for a fault.
	for _, name := range attributes {
		t.add(a, rule{name: name, then: errno(eopnotsupp)})
	}
	for _, name := range absent {
		t.add(a, rule{name: name, then: errno(enosys)})
	}
	t.allow(a, common...)
	if p == Tools {
		t.allow(a, toolsOnly...)
	}
	return t
}

// supervisorRules is the table of the supervisor itself. It makes threads and internet streams; which port it may connect
// to is Landlock's to hold, which it inherited.
func supervisorRules(a architecture) table {
	t := a.table()
	t.add(a, rule{name: "clone3", then: errno(enosys)})
	t.add(a, rule{name: "clone", when: []clause{{{arg: 0, mask: ^uint64(cloneAllowed), want: 0}, {arg: 0, mask: cloneThread, want: cloneThread}}},
		then: actAllow})
	stream := check{arg: 1, mask: 0xffffffff &^ (sockCloexec | sockNonblock), want: sockStream}
	t.add(a, rule{name: "socket", when: []clause{{low(0, afInet), stream}, {low(0, afInet6), stream}}, then: actAllow})
	t.allow(a, supervisorCalls...)
	return t
}

func (t *table) allow(a architecture, names ...string) {
	for _, name := range names {
		t.add(a, rule{name: name, then: actAllow})
	}
}

// add takes a rule into the table unless the architecture does not have the call.
func (t *table) add(a architecture, r rule) {
	nr, has := a.number(r.name)
	if !has {
		return
	}
	r.nr = nr
	if r.other == 0 {
		r.other = t.deny
	}
	t.rules = append(t.rules, r)
}

// netRule says how sockets and connects are answered.
type netRule int

const (
	netNone  netRule = iota // connect answers ECONNREFUSED
	netRelay                // the supervisor makes the socket, one end of a relay connection, and answers connect
)

func (n netRule) rules() []rule {
	stream := []clause{{low(0, afUnix), {arg: 1, mask: 0xffffffff &^ (sockCloexec | sockNonblock), want: sockStream}}}
	socket := rule{name: "socket", when: stream, then: actAllow, other: errno(eafnosupport)}
	connect := rule{name: "connect", then: errno(econnrefused)}
	if n == netRelay {
		socket.then, connect.then = actNotify, actNotify
	}
	return []rule{
		socket, connect,
		{name: "socketpair", when: stream, then: actAllow, other: errno(eafnosupport)},
		// A datagram with an address reaches path sockets outside (syslog, sd_notify) without any connect.
		{name: "sendto", when: []clause{{{arg: 4, mask: ^uint64(0), want: 0}}}, then: actAllow},
		// Options of the generic level that have no effect outside the socket; no socket filters.
		{name: "setsockopt", when: either(1, solSocket, 2, soReuseAddr, soSndBuf, soRcvBuf, soKeepAlive, soLinger,
			soRcvTimeo, soSndTimeo), then: actAllow, other: errno(enoprotoopt)},
	}
}

// signalRule says where signals may go.
type signalRule int

const (
	signalsOwn    signalRule = iota // to threads of the program itself
	signalsInside                   // to any process inside the fence: the kernel keeps them there
)

func (s signalRule) rules(p Profile) []rule {
	if p == Tools && s == signalsInside {
		return []rule{{name: "kill", then: actAllow}, {name: "tgkill", then: actAllow}}
	}
	return []rule{{name: "tgkill", when: []clause{{low(0, ownTGID)}}, then: actAllow}}
}

// fileRule says whose files a change of mode by path could reach. Landlock does not govern it.
type fileRule int

const (
	filesOfCaller fileRule = iota // also the caller's own files outside
	filesInside                   // only what was given to write: by a root of its own, or by a uid that owns nothing else
)

// rules: git cannot make a repository without chmod. Where it could reach outside, it answers success and changes nothing,
// which git takes for a file system without modes; the agent has no use for it and is refused.
func (f fileRule) rules(p Profile) []rule {
	switch {
	case p != Tools:
		return nil
	case f == filesOfCaller:
		return []rule{{name: "chmod", then: errno(0)}, {name: "fchmodat", then: errno(0)}}
	}
	return []rule{
		{name: "chmod", when: []clause{{{arg: 1, mask: setIDs, want: 0}}}, then: actAllow},
		{name: "fchmodat", when: []clause{{{arg: 2, mask: setIDs, want: 0}}}, then: actAllow},
	}
}
