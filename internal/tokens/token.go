package tokens

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"syscall"
)

// SandboxPrefix begins every token that is only for fakes.
const SandboxPrefix = "sandbox-"

// MaxBytes bounds a token. The longest ones in use (installation tokens, JWTs) have under 2 KiB.
const MaxBytes = 4096

// redacted is all that a Token ever prints.
const redacted = "[redacted]"

// ErrToken is wrapped by every error about a token that cannot be used. No such error quotes the token.
var ErrToken = errors.New("unusable token")

// Token is one credential. The zero Token is empty and is refused by Check.
//
// The value hangs on a func so that not even fmt's reflection prints it when a Token sits in another
// struct's unexported field, where its methods are not called. It also makes == a compile error:
// compare with Equal, which takes the same time for every wrong token.
type Token struct{ reveal func() string }

// New makes a token of raw text: white space around it is cut off, since secrets are pasted with a newline at
// their end; what remains must be 1 to MaxBytes visible ASCII characters.
func New(raw string) (Token, error) {
	v := strings.Trim(raw, " \t\r\n")
	switch {
	case v == "":
		return Token{}, fmt.Errorf("%w: it is empty", ErrToken)
	case len(v) > MaxBytes:
		return Token{}, fmt.Errorf("%w: it has %d bytes, at most %d are taken", ErrToken, len(v), MaxBytes)
	}
	for i := range len(v) {
		switch c := v[i]; {
		case c == '\n' || c == '\r':
			return Token{}, fmt.Errorf("%w: it has a newline inside, at byte %d; give a file that holds the token alone", ErrToken, i+1)
		case c <= ' ' || c > '~':
			return Token{}, fmt.Errorf("%w: byte %d is no visible ASCII character", ErrToken, i+1)
		}
	}
	return Token{reveal: func() string { return v }}, nil
}

// ReadFile reads a token from a regular file: no more of it than a token can have, and never a FIFO, which
// would block for as long as somebody likes.
func ReadFile(path string) (Token, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Token{}, fmt.Errorf("%w: %w", ErrToken, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Token{}, fmt.Errorf("%w: %w", ErrToken, err)
	}
	if !info.Mode().IsRegular() {
		return Token{}, fmt.Errorf("%w: %q is no regular file", ErrToken, path)
	}
	raw, err := io.ReadAll(io.LimitReader(f, MaxBytes+64)) // room for white space around it
	if err != nil {
		return Token{}, fmt.Errorf("%w: %w", ErrToken, err)
	}
	t, err := New(string(raw))
	clear(raw)
	if err != nil {
		return Token{}, fmt.Errorf("%w (file %q)", err, path)
	}
	return t, nil
}

// Reveal returns the token itself, for the one header or file that it is meant for.
func (t Token) Reveal() string {
	if t.reveal == nil {
		return ""
	}
	return t.reveal()
}

// Empty reports whether there is no token.
func (t Token) Empty() bool { return t.Reveal() == "" }

// Sandbox reports whether the token is only for fakes on loopback.
func (t Token) Sandbox() bool { return strings.HasPrefix(t.Reveal(), SandboxPrefix) }

// Equal compares in a time that says nothing about either token. An empty token equals nothing.
func (t Token) Equal(candidate string) bool {
	want, got := sha256.Sum256([]byte(t.Reveal())), sha256.Sum256([]byte(candidate))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1 && !t.Empty()
}

// In reports whether text holds the token as it stands, so that a caller can refuse to pass it on.
func (t Token) In(text []byte) bool { return !t.Empty() && bytes.Contains(text, []byte(t.Reveal())) }

// String never tells the token.
func (Token) String() string { return redacted }

// GoString never tells the token, for %#v.
func (Token) GoString() string { return redacted }

// Format never tells the token, whatever the verb.
func (Token) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, redacted) }

// MarshalText never tells the token: JSON, YAML and flags go through it.
func (Token) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue never tells the token to a structured log.
func (Token) LogValue() slog.Value { return slog.StringValue(redacted) }
