// Package simulate judges a repository's own history by a policy, as if each commit were a robot's patch.
//
// It answers the question that a maintainer asks before switching self-fix on: which of the changes that people
// really made here would the policy let an agent make, and which rule refuses the others. What goes in is a
// repository, read only; what comes out is a [Summary]. Merges are passed over, since a robot makes none.
package simulate

import (
	"cmp"
	"maps"
	"slices"

	"selffix/checker"
)

// Commit is one judged commit of the history.
type Commit struct {
	ID      string           `json:"commit"` // full
	Verdict checker.Verdict  `json:"verdict"`
	Rules   []checker.RuleID `json:"rules"` // that refuse it, each once
}

// Tally is how many commits a rule refuses, and how many of these no other rule refuses.
type Tally struct {
	Rule  checker.RuleID `json:"rule"`
	Kind  string         `json:"kind"`
	Total int            `json:"refused"`
	Alone int            `json:"refused_alone"`
}

// Summary is the judgement of a history, newest commit first.
type Summary struct {
	Accepted  int      `json:"accepted"`
	Refused   int      `json:"refused"`
	Undecided int      `json:"undecided"`
	Rules     []Tally  `json:"rules"` // most refusals first
	Commits   []Commit `json:"commits"`
}

// add counts one judged commit.
func (s *Summary) add(id string, r checker.Report, tallies map[checker.RuleID]*Tally) {
	kinds := map[checker.RuleID]string{}
	for _, f := range r.Findings {
		kinds[f.Rule] = f.Kind
	}
	c := Commit{ID: id, Verdict: r.Verdict, Rules: slices.AppendSeq([]checker.RuleID{}, maps.Keys(kinds))}
	slices.Sort(c.Rules)
	s.Commits = append(s.Commits, c)
	switch r.Verdict {
	case checker.Accept:
		s.Accepted++
		return
	case checker.Refuse:
		s.Refused++
	default:
		s.Undecided++
		return
	}
	for id, kind := range kinds {
		t := tallies[id]
		if t == nil {
			t = &Tally{Rule: id, Kind: kind}
			tallies[id] = t
		}
		t.Total++
		if len(kinds) == 1 {
			t.Alone++
		}
	}
}

// close orders the tallies: the rule that refuses most comes first.
func (s *Summary) close(tallies map[checker.RuleID]*Tally) {
	s.Rules = []Tally{}
	for _, t := range tallies {
		s.Rules = append(s.Rules, *t)
	}
	slices.SortFunc(s.Rules, func(a, b Tally) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Rule, b.Rule))
	})
}
