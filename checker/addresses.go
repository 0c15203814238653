package checker

import (
	"slices"
	"strings"

	"selffix/checker/source"
	"selffix/internal/lazyregexp"
)

// cleanAddress is a text as a browser reads it as an address: without blanks and controls in front, without tabs and line ends
// anywhere, with \ as / (WHATWG URL, 4.4).
func cleanAddress(s string) string {
	s = strings.TrimLeftFunc(s, func(r rune) bool { return r <= ' ' })
	return addressBytes.Replace(s)
}

var addressBytes = strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/")

// namespaces are names that look like addresses and that nothing loads. They count only as the whole of a text.
var namespaces = setOf(`
http://www.w3.org/2000/svg http://www.w3.org/1999/xhtml http://www.w3.org/1999/xlink http://www.w3.org/1998/Math/MathML
http://www.w3.org/XML/1998/namespace http://www.w3.org/2000/xmlns/
`)

var (
	withScheme = lazyregexp.New(`(?i)[a-z][a-z0-9+.-]*://([^/?#\s"'<>()]*)`)
	shortForm  = lazyregexp.New(`(?i)^(?:https?|wss?|ftp|file):/?([^/\s?#][^/?#\s]*)`) // https:host is https://host on a page of another scheme
	noScheme   = lazyregexp.New(`(?:^|[\s"'(=,;<>])//([^/?#\s"'<>()]+)`)
	afterHole  = lazyregexp.New(source.Hole + `//([A-Za-z0-9\[][^/?#\s"'<>()]*)`)
)

// remote reports whether a text names an address of a host that is not on the list.
func remote(text string, allowed []string) bool {
	if namespaces[text] {
		return false
	}
	s := cleanAddress(text)
	if !strings.Contains(s, "//") && !shortForm.MatchString(s) {
		return false
	}
	for _, re := range []*lazyregexp.Regexp{withScheme, shortForm, noScheme, afterHole} {
		for _, m := range re.FindAllStringSubmatch(s, -1) {
			if !slices.Contains(allowed, hostOf(m[1])) {
				return true
			}
		}
	}
	return false
}

// hostOf is the host of an authority: what follows the last @, without the port.
func hostOf(authority string) string {
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	host, port, ok := strings.Cut(authority, ":")
	if ok && strings.Trim(port, "0123456789") != "" {
		return ""
	}
	return strings.ToLower(host)
}

// runnable reports whether a text is an address that runs or holds its own content.
func runnable(text string) bool {
	s := strings.ToLower(cleanAddress(text))
	for _, scheme := range []string{"javascript:", "vbscript:", "livescript:", "filesystem:", "view-source:", "blob:"} {
		if strings.HasPrefix(s, scheme) {
			return true
		}
	}
	rest, ok := strings.CutPrefix(s, "data:")
	return ok && strings.ContainsAny(rest, ",;/"+source.Hole) && !strings.HasPrefix(rest, " ")
}
