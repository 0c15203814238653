// Package gates decides from facts alone: whether the loop may act on a failing status, and whether a
// pull request that carries robot commits may merge.
//
// What goes in is [Facts] or [ReviewFacts], in which every value is a [Read]: either it was seen, with the
// request it came from and GitHub's clock at that moment, or it was not, which ends in "undecided". What comes
// out is a [Verdict] that lists the facts it rests on; [Decide] and [DecideReview] are pure, so the gate,
// fix and push jobs evaluate the same function over facts of their own. The package makes no request
// (gates/github does), reads no clock and no environment, and knows nothing of Dagger.
//
// Two rules of evidence run through it. Facts that allow must hold in every source and read of them; facts
// that forbid (attempts, robot commits, removals, a second pull request) are the union over all. And no id
// of zero and no zero time is ever compared: in Go both sides of a missing pair are equal, and a missing date
// lies before every label.
//
// The rules are those of the self-fix seed text, "The four gates" and "Who merges"; [Rules] lists each with its
// id and reason.
package gates
