// Package doctor looks at a repository's settings and files on GitHub and names each weakness of its installation
// of self-fix, with its fix.
//
// [Read] takes what the checks look at through the strict client of gates/github: every answer was seen in full, or the reading
// says what was wrong with it. [Examine] is pure: facts in, one finding a check out. What could not be read is "unknown" and counts as
// a weakness that nobody has looked at.
//
// It changes nothing and reads no value of a secret or variable, only names. It refuses to guess: a check passes only on what
// it saw.
package doctor
