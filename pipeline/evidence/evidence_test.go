package evidence

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"selffix/gates"
	"selffix/internal/tokens"
	"selffix/pipeline/policy"
)

const key = tokens.SandboxPrefix + "bot-key"

var tested = strings.Repeat("a", 40)

func at(clock string) time.Time {
	t, err := time.Parse(time.RFC3339, "2026-03-10T"+clock+":00Z")
	if err != nil {
		panic(err)
	}
	return t
}

func window() gates.EvidenceWindow {
	return gates.EvidenceWindow{Commit: tested, PreviewURL: "https://app-git-feature.vercel.app", NotBefore: at("10:00"), NotAfter: at("11:59")}
}

// standin copies the bot's stand-in, so that a test may change what it answers.
func standin(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "standin")
	if err := os.CopyFS(dir, os.DirFS("testdata/standin")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "key", key)
	if err := os.Chmod(filepath.Join(dir, "testsprite"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func replace(t *testing.T, dir, name, old, new string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s does not hold %q", name, old)
	}
	write(t, dir, name, strings.ReplaceAll(string(text), old, new))
}

func options(t *testing.T, dir string) Options {
	t.Helper()
	k, err := tokens.New(key)
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Policy: policy.Policy{Sandbox: true, Hosts: policy.Hosts{Bot: "http://127.0.0.1:1"}}, Window: window(), Key: k,
		CLI: filepath.Join(dir, "testsprite"), Path: "/usr/bin:/bin", Home: t.TempDir(), Bytes: 1 << 20, Each: time.Minute,
	}
}

func TestFetchAndRead(t *testing.T) {
	dir, raw := standin(t), t.TempDir()
	if err := Fetch(t.Context(), raw, options(t, dir)); err != nil {
		t.Fatal(err)
	}
	// What nobody reads is not even kept.
	for _, gone := range []string{"video.mp4", "code.py", "steps/05-snapshot.html"} {
		if _, err := os.Stat(filepath.Join(raw, "runs", "run_abc", gone)); err == nil {
			t.Errorf("%s was kept", gone)
		}
	}
	calls, err := os.ReadFile(filepath.Join(dir, "calls.log"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(calls), key) {
		t.Error("the key stands in an argument")
	}
	for _, other := range []string{"run_other_target", "run_too_old", "run_passed"} {
		if strings.Contains(string(calls), other) {
			t.Errorf("%s was brought", other)
		}
	}
	b, err := Read(raw, window())
	if err != nil {
		t.Fatal(err)
	}
	text, err := Write(b)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/bundle.golden.json")
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		want, err = text, os.WriteFile("testdata/bundle.golden.json", text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(text)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if strings.Contains(string(text), "CANARY") {
		t.Error("page, code or video reached the bundle")
	}
	if again, err := ReadBundle(text); err != nil || again.Runs[0].RunID != "run_abc" {
		t.Errorf("ReadBundle() = %+v, %v", again, err)
	}
}

func TestFetchRefuses(t *testing.T) {
	tests := map[string]struct {
		change func(t *testing.T, dir string, o *Options)
		want   error
	}{
		"key refused":       {func(t *testing.T, d string, _ *Options) { write(t, d, "key", "other") }, ErrBot},
		"real key, sandbox": {func(t *testing.T, _ string, o *Options) { o.Key = token(t, "sk-"+"user-real") }, tokens.ErrMismatch},
		"no command line":   {func(t *testing.T, _ string, o *Options) { o.CLI += "-missing" }, ErrBot},
		"no run in window":  {func(t *testing.T, _ string, o *Options) { o.Window.NotAfter = at("10:01") }, ErrNone},
		"zero window":       {func(t *testing.T, _ string, o *Options) { o.Window = gates.EvidenceWindow{} }, ErrReport},
		"listing cut":       {func(t *testing.T, d string, _ *Options) { write(t, d, "projects.json", `{"items":[`) }, ErrBot},
		"listing twice":     {func(t *testing.T, d string, _ *Options) { write(t, d, "projects.json", `{"items":[],"items":[]}`) }, ErrBot},
		"second page":       {func(t *testing.T, d string, _ *Options) { write(t, d, "projects.json", `{"items":[],"nextToken":"x"}`) }, ErrTooLarge},
		"id that is a flag": {func(t *testing.T, d string, _ *Options) { replace(t, d, "projects.json", "project_b3c91efa", "--help") }, ErrBot},
		"id that climbs": {func(t *testing.T, d string, _ *Options) {
			replace(t, d, "history-test_8f2a4d10.json", "run_abc", "../../x")
		}, ErrBot},
		"artifact fails":     {func(t *testing.T, d string, _ *Options) { write(t, d, "runs/run_abc.exit", "10") }, ErrBot},
		"artifact not found": {func(t *testing.T, d string, _ *Options) { write(t, d, "runs/run_abc.exit", "4") }, ErrNone},
		"too many bytes":     {func(t *testing.T, _ string, o *Options) { o.Bytes = 100 }, ErrTooLarge},
		"too slow":           {func(t *testing.T, d string, o *Options) { o.Each = time.Nanosecond }, ErrBot},
		"listing too long": {func(t *testing.T, d string, _ *Options) {
			write(t, d, "projects.json", strings.Repeat(" ", maxListing+1))
		}, ErrBot},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := standin(t)
			o := options(t, dir)
			tt.change(t, dir, &o)
			err := Fetch(t.Context(), t.TempDir(), o)
			if !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
}

func token(t *testing.T, s string) tokens.Token {
	t.Helper()
	k, err := tokens.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestReadRefuses(t *testing.T) {
	const run = "runs/run_abc/"
	tests := map[string]struct {
		change func(t *testing.T, raw string)
		want   error
	}{
		"partial mark":          {func(t *testing.T, d string) { write(t, d, run+".partial", "") }, ErrPartial},
		"no meta.json":          {func(t *testing.T, d string) { remove(t, d, run+"meta.json") }, ErrPartial},
		"no result.json":        {func(t *testing.T, d string) { remove(t, d, run+"result.json") }, ErrReport},
		"no index":              {func(t *testing.T, d string) { remove(t, d, "index.json") }, ErrReport},
		"unknown schema":        {func(t *testing.T, d string) { replace(t, d, run+"meta.json", "cli-v1", "cli-v2") }, ErrReport},
		"another snapshot":      {func(t *testing.T, d string) { replace(t, d, run+"result.json", "snap_2026", "snap_2025") }, ErrReport},
		"another test":          {func(t *testing.T, d string) { replace(t, d, run+"result.json", "test_8f2a4d10", "test_other") }, ErrReport},
		"another run":           {func(t *testing.T, d string) { replaceAll(t, d, run, "run_abc\"", "run_abd\"") }, ErrReport},
		"targets differ":        {func(t *testing.T, d string) { replace(t, d, run+"meta.json", "app-git-feature", "app-git-other") }, ErrReport},
		"passed run":            {func(t *testing.T, d string) { replace(t, d, run+"result.json", `"failed"`, `"passed"`) }, ErrReport},
		"no start":              {func(t *testing.T, d string) { replace(t, d, run+"result.json", "startedAt", "startsAt") }, ErrReport},
		"start in another case": {func(t *testing.T, d string) { replace(t, d, run+"result.json", "startedAt", "StartedAt") }, ErrReport},
		"duplicate key": {func(t *testing.T, d string) {
			replace(t, d, run+"result.json", `"status": "failed",`, `"status": "failed", "status": "failed",`)
		}, ErrReport},
		"cut file": {func(t *testing.T, d string) { write(t, d, run+"failure.json", `{"rootCause`) }, ErrReport},
		"another preview": {func(t *testing.T, d string) {
			replaceAll(t, d, run, "app-git-feature.vercel.app", "app-git-feature.vercel.app.evil.example")
		}, ErrNone},
		"preview as user": {func(t *testing.T, d string) {
			replaceAll(t, d, run, "app-git-feature.vercel.app", "app-git-feature.vercel.app@evil.example")
		}, ErrNone},
		"plain http":        {func(t *testing.T, d string) { replaceAll(t, d, run, "https://app-git", "http://app-git") }, ErrNone},
		"before the window": {func(t *testing.T, d string) { replace(t, d, run+"result.json", "T11:32", "T09:59") }, ErrNone},
		"after the status":  {func(t *testing.T, d string) { replace(t, d, run+"result.json", "T11:32", "T12:00") }, ErrNone},
		"evidence without a step": {func(t *testing.T, d string) {
			replace(t, d, run+"steps/05-evidence.json", `"stepIndex": 5`, `"stepIndex": "5"`)
		}, ErrReport},
		"huge file": {func(t *testing.T, d string) {
			write(t, d, run+"failure.json", "{"+strings.Repeat(" ", maxArtifactFile)+"}")
		}, ErrTooLarge},
		"too much evidence": {func(t *testing.T, d string) {
			write(t, d, run+"steps/06-evidence.json", "["+strings.Repeat(`{"kind":"log","stepIndex":6,"summary":"x"},`, maxSteps)+`{"kind":"log","stepIndex":6,"summary":"x"}]`)
		}, ErrTooLarge},
		"link in place of a file": {func(t *testing.T, d string) {
			remove(t, d, run+"failure.json")
			if err := os.Symlink("/etc/passwd", filepath.Join(d, run, "failure.json")); err != nil {
				t.Fatal(err)
			}
		}, ErrReport},
		"unknown source":  {func(t *testing.T, d string) { replace(t, d, "index.json", "testsprite", "other") }, ErrReport},
		"run that climbs": {func(t *testing.T, d string) { replace(t, d, "index.json", "run_abc", "../run_abc") }, ErrReport},
	}
	fetched := t.TempDir()
	if err := Fetch(t.Context(), fetched, options(t, standin(t))); err != nil {
		t.Fatal(err)
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			raw := t.TempDir()
			if err := os.CopyFS(raw, os.DirFS(fetched)); err != nil {
				t.Fatal(err)
			}
			tt.change(t, raw)
			if b, err := Read(raw, window()); !errors.Is(err, tt.want) {
				t.Errorf("Read() = %+v, %v, want %v", b, err, tt.want)
			}
		})
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func replaceAll(t *testing.T, dir, run, old, new string) {
	t.Helper()
	for _, name := range []string{"meta.json", "result.json"} {
		replace(t, dir, run+name, old, new)
	}
}

func TestPublishedFile(t *testing.T) {
	good := Run{RunID: "1", Target: "https://app-git-feature.vercel.app/", StartedAt: "2026-03-10T11:00:00Z", Status: "failed", Summary: "red"}
	late, other := good, good
	late.StartedAt, other.Target = "2026-03-10T12:00:00Z", "https://other.vercel.app"
	text, err := Write(Bundle{Source: SourceFile, Runs: []Run{late, good, other}, Text: "for which preview?"})
	if err != nil {
		t.Fatal(err)
	}
	answer, status := text, http.StatusOK
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key || r.URL.Path != "/"+tested+".json" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Location", "http://127.0.0.1:1/")
		w.WriteHeader(status)
		_, _ = w.Write(answer)
	}))
	defer srv.Close()
	o := options(t, standin(t))
	o.Policy.Bot.Source, o.Policy.Hosts.Bot = SourceFile, srv.URL
	raw := t.TempDir()
	if err := Fetch(t.Context(), raw, o); err != nil {
		t.Fatal(err)
	}
	b, err := Read(raw, window())
	if err != nil || len(b.Runs) != 1 || b.Runs[0].Summary != "red" || b.Text != "" || b.Claimed {
		t.Errorf("Read() = %+v, %v", b, err)
	}
	status = http.StatusFound
	if err := Fetch(t.Context(), t.TempDir(), o); !errors.Is(err, ErrBot) {
		t.Errorf("redirect: %v, want ErrBot", err)
	}
	status, answer = http.StatusOK, make([]byte, MaxBytes+1)
	if err := Fetch(t.Context(), t.TempDir(), o); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %v, want ErrTooLarge", err)
	}
}

func TestReadFile(t *testing.T) {
	bundle, err := Write(Bundle{Source: SourceFile, Text: "the total is wrong"})
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		text string
		want error
		hold string
	}{
		"text":           {"the total is wrong\r\n", nil, "the total is wrong"},
		"other JSON":     {`{"suites": 3}`, nil, "suites"},
		"bundle":         {string(bundle), nil, "the total is wrong"},
		"hidden text":    {"a\u202eb\x1b[2Jc\u200b", nil, "a<U+202E>b<U+001B>[2Jc<U+200B>"},
		"cut bundle":     {string(bundle[:len(bundle)/2]), ErrPartial, ""},
		"empty":          {" \n", ErrPartial, ""},
		"large":          {strings.Repeat("x", MaxBytes+1), ErrTooLarge, ""},
		"not text":       {"\xff\xfe\x00", ErrReport, ""},
		"bundle and key": {strings.Replace(string(bundle), "{", `{"more":1,`, 1), ErrReport, ""},
		"no bundle":      {strings.Replace(string(bundle), "the total is wrong", "", 1), ErrNone, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			from, dir := filepath.Join(t.TempDir(), "given"), t.TempDir()
			if err := os.WriteFile(from, []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			err := Give(dir, from)
			var b Bundle
			if err == nil {
				b, err = ReadFile(dir)
			}
			if !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if err == nil && (!b.Claimed || !strings.Contains(b.Text, tt.hold)) {
				t.Errorf("%+v", b)
			}
		})
	}
}

func TestReadFileTakesAnArtifactFolder(t *testing.T) {
	dir := t.TempDir()
	if err := Give(dir, "testdata/standin/runs/run_abc"); err != nil {
		t.Fatal(err)
	}
	b, err := ReadFile(dir)
	if err != nil || !b.Claimed || len(b.Runs) != 1 || len(b.Runs[0].Steps) != 1 {
		t.Fatalf("ReadFile() = %+v, %v", b, err)
	}
	partial := filepath.Join(t.TempDir(), "artifact")
	if err := os.CopyFS(partial, os.DirFS("testdata/standin/runs/run_abc")); err != nil {
		t.Fatal(err)
	}
	write(t, partial, ".partial", "")
	dir = t.TempDir()
	if err := Give(dir, partial); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(dir); !errors.Is(err, ErrPartial) {
		t.Errorf("partial: %v", err)
	}
}

// Whatever a report holds, the agent's file is plain text: no character that hides, reorders or controls.
func FuzzBundle(f *testing.F) {
	f.Add("plain", "a\u202eb")
	f.Add("\x1b]8;;", strings.Repeat("é", maxShort))
	f.Fuzz(func(t *testing.T, a, b string) {
		r, err := Run{Summary: a, Kind: b, Trace: a + b, Steps: []Step{{Summary: b}}}.clean()
		if err != nil {
			t.Fatal(err)
		}
		text, err := Write(Bundle{Source: SourceFile, Runs: []Run{r}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range string(text) {
			if c != '\n' && (c < 0x20 || c == 0x7f || c == '\u202e' || c == '\u200b' || c == '\ufeff') {
				t.Fatalf("%U in the bundle of %q, %q", c, a, b)
			}
		}
		if !json.Valid(text) {
			t.Fatal("no JSON")
		}
	})
}
