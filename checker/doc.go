// Package checker judges a patch: patch and base tree in, [Report] out. It is deterministic, needs no
// network and runs no code of the repository.
//
// A patch is read three times (a strict grammar, go-gitdiff, git) and the readings must agree. It is applied
// to a private index in a scratch git folder, and the raw difference of that index is the truth that the
// rules judge. The tree so made is the one that is pushed: text is never applied twice.
//
// Each [Rule] has an id, a kind, its reason and examples that pass and are refused. All findings are
// reported, not the first.
package checker
