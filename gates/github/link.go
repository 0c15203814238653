package github

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"selffix/internal/lazyregexp"
)

// linkForm is one element of a Link header as GitHub writes it. Anything else, such as an unquoted or a
// double rel, ends a listing silently in clients that skip what they cannot read.
var linkForm = lazyregexp.New(`^<([^<>,;\s]+)>; rel="(next|prev|first|last)"$`)

// link reads the whole Link header, or refuses it. A missing one is decided on by the pager.
func (l *layer) link(req *http.Request, w *want, values []string) error {
	if len(values) == 0 {
		return nil
	}
	if len(values) > 1 || w.page == 0 && !w.cursor {
		return fail(w.route, ErrLink, "unexpected Link header")
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(values[0], ", ") {
		m := linkForm.FindStringSubmatch(part)
		if m == nil || seen[m[2]] {
			return fail(w.route, ErrLink, "the Link header is not of the form <address>; rel=\"name\"")
		}
		seen[m[2]] = true
		if err := l.target(req, w, m[1], m[2]); err != nil {
			return err
		}
	}
	return nil
}

// target checks one link: this listing of this repository on this host, another page of it.
func (l *layer) target(req *http.Request, w *want, raw, rel string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != l.base.Scheme || u.Host != l.base.Host || u.User != nil || u.Fragment != "" {
		return fail(w.route, ErrLink, "the Link header leads to another host")
	}
	if !slices.Contains(l.samePaths(req.URL.EscapedPath()), u.EscapedPath()) {
		return fail(w.route, ErrLink, "the Link header leads to another listing or repository")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return fail(w.route, ErrLink, "the Link header has an unreadable query")
	}
	if w.cursor {
		return cursorTarget(req, w, query, rel)
	}
	page, err := strconv.Atoi(query.Get("page"))
	if err != nil || len(query["page"]) != 1 || page < 1 || !sameQuery(req.URL.Query(), query, "page") {
		return fail(w.route, ErrLink, "the Link header names no page of this listing")
	}
	wrong := rel == "next" && page != w.page+1 || rel == "first" && page != 1 || rel == "prev" && page >= w.page
	if wrong {
		return fail(w.route, ErrLink, "after page %d the Link header says that %s is page %d", w.page, rel, page)
	}
	switch rel {
	case "next":
		w.next = page
	case "last":
		w.last = page
	}
	return nil
}

func cursorTarget(req *http.Request, w *want, query url.Values, rel string) error {
	if !sameQuery(req.URL.Query(), query, "after", "before") {
		return fail(w.route, ErrLink, "the Link header names another listing")
	}
	if rel != "next" {
		return nil
	}
	after := query["after"]
	if len(after) != 1 || after[0] == "" || after[0] == req.URL.Query().Get("after") {
		return fail(w.route, ErrLink, "the Link header does not go on")
	}
	w.after = after[0]
	return nil
}

// samePaths are the two ways in which GitHub writes a path of this repository: by name, and by id in links.
func (l *layer) samePaths(path string) []string {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(l.base.Path, "/")+l.repo+"/")
	if !ok {
		return []string{path}
	}
	return []string{path, strings.TrimSuffix(l.base.Path, "/") + "/repositories/" + strconv.FormatInt(l.id, 10) + "/" + rest}
}

// sameQuery compares two queries but for the keys by which pages differ.
func sameQuery(a, b url.Values, but ...string) bool {
	a, b = maps.Clone(a), maps.Clone(b)
	for _, key := range but {
		delete(a, key)
		delete(b, key)
	}
	return maps.EqualFunc(a, b, slices.Equal)
}
