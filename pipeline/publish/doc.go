// Package publish turns a candidate into one pushed commit, in two halves that never run in one container.
//
// [Recheck] is behind the fence and holds no secret. In goes the tested commit's objects, the patch and the
// candidate that the exposed steps left; it judges the patch anew, recomputes every field of the candidate and compares, and
// makes one commit of the robot's whose parent is exactly the tested commit and whose tree is the tested tree plus the
// patch (what scrubbing removed for the agent stays). Out come a [Result] of typed fields and one pack.
//
// [Publish] holds the token that can push, and runs no code of a pull request and no parser of its bytes: it computes the
// commit's id itself from the fields of the result, has "git index-pack --strict" take the pack in, pushes once with a lease pinned
// to the tested commit, and after any end of that push reads the ref, which decides. Identity (repository, pull request, ref,
// tested commit, policy, run) comes from this job's own gates; the result's copies are compared, never used.
//
// Refused is everything that differs, is missing or cannot be read. A push whose outcome cannot be read is "undecided".
package publish
