package gates

// MaxCommits is one more than a pull request may have: GitHub lists 250 at most, oldest first, and does not
// say that it cut the list.
const MaxCommits = 250

// wholeCommits refuses a list of a pull request's commits that cannot be the whole: as many as GitHub counts,
// each once, the head among them, every one reached from the head, with identities and dates.
func wholeCommits(rule string, list []Commit, pr PullRequest) *stop {
	if pr.Commits < 1 || pr.Commits >= MaxCommits {
		return undecided(rule, "pull request %d has %d commits; 1 to %d can be read", pr.Number, pr.Commits, MaxCommits-1)
	}
	if len(list) != pr.Commits {
		return undecided(rule, "pull request %d has %d commits, of which %d were listed", pr.Number, pr.Commits, len(list))
	}
	byID := make(map[string]Commit, len(list))
	for _, c := range list {
		if !IsSHA(c.SHA) || !IsSHA(c.Tree) || c.AuthorDate.IsZero() || c.CommitterDate.IsZero() {
			return undecided(rule, "a commit of pull request %d lacks its id, tree or dates", pr.Number)
		}
		byID[c.SHA] = c
	}
	if len(byID) != len(list) {
		return undecided(rule, "a commit of pull request %d was listed twice", pr.Number)
	}
	if _, ok := byID[pr.HeadSHA]; !ok {
		return undecided(rule, "the commits of pull request %d were listed without its head", pr.Number)
	}
	if n := reached(byID, pr.HeadSHA); n != len(list) {
		return undecided(rule, "%d of the %d listed commits of pull request %d are not ancestors of its head", len(list)-n, len(list), pr.Number)
	}
	return nil
}

// reached counts the commits that can be reached from head through parents in the set.
func reached(set map[string]Commit, head string) int {
	seen := map[string]bool{head: true}
	todo := []string{head}
	for len(todo) > 0 {
		c := set[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		for _, parent := range c.Parents {
			if _, in := set[parent]; in && !seen[parent] {
				seen[parent] = true
				todo = append(todo, parent)
			}
		}
	}
	return len(seen)
}
