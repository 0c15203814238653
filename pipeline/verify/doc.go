// Package verify is the optional check of a repaired tree by the project's own tests or type checker.
//
// In go the listing of the tree that the checker judged, the package and lock files of the default branch, a policy, and the
// folders of one step. Out come the tree's files ([Tree]), or a refusal where the pull request changes what would be installed
// ([Compare]), and the command with its whole environment ([Command]) with what its end means ([Outcome]).
//
// It is the one place in the loop where code of a pull request is run. So it gets no secret, no network and nothing that a
// supervisor needs; it comes when every service has ended; its packages are those of the default branch's lockfile, brought before
// it; and it runs behind every part of the fence, or not at all. What it says of itself is believed in one direction only: an exit
// code other than zero stops the repair, and zero leaves everything to the gates and the checker, which have decided without it.
// Nothing that it printed is kept.
package verify
