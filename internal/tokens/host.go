package tokens

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// The reasons for which a token is not sent to a host.
var (
	ErrHost     = errors.New("unusable host")
	ErrMismatch = errors.New("token and host do not belong together")
)

// aliases are names of services that a Dagger session binds next to a step; they lead to fakes only.
func aliases() []string { return []string{"sandbox-github", "sandbox-model", "sandbox-bot"} }

// Check decides whether a token may be sent to a host of the policy, before any request is made.
// sandbox is the policy's own "sandbox" key and base one of its hosts.
func Check(sandbox bool, base string, t Token) error {
	if t.Empty() {
		return fmt.Errorf("%w: it is empty", ErrToken)
	}
	loopback, err := Host(base)
	switch {
	case err != nil:
		return err
	case loopback && !sandbox:
		return fmt.Errorf("%w: %q is a loopback host, which only a policy with sandbox: true may name", ErrMismatch, cut(base))
	case loopback && !t.Sandbox():
		return fmt.Errorf("%w: %q is a loopback host, which is only given a token that begins with %q", ErrMismatch, cut(base), SandboxPrefix)
	case !loopback && t.Sandbox():
		return fmt.Errorf("%w: a token that begins with %q goes to a loopback host only, not to %q", ErrMismatch, SandboxPrefix, cut(base))
	}
	return nil
}

// Host judges a base URL and reports whether it leads to this machine (or to a fake that is bound to the
// step). https is demanded of every other host.
func Host(base string) (loopback bool, err error) {
	u, err := url.Parse(base)
	if err != nil {
		return false, fmt.Errorf("%w: %q is no URL", ErrHost, cut(base))
	}
	switch {
	case u.Opaque != "" || u.Host == "" || u.Hostname() == "":
		return false, fmt.Errorf("%w: %q names no host; a base URL such as https://api.example.com is expected", ErrHost, cut(base))
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(base, "#"):
		return false, fmt.Errorf("%w: %q has a user, a query or a fragment, which a base URL must not have", ErrHost, cut(base))
	case u.Scheme != "https" && u.Scheme != "http":
		return false, fmt.Errorf("%w: %q is neither https nor http", ErrHost, cut(base))
	}
	loopback, err = isLoopback(u.Hostname())
	if err != nil {
		return false, fmt.Errorf("%w: %q: %w", ErrHost, cut(base), err)
	}
	if !loopback && u.Scheme != "https" {
		return false, fmt.Errorf("%w: %q is plain http; only a loopback host of a sandbox may be", ErrHost, cut(base))
	}
	return loopback, nil
}

// isLoopback judges a host by what it says, without a look-up: an answer of DNS must not decide.
func isLoopback(host string) (bool, error) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if a, err := netip.ParseAddr(host); err == nil {
		a = a.Unmap()
		// The unspecified address leads to this machine too.
		return a.IsLoopback() || a.IsUnspecified(), nil
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.Contains(aliases(), host) {
		return true, nil
	}
	labels := strings.Split(host, ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || strings.Trim(l, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false, errors.New("the host is neither an address nor a plain ASCII host name")
		}
	}
	// inet_aton reads "127.1", "2130706433" and "0x7f.1" as addresses; a real top-level name begins with a letter.
	if last := labels[len(labels)-1]; last[0] < 'a' || last[0] > 'z' {
		return false, errors.New("the host name ends in a number, which resolvers may read as an address")
	}
	return false, nil
}

// cut shortens untrusted text for an error.
func cut(s string) string {
	const most = 80
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
