package policy

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"selffix/internal/lazyregexp"
)

// PathCharacters are the only characters of a path that a patch or a policy may name, beside the slash. ASCII
// only: that ends Unicode normal forms, case folding of U+017F and U+212A, invisible characters of HFS,
// backslashes, colons, quoting and control characters in one stroke.
const PathCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-()[]@+=, "

var (
	// Enterprise accounts have the short name of their company after an underscore.
	personForm     = lazyregexp.New(`^[A-Za-z0-9](-?[A-Za-z0-9])*(_[A-Za-z0-9]+)?$`).AtMost(60)
	loginForm      = lazyregexp.New(`^[A-Za-z0-9](-?[A-Za-z0-9])*(\[bot\])?$`).AtMost(44)
	branchForm     = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9._/-]*$`).AtMost(200)
	imageForm      = lazyregexp.New(`^[a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?(/[a-z0-9][a-z0-9._-]*)*(:[A-Za-z0-9_][A-Za-z0-9._-]*)?@sha256:[0-9a-f]{64}$`).AtMost(400)
	secretNameForm = lazyregexp.New(`^[A-Z][A-Z0-9_]{3,}$`).AtMost(100)
	identifierForm = lazyregexp.New(`^[A-Za-z_$][A-Za-z0-9_$]*$`).AtMost(100)
	hostSuffixForm = lazyregexp.New(`^(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?){2,8}$`).AtMost(253)
	nameForm       = lazyregexp.New(`^[a-z0-9][a-z0-9.-]*$`).AtMost(100) // a model, a beta
	emailForm      = lazyregexp.New(`^[A-Za-z0-9._+\[\]-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$`).AtMost(254)
	hostNameForm   = lazyregexp.New(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.){1,8}[a-z][a-z0-9-]*[a-z0-9]$`).AtMost(253)
)

// lineOf makes a check for one line of visible text of at most n characters, without a blank at its start.
func lineOf(n int) func(string) (string, error) {
	return func(s string) (string, error) {
		switch {
		case strings.TrimSpace(s) == "":
			return "; it is empty", ErrValue
		case strings.HasPrefix(s, " "):
			return "; it begins with a blank", ErrValue
		case len([]rune(s)) > n:
			return "; it is longer", ErrValue
		}
		for _, r := range s {
			if !unicode.IsPrint(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r) {
				return fmt.Sprintf("; it holds U+%04X", r), ErrValue
			}
		}
		return "", nil
	}
}

// branchCheck adds what git itself refuses in a branch name.
func branchCheck(s string) (string, error) {
	for _, bad := range []string{"..", "//", "/.", "./", ".lock/"} {
		if strings.Contains(s+"/", bad) {
			return fmt.Sprintf("; git takes no %q in a branch name", bad), ErrValue
		}
	}
	if strings.HasSuffix(s, "/") || strings.HasSuffix(s, ".lock") {
		return "; git takes no such ending", ErrValue
	}
	if s == "HEAD" || strings.HasPrefix(s, "refs/") {
		return "; want the short name of a branch", ErrValue
	}
	return "", nil
}

// pathCheck holds a path of the policy to the form that every path of a patch has.
func pathCheck(s string) (string, error) {
	if len(s) > 500 {
		return "; it is longer than 500 bytes", ErrValue
	}
	for _, part := range strings.Split(s, "/") {
		switch {
		case part == "":
			return "; want no slash at the start or end and no two in a row", ErrValue
		case part[0] == '.':
			return "; no part may begin with a dot", ErrFloor
		case strings.Contains(part, "*"):
			return "; there are no patterns, a folder covers all below it", ErrFloor
		case strings.Trim(part, PathCharacters) != "":
			return "; want only A-Z a-z 0-9 . _ - ( ) [ ] @ + = , and the space", ErrValue
		case strings.HasSuffix(part, ".") || strings.TrimSpace(part) != part:
			return "; want no dot at the end and no space around a part", ErrValue
		}
	}
	return "", nil
}

// rootCheck refuses a root that lies in what no patch may touch.
func rootCheck(s string) (string, error) {
	if s == "" || s == "." || s == "/" || strings.Contains(s, "*") {
		return "; the whole repository and patterns are no root", ErrFloor
	}
	if because, reason := pathCheck(s); reason != nil {
		return because, reason
	}
	for part := range strings.SplitSeq(strings.ToLower(s), "/") {
		if part == "node_modules" || slices.Contains(TestFolders(), part) {
			return fmt.Sprintf("; nothing below a folder %q may change", part), ErrFloor
		}
	}
	return "", nil
}

func moduleCheck(s string) (string, error) {
	if because, reason := pathCheck(s); reason != nil {
		return because, reason
	}
	if name := s[strings.LastIndexByte(s, '/')+1:]; !strings.Contains(name, ".") {
		return "; a file has an ending; a folder belongs to security_folders", ErrValue
	}
	return "", nil
}

// extensionCheck gives the reason why only those of the table are taken.
func extensionCheck(s string) (string, error) {
	switch s {
	case ".ts", ".tsx", ".css":
		return "", nil
	}
	return "; the checker has no judge for it", ErrFloor
}

// aliasCheck takes PREFIX/=FOLDER/. A prefix that could also be a relative, absolute or scheme import would let
// one import be judged as another.
func aliasCheck(s string) (string, error) {
	prefix, folder, ok := strings.Cut(s, "=")
	if !ok || !strings.HasSuffix(prefix, "/") || !strings.HasSuffix(folder, "/") {
		return "; want both sides to end with a slash", ErrValue
	}
	if !aliasForm.MatchString(prefix) {
		return "; the prefix is not one of an alias", ErrValue
	}
	return pathCheck(strings.TrimSuffix(folder, "/"))
}

var aliasForm = lazyregexp.New(`^[@~#$]?[A-Za-z0-9_-]*/$`)

func environmentCheck(s string) (string, error) {
	if strings.HasPrefix(strings.ToLower(strings.TrimSpace(s)), "prod") {
		return "; a preview never runs in production", ErrFloor
	}
	return lineOf(100)(s)
}

// baseURLCheck takes a base URL: scheme and host, and a port if need be. Whether a loopback host is allowed at all
// is judged with the rest of the file, since it hangs on the key sandbox.
func baseURLCheck(s string) (string, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return "; it is no URL", ErrValue
	case u.User != nil:
		return "; a host never holds a user or a password", ErrFloor
	case u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery || strings.Contains(s, "#"):
		return "; want no path, no query and no fragment, not even a slash at the end", ErrFloor
	case u.Opaque != "" || u.Scheme+"://"+u.Host != s:
		return "; want the scheme and the host only, in lower case", ErrValue
	case u.Scheme == "http" && Loopback(s):
		return "", nil
	case u.Scheme != "https":
		return "; a token goes nowhere without TLS", ErrFloor
	case net.ParseIP(u.Hostname()) != nil || !hostNameForm.MatchString(u.Hostname()):
		return "; want a full host name in lower case, no address", ErrFloor
	case u.Port() != "" && !port(u.Port()) || strings.HasSuffix(u.Host, ":"):
		return "; want a port from 1 to 65535", ErrValue
	}
	return "", nil
}

func port(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0 && strconv.FormatUint(n, 10) == s
}

// SandboxHosts are the names, beside 127.0.0.1, that count as loopback: aliases of services that a container
// engine binds to a step.
func SandboxHosts() []string { return []string{"sandbox-github", "sandbox-model", "sandbox-bot"} }

// Loopback reports whether a base URL of a policy names a host of the sandbox: http://127.0.0.1:PORT, or one of
// SandboxHosts. No other name counts: what "localhost" or another alias leads to is up to the machine.
func Loopback(base string) bool {
	rest, ok := strings.CutPrefix(base, "http://")
	if !ok {
		return false
	}
	host, number, ok := strings.Cut(rest, ":")
	if host == "127.0.0.1" {
		return ok && port(number)
	}
	return slices.Contains(SandboxHosts(), host) && (!ok || port(number))
}

// FakeGitHub reports whether the policy is of a sandbox and its GitHub is one of the sandbox's hosts. Only there may the default
// branch's copy of the policy, which is how a maintainer stops the loop, be left unread.
func (p Policy) FakeGitHub() bool { return p.Sandbox && Loopback(p.Hosts.GitHubAPI) }

// imageCheck only explains the form: the digest is what people leave out.
func imageCheck(s string) (string, error) {
	if !strings.Contains(s, "@sha256:") {
		return "; no image without a digest", ErrFloor
	}
	return "", nil
}
