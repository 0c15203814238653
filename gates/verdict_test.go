package gates_test

import (
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"selffix/gates"
	"selffix/internal/strictjson"
)

func TestVerdictRoundTrip(t *testing.T) {
	p := seedPolicy(t)
	blocked := passing(p)
	blocked.Comments.Value = gates.Comments{All: 5, Own: 5}
	unread := passing(p)
	unread.Pull = gates.Read[gates.PullRequest]{Route: "GET /repos/o/r/pulls/7", Why: "expected status 200, got 500"}
	review := gates.DecideReview(reviewed(), seedSandbox(t))
	review.Review = &gates.Review{RepositoryID: repoID, PullRequests: []int{7}, Commit: tested, Status: "success"}
	for name, v := range map[string]gates.Verdict{
		"act": gates.Decide(passing(p), p), "nothing": gates.Decide(blocked, p), "undecided": gates.Decide(unread, p), "review": review,
	} {
		data, err := v.JSON()
		if err != nil {
			t.Fatal(err)
		}
		back, err := gates.ReadVerdict(data)
		if err != nil || !reflect.DeepEqual(back, v) {
			t.Errorf("%s: %v\n%+v\n%+v", name, err, back, v)
		}
	}
	if v := gates.Decide(unread, p); !strings.Contains(v.Reason, "GET /repos/o/r/pulls/7: expected status 200, got 500") {
		t.Errorf("the reason does not name the request: %s", v.Reason)
	}
}

func TestReadVerdictRefuses(t *testing.T) {
	p := seedPolicy(t)
	good, err := gates.Decide(passing(p), p).JSON()
	if err != nil {
		t.Fatal(err)
	}
	sub := func(old, new string) string {
		if !strings.Contains(string(good), old) {
			t.Fatalf("%q is not in the verdict", old)
		}
		return strings.Replace(string(good), old, new, 1)
	}
	target := string(good)[strings.Index(string(good), `"target"`):]
	tests := []struct {
		name, doc string
		err       error
	}{
		{"empty", "", strictjson.ErrEmpty},
		{"unknown key", sub(`"rule"`, `"extra": 1, "rule"`), strictjson.ErrUnknown},
		{"duplicate key", sub(`"rule"`, `"decision": "act", "rule"`), strictjson.ErrDuplicate},
		{"key in other case", sub(`"rule"`, `"Rule"`), strictjson.ErrKey},
		{"missing key", sub(`"run_id": 5000,`, ""), strictjson.ErrMissing},
		{"unknown decision", sub(`"act"`, `"allow"`), gates.ErrVerdict},
		{"empty decision", sub(`"act"`, `""`), gates.ErrVerdict},
		{"rule of another form", sub(`"SF-GATE-000"`, `"x"`), gates.ErrVerdict},
		{"nothing with a target", sub(`"act"`, `"nothing"`), gates.ErrVerdict},
		{"act without a target", strings.Replace(string(good), ",\n  "+target, "\n}", 1), gates.ErrVerdict},
		{"second attempt", sub(`"run_attempt": 1`, `"run_attempt": 2`), gates.ErrVerdict},
		{"zero id", sub(`"repository_id": 77`, `"repository_id": 0`), gates.ErrVerdict},
		{"short commit", sub(`"tested_commit": "`+tested, `"tested_commit": "`+tested[:39]), gates.ErrVerdict},
		{"evidence for another commit", sub(`"commit": "`+tested, `"commit": "`+other), gates.ErrVerdict},
		{"ref outside heads", sub("refs/heads/feat/labels", "refs/tags/feat"), gates.ErrVerdict},
		{"ref with an option", sub("refs/heads/feat/labels", "refs/heads/--upload-pack=x"), gates.ErrVerdict},
		{"repository with a path", sub(testRepo, "owner/.."), gates.ErrVerdict},
		{"no preview", sub(preview, ""), gates.ErrVerdict},
		{"too long", string(good) + strings.Repeat(" ", gates.MaxVerdictBytes), gates.ErrVerdict},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := gates.ReadVerdict([]byte(tt.doc))
			if !errors.Is(err, tt.err) || !errors.Is(err, gates.ErrVerdict) {
				t.Errorf("got %v, want %v", err, tt.err)
			}
		})
	}
}

// Whatever strangers write into their records, none of it comes out of a verdict's text.
func TestTextHoldsNoUntrustedText(t *testing.T) {
	p := seedPolicy(t)
	const canary = "C4N4RY"
	f := passing(p)
	f.Statuses.Value = append(f.Statuses.Value, gates.Status{ID: 301, Context: "TestSprite V3", State: canary, CreatorID: botID, CreatedAt: now.Add(-time.Minute)})
	g := passing(p)
	g.Pull.Value.HeadRef, g.Pull.Value.Author, g.Pull.Value.State = canary, canary, canary
	g.Run.Job, g.Runs.Value[0].Title, g.Commits.Value[0].Message = canary, canary, canary
	h := reviewed()
	h.Pull.Value.HeadSHA, h.Pull.Value.State, h.Labels.Value = canary, canary, []string{canary}
	for i, v := range []gates.Verdict{gates.Decide(f, p), gates.Decide(g, p), gates.DecideReview(h, seedSandbox(t))} {
		data, err := v.JSON()
		if err != nil || strings.Contains(v.Text(), canary) || v.Target == nil && strings.Contains(string(data), canary) {
			t.Errorf("verdict %d shows it (%v): %s", i, err, v.Text())
		}
	}
}

func TestDecisionExitCode(t *testing.T) {
	for d, code := range map[gates.Decision]int{gates.Act: 0, gates.Nothing: 1, gates.Undecided: 2, "": 2, "allow": 2} {
		if got := d.ExitCode(); got != code {
			t.Errorf("%q: %d, want %d", d, got, code)
		}
	}
}

func TestRules(t *testing.T) {
	form := regexp.MustCompile(`^SF-(GATE|REVIEW)-[0-9]{3}$`)
	var ids []string
	for _, r := range gates.Rules() {
		if !form.MatchString(r.ID) || r.Title == "" || len(r.Why) < 40 || !strings.HasSuffix(r.Why, ".") {
			t.Errorf("%+v: an id, a title and a reason in sentences are expected", r)
		}
		if slices.Contains(ids, r.ID) {
			t.Errorf("%s twice", r.ID)
		}
		ids = append(ids, r.ID)
	}
	if !slices.IsSorted(ids) {
		t.Error("not in the order of ids")
	}
}
