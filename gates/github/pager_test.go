package github

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// pull7 is one pull request of a list.
func pull7(n int) string {
	return fmt.Sprintf(`{"number":%d,"state":"open","user":{"id":1001,"login":"maintainer","type":"User"},"labels":[],"created_at":"2026-03-09T12:00:00Z",
"head":{"ref":"feat","sha":"%s","repo":{"id":77,"default_branch":"main"}},"base":{"ref":"main","sha":"%s","repo":{"id":77,"default_branch":"main"}}}`,
		n, strings.Repeat("a1", 20), strings.Repeat("b2", 20))
}

func pullsPage(from, n int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = pull7(from + i)
	}
	return "[" + strings.Join(items, ",") + "]"
}

// pageLink is a Link header as GitHub writes it: by the repository's id, with the query of the request.
func pageLink(rels map[string]int) string {
	var parts []string
	for _, rel := range []string{"prev", "next", "last", "first"} {
		if n, named := rels[rel]; named {
			parts = append(parts, fmt.Sprintf(`<%s/repositories/77/pulls?state=open&per_page=100&page=%d>; rel="%s"`, testHost, n, rel))
		}
	}
	return strings.Join(parts, ", ")
}

func TestPager(t *testing.T) {
	full := func(n int) answer { return ok(pullsPage(100*n+1, 100)) }
	next := func(a answer, n int) answer { return a.with("Link", pageLink(map[string]int{"next": n, "last": n})) }
	tests := []struct {
		name  string
		pages []answer
		n     int   // of entries, where it passes
		asked int   // requests
		err   error // nil: passes
	}{
		{"empty", []answer{ok("[]")}, 0, 1, nil},
		{"short", []answer{ok(pullsPage(1, 99))}, 99, 1, nil},
		{"exactly 100", []answer{full(0), ok("[]")}, 100, 2, nil},
		{"exactly 100 and a lost Link", []answer{full(0), full(1)}, 0, 2, ErrTruncated},
		{"exactly 100, next page with a Link", []answer{full(0), next(ok("[]"), 3)}, 0, 2, ErrTruncated},
		{"250", []answer{next(full(0), 2), next(full(1), 3), ok(pullsPage(201, 50)).with("Link", pageLink(map[string]int{"prev": 2, "first": 1}))}, 250, 3, nil},
		{"exactly 200", []answer{next(full(0), 2), full(1).with("Link", pageLink(map[string]int{"prev": 1, "first": 1})), ok("[]")}, 200, 3, nil},
		{"past the end names the last page", []answer{next(full(0), 2), full(1), ok("[]").with("Link", pageLink(map[string]int{"prev": 2, "first": 1}))}, 200, 3, nil},
		{"short page that goes on", []answer{next(ok(pullsPage(1, 60)), 2), ok(pullsPage(61, 5))}, 65, 2, nil},
		{"empty page that goes on", []answer{next(full(0), 2), next(ok("[]"), 3)}, 0, 2, ErrTruncated},
		{"page named by a Link is empty", []answer{next(full(0), 2), ok("[]")}, 0, 2, ErrTruncated},
		{"ends before the page named as the last", []answer{full(0).with("Link", pageLink(map[string]int{"next": 2, "last": 4})), ok(pullsPage(101, 50))}, 0, 2, ErrTruncated},
		{"entry twice", []answer{next(full(0), 2), ok(pullsPage(100, 5))}, 0, 2, ErrTruncated},
		{"entry twice on a page", []answer{ok("[" + pull7(1) + "," + pull7(1) + "]")}, 0, 1, ErrTruncated},
		{"101 on a page", []answer{ok(pullsPage(1, 101))}, 0, 1, ErrTruncated},
		{"same page for ever", []answer{next(full(0), 1)}, 0, 1, ErrLink},
		{"page skipped", []answer{next(full(0), 3)}, 0, 1, ErrLink},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := inOrder(tt.pages...)
			got, err := testClient(t, s).openPulls(t.Context())
			if !errors.Is(err, tt.err) || len(got) != tt.n || len(s.asked) != tt.asked {
				t.Errorf("%d entries, %d requests, %v; want %d, %d, %v", len(got), len(s.asked), err, tt.n, tt.asked, tt.err)
			}
		})
	}
}

// A listing that never ends is bounded, and its pages are asked for one after the other.
func TestPagerEndsEndlessListings(t *testing.T) {
	s := &server{}
	s.answer = func(n int, req *http.Request) answer {
		page, _ := strconv.Atoi(req.URL.Query().Get("page"))
		page = max(page, 1)
		return ok(pullsPage(100*page+1, 100)).with("Link", pageLink(map[string]int{"next": page + 1}))
	}
	_, err := testClient(t, s).openPulls(t.Context())
	if !errors.Is(err, ErrTruncated) || len(s.asked) != maxPages {
		t.Errorf("%v after %d requests", err, len(s.asked))
	}
	if s.asked[0] != "GET /repos/o/r/pulls?per_page=100&state=open" || s.asked[2] != "GET /repos/o/r/pulls?page=3&per_page=100&state=open" {
		t.Errorf("asked %v", s.asked[:3])
	}
}

func TestLinkHeader(t *testing.T) {
	good := testHost + "/repositories/77/pulls?state=open&per_page=100&page=2"
	tests := []struct {
		name  string
		links []string
		err   error
	}{
		{"by id", []string{"<" + good + `>; rel="next"`}, nil},
		{"by name", []string{"<" + testHost + `/repos/o/r/pulls?page=2&per_page=100&state=open>; rel="next"`}, nil},
		{"two header lines", []string{"<" + good + `>; rel="next"`, "<" + good + `>; rel="last"`}, ErrLink},
		{"rel without quotes", []string{"<" + good + ">; rel=next"}, ErrLink},
		{"two rels in one", []string{"<" + good + `>; rel="next last"`}, ErrLink},
		{"rel twice", []string{"<" + good + `>; rel="next", <` + good + `>; rel="next"`}, ErrLink},
		{"another parameter", []string{"<" + good + `>; rel="next"; title="x"`}, ErrLink},
		{"unknown rel", []string{"<" + good + `>; rel="alternate"`}, ErrLink},
		{"comma inside the address", []string{"<" + strings.Replace(good, "?", "?a=1,2&", 1) + `>; rel="next"`}, ErrLink},
		{"empty", []string{""}, ErrLink},
		{"cursor only", []string{"<" + strings.Replace(good, "page=2", "after=abc", 1) + `>; rel="next"`}, ErrLink},
		{"page in words", []string{"<" + strings.Replace(good, "page=2", "page=two", 1) + `>; rel="next"`}, ErrLink},
		{"page twice", []string{"<" + good + `&page=3>; rel="next"`}, ErrLink},
		{"another query", []string{"<" + strings.Replace(good, "open", "all", 1) + `>; rel="next"`}, ErrLink},
		{"smaller pages", []string{"<" + strings.Replace(good, "per_page=100", "per_page=1", 1) + `>; rel="next"`}, ErrLink},
		{"another repository by id", []string{"<" + strings.Replace(good, "/77/", "/78/", 1) + `>; rel="next"`}, ErrLink},
		{"another repository by name", []string{"<" + testHost + `/repos/x/y/pulls?page=2&per_page=100&state=open>; rel="next"`}, ErrLink},
		{"another listing", []string{"<" + strings.Replace(good, "/pulls", "/issues", 1) + `>; rel="next"`}, ErrLink},
		{"another host", []string{"<" + strings.Replace(good, "127.0.0.1:1", "127.0.0.2:1", 1) + `>; rel="next"`}, ErrLink},
		{"another scheme", []string{"<" + strings.Replace(good, "http:", "https:", 1) + `>; rel="next"`}, ErrLink},
		{"user in the address", []string{"<" + strings.Replace(good, "//", "//x@", 1) + `>; rel="next"`}, ErrLink},
		{"last before next is fine, bad first is not", []string{"<" + good + `>; rel="next", <` + strings.Replace(good, "page=2", "page=5", 1) + `>; rel="first"`}, ErrLink},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := inOrder(ok(pullsPage(1, 100)).with("Link", tt.links...), ok(pullsPage(101, 1)))
			got, err := testClient(t, s).openPulls(t.Context())
			if !errors.Is(err, tt.err) || err == nil && len(got) != 101 {
				t.Errorf("%d entries, %v; want %v", len(got), err, tt.err)
			}
		})
	}
	// A Link header where there are no pages is no answer to what was asked.
	if _, err := testClient(t, always(ok(pull7(7)).with("Link", "<"+good+`>; rel="next"`))).PullRequest(t.Context(), 7); !errors.Is(err, ErrLink) {
		t.Errorf("on a single record: %v", err)
	}
}

func activityPage(from, n int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"id":%d,"before":"%040x","after":"%040x","ref":"refs/heads/feat","timestamp":"2026-03-09T12:00:00Z","activity_type":"push","actor":null}`, from+i, 1, 2)
	}
	return "[" + strings.Join(items, ",") + "]"
}

func TestCursor(t *testing.T) {
	link := func(rest string) string {
		return "<" + testHost + "/repositories/77/activity?ref=refs%2Fheads%2Ffeat&per_page=100" + rest + `>; rel="next"`
	}
	tests := []struct {
		name string
		link string
		n    int
		err  error
	}{
		{"goes on", link("&after=abc%3D"), 101, nil},
		{"without a cursor", link(""), 0, ErrLink},
		{"empty cursor", link("&after="), 0, ErrLink},
		{"by page", link("&page=2"), 0, ErrLink},
		{"another branch", strings.Replace(link("&after=abc"), "feat", "main", 1), 0, ErrLink},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := inOrder(ok(activityPage(1, 100)).with("Link", tt.link), ok(activityPage(101, 1)))
			got, err := testClient(t, s).activity(t.Context(), "feat")
			if !errors.Is(err, tt.err) || len(got) != tt.n {
				t.Fatalf("%d entries, %v; want %d, %v", len(got), err, tt.n, tt.err)
			}
			if err == nil && !strings.Contains(s.asked[1], "after=abc%3D") {
				t.Errorf("asked %v", s.asked)
			}
		})
	}
	// A full page without a link is read again in pages of 99, where a second one must follow.
	again := strings.Replace(link("&after=abc"), "per_page=100", "per_page=99", 1)
	s := inOrder(ok(activityPage(1, 100)), ok(activityPage(1, 99)).with("Link", again), ok(activityPage(100, 1)))
	if got, err := testClient(t, s).activity(t.Context(), "feat"); err != nil || len(got) != 100 {
		t.Errorf("exactly 100: %d entries, %v", len(got), err)
	}
	s = inOrder(ok(activityPage(1, 100)), ok(activityPage(1, 99)))
	if got, err := testClient(t, s).activity(t.Context(), "feat"); !errors.Is(err, ErrTruncated) {
		t.Errorf("full pages whose links were lost: %d entries, %v", len(got), err)
	}
	same := always(ok(activityPage(1, 100)).with("Link", link("&after=abc")))
	if _, err := testClient(t, same).activity(t.Context(), "feat"); err == nil {
		t.Error("the same cursor for ever was taken for an end")
	}
}
