package fence

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestOptionsTakeNoLayerAway holds the list of fields: none of them switches a layer off, and a new one is looked at here.
func TestOptionsTakeNoLayerAway(t *testing.T) {
	want := map[reflect.Type][]string{
		reflect.TypeFor[Options](): {"Helper", "Profile", "Args", "Dir", "Read", "Write", "Env", "User", "Relay", "Timeout", "Limits",
			"Demand", "Stdin", "Stdout", "Stderr"},
		reflect.TypeFor[Limits](): {"OutputBytes", "FileBytes", "DiskBytes", "DiskFiles", "DataBytes", "OpenFiles", "Processes"},
	}
	for typ, fields := range want {
		var got []string
		for i := range typ.NumField() {
			f := typ.Field(i)
			got = append(got, f.Name)
			if f.Type.Kind() == reflect.Bool {
				t.Errorf("%v.%s is a switch", typ, f.Name)
			}
		}
		if !slices.Equal(got, want[typ]) {
			t.Errorf("%v has the fields %q, want %q", typ, got, fields)
		}
	}
}

// good are options that checked accepts.
func good() Options {
	return Options{Helper: Helper{entered: true}, Args: []string{"/bin/true"}, Timeout: time.Second}
}

func TestOptionsRefused(t *testing.T) {
	for name, spoil := range map[string]func(o *Options){
		"no helper":                func(o *Options) { o.Helper = Helper{} },
		"unknown profile":          func(o *Options) { o.Profile = "everything" },
		"unknown demand":           func(o *Options) { o.Demand = "fewer parts" },
		"no program":               func(o *Options) { o.Args = nil },
		"empty program":            func(o *Options) { o.Args = []string{""} },
		"no timeout":               func(o *Options) { o.Timeout = 0 },
		"negative timeout":         func(o *Options) { o.Timeout = -1 },
		"endless timeout":          func(o *Options) { o.Timeout = MaxTimeout + 1 },
		"NUL in an argument":       func(o *Options) { o.Args = []string{"/bin/true", "a\x00b"} },
		"NUL in the environment":   func(o *Options) { o.Env = []string{"A=\x00"} },
		"environment without name": func(o *Options) { o.Env = []string{"=x"} },
		"environment without =":    func(o *Options) { o.Env = []string{"A"} },
		"nobody":                   func(o *Options) { o.User = 65534 },
		"uid -1":                   func(o *Options) { o.User = ^uint32(0) },
		"relative path to read":    func(o *Options) { o.Read = []string{"usr"} },
		"relative path to write":   func(o *Options) { o.Write = []string{"../x"} },
		"proc":                     func(o *Options) { o.Read = []string{"/proc"} },
		"a process":                func(o *Options) { o.Read = []string{"/usr/../proc/self"} },
		"sys":                      func(o *Options) { o.Write = []string{"/sys/fs"} },
		"devices":                  func(o *Options) { o.Read = []string{"/dev"} },
		"a terminal":               func(o *Options) { o.Read = []string{"/dev/tty"} },
		"relative folder":          func(o *Options) { o.Dir = "x" },
		"folder outside":           func(o *Options) { o.Read, o.Dir = []string{"/usr"}, "/usr2" },
		"output without bound":     func(o *Options) { o.Limits.OutputBytes = 2 << 30 },
		"negative limit":           func(o *Options) { o.Limits.DiskBytes = -1 },
		"processes without bound":  func(o *Options) { o.Limits.Processes = 1 << 20 },
	} {
		o := good()
		spoil(&o)
		if _, err := o.checked(); !errors.Is(err, ErrOptions) {
			t.Errorf("%s: %v, want %v", name, err, ErrOptions)
		}
	}
	if _, err := good().checked(); err != nil {
		t.Errorf("good options: %v", err)
	}
}

func TestOptionsFilled(t *testing.T) {
	o := good()
	o.Read, o.Write, o.Dir = []string{"/usr/", "/dev/null"}, []string{"/tmp/../var"}, "/var/x"
	o.Limits.Processes = 7
	got, err := o.checked()
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultLimits()
	want.Processes = 7
	if got.Limits != want || !slices.Equal(got.Read, []string{"/usr"}) || !slices.Equal(got.Write, []string{"/var"}) || got.Dir != "/var/x" {
		t.Errorf("%+v", got)
	}
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		given, path string
		want        bool
	}{
		{"/usr", "/usr", true}, {"/usr", "/usr/lib", true}, {"/usr", "/usrx", false}, {"/usr/lib", "/usr", false}, {"/", "/anything", true},
	} {
		if got := covers([]string{c.given}, c.path); got != c.want {
			t.Errorf("covers(%q, %q) = %v", c.given, c.path, got)
		}
	}
}

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		result Result
		want   int
	}{
		{Result{End: Exited}, 0}, {Result{End: Exited, Code: 3}, 3}, {Result{End: Exited, Code: 127}, 127},
		{Result{End: Exited, Code: 137}, ExitSignalled}, {Result{End: Exited, Code: 255}, ExitSignalled},
		{Result{End: Signalled, Signal: 9}, ExitSignalled}, {Result{End: Deadline}, ExitDeadline},
		{Result{End: Exceeded}, ExitSignalled}, {Result{End: Cancelled}, ExitSignalled}, {Result{}, ExitSignalled},
	} {
		if got := c.result.ExitCode(); got != c.want {
			t.Errorf("%+v: %d, want %d", c.result, got, c.want)
		}
	}
}

func TestParseProfile(t *testing.T) {
	for _, name := range Profiles() {
		if p, err := ParseProfile(name); err != nil || p.String() != name {
			t.Errorf("%q: %v, %v", name, p, err)
		}
	}
	for _, name := range []string{"", "none", "Agent"} {
		if _, err := ParseProfile(name); !errors.Is(err, ErrOptions) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain text\n\ttab":        "plain text\n\ttab",
		"\x1b]52;c;eA==\x07":       "<U+001B>]52;c;eA==<U+0007>",
		"a\rb":                     "a<U+000D>b",
		"\u202eback":               "<U+202E>back",
		"zero\u200bwidth":          "zero<U+200B>width",
		"\u009b31m":                "<U+009B>31m",
		"\x9b31m":                  "<0x9B>31m",
		"caf\u00e9 \u65e5\u672c":   "caf\u00e9 \u65e5\u672c",
		"\u00e9"[:1] + "x":         "<0xC3>x",
		strings.Repeat("\x00", 2):  "<U+0000><U+0000>",
		"surrogate \xed\xa0\x80 .": "surrogate <0xED><0xA0><0x80> .",
	} {
		for size := 1; size <= 4; size++ {
			var out bytes.Buffer
			w := Visible(&out)
			for rest := []byte(in); len(rest) > 0; {
				n := min(size, len(rest))
				if m, err := w.Write(rest[:n]); m != n || err != nil {
					t.Fatalf("%d, %v", m, err)
				}
				rest = rest[n:]
			}
			if out.String() != want {
				t.Errorf("%q in pieces of %d: %q, want %q", in, size, out.String(), want)
			}
		}
	}
}
