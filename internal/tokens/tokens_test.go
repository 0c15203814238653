package tokens_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"selffix/internal/tokens"
)

const (
	fake    = "sandbox-model-token"
	genuine = "sk-" + "ant-api03-made-up-for-a-test"
)

func TestNew(t *testing.T) {
	for _, c := range []struct{ name, raw, want, why string }{
		{"plain", fake, fake, ""},
		{"white space around", " \t" + fake + "\r\n\n", fake, ""},
		{"longest", strings.Repeat("a", tokens.MaxBytes), strings.Repeat("a", tokens.MaxBytes), ""},
		{"empty", "", "", "empty"},
		{"only white space", " \r\n", "", "empty"},
		{"newline inside", "sandbox-a\nb", "", "newline inside, at byte 10"},
		{"carriage return inside", "sandbox-a\rb", "", "newline inside"},
		{"too long", strings.Repeat("a", tokens.MaxBytes+1), "", "4097 bytes"},
		{"space inside", "a b", "", "byte 2"},
		{"NUL", "a\x00", "", "byte 2"},
		{"beyond ASCII", "tökën", "", "byte 2"},
		{"byte order mark", "\ufeffabc", "", "byte 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := tokens.New(c.raw)
			if c.why == "" {
				if err != nil || got.Reveal() != c.want {
					t.Fatalf("got %v, %v", got.Reveal() == c.want, err)
				}
				return
			}
			if !errors.Is(err, tokens.ErrToken) || !strings.Contains(err.Error(), c.why) || !got.Empty() {
				t.Fatalf("got %v, want an error with %q", err, c.why)
			}
		})
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"token": fake + "\n", "two": fake + "\n" + fake + "\n", "huge": strings.Repeat("a", 1<<20), "empty": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := tokens.ReadFile(filepath.Join(dir, "token")); err != nil || got.Reveal() != fake {
		t.Fatalf("got %v", err)
	}
	for _, name := range []string{"two", "huge", "empty", "fifo", "folder", "missing"} {
		_, err := tokens.ReadFile(filepath.Join(dir, name))
		if !errors.Is(err, tokens.ErrToken) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), fake) {
			t.Errorf("%s: the error quotes the token", name)
		}
	}
}

func TestNeverPrinted(t *testing.T) {
	tok, err := tokens.New(genuine)
	if err != nil {
		t.Fatal(err)
	}
	type hidden struct{ token tokens.Token }
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%p"} {
		fmt.Fprintf(&out, verb+"\n", tok)
		fmt.Fprintf(&out, verb+"\n", &tok)
		fmt.Fprintf(&out, verb+"\n", hidden{tok})
		fmt.Fprintf(&out, verb+"\n", []tokens.Token{tok})
		fmt.Fprintf(&out, verb+"\n", map[string]hidden{"a": {tok}})
	}
	for _, v := range []any{tok, &tok, hidden{tok}, struct{ Token tokens.Token }{tok}} {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(raw)
	}
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "token", tok, "struct", hidden{tok})
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "token", tok, "struct", hidden{tok})
	fmt.Fprint(&out, errors.Join(fmt.Errorf("token %v", tok)))

	part := genuine[len("sk-"+"ant-api03-"):]
	if s := out.String(); strings.Contains(s, part) || strings.Contains(s, fmt.Sprintf("%x", part)) {
		t.Fatalf("the token was printed:\n%s", s)
	}
	if !strings.Contains(out.String(), "[redacted]") {
		t.Fatal("nothing was redacted, so the test printed nothing")
	}
}

func TestEqual(t *testing.T) {
	tok, _ := tokens.New(fake)
	var empty tokens.Token
	for _, c := range []struct {
		token tokens.Token
		with  string
		want  bool
	}{{tok, fake, true}, {tok, fake + "x", false}, {tok, "", false}, {empty, "", false}, {empty, fake, false}} {
		if got := c.token.Equal(c.with); got != c.want {
			t.Errorf("Equal(%q) = %v", c.with, got)
		}
	}
	if !tok.In([]byte("x"+fake+"y")) || tok.In([]byte("sandbox-")) || empty.In([]byte("anything")) {
		t.Error("In is wrong")
	}
}

func TestCheck(t *testing.T) {
	type row struct {
		sandbox     bool
		base, token string
		want        error
	}
	rows := []row{
		{false, "https://api.example.com", genuine, nil},
		{true, "https://api.example.com", genuine, nil}, // a sandbox may leave some hosts real
		{true, "http://127.0.0.1:8080", fake, nil},
		{true, "https://127.0.0.1:8080", fake, nil},
		{true, "http://[::1]:8080", fake, nil},
		{true, "http://localhost:1", fake, nil},
		{true, "http://sandbox-model:8080", fake, nil},
		{false, "https://api.example.com/api/v3", genuine, nil},

		{false, "http://127.0.0.1:8080", fake, tokens.ErrMismatch},
		{false, "https://127.0.0.1:8080", genuine, tokens.ErrMismatch},
		{true, "http://127.0.0.1:8080", genuine, tokens.ErrMismatch},
		{true, "http://127.9.9.9", genuine, tokens.ErrMismatch},
		{true, "http://[::ffff:127.0.0.1]", genuine, tokens.ErrMismatch},
		{true, "http://0.0.0.0:80", genuine, tokens.ErrMismatch},
		{true, "http://LOCALHOST.:80", genuine, tokens.ErrMismatch},
		{true, "http://a.localhost", genuine, tokens.ErrMismatch},
		{true, "http://sandbox-github:80", genuine, tokens.ErrMismatch},
		{false, "https://sandbox-github:80", genuine, tokens.ErrMismatch},
		{true, "https://api.example.com", fake, tokens.ErrMismatch},
		{false, "https://api.example.com", fake, tokens.ErrMismatch},
		{true, "https://sandbox-model.example.com", fake, tokens.ErrMismatch},
		{true, "https://127.0.0.1.example.com", fake, tokens.ErrMismatch},

		{true, "http://api.example.com", genuine, tokens.ErrHost},
		{true, "http://10.0.0.1", genuine, tokens.ErrHost},
		{true, "http://127.1:80", fake, tokens.ErrHost},
		{true, "http://2130706433", fake, tokens.ErrHost},
		{true, "https://0x7f.1", genuine, tokens.ErrHost},
		{true, "https://user@api.example.com", genuine, tokens.ErrHost},
		{true, "https://api.example.com?x=1", genuine, tokens.ErrHost},
		{true, "https://api.example.com?", genuine, tokens.ErrHost},
		{true, "https://api.example.com#f", genuine, tokens.ErrHost},
		{true, "https://api.example.com#", genuine, tokens.ErrHost},
		{true, "ftp://127.0.0.1", fake, tokens.ErrHost},
		{true, "unix:///var/run/x", fake, tokens.ErrHost},
		{true, "https://api_example.com", genuine, tokens.ErrHost},
		{true, "https://apı.example.com", genuine, tokens.ErrHost},
		{true, "https://a..b", genuine, tokens.ErrHost},
		{true, "api.example.com", genuine, tokens.ErrHost},
		{true, "https:api.example.com", genuine, tokens.ErrHost},
		{true, "https://:443", genuine, tokens.ErrHost},
		{true, "", genuine, tokens.ErrHost},
		{true, "https://api.example.com:x", genuine, tokens.ErrHost},
		{true, "http://127.0.0.1", "", tokens.ErrToken},
	}
	for _, r := range rows {
		t.Run(fmt.Sprintf("%v %s %.7s", r.sandbox, r.base, r.token), func(t *testing.T) {
			var tok tokens.Token
			if r.token != "" {
				tok, _ = tokens.New(r.token)
			}
			err := tokens.Check(r.sandbox, r.base, tok)
			if !errors.Is(err, r.want) || (r.want == nil) != (err == nil) {
				t.Fatalf("got %v, want %v", err, r.want)
			}
			if err != nil && r.token != "" && strings.Contains(err.Error(), r.token) {
				t.Fatalf("the error quotes the token: %v", err)
			}
		})
	}
}
