package ghfake

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// lazy is an item that is rendered only if its page is asked for: a listing of thousands is cut first.
type lazy func() any

// page cuts a list into GitHub's pages and writes the Link header the way GitHub does: absolute, by the
// repository's id, next and last on the way forward, prev and first on the way back.
func (c *call) page(items []any) ([]any, http.Header) {
	page := pageOf(c.req)
	if c.fault != nil && c.fault.Other != nil {
		page = c.fault.Other(page)
	}
	items = c.distorted(page, items)
	per := c.perPage()
	last := max(1, (len(items)+per-1)/per)
	header := http.Header{}
	if link := c.link(page, last); link != "" {
		header.Set("Link", link)
	}
	from, to := min((page-1)*per, len(items)), min(page*per, len(items))
	part := []any{}
	for _, item := range items[from:to] {
		if render, ok := item.(lazy); ok {
			item = render()
		}
		part = append(part, item)
	}
	return part, header
}

// distorted is what a fault makes of a list. An emptied one stays a list: null would be an answer that is none.
func (c *call) distorted(page int, items []any) []any {
	if c.fault == nil || c.fault.Items == nil {
		return items
	}
	return append([]any{}, c.fault.Items(page, items)...)
}

func (c *call) perPage() int {
	n, err := strconv.Atoi(c.query("per_page"))
	if err != nil || n < 1 {
		return 30
	}
	return min(n, 100)
}

func (c *call) link(page, last int) string {
	var parts []string
	add := func(n int, rel string) {
		parts = append(parts, "<"+c.pageURL("page", strconv.Itoa(n))+`>; rel="`+rel+`"`)
	}
	if page > 1 {
		add(min(page-1, last), "prev")
	}
	if page < last {
		add(page+1, "next")
		add(last, "last")
	}
	if page > 1 {
		add(1, "first")
	}
	return strings.Join(parts, ", ")
}

// pageURL is this request's address by the repository's id, with one query value set at the end.
func (c *call) pageURL(name, value string) string {
	parts := strings.SplitN(c.req.URL.EscapedPath(), "/", 5)
	u := c.srv.public + "/repositories/" + strconv.FormatInt(c.repo.ID, 10)
	if len(parts) == 5 {
		u += "/" + parts[4]
	}
	var query []string
	for kv := range strings.SplitSeq(c.req.URL.RawQuery, "&") {
		key, _, _ := strings.Cut(kv, "=")
		if kv != "" && key != name {
			query = append(query, kv)
		}
	}
	return u + "?" + strings.Join(append(query, name+"="+url.QueryEscape(value)), "&")
}

// list is a page of a top-level array.
func (c *call) list(items []any) reply {
	part, header := c.page(items)
	return reply{status: http.StatusOK, body: part, header: header}
}

// wrapped is a page of a list inside an object with total_count.
func (c *call) wrapped(name string, items []any, total int) reply {
	if c.fault != nil && c.fault.Total != nil {
		total = c.fault.Total(total)
	}
	part, header := c.page(items)
	return reply{status: http.StatusOK, body: obj{"total_count": total, name: part}, header: header}
}
