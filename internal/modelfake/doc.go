// Package modelfake is the Messages API on loopback, answered from a script.
//
// A [Script] goes in: a list of turns, each a text, tool calls, or a [Fault]. The n-th request that holds
// the right key gets the n-th turn, streamed as server-sent events or whole, as the request asks. What
// comes out beside the answers is a record: every request, and every tool result that a client sent back.
//
// It serves tests, the demo and proofs of the model proxy and of the agent: the real Claude Code binary
// takes it for the service. So it is strict where the service is: a wrong key is 401, a bearer token needs
// the OAuth beta, and a request without a model, max_tokens or messages is 400. A script that has
// ended is an error and never an improvised answer, so that a client which asks too often is seen.
//
// It refuses any token that does not begin with "sandbox-": a fake must never see a real one.
package modelfake
