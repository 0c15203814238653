package sandbox

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"selffix/internal/demo"
	"selffix/internal/ghfake"
	"selffix/internal/play"
	"selffix/internal/tokens"
	"selffix/pipeline"
	"selffix/testdata"
)

// serve serves the repair on loopback.
func serve(t *testing.T, change func(*Options)) *Server {
	t.Helper()
	p, err := Load(testdata.Files, "repair")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Files: testdata.Files, Play: p, Dir: t.TempDir(), Paths: play.StepPaths("/nowhere"), Canary: "canary", Listen: netip.MustParseAddr("127.0.0.1")}
	change(&o)
	s, err := Serve(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Only the model's host may be a real one: every stand-in is on loopback, or an alias that counts as such.
func TestHosts(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Options)
		github string
		model  string
	}{
		"loopback":                     {func(*Options) {}, "http://127.0.0.1:", "http://127.0.0.1:"},
		"a model that is not scripted": {func(o *Options) { o.Paths = play.Paths{} }, "http://127.0.0.1:", "https://api.anthropic.com"},
		"all interfaces": {func(o *Options) { o.Listen, o.Ports = netip.IPv4Unspecified(), Ports{38081, 38082, 38083} },
			"http://sandbox-github:38081", "http://sandbox-model:38082"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.change)
			h := s.policy.Hosts
			if !s.policy.Sandbox || !strings.HasPrefix(h.GitHubAPI, c.github) || h.GitHubGit != h.GitHubAPI || !strings.HasPrefix(h.Model, c.model) {
				t.Errorf("sandbox %v, hosts %+v", s.policy.Sandbox, h)
			}
			for _, base := range []string{h.GitHubAPI, h.GitHubGit, h.Bot} {
				if loopback, err := tokens.Host(base); err != nil || !loopback {
					t.Errorf("%s is no sandbox's host: %v", base, err)
				}
			}
			o, err := demo.Open(t.Context(), Client(s.Control))
			if err != nil {
				t.Fatal(err)
			}
			if _, scripted := o.Secrets[pipeline.SecretModel]; scripted != (s.model != nil) || o.Policy != s.policyText {
				t.Errorf("secrets %v", o.Secrets)
			}
		})
	}
}

func TestServeRefuses(t *testing.T) {
	p, err := Load(testdata.Files, "repair")
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{
		"no address":            {},
		"free ports for others": {Listen: netip.IPv4Unspecified()},
		"no files":              {Listen: netip.MustParseAddr("127.0.0.1"), Files: testdata.Files, Dir: "/proc/none", Play: p},
	} {
		if s, err := Serve(t.Context(), o); err == nil {
			t.Errorf("%s: served at %s", name, s.GitHub)
		}
	}
	if _, err := Load(testdata.Files, "../policy/seed"); err == nil {
		t.Error("a play of another folder was read")
	}
}

// The pull request breaks a green application: its one change beside the play's own files is the bug, and the default
// branch holds the very policy.
func TestPullRequest(t *testing.T) {
	s := serve(t, func(*Options) {})
	main := s.repo.Head("main")
	for name, same := range map[string]bool{bugFile: false, "packages/core/src/split.test.ts": true, ".github/self-fix.yaml": true, "CLAUDE.md": false} {
		before, _, err := s.repo.File(main, name)
		if err != nil {
			t.Fatal(err)
		}
		after, there, err := s.repo.File(s.tested, name)
		if err != nil || !there || (before == after) != same {
			t.Errorf("%s: the same before and after: %v, %v", name, before == after, err)
		}
	}
	if text, _, err := s.repo.File(main, ".github/self-fix.yaml"); err != nil || text != s.policyText {
		t.Errorf("policy of the default branch: %v\n%s", err, text)
	}
}

func TestWhatIsPlayed(t *testing.T) {
	for _, s := range demo.Scripts() {
		if p, err := Load(testdata.Files, s.Name); err != nil || p.Name != s.Name {
			t.Errorf("%s: %q, %v", s.Name, p.Name, err)
		}
	}
	app, err := readTree(testdata.Files, "app")
	if err != nil {
		t.Fatal(err)
	}
	before, err := readTree(testdata.Files, "demo/before")
	if err != nil || len(before) == 0 {
		t.Fatal(err)
	}
	for name, text := range before {
		if app[name] == "" || app[name] == text {
			t.Errorf("%s: the pull request does not change it", name)
		}
	}
}

// A credential that is no sandbox's is refused by each stand-in, and nothing of the request is kept.
func TestRefusesRealTokens(t *testing.T) {
	s := serve(t, func(*Options) {})
	real := "gh" + "s_" + strings.Repeat("x", 36)
	for name, set := range map[string]func(*http.Request){
		"bearer":        func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+real) },
		"token":         func(r *http.Request) { r.Header.Set("Authorization", "token "+real) },
		"basic":         func(r *http.Request) { r.SetBasicAuth("x-access-token", real) },
		"a scheme more": func(r *http.Request) { r.Header.Set("Authorization", "Digest "+ghfake.ReadToken) },
		"two": func(r *http.Request) {
			r.Header["Authorization"] = []string{"Bearer " + ghfake.ReadToken, "Bearer " + real}
		},
		"basic beside": func(r *http.Request) {
			r.SetBasicAuth("x", ghfake.ReadToken)
			r.Header.Add("Authorization", "Bearer "+real)
		},
		"the model's key":    func(r *http.Request) { r.Header.Set("x-api-key", real) },
		"a cookie":           func(r *http.Request) { r.Header.Set("Cookie", "session="+real) },
		"a proxy's password": func(r *http.Request) { r.Header.Set("Proxy-Authorization", "Basic "+real) },
	} {
		for _, base := range []string{s.GitHub, s.Model, s.Control} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/"+string(demo.MessageOpen), strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			set(r)
			a, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			a.Body.Close()
			if a.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s at %s: status %d, want 401", name, base, a.StatusCode)
			}
		}
	}
	if n := len(s.gh.Requests()) + len(s.model.Requests()); n != 0 {
		t.Errorf("%d requests were kept", n)
	}
}

func TestControlRefuses(t *testing.T) {
	s := serve(t, func(*Options) {})
	good := `{"commit":"` + s.tested + `","state":"failure","began":"2026-03-10T12:00:00Z","passed":1,"failing":["a"],"output":""}`
	for name, c := range map[string]struct {
		message demo.Message
		in      string
	}{
		"no message":               {"reset", "{}"},
		"content where none is":    {demo.MessageOpen, `{"a":1}`},
		"nothing at all":           {demo.MessageState, ""},
		"a fix before its run":     {demo.MessageFix, "{}"},
		"a verdict of nothing":     {demo.MessageVerdict, "{}"},
		"of another commit":        {demo.MessageVerdict, strings.Replace(good, s.tested, strings.Repeat("a", 40), 1)},
		"another state":            {demo.MessageVerdict, strings.Replace(good, `"failure"`, `"pending"`, 1)},
		"a failure of no test":     {demo.MessageVerdict, strings.Replace(good, `["a"]`, `[]`, 1)},
		"a success with failures":  {demo.MessageVerdict, strings.Replace(good, `"failure"`, `"success"`, 1)},
		"a key more":               {demo.MessageVerdict, strings.Replace(good, `{`, `{"more":1,`, 1)},
		"more output than allowed": {demo.MessageVerdict, strings.Replace(good, `""`, `"`+strings.Repeat("x", demo.MaxOutputBytes+1)+`"`, 1)},
		"a play of nothing":        {demo.MessageEnd, "{}"},
	} {
		if out, err := Client(s.Control)(t.Context(), c.message, []byte(c.in)); err == nil {
			t.Errorf("%s: %s", name, out)
		}
	}
	if n := len(s.repo.Statuses(s.tested, s.policy.Bot.Context)); n != 0 {
		t.Errorf("%d statuses were posted", n)
	}
	if out, err := Client(s.Control)(t.Context(), demo.MessageVerdict, []byte(good)); err != nil || !strings.Contains(string(out), "node_modules/.bin/testsprite") {
		t.Errorf("%.200s, %v", out, err)
	}
}
