package proxy

import (
	"net/http"
	"slices"
	"strings"

	"selffix/internal/lazyregexp"
	"selffix/internal/tokens"
)

// apiVersion is sent whatever the client asked for: the strict types of this package are of this version.
const apiVersion = "2023-06-01"

// identity lists the headers by which the agent's client says what it is. They are the only values of a client that
// go on as they came, one each, and only if they are short and plain: the service asks that requests made
// with an account's token come from the genuine client.
func identity() []string {
	return []string{
		"User-Agent", "X-App", "X-Claude-Code-Session-Id", "Anthropic-Dangerous-Direct-Browser-Access",
		"X-Stainless-Arch", "X-Stainless-Lang", "X-Stainless-Os", "X-Stainless-Package-Version",
		"X-Stainless-Retry-Count", "X-Stainless-Runtime", "X-Stainless-Runtime-Version", "X-Stainless-Timeout",
	}
}

var plainValue = lazyregexp.New(`^[A-Za-z0-9 ._/(),;:+-]{1,128}$`)

// newHeader writes the headers of an upstream request.
func newHeader(client http.Header, token tokens.Token, betas []string, stream bool) http.Header {
	h := http.Header{}
	h.Set("User-Agent", "self-fix-proxy") // net/http would add its own
	for _, name := range identity() {
		if v := client.Values(name); len(v) == 1 && plainValue.MatchString(v[0]) {
			h.Set(name, v[0])
		}
	}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	if stream {
		h.Set("Accept", "text/event-stream")
	}
	h.Set("Accept-Encoding", "identity") // an answer is judged as it comes; a compressed one could grow without bound
	h.Set("Anthropic-Version", apiVersion)
	if len(betas) > 0 {
		h.Set("Anthropic-Beta", strings.Join(betas, ","))
	}
	if oauth(token) {
		h.Set("Authorization", "Bearer "+token.Reveal())
	} else {
		h.Set("X-Api-Key", token.Reveal())
	}
	return h
}

// oauth tells the two kinds of credential apart by their shape. A token for a fake shows it after its prefix.
func oauth(t tokens.Token) bool {
	return strings.HasPrefix(strings.TrimPrefix(t.Reveal(), tokens.SandboxPrefix), "sk-"+"ant-oat")
}

// chooseBetas keeps the betas that the policy lists, in its order, and says how many it left out. The beta of OAuth
// belongs to the token, not to the client: it is sent with such a token, and only then.
func chooseBetas(client http.Header, listed []string, token tokens.Token) (chosen []string, dropped int) {
	var asked []string
	for _, line := range client.Values("Anthropic-Beta") {
		for b := range strings.SplitSeq(line, ",") {
			if b = strings.TrimSpace(b); b != "" && b != betaOAuth && !slices.Contains(asked, b) {
				asked = append(asked, b)
			}
		}
	}
	if oauth(token) {
		chosen = append(chosen, betaOAuth)
	}
	for _, b := range listed {
		if slices.Contains(asked, b) && !slices.Contains(chosen, b) {
			chosen = append(chosen, b)
		}
	}
	for _, b := range asked {
		if !slices.Contains(listed, b) {
			dropped++
		}
	}
	return chosen, dropped
}

var (
	requestID  = lazyregexp.New(`^[A-Za-z0-9_-]{1,64}$`)
	retryAfter = lazyregexp.New(`^[0-9]{1,3}$`)
)

// answerHeader copies what a client may know of the host's headers.
func answerHeader(to, from http.Header) {
	if v := from.Get("Request-Id"); requestID.MatchString(v) {
		to.Set("Request-Id", v)
	}
	if v := from.Get("Retry-After"); retryAfter.MatchString(v) {
		to.Set("Retry-After", v)
	}
	to.Set("Cache-Control", "no-store")
	to.Set("X-Content-Type-Options", "nosniff")
}
