// Package pipeline writes the repair loop down once, as data.
//
// A [Plan] is a list of typed steps. A [Step] says which image it runs in, its arguments, which
// secrets it is granted, what it mounts and how, what network it may use, its limits, its outputs,
// and what it is exposed to. [Plan.Validate] proves the invariants of the design on a plan before
// anything runs. [Run] owns order, the stop rule, services and validation; an [Interpreter] only
// turns one step into an exec: pipeline/local into a fenced process, .dagger into a container.
//
// What a step hands on is a bounded file or folder with a fixed name. The last of these is the
// [Candidate], which a publisher in another job recomputes and compares; it takes no identity from it.
//
// The package knows nothing of Dagger, GitHub or git.
package pipeline
