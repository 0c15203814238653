// Package scratch runs git without ever working in a repository that it was given.
//
// In goes a folder that holds a repository ([Find]); out comes a bare git folder of our own ([Open]) that only
// borrows the other's objects, so that nothing which the other repository says is carried out: no configuration
// (core.fsmonitor and core.hooksPath run commands in apply, read-tree, write-tree and diff-index), no hooks, no
// replacements (refs/replace makes git show another text under the same id), no grafts, no attributes, no index, no lock
// and no lazy fetch from a promisor. Every process gets a fresh environment, a time limit and a limit on its
// output. Objects read through [CatFile] are hashed again, since git believes a loose or packed object's name; the list of files that git
// leaves in its own index is read strictly ([Folder.Index]).
//
// Refused are symbolic links in place of a git folder or object store, a ".git" file whose target does not point back at it,
// repositories that do not name objects by SHA-1, and any process that ends by a signal: such an end is an error, never an answer.
package scratch
