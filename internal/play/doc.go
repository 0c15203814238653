// Package play is the one script format for tests, the demo and proofs: what a scripted model says and does
// in a repair, and how the repair must end.
//
// A [Play] goes in as one strict JSON file: what the tested commit holds beside the application of
// testdata/app, the failure report, the model's turns, and what must come of it: the outcome, what stopped it, and for
// tool calls which layer answered them. [Play.Stage] lays the scene out on disk: a repository, a policy for a
// sandbox, the report, a made-up token. [Play.Check] compares what happened with what the play wants.
//
// Paths in a script are written with placeholders, such as {CHECKOUT}, since they differ between interpreters.
package play
