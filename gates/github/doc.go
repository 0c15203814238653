// Package github reads the facts that the gates rest on, and posts the one status and the one comment
// that self-fix makes, from a GitHub that may be slow, stale, broken or lying.
//
// In go a policy, a token and the identity of a repository from this run's event; out come [gates.Facts] and
// [gates.ReviewFacts], in which every value was seen in full or says what was wrong with its answer.
//
// go-github builds requests and decodes answers, but what it takes for an answer is decided below it, by one
// strict [http.RoundTripper]: go-github v66 itself turns an empty body, a 204, "null", "{}" and an error text with
// status 200 into zero results without an error, follows redirects with the token, and ends a listing at a
// Link header that it cannot read. The layer demands the exact status, a JSON content type, a Date within two
// minutes of the clock, one JSON value of the expected kind without duplicate or case-variant keys or nulls in
// arrays, and a Link header that goes up by one on this repository. It retries nothing but GETs, at most
// twice, and keeps a budget of requests.
//
// No message of this package holds a token, a header or a byte of an answer's body.
package github
