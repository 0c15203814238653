// Package demo plays the whole loop on loopback, twice: a repair that ends in a reviewed commit, and the same with a
// model that obeys instructions hidden in the failure report.
//
// In goes a program whose "step" command is the worker, a cache for what is installed once, and a place to say how it
// goes; out comes a [Page]: how each play ended, each step with time, secrets and exposures, and what stopped what.
//
// What is real: every step of every plan in processes of their own behind the
// fence, the pinned agent program, git, the application's own tests (behind the fence), the publisher. What stands in:
// GitHub (internal/ghfake, on loopback), the model (internal/modelfake, unless a token is given), the test bot (it runs
// those tests and answers the bot's documented command line from files), the preview's host, and the maintainer.
//
// The policy says sandbox: true, so every token of a fake begins with "sandbox-" and goes to loopback only, a real model
// token goes to the policy's real model host only, and what is made here is pushed nowhere else.
//
// It refuses to call a play good that ended otherwise than it must: an error, not a page with a surprise in it.
package demo
