// Package checkout brings the tested commit and writes its tree for the agent.
//
// [Fetch] has a token and the network: it fetches exactly one commit into a bare repository of its own and
// looks at nothing in it. [FetchLocal] does the same from a repository on this machine. [Materialise] has
// neither token nor network: it reads the objects, hashes every one again, and writes the files byte for
// byte, so that no attribute, filter or line-ending setting of the repository changes what was tested. [MakeLinks] makes the
// links that it listed, outside the fence, where alone one can be made.
//
// Left out of the written tree are agent instructions and settings at every depth and in every letter case
// ([Scrubbed] says which), and links that lead out of the tree or nowhere. They stay in the commit: a
// patch is applied to the tested tree, never to this one, so both tree ids are handed on.
//
// Refused are submodules, modes other than 100644, 100755 and 120000, names that mean a git folder, and
// trees above the limits. A submodule's address is chosen by the pull request: it is never followed.
package checkout
