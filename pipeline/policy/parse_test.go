package policy_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"selffix/pipeline/policy"
)

var update = flag.Bool("update", false, "write the golden files anew")

const seedFile = "../../testdata/policy/seed.yaml"

func seedText(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile(seedFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// edited is the seed's policy with one text replaced.
func edited(t testing.TB, old, replacement string) string {
	t.Helper()
	text := seedText(t)
	if strings.Count(text, old) != 1 {
		t.Fatalf("%q stands %d times in the seed's policy, want once", old, strings.Count(text, old))
	}
	return strings.Replace(text, old, replacement, 1)
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
}

func TestSeedPolicy(t *testing.T) {
	p, err := policy.Load(seedFile)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Enabled || p.Sandbox || p.RepositoryID != 0 || p.Maintainer != (policy.Account{Login: "maintainer", ID: 1001}) {
		t.Errorf("got %+v", p)
	}
	bot := policy.Bot{Login: "testsprite[bot]", ID: 258111874, Context: "TestSprite V3", Window: 2 * time.Hour, Source: "testsprite"}
	if p.Bot != bot {
		t.Errorf("bot: got %+v, want %+v", p.Bot, bot)
	}
	if want := (policy.Limits{ChangedLines: 200, PatchBytes: 200000, FileBytes: 131072, LineLength: 1000, BlankRun: 80}); p.Limits != want {
		t.Errorf("limits: got %+v", p.Limits)
	}
	if p.Agent.Price != (policy.Price{Input: 6, Output: 22.5}) || p.Agent.Timeout != 20*time.Minute {
		t.Errorf("agent: got %+v", p.Agent)
	}
	if p.Robot.Message != "self-fix: " {
		t.Errorf("robot.message: got %q", p.Robot.Message)
	}
	if p.Digest != policy.Digest([]byte(seedText(t))) || len(p.Digest) != 64 {
		t.Errorf("digest: got %q", p.Digest)
	}
}

// TestBadFiles reads each policy of testdata/policy/bad and compares all its faults with the file beside it. To add a
// case, add NAME.yaml and run the test with -update.
func TestBadFiles(t *testing.T) {
	files, err := filepath.Glob("../../testdata/policy/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p, err := policy.Parse(data)
			var faults policy.Faults
			if !errors.As(err, &faults) || !errors.Is(err, policy.ErrPolicy) || len(faults) == 0 {
				t.Fatalf("got %v, want faults", err)
			}
			if !reflect.DeepEqual(p, policy.Policy{}) {
				t.Errorf("got a policy with the faults: %+v", p)
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".out", err.Error()+"\n")
		})
	}
}

// TestSyntaxLines breaks the file's form in one place. The fault is on that line, whatever line the YAML reader names.
func TestSyntaxLines(t *testing.T) {
	for _, tt := range []struct {
		old, with string
		line      int
	}{
		{"  id: 1001", "   id: 1001", 8},
		{"  id: 1001", " id: 1001", 8},
		{"  id: 1001", "  id 1001", 8},
		{"  id: 1001", "  id: [1001", 8},
		{"window: 2h", "window: 2h\n  : y", 15},
		{"per_day: 6", "per_day: @6", 22},
		{"    - packages/core/src", "   - packages/core/src", 27},
		{"    - packages/core/src", "    -packages/core/src", 27},
		{"[.ts, .tsx, .css]", "[.ts, .tsx, .css", 28},
		{"[.ts, .tsx, .css]", "[.ts, .tsx, .css]]", 28},
		{"label: reviewed", "label: *nobody", 83},
		{"label: reviewed", "label: reviewed\n...\nx: 1", 85},
		{"version: 1", "%YAML 1.1\n---\nversion: 1", 2},
		{"label: reviewed", "label: 'reviewed", 83},
		{"label: reviewed", "\tlabel: reviewed", 83},
	} {
		_, err := policy.Parse([]byte(edited(t, tt.old, tt.with)))
		var faults policy.Faults
		if !errors.As(err, &faults) || len(faults) != 1 || faults[0].Line != tt.line || !errors.Is(err, policy.ErrSyntax) {
			t.Errorf("%q: got %v, want a fault of form on line %d", tt.with, err, tt.line)
		}
	}
}

func TestSize(t *testing.T) {
	text := seedText(t)
	full := text + "#" + strings.Repeat("x", policy.MaxBytes-len(text)-1)
	if _, err := policy.Parse([]byte(full)); err != nil {
		t.Errorf("%d bytes: %v", len(full), err)
	}
	if _, err := policy.Parse([]byte(full + "x")); !errors.Is(err, policy.ErrSize) {
		t.Errorf("%d bytes: got %v, want ErrSize", len(full)+1, err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	if _, err := policy.Load(filepath.Join(dir, "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: got %v", err)
	}
	if _, err := policy.Load(dir); err == nil || !strings.Contains(err.Error(), "regular file") {
		t.Errorf("a folder: got %v", err)
	}
	bad := filepath.Join(dir, "bad.yaml")
	if err := os.WriteFile(bad, []byte("version: 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var faults policy.Faults
	if _, err := policy.Load(bad); !errors.As(err, &faults) || !strings.Contains(err.Error(), "bad.yaml") {
		t.Errorf("a bad file: got %v", err)
	}
}

// TestEveryKeyIsRequired takes each line with a key out of the seed's policy in turn.
func TestEveryKeyIsRequired(t *testing.T) {
	optional := []string{"enabled", "sandbox", "imports", "aliases", "betas"}
	lines := strings.SplitAfter(seedText(t), "\n")
	for i, line := range lines {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(key, "#") || strings.HasPrefix(key, "-") || strings.TrimSpace(value) == "" || slices.Contains(optional, key) {
			continue
		}
		text := strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "")
		_, err := policy.Parse([]byte(text))
		if key == "accept_branch_writers" {
			if !errors.Is(err, policy.ErrFloor) {
				t.Errorf("without %s: got %v, want ErrFloor", key, err)
			}
			continue
		}
		if !errors.Is(err, policy.ErrMissing) {
			t.Errorf("without %s: got %v, want ErrMissing", key, err)
		}
	}
}

func TestDisabledUnlessEnabled(t *testing.T) {
	p, err := policy.Parse([]byte(edited(t, "enabled: true\n", "")))
	if err != nil || p.Enabled {
		t.Errorf("without the key: enabled %v, %v", p.Enabled, err)
	}
	for _, spelling := range []string{"yes", "True", "TRUE", "on", "1", `"true"`, "~", "[true]"} {
		if p, err := policy.Parse([]byte(edited(t, "enabled: true", "enabled: "+spelling))); !errors.Is(err, policy.ErrType) || p.Enabled {
			t.Errorf("enabled: %s: enabled %v, %v; want ErrType", spelling, p.Enabled, err)
		}
	}
}

// TestKeysCoverPolicy holds the table of keys and the type to each other.
func TestKeysCoverPolicy(t *testing.T) {
	var fields []string
	var walk func(reflect.Type, string)
	walk = func(typ reflect.Type, prefix string) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			tag := f.Tag.Get("yaml")
			if tag == "-" {
				continue
			}
			if f.Type.Kind() == reflect.Struct {
				walk(f.Type, prefix+tag+".")
				continue
			}
			fields = append(fields, prefix+tag)
		}
	}
	walk(reflect.TypeFor[policy.Policy](), "")
	var keys []string
	for _, k := range policy.Keys() {
		keys = append(keys, k.Path)
		if k.Want == "" || k.Allows == "" {
			t.Errorf("%s lacks what it wants or what it allows", k.Path)
		}
		section := k.Path[:max(strings.LastIndexByte(k.Path, '.'), 0)]
		if section != "" && policy.Sections()[section] == "" {
			t.Errorf("section %s is not described", section)
		}
	}
	slices.Sort(fields)
	slices.Sort(keys)
	if !slices.Equal(fields, keys) {
		t.Errorf("fields %v\nkeys %v", fields, keys)
	}
}

// TestFaultQuotes holds errors to ASCII and a bounded length, whatever the file holds.
func TestFaultQuotes(t *testing.T) {
	long := strings.Repeat("é", 3000)
	for _, text := range []string{
		edited(t, "label: reviewed", `label: "`+long+`"`),
		edited(t, "label: reviewed", long+": x"),
		edited(t, "enabled: true", "enabled: "+long),
		edited(t, "label: reviewed", "label: *"+long),
	} {
		_, err := policy.Parse([]byte(text))
		var faults policy.Faults
		if !errors.As(err, &faults) {
			t.Fatalf("got %v, want faults", err)
		}
		for _, f := range faults {
			if len(f.Error()) > 1000 || strings.ContainsFunc(strings.ReplaceAll(f.Error(), "…", ""), func(r rune) bool { return r < 0x20 || r > 0x7E }) {
				t.Errorf("%d bytes: %s", len(f.Error()), fmt.Sprintf("%.200q", f.Error()))
			}
		}
	}
}

func TestManyFaults(t *testing.T) {
	_, err := policy.Parse([]byte(strings.Repeat("a: 1\n", 10000)))
	var faults policy.Faults
	if !errors.As(err, &faults) || len(faults) != 101 || !strings.Contains(faults[100].Message, "more faults follow") {
		t.Errorf("got %d faults, want 100 and their number", len(faults))
	}
}

// FuzzParse holds the reader to its promise on any bytes: a policy with a digest, or faults on lines that exist.
func FuzzParse(f *testing.F) {
	f.Add([]byte(seedText(f)))
	files, err := filepath.Glob("../../testdata/policy/bad/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := policy.Parse(data)
		if err == nil {
			if p.Digest != policy.Digest(data) || p.Version != 1 {
				t.Errorf("a policy without its digest or version: %+v", p)
			}
			return
		}
		var faults policy.Faults
		if !errors.As(err, &faults) || !reflect.DeepEqual(p, policy.Policy{}) {
			t.Fatalf("got %+v, %v", p, err)
		}
		lines := strings.Count(string(data), "\n") + strings.Count(string(data), "\r") + strings.Count(string(data), "\u0085") +
			strings.Count(string(data), "\u2028") + strings.Count(string(data), "\u2029") + 1
		for _, fault := range faults {
			if fault.Line < 1 || fault.Line > lines+1 {
				t.Errorf("line %d of %d: %v", fault.Line, lines, fault)
			}
		}
	})
}
