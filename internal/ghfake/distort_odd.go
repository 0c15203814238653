package ghfake

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Odd lists answers that are well formed and say less, more or other than what is true: what a lagging replica, a list that
// moves while it is paged, a proxy, or a deleted account makes of one. A reader may still come to the right decision by another
// source; it must never come to a laxer one.
func Odd() []Distortion {
	return []Distortion{
		{Name: "stale copy", Stale: true},
		items("list emptied", func(int, []any) []any { return nil }),
		items("list cut to its first item", func(_ int, x []any) []any { return x[:min(1, len(x))] }),
		items("first item missing", func(_ int, x []any) []any { return x[min(1, len(x)):] }),
		items("last item missing", func(_ int, x []any) []any { return x[:max(0, len(x)-1)] }),
		items("every other item missing", everyOther),
		items("list reversed", func(_ int, x []any) []any { x = slices.Clone(x); slices.Reverse(x); return x }),
		items("item inserted between pages", inserted),
		items("item removed between pages", removed),
		items("first item twice", func(_ int, x []any) []any { return append(slices.Clone(x[:min(1, len(x))]), x...) }),
		{Name: "list emptied with its total", Items: func(int, []any) []any { return nil }, Total: func(int) int { return 0 }},
		{Name: "list cut with its total", Items: func(_ int, x []any) []any { return x[:min(1, len(x))] }, Total: func(n int) int { return min(1, n) }},
		{Name: "first item missing with its total", Items: func(_ int, x []any) []any { return x[min(1, len(x)):] }, Total: func(n int) int { return max(0, n-1) }},
		{Name: "total too high", Total: func(n int) int { return n + 6 }},
		{Name: "total zero", Total: func(int) int { return 0 }},
		{Name: "page before", Other: func(n int) int { return max(1, n-1) }},
		{Name: "page after", Other: func(n int) int { return n + 1 }},
		after("no Link", func(a *Answer) { a.Header.Del("Link") }),
		after("rel without quotes", link(func(s string) string { return strings.ReplaceAll(s, `"`, "") })),
		after("two rels in one", link(func(s string) string { return strings.Replace(s, `rel="next"`, `rel="next last"`, 1) })),
		after("comma inside the address", link(func(s string) string { return strings.ReplaceAll(s, "?", "?a=1,2&") })),
		after("Link by cursor only", link(func(s string) string { return pageValue.ReplaceAllString(s, "after=abc") })),
		after("page number in words", link(func(s string) string { return pageValue.ReplaceAllString(s, "page=two") })),
		after("first page for ever", link(func(s string) string { return pageValue.ReplaceAllString(s, "page=1") })),
		after("Link to another repository", link(func(s string) string { return repoValue.ReplaceAllString(s, "/repositories/1/") })),
		after("Link to another host", link(func(s string) string { return hostValue.ReplaceAllString(s, "<http://127.0.0.2:1/") })),
		after("Link in two header lines", splitLink),
		after("accounts deleted", members(accountKeys, func(any) any { return nil })),
		after("accounts zero", members(accountKeys, func(any) any { return obj{} })),
		after("repositories deleted", members([]string{"repo"}, func(any) any { return nil })),
		after("times missing", without(timeKeys)),
		after("times null", members(timeKeys, func(any) any { return nil })),
		after("times as numbers", members(timeKeys, func(any) any { return 0 })),
		after("times of the year 1", members(timeKeys, func(any) any { return "0001-01-01T00:00:00Z" })),
		after("times of the year 9999", members(timeKeys, func(any) any { return "9999-12-31T23:59:59Z" })),
		after("ids missing", without([]string{"id"})),
		after("ids zero", members([]string{"id"}, func(any) any { return 0 })),
		after("ids as text", members([]string{"id"}, func(v any) any { return fmt.Sprint(v) })),
		after("labels without names", without([]string{"label"})),
		after("names emptied", members([]string{"name", "login", "context"}, func(any) any { return "" })),
		after("states in upper case", members([]string{"state", "status", "conclusion"}, upper)),
		after("states unknown", members([]string{"state", "status", "conclusion"}, func(any) any { return "superseded" })),
		after("commits of another", members([]string{"sha", "head_sha"}, func(any) any { return strings.Repeat("ab", 20) })),
		after("commits shortened", members([]string{"sha", "head_sha"}, func(v any) any { return fmt.Sprintf("%.7s", v) })),
		after("booleans false", members([]string{"merged", "draft", "fork", "private"}, func(any) any { return nil })),
	}
}

var (
	accountKeys = []string{"creator", "actor", "user", "author", "committer", "owner", "sender"}
	timeKeys    = []string{"created_at", "updated_at", "started_at", "run_started_at", "timestamp", "date"}
	pageValue   = regexp.MustCompile(`\bpage=\d+`)
	repoValue   = regexp.MustCompile(`/repositories/\d+/`)
	hostValue   = regexp.MustCompile(`<http://[^/]+/`)
)

func items(name string, f func(int, []any) []any) Distortion { return Distortion{Name: name, Items: f} }

func everyOther(_ int, x []any) []any {
	var out []any
	for i := 0; i < len(x); i += 2 {
		out = append(out, x[i])
	}
	return out
}

// inserted is a list at whose head something appeared after its first page was read: the last item of a page
// comes again as the first of the next.
func inserted(page int, x []any) []any {
	if page == 1 || len(x) == 0 {
		return x
	}
	return append(slices.Clone(x[:1]), x...)
}

// removed is a list at whose head something went away: one item falls between two pages.
func removed(page int, x []any) []any {
	if page == 1 || len(x) == 0 {
		return x
	}
	return x[1:]
}

func link(f func(string) string) func(*Answer) {
	return func(a *Answer) {
		if l := a.Header.Get("Link"); l != "" {
			a.Header.Set("Link", f(l))
		}
	}
}

func splitLink(a *Answer) {
	if l := a.Header.Get("Link"); l != "" {
		a.Header["Link"] = append([]string{`<https://example.invalid/>; rel="help"`}, http.Header(a.Header)["Link"]...)
	}
}

// members replaces the value of every member with one of the names, at any depth.
func members(names []string, f func(any) any) func(*Answer) {
	return Rewrite(func(v any) any { return walk(v, names, func(o obj, k string) { o[k] = f(o[k]) }) })
}

// without takes those members away.
func without(names []string) func(*Answer) {
	return Rewrite(func(v any) any { return walk(v, names, func(o obj, k string) { delete(o, k) }) })
}

func walk(v any, names []string, f func(obj, string)) any {
	switch t := v.(type) {
	case obj:
		for k, inner := range t {
			walk(inner, names, f)
			if slices.Contains(names, k) {
				f(t, k)
			}
		}
	case []any:
		for _, inner := range t {
			walk(inner, names, f)
		}
	}
	return v
}

func upper(v any) any {
	if s, isText := v.(string); isText {
		return strings.ToUpper(s)
	}
	return v
}
