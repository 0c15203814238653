// Package tokens holds credentials and decides to which host each may go.
//
// In go a file that holds one token, a base URL of the policy and whether the policy says that it is a
// sandbox; out comes a [Token] that prints itself as "[redacted]" whatever way it is printed, or an error.
//
// [Check] is the one rule for every client of the project that sends a token, asked before the first
// request: a loopback host is taken only from a sandbox policy and is only ever given a token that begins
// with "sandbox-", and such a token goes nowhere else. So a fake never sees a real token, however the
// policy or a flag was mixed up, and a real host never sees a made-up one.
//
// It refuses, because each has leaked or broken a credential somewhere: a token with a newline or another
// control character inside (a header could be split; anthropics/claude-code-action issue 1316), an empty or
// overlong one, a base URL with user, query or fragment, plain http to a real host, and host names that
// resolvers read as numbers ("127.1", "0x7f.1"), which look like names and lead to loopback.
package tokens
