package fence

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"selffix/pipeline/fence/internal/supervisor"
)

// Options is one fenced run. It has no field that takes a layer away: what the kernel can enforce is enforced, and
// what is mandatory and cannot be had ends in ErrUnavailable.
type Options struct {
	// Helper proves that the program's main called Enter; Run starts the same program again as the supervisor.
	Helper Helper
	// Profile is the list of system calls; the zero value is the narrower one, Agent.
	Profile Profile
	// Args is the program and its arguments. A name without a slash is looked up in Env's PATH, or in the usual
	// folders of programs.
	Args []string
	// Dir is the absolute folder to start in; it must lie at or below a path of Read or Write. Empty is "/".
	Dir string
	// Read are absolute paths that may be read and executed, with all that lies below a folder.
	Read []string
	// Write are absolute paths that may be read, changed and filled with files and folders. Nothing that lies there may be
	// executed unless Read names it too.
	Write []string
	// Env is the whole environment of the program, as "NAME=value".
	Env []string
	// User is the uid to run as, which no process may have. Zero lets the fence pick one where it has the privilege; another
	// value without the privilege is refused.
	User uint32
	// Relay is the only thing that can be reached, as "HOST:PORT": every connect of the program leads there, and the relay
	// closes what does not begin with RelayPrefix. Empty: connect answers ECONNREFUSED.
	Relay string
	// Timeout is when all processes are killed: more than 0, at most MaxTimeout.
	Timeout time.Duration
	// Limits bound what the program may use up. A zero field is DefaultLimits's.
	Limits Limits
	// Demand says which of the optional parts the run may not do without; the zero value demands none of them.
	Demand Demand
	// Stdin is what the program reads; nil is an empty file. Stdout and Stderr get what it writes; nil discards it. All are
	// connected by pipes made for this run: the program never holds a descriptor that the caller has.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Demand is what a run needs beside the mandatory parts. It only ever adds to them.
type Demand string

// The demands.
const (
	// Mandatory uses the optional parts where the kernel gives them.
	Mandatory Demand = ""
	// EveryPart refuses to start without a root, network, process, ipc and host name namespace of its own and Landlock's
	// scopes on signals and abstract sockets: for code that others wrote and that is run as such.
	EveryPart Demand = "every part"
)

// RelayPrefix is how every relayed stream begins. The C library's own probes (nscd) are closed at once by it.
const RelayPrefix = supervisor.RelayPrefix

// MaxTimeout bounds Options.Timeout.
const MaxTimeout = 24 * time.Hour

// Limits bound a run. The maxima keep a caller from setting a limit that is none.
type Limits struct {
	OutputBytes int64  // of stdout and stderr together; at most 1 GiB
	FileBytes   uint64 // of one file (RLIMIT_FSIZE); at most 16 GiB
	DiskBytes   int64  // of all that lies in Write, counted while the program runs; at most 256 GiB
	DiskFiles   int64  // files and folders in Write; at most 4 million
	DataBytes   uint64 // of private memory of one process (RLIMIT_DATA); at most 64 GiB
	OpenFiles   uint64 // descriptors of one process; at most 65,536
	Processes   uint64 // processes and threads of the run together; at most 4,096
}

// DefaultLimits fit the agent: Claude Code reserves several GiB of address space and uses a few hundred MiB.
func DefaultLimits() Limits {
	return Limits{OutputBytes: 16 << 20, FileBytes: 512 << 20, DiskBytes: 4 << 30, DiskFiles: 400_000,
		DataBytes: 8 << 30, OpenFiles: 1024, Processes: 256}
}

func maxLimits() Limits {
	return Limits{OutputBytes: 1 << 30, FileBytes: 16 << 30, DiskBytes: 256 << 30, DiskFiles: 4_000_000,
		DataBytes: 64 << 30, OpenFiles: 65_536, Processes: 4096}
}

// The reasons why Run returns an error instead of a result. Nothing of the program has run then.
var (
	ErrOptions     = errors.New("these options cannot be fenced")
	ErrUnavailable = errors.New("the fence cannot be put on")
)

// ErrLost is returned when the supervisor ended without a report, or could not end every process of the run. What the
// program wrote must not be read.
var ErrLost = errors.New("the fence lost its run")

// checked returns the options with limits filled in and paths cleaned, or what is wrong with them.
func (o Options) checked() (Options, error) {
	if !o.Helper.entered {
		return o, fmt.Errorf("%w: no helper; call fence.Enter at the beginning of main", ErrOptions)
	}
	if o.Profile != Agent && o.Profile != Tools {
		return o, fmt.Errorf("%w: profile %q, expected one of %v", ErrOptions, cut(string(o.Profile)), Profiles())
	}
	if o.Demand != Mandatory && o.Demand != EveryPart {
		return o, fmt.Errorf("%w: demand %q, expected %q or none", ErrOptions, cut(string(o.Demand)), EveryPart)
	}
	if len(o.Args) == 0 || o.Args[0] == "" {
		return o, fmt.Errorf("%w: no program", ErrOptions)
	}
	if o.Timeout <= 0 || o.Timeout > MaxTimeout {
		return o, fmt.Errorf("%w: timeout %v, expected more than 0 and at most %v", ErrOptions, o.Timeout, MaxTimeout)
	}
	for _, s := range slices.Concat(o.Args, o.Env) {
		if strings.ContainsRune(s, 0) {
			return o, fmt.Errorf("%w: %q contains a NUL", ErrOptions, cut(s))
		}
	}
	for _, e := range o.Env {
		if i := strings.IndexByte(e, '='); i < 1 {
			return o, fmt.Errorf("%w: environment entry %q, expected NAME=value", ErrOptions, cut(e))
		}
	}
	if o.User == nobody || o.User == ^uint32(0) {
		return o, fmt.Errorf("%w: uid %d belongs to whatever could not be mapped; name one that no process has", ErrOptions, o.User)
	}
	var err error
	if o.Read, err = cleanPaths(o.Read); err != nil {
		return o, err
	}
	if o.Write, err = cleanPaths(o.Write); err != nil {
		return o, err
	}
	if o.Dir, err = o.startFolder(); err != nil {
		return o, err
	}
	o.Limits, err = o.Limits.filled()
	return o, err
}

// nobody is the uid that a kernel shows for ids it cannot map; files and processes of many owners appear under it.
const nobody = 65534

// startFolder is the cleaned Dir; a path outside every given one could not be opened behind the fence.
func (o Options) startFolder() (string, error) {
	if o.Dir == "" {
		return "/", nil
	}
	if !filepath.IsAbs(o.Dir) {
		return "", fmt.Errorf("%w: folder %q, expected an absolute path", ErrOptions, cut(o.Dir))
	}
	dir := filepath.Clean(o.Dir)
	if dir != "/" && !Within(slices.Concat(o.Read, o.Write), dir) {
		return "", fmt.Errorf("%w: folder %q lies below none of the given paths", ErrOptions, cut(dir))
	}
	return dir, nil
}

// Within reports whether path is one of the given absolute paths or lies below one, by its name or by what the names lead to
// when links are followed.
func Within(given []string, path string) bool {
	if covers(given, filepath.Clean(path)) {
		return true
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	for _, g := range given {
		if at, err := filepath.EvalSymlinks(g); err == nil && covers([]string{at}, real) {
			return true
		}
	}
	return false
}

// covers reports whether path is one of the given paths or lies below one. All are absolute and clean.
func covers(given []string, path string) bool {
	for _, g := range given {
		if g == path || g == "/" || strings.HasPrefix(path, g+"/") {
			return true
		}
	}
	return false
}

// cleanPaths refuses what is relative and what opens other processes: /proc shows their memory, descriptors and
// environment, /sys the machine's switches.
func cleanPaths(paths []string) ([]string, error) {
	clean := make([]string, 0, len(paths))
	for _, p := range paths {
		if !filepath.IsAbs(p) || strings.ContainsRune(p, 0) {
			return nil, fmt.Errorf("%w: path %q, expected an absolute one", ErrOptions, cut(p))
		}
		p = filepath.Clean(p)
		if slices.Contains(devices(), p) {
			continue // always there
		}
		if covers(hiddenPaths(), p) {
			return nil, fmt.Errorf("%w: path %q shows other processes, devices or the machine's switches; only %v are there",
				ErrOptions, cut(p), devices())
		}
		clean = append(clean, p)
	}
	return clean, nil
}

// devices are the only ones that exist behind the fence.
func devices() []string { return []string{"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"} }

// hiddenPaths are never given, also not as part of "/".
func hiddenPaths() []string { return []string{"/proc", "/sys", "/dev"} }

func (l Limits) filled() (Limits, error) {
	d, m := DefaultLimits(), maxLimits()
	var err error
	l.OutputBytes = fill(l.OutputBytes, d.OutputBytes, m.OutputBytes, "output bytes", &err)
	l.FileBytes = fill(l.FileBytes, d.FileBytes, m.FileBytes, "file bytes", &err)
	l.DiskBytes = fill(l.DiskBytes, d.DiskBytes, m.DiskBytes, "disk bytes", &err)
	l.DiskFiles = fill(l.DiskFiles, d.DiskFiles, m.DiskFiles, "disk files", &err)
	l.DataBytes = fill(l.DataBytes, d.DataBytes, m.DataBytes, "data bytes", &err)
	l.OpenFiles = fill(l.OpenFiles, d.OpenFiles, m.OpenFiles, "open files", &err)
	l.Processes = fill(l.Processes, d.Processes, m.Processes, "processes", &err)
	return l, err
}

func fill[N int64 | uint64](n, zero, most N, name string, err *error) N {
	if n == 0 {
		return zero
	}
	if n < 0 || n > most {
		*err = errors.Join(*err, fmt.Errorf("%w: limit of %s %d, expected 1 to %d", ErrOptions, name, n, most))
	}
	return n
}

// cut keeps untrusted text in an error short.
func cut(s string) string { return supervisor.Cut(s) }
