// Package worker is what "self-fix step NAME" does, in both interpreters.
//
// In goes the name of a step of the plan and, on a machine without containers, a [Layout] that says where the
// step's fixed paths lie. Out come the step's outputs at their paths and, beside them, outcome.json: how it
// ended, in fixed words.
//
// [Step] is the outer half: the program's own code on trusted input. It runs a step that is exposed to
// nothing itself; for every other step it puts the fence (pipeline/fence) around an inner process, whose
// profile follows from the step's exposures, and gives it exactly the step's inputs, outputs and a scratch
// folder. No flag, field or variable leads to an exposed step without a fence: [Inside], the inner half, makes
// an internet socket first and refuses to go on if it gets one.
//
// The step that runs a pull request's code has no inner half: behind its fence, which has every part or is a container's, is the
// policy's command and nothing of this program, and the outcome is made outside from how that ended.
//
// The steps that evaluate gates are outer: they read typed fields and no bytes of a pull request. [Gate] and [ReviewGate] are
// what they do, and what the commands of these names do with what GitHub Actions says in place of files.
//
// Text of a pull request, a report or a model is never part of an outcome. Errors that quote some go to
// standard error, which an interpreter shows with control characters made visible, or drops. In a container they go
// nowhere: what is printed there is the engine's log, which may be public. There the worker also holds a step's
// outputs to the plan, since an engine takes files by name and follows links.
package worker
