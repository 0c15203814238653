package ghfake_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"selffix/internal/ghfake"
)

// TestLinkIsWrittenAsGitHubWritesIt compares with the recorded headers of api.github.com in @octokit/fixtures,
// scenario paginate-issues: 13 items in pages of 3.
func TestLinkIsWrittenAsGitHubWritesIt(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	for i := range 12 {
		sc.Repo.PostStatus(sc.Bot, sc.Tested, fmt.Sprintf("context %d", i), "success")
	}
	path := "/commits/" + sc.Tested + "/statuses"
	at := func(page int) string {
		return fmt.Sprintf("<%s/repositories/900001%s?per_page=3&page=%d>", sc.Server.URL, path, page)
	}
	for _, c := range []struct{ query, want string }{
		{"per_page=3", at(2) + `; rel="next", ` + at(5) + `; rel="last"`},
		{"per_page=3&page=2", at(1) + `; rel="prev", ` + at(3) + `; rel="next", ` + at(5) + `; rel="last", ` + at(1) + `; rel="first"`},
		{"per_page=3&page=5", at(4) + `; rel="prev", ` + at(1) + `; rel="first"`},
		{"per_page=3&page=9", at(5) + `; rel="prev", ` + at(1) + `; rel="first"`},
		{"per_page=13", ""},
		{"per_page=100", ""},
	} {
		resp := do(t, sc, ghfake.ReadToken, "GET", "/repos/maintainer/app"+path+"?"+c.query, nil, nil)
		if got := resp.Header.Get("Link"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.query, got, c.want)
		}
	}
	resp := do(t, sc, ghfake.ReadToken, "GET", "/repositories/900001"+path+"?per_page=3&page=2", nil, nil)
	if resp.StatusCode != 200 || resp.Header.Get("Link") == "" {
		t.Errorf("a Link's own address answers %d", resp.StatusCode)
	}
}

func TestListsAreCapped(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	commits := make([]ghfake.Commit, 259)
	for i := range commits {
		commits[i] = ghfake.Commit{Message: fmt.Sprintf("commit %d", i), Files: map[string]string{"n": fmt.Sprint(i)},
			Author: ghfake.Person{Name: "m", Email: "m@example.org", Date: noon.Add(time.Duration(i) * time.Second)}}
	}
	ids, err := sc.Pull.Push(sc.Maintainer, commits...)
	fatal(t, err)
	var pull struct{ Commits int }
	do(t, sc, ghfake.ReadToken, "GET", "/repos/maintainer/app/pulls/1", nil, &pull)
	if pull.Commits != 260 {
		t.Errorf("the pull request counts %d commits, want 260", pull.Commits)
	}
	var all []struct{ SHA string }
	for page := 1; ; page++ {
		var part []struct{ SHA string }
		do(t, sc, ghfake.ReadToken, "GET", fmt.Sprintf("/repos/maintainer/app/pulls/1/commits?per_page=1000&page=%d", page), nil, &part)
		if len(part) == 0 {
			break
		}
		if len(part) > 100 {
			t.Fatalf("%d items on a page, GitHub's most is 100", len(part))
		}
		all = append(all, part...)
	}
	if len(all) != 250 || all[0].SHA != sc.Tested {
		t.Fatalf("%d commits listed beginning with %s, want the 250 oldest", len(all), all[0].SHA)
	}
	for _, c := range all {
		if c.SHA == ids[len(ids)-1] {
			t.Error("the head is listed: it is the newest of 260 and must be cut off")
		}
	}
}

// TestCommitsAreListedByAuthorDate is why "last in the list" is neither the head nor the newest.
func TestCommitsAreListedByAuthorDate(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	old := noon.Add(-24 * time.Hour)
	ids, err := sc.Pull.Push(sc.Maintainer, ghfake.Commit{Message: "backdated", Files: map[string]string{"b": "1"}, Author: ghfake.Person{Name: "m", Email: "m@example.org", Date: old}})
	fatal(t, err)
	var list []struct{ SHA string }
	do(t, sc, ghfake.ReadToken, "GET", "/repos/maintainer/app/pulls/1/commits", nil, &list)
	if len(list) != 2 || list[0].SHA != ids[0] || list[1].SHA != sc.Tested {
		t.Errorf("listed %v, want the backdated head %s first", list, ids[0])
	}
}

func TestFilteredRunsEndAtAThousand(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	for i := range 1050 {
		sc.AddSkipped(noon.Add(-time.Duration(i) * time.Minute))
	}
	count := func(query string) (listed, total int) {
		for page := 1; page <= 12; page++ {
			var out struct {
				TotalCount   int        `json:"total_count"`
				WorkflowRuns []struct{} `json:"workflow_runs"`
			}
			do(t, sc, ghfake.ReadToken, "GET", fmt.Sprintf("/repos/maintainer/app/actions/workflows/self-fix.yml/runs?per_page=100&page=%d%s", page, query), nil, &out)
			listed, total = listed+len(out.WorkflowRuns), out.TotalCount
		}
		return listed, total
	}
	if listed, total := count(""); listed != 1051 || total != 1051 {
		t.Errorf("without a filter %d of %d, want all 1051", listed, total)
	}
	if listed, total := count("&event=status"); listed != 1000 || total != 1051 {
		t.Errorf("with a filter %d of %d, want 1000 of 1051", listed, total)
	}
	if listed, _ := count("&created=%3E%3D" + noon.Add(-90*time.Second).Format("2006-01-02T15:04:05Z")); listed != 3 {
		t.Errorf("created: %d, want 3", listed)
	}
}

func TestActivityIsPagedByCursor(t *testing.T) {
	sc := newScene(t, ghfake.SceneOptions{})
	for i := range 4 {
		_, err := sc.Pull.Push(sc.Maintainer, ghfake.Commit{Message: fmt.Sprint(i), Files: map[string]string{"n": fmt.Sprint(i)}})
		fatal(t, err)
	}
	path, seen := "/repos/maintainer/app/activity?ref=refs/heads/feature&per_page=2", 0
	for path != "" {
		var part []struct{ ID int64 }
		resp := do(t, sc, ghfake.ReadToken, "GET", path, nil, &part)
		seen += len(part)
		link := resp.Header.Get("Link")
		if strings.Contains(link, "page=2>") {
			t.Fatalf("Link %q names a page number", link)
		}
		target, _, _ := strings.Cut(strings.TrimPrefix(link, "<"+sc.Server.URL), ">")
		path = target
	}
	if seen != 5 {
		t.Errorf("%d records by the cursor, want 5", seen)
	}
	if resp := do(t, sc, ghfake.ReadToken, "GET", "/repos/maintainer/app/activity?after=nonsense", nil, nil); resp.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a wrong cursor answers %d, want 422", resp.StatusCode)
	}
}
