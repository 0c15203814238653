// Package gates decides from facts alone: whether the loop may act on a failing status, and whether a
// pull request that carries robot commits may merge.
//
// What goes in is [Facts], in which every value is a [Read]: either it was seen, with the request it
// came from and GitHub's clock at that moment, or it was not, which ends in "undecided". What comes out is
// a [Verdict] that lists the facts it rests on. The package makes no request (gates/github does), reads no
// clock and no environment, and knows nothing of Dagger.
//
// The rules are those of the design's seed text, "The four gates" and "Who merges".
package gates
