package github

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"strconv"

	"selffix/internal/strictjson"
)

// A listing that is read a second time is read in pages of another size: the same address may be answered from the
// same stale copy, and entries that fall between two pages fall elsewhere.
const (
	perPage  = 100
	otherPer = 99
	maxPages = 120 // a listing of 12,000 entries spends what a client may spend
)

// listing is one paged listing.
type listing struct {
	path, label string
	query       url.Values
	kind        strictjson.Kind
	cursor      bool
	per         int  // entries a page; 0 is perPage
	full        bool // no page but the last may be short: where a short one means that entries are missing
}

// pages reads a listing page by page. decode reads one page into its own value and returns how many entries it
// had, and whether enough was read. The listing ends at a short page without a next link, unless an earlier page
// promised more than that; after a full last page one more is asked for and must be empty, since a lost Link header
// looks like the end.
func pages[P any](ctx context.Context, c *Client, l listing, decode func(P) (n int, enough bool, err error)) error {
	page, after, beyond := 1, "", false
	linked, last := false, 0
	per := l.perPage()
	for range maxPages {
		k := l.call(page, after)
		var v P
		if err := c.do(ctx, k, &v); err != nil {
			return err
		}
		n, enough, err := decode(v)
		if err != nil {
			return named(k, err)
		}
		more := k.want.next != 0 || k.want.after != ""
		last = max(last, k.want.last)
		switch {
		case n > per:
			return fail(k.want.route, ErrTruncated, "page %d has %d entries of at most %d", page, n, per)
		case beyond && (n > 0 || more):
			return fail(k.want.route, ErrTruncated, "page %d was the last by its Link header and page %d has entries", page-1, page)
		case enough || beyond:
			return nil
		case !more && (linked && n == 0 || page < last):
			return fail(k.want.route, ErrTruncated, "page %d has %d entries and is the last, and by an earlier Link header there are more", page, n)
		case more && (n == 0 || l.full && n < per):
			return fail(k.want.route, ErrTruncated, "page %d has %d entries and is not the last", page, n)
		case !more && n < per:
			return nil
		case !more && l.cursor:
			return fail(k.want.route, ErrTruncated, "page %d is full and no Link header says what follows it", page) // a cursor has no page to look at beyond the last
		}
		beyond, linked = !more, more
		page, after = page+1, k.want.after
	}
	return fail("GET /"+l.name(), ErrTruncated, "more than %d pages", maxPages)
}

func (l listing) name() string {
	if l.label != "" {
		return l.label
	}
	return l.path
}

func (l listing) perPage() int {
	if l.per > 0 {
		return l.per
	}
	return perPage
}

func (l listing) call(page int, after string) *call {
	query := maps.Clone(l.query)
	if query == nil {
		query = url.Values{}
	}
	query.Set("per_page", strconv.Itoa(l.perPage()))
	k := &call{method: http.MethodGet, path: l.path, label: l.label, query: query, want: want{kind: l.kind, cursor: l.cursor}}
	if k.want.kind == 0 {
		k.want.kind = strictjson.Array
	}
	if l.cursor {
		if after != "" {
			query.Set("after", after)
		}
		return k
	}
	if page > 1 {
		query.Set("page", strconv.Itoa(page))
	}
	k.want.page = page
	return k
}

// named names the request in an error of a decode function.
func named(k *call, err error) error {
	e := asError(k.want.route, err)
	if e.Route == "" {
		e.Route = k.want.route
	}
	return e
}

// list reads a listing whole, converts each entry and refuses one that comes twice.
func list[W any, T any, K comparable](ctx context.Context, c *Client, l listing, convert func(W) (T, K, error)) ([]T, error) {
	out := []T{}
	seen := map[K]bool{}
	err := pages(ctx, c, l, func(page []W) (int, bool, error) {
		for _, w := range page {
			v, key, err := convert(w)
			if err != nil {
				return 0, false, err
			}
			if seen[key] {
				return 0, false, fail("", ErrTruncated, "an entry was listed twice: the listing changed while it was read")
			}
			seen[key] = true
			out = append(out, v)
		}
		return len(page), false, nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
