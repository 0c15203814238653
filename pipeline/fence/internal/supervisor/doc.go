// Package supervisor is the process that holds a fence: it builds the root, starts the program behind its limits, answers its
// sockets, ends it, and reports.
//
// What goes in is one [Request], made by package fence and taken over a pipe; it is trusted and complete: which mounts, which
// Landlock rules, which filter. What comes out are [Status] messages, one when the program runs and one when no process of
// it is left. Anything that the kernel refuses ends in a refusal before the program runs, with the call's name.
//
// # Why it is a package of its own
//
// The supervisor is this same program, started again, and a program's packages are initialised before main: their tables and
// patterns cost more than all that a supervisor does. So it turns off in this package's init, and this package imports
// nothing that needs package unicode (strings, bytes, fmt, reflect and everything above them), nor golang.org/x/sys: a
// package is initialised as soon as those that it imports are, and in the order of paths among those that could be. A test
// holds that order.
package supervisor
