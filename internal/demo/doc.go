// Package demo plays the whole loop against stand-ins, twice: a repair that ends in a reviewed commit, and the same with a
// model that obeys instructions hidden in the failure report.
//
// In goes a [Stage]: a way to the stand-ins' control API, an interpreter for the plans, and a way to run the application's own
// tests. [Perform] plays the loop on it, whatever the interpreter is: processes of this machine (package machine), or
// containers of an engine, whose artifacts are no paths. Out comes an [Act], and of all acts a [Page]: how each play ended,
// each step with time, secrets and exposures, and what stopped what.
//
// What is real: every step of every plan but one (below), the pinned agent program, git, the application's own tests, the
// publisher. What stands in (package sandbox): GitHub, the model, the test bot, the preview's host, and the maintainer. The
// step that would install the test bot's command line from a registry is not run; the stand-in's is given in its place.
//
// The policy says sandbox: true, so every token of a stand-in begins with "sandbox-" and goes to loopback only, a real model
// token goes to the policy's real model host only, and what is made here is pushed nowhere else.
//
// [Hold] refuses to call a play good that ended otherwise than it must: an error, not a page with a surprise in it. It asks
// the stand-ins, which know what they were asked, and not the play.
//
// The package knows no engine, no file system and no network, and little else of this module, so that a caller that only
// plays need not build what the steps are made of.
package demo
