package github_test

import (
	"testing"
	"time"

	"selffix/gates"
	"selffix/internal/ghfake"
)

// shortened are answers that leave entries out and are well formed all the same.
func shortened() []ghfake.Distortion {
	keep := func(name string, f func([]any) []any) ghfake.Distortion {
		return ghfake.Distortion{Name: name, Items: func(_ int, x []any) []any { return f(x) }}
	}
	return []ghfake.Distortion{
		keep("emptied", func([]any) []any { return nil }),
		keep("cut to its first item", func(x []any) []any { return x[:min(1, len(x))] }),
		keep("every other item", func(x []any) []any {
			var out []any
			for i := 0; i < len(x); i += 2 {
				out = append(out, x[i])
			}
			return out
		}),
		{Name: "from before", Stale: true},
	}
}

// The robot's commit is squashed away and nobody labelled: only the record of its push and its comment are left, and each is
// enough, also where the listing that holds it is shortened for as long as it is asked for.
func TestReviewHoldsWhereAListingIsShortened(t *testing.T) {
	robot := ghfake.ActionsBot()
	for name, c := range map[string]struct {
		route string
		set   func(*testing.T, *ghfake.Scene)
	}{
		"activity": {"GET /repos/{owner}/{repo}/activity", func(t *testing.T, sc *ghfake.Scene) {
			push(t, sc, robot, ghfake.Commit{Message: "self-fix: repair"})
			sc.Server.Clock.Advance(time.Minute)
			squash(t, sc, "Add a button")
		}},
		"timeline": {"GET /repos/{owner}/{repo}/issues/{number}/timeline", func(_ *testing.T, sc *ghfake.Scene) {
			sc.Pull.Comment(sc.Writer, "hello")
			sc.Pull.Comment(robot, gates.CommentMark+"\npushed")
		}},
	} {
		for _, d := range shortened() {
			t.Run(name+" "+d.Name, func(t *testing.T) {
				r := newReview(t, reviewScene{begin: untouched, set: c.set})
				r.server.Inject(ghfake.Fault{Route: c.route, Distortion: d})
				if did := r.outcome(); did != "" {
					t.Error(did)
				}
				if d.Name == "every other item" && name == "timeline" {
					return // what it leaves out is not asserted to be the comment
				}
				struck := false
				for _, q := range r.server.Requests() {
					struck = struck || q.Fault != ""
				}
				if !struck {
					t.Error("the fault never struck")
				}
			})
		}
	}
}

// The bound on statuses holds although the first listing of them is cut to its newest entries.
func TestReviewBoundHoldsWhereOneListingIsCut(t *testing.T) {
	r := newReview(t, reviewScene{set: func(_ *testing.T, sc *ghfake.Scene) {
		for range gates.MaxReviewStatuses {
			sc.Repo.PostStatus(ghfake.ActionsBot(), sc.Pull.Head(), "maintainer-review", "pending")
		}
	}})
	r.server.Inject(ghfake.Fault{Route: "GET /repos/{owner}/{repo}/commits/{ref}/statuses", Call: 1,
		Distortion: ghfake.Distortion{Name: "cut", Items: func(_ int, x []any) []any { return x[:min(5, len(x))] }}})
	if v := r.judge(); v.Decision != gates.Nothing || v.Rule != "SF-REVIEW-030" {
		t.Errorf("%s (%s): %s", v.Decision, v.Rule, v.Reason)
	}
	for _, q := range r.server.Requests() {
		if q.Fault != "" {
			return
		}
	}
	t.Error("the fault never struck")
}
