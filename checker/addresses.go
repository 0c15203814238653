package checker

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"selffix/checker/source"
	"selffix/checker/style"
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

// Where an address may begin in a text; the group is the first of its authority. Browsers take any number of slashes after the
// scheme of a page, and none as well.
var (
	withScheme = lazyregexp.New(`(?i)[a-z][a-z0-9+.-]*://+([^/?#\s"'<>()]*)`)
	shortForm  = lazyregexp.New(`(?i)^(?:https?|wss?|ftp|file):/?([^/\s?#])`) // https:host is https://host on a page of another scheme
	shortInner = lazyregexp.New(`(?i)[\s"'(=,;<>](?:https?|wss?|ftp):/?([^/\s?#"'<>()]+[.%])`)
	noScheme   = lazyregexp.New(`(?:^|[\s"'(=,;<>|])//+([^/?#\s"'<>()])`)
	afterHole  = lazyregexp.New(source.Hole + `//+([A-Za-z0-9\[])`)
)

// remote reports whether a text names an address of a host that is not on the list.
func remote(text string, allowed []string) bool {
	if namespaces[text] || !strings.ContainsAny(text, `:/\`) {
		return false
	}
	for _, s := range addressesIn(text) {
		for _, re := range []*lazyregexp.Regexp{withScheme, shortForm, shortInner, noScheme, afterHole} {
			for _, m := range re.FindAllStringSubmatchIndex(s, -1) {
				if host, ok := hostAt(s[m[2]:]); !ok || !slices.Contains(allowed, host) {
					return true
				}
			}
		}
	}
	return false
}

// addressesIn are the ways in which an address may be taken out of a text: as it stands, with a line or a blank before it; as a whole; and out of
// JSON or CSS that the text holds.
func addressesIn(text string) []string {
	all := []string{text}
	if strings.Contains(text, `\`) {
		all = append(all, scriptEscape.ReplaceAllStringFunc(text, unescaped), style.Decode(text))
	}
	for _, s := range slices.Clone(all) {
		all = append(all, strings.ReplaceAll(s, `\`, "/"), cleanAddress(s))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// scriptEscape is an escape of JSON or JavaScript that a text may still hold after its own were undone.
var scriptEscape = lazyregexp.New(`\\(?:u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|x[0-9a-fA-F]{2}|[/tnr])`)

func unescaped(escape string) string {
	digits := strings.Trim(escape[2:], "{}")
	switch {
	case escape[1] == '/':
		return "/"
	case digits == "": // a tab or line end, which browsers leave out
		return ""
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || n > unicode.MaxRune {
		return escape
	}
	return string(rune(n))
}

// hostAt is the host of the authority that a text begins with, without the port. An authority with a user in it names no host that
// can be read with certainty: browsers let the user hold quotes and blanks, and a reader stops at them.
func hostAt(s string) (host string, ok bool) {
	if end := strings.IndexAny(s, "/?#"); end >= 0 {
		s = s[:end]
	}
	if strings.Contains(s, "@") {
		return "", false
	}
	if end := strings.IndexAny(s, " \t\r\n\f\"'<>()"); end >= 0 {
		s = s[:end]
	}
	host, port, cut := strings.Cut(s, ":")
	return strings.ToLower(host), !cut || strings.Trim(port, "0123456789") == ""
}

// runs finds an address that runs inside of a text: of markup, JSON, a list. In prose a blank follows the colon.
var runs = lazyregexp.New(`(?i)["'=(]\s*(?:javascript|vbscript|livescript):|[\s;:,|](?:javascript|vbscript|livescript):\S`)

// runnable reports whether a text is an address that runs or holds its own content.
func runnable(text string) bool {
	s := strings.ToLower(cleanAddress(text))
	if strings.Contains(s, "script") && slices.ContainsFunc(addressesIn(text), runs.MatchString) {
		return true
	}
	for _, scheme := range []string{"javascript:", "vbscript:", "livescript:", "filesystem:", "view-source:", "blob:"} {
		if strings.HasPrefix(s, scheme) {
			return true
		}
	}
	rest, ok := strings.CutPrefix(s, "data:")
	return ok && strings.ContainsAny(rest, ",;/"+source.Hole) && !strings.HasPrefix(rest, " ")
}
