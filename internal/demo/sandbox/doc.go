// Package sandbox is all that stands in for the world in a demo: a GitHub that serves a real repository, a scripted model, the
// test bot's command line, and the maintainer.
//
// In goes a play and the addresses to serve on; out come a policy whose hosts are the stand-ins, and the control API
// (package demo), by which whoever plays the loop lets the bot post a verdict and the maintainer set the label, and reads how
// it went. The stand-ins themselves are reached as GitHub and the model are: over HTTP and git, by steps that know of no demo.
//
// On a loopback address the policy names that address. On any other (all interfaces of a container), it names the aliases
// "sandbox-github" and "sandbox-model", by which a container engine binds them next to a step.
//
// It neither holds nor takes a token that does not begin with "sandbox-": a request that carries another credential is answered
// 401 before anything of it is kept. The control API takes no credential at all; it changes nothing but the stand-ins.
package sandbox
