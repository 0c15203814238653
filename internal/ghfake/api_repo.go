package ghfake

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func splitName(full string) (owner, name string) {
	owner, name, _ = strings.Cut(full, "/")
	return owner, name
}

// broken is GitHub's answer when its own storage fails.
func broken(error) reply { return failure(http.StatusInternalServerError, "Server Error") }

func getRepository(c *call) reply {
	o := c.srv.full(c.repo)
	p := c.token.Permissions
	o["permissions"] = obj{"admin": p["administration"] == "write", "push": p["contents"] == "write", "pull": true}
	return ok(o)
}

// resolve finds the commit that a full id or a ref names: an unknown full id is 422, as on GitHub.
func (c *call) resolve(name string) (string, reply, bool) {
	for _, ref := range []string{name, "refs/heads/" + name, "refs/" + name, "refs/tags/" + name} {
		if id := c.repo.Refs[ref]; id != "" {
			return id, reply{}, true
		}
	}
	if !isHex(name) || len(name) < 7 {
		return "", notFound(), false
	}
	o, found, err := c.handle.git.object(name)
	if err != nil {
		return "", broken(err), false
	}
	if !found || o.kind != "commit" || len(name) != len(zeroID) {
		return "", failure(http.StatusUnprocessableEntity, "No commit found for SHA: "+name), false
	}
	return name, reply{}, true
}

func isHex(s string) bool { return s != "" && strings.Trim(s, "0123456789abcdef") == "" }

func getCommit(c *call) reply {
	id, out, found := c.resolve(c.req.PathValue("ref"))
	if !found {
		return out
	}
	raw, _, err := c.handle.git.commit(id)
	if err != nil {
		return broken(err)
	}
	o := c.srv.commit(c.repo, raw)
	o["files"] = []any{}
	o["stats"] = obj{"total": 0, "additions": 0, "deletions": 0}
	return ok(o)
}

func getRef(c *call) reply {
	name := "refs/" + c.req.PathValue("ref")
	id := c.repo.Refs[name]
	if id == "" {
		return notFound()
	}
	return ok(c.renderRef(name, id))
}

func (c *call) renderRef(name, id string) obj {
	base := c.srv.public + "/repos/" + c.repo.fullName() + "/git/"
	return obj{"ref": name, "node_id": nodeID("Ref", c.repo.ID), "url": base + name, "object": obj{"type": "commit", "sha": id, "url": base + "commits/" + id}}
}

// listMatchingRefs lists the refs whose names begin so, all on one page.
func listMatchingRefs(c *call) reply {
	prefix := "refs/" + c.req.PathValue("ref")
	items := []any{}
	for _, name := range slices.Sorted(maps.Keys(c.repo.Refs)) {
		if strings.HasPrefix(name, prefix) {
			items = append(items, c.renderRef(name, c.repo.Refs[name]))
		}
	}
	items = c.distorted(1, items)
	return ok(items)
}

func getGitCommit(c *call) reply {
	raw, found, err := c.handle.git.commit(c.req.PathValue("sha"))
	if err != nil {
		return broken(err)
	}
	if !found {
		return notFound()
	}
	return ok(c.gitCommit(raw))
}

// gitCommit renders a commit as the git database does: no accounts, only what the commit says.
func (c *call) gitCommit(raw rawCommit) obj {
	o := c.srv.commit(c.repo, raw)
	inner := o["commit"].(obj)
	return obj{"sha": raw.id, "node_id": o["node_id"], "url": inner["url"], "html_url": o["html_url"], "author": inner["author"],
		"committer": inner["committer"], "tree": inner["tree"], "message": inner["message"], "parents": o["parents"], "verification": unsigned()}
}

func getBlob(c *call) reply {
	id := c.req.PathValue("sha")
	o, found, err := c.handle.git.object(id)
	if err != nil {
		return broken(err)
	}
	if !found || o.kind != "blob" || len(id) != len(zeroID) {
		return notFound()
	}
	return ok(obj{"sha": id, "node_id": "B_" + id, "size": len(o.data), "encoding": "base64", "content": wrap64(o.data),
		"url": c.srv.public + "/repos/" + c.repo.fullName() + "/git/blobs/" + id})
}

// wrap64 writes base64 in lines of 60, as GitHub does.
func wrap64(data []byte) string {
	text := base64.StdEncoding.EncodeToString(data)
	var b strings.Builder
	for len(text) > 60 {
		b.WriteString(text[:60] + "\n")
		text = text[60:]
	}
	if text != "" {
		b.WriteString(text + "\n")
	}
	return b.String()
}

func getTree(c *call) reply {
	id := c.req.PathValue("sha")
	if full, _, found := c.resolve(id); found {
		id = full
	}
	base := c.srv.public + "/repos/" + c.repo.fullName() + "/git/"
	var list []any
	var walk func(prefix, id string) (bool, error)
	walk = func(prefix, id string) (bool, error) {
		entries, found, err := c.handle.git.tree(id)
		if err != nil || !found {
			return false, err
		}
		for _, e := range entries {
			list = append(list, obj{"path": prefix + e.path, "mode": e.mode, "type": e.kind, "sha": e.id, "url": base + e.kind + "s/" + e.id})
			if e.kind == "tree" && c.query("recursive") != "" {
				if _, err := walk(prefix+e.path+"/", e.id); err != nil {
					return false, err
				}
			}
		}
		return true, nil
	}
	found, err := walk("", id)
	if err != nil {
		return broken(err)
	}
	if !found {
		return notFound()
	}
	return ok(obj{"sha": id, "url": base + "trees/" + id, "tree": list, "truncated": false})
}

// getContents reads one file at ?ref=, by default at the default branch. Folders are not listed here.
func getContents(c *call) reply {
	ref, path := c.query("ref"), c.req.PathValue("path")
	if ref == "" {
		ref = c.repo.DefaultBranch
	}
	commit, out, found := c.resolve(ref)
	if !found {
		return out
	}
	parts := strings.Split(path, "/")
	id := commit
	var at treeEntry
	for i, part := range parts {
		entries, _, err := c.handle.git.tree(id)
		if err != nil {
			return broken(err)
		}
		at = treeEntry{}
		for _, e := range entries {
			if e.path == part {
				at = e
			}
		}
		if at.id == "" || (i < len(parts)-1 && at.kind != "tree") {
			return notFound()
		}
		id = at.id
	}
	if at.kind != "blob" {
		return notFound()
	}
	o, _, err := c.handle.git.object(at.id)
	if err != nil {
		return broken(err)
	}
	if strings.Contains(c.req.Header.Get("Accept"), "raw") {
		return failure(http.StatusUnsupportedMediaType, "only JSON is served here")
	}
	return ok(c.contentFile(path, ref, at, o.data))
}

func (c *call) contentFile(path, ref string, at treeEntry, data []byte) obj {
	self := fmt.Sprintf("%s/repos/%s/contents/%s?ref=%s", c.srv.public, c.repo.fullName(), path, ref)
	blob := c.srv.public + "/repos/" + c.repo.fullName() + "/git/blobs/" + at.id
	page := c.srv.public + "/" + c.repo.fullName() + "/blob/" + ref + "/" + path
	o := obj{"type": "file", "name": path[strings.LastIndex(path, "/")+1:], "path": path, "sha": at.id, "size": len(data), "url": self, "git_url": blob,
		"html_url": page, "download_url": page, "encoding": "base64", "content": wrap64(data), "_links": obj{"self": self, "git": blob, "html": page}}
	if at.mode == "120000" { // a link is shown as one, not as what it points to
		o["type"], o["target"] = "symlink", string(data)
	}
	return o
}

func getUser(c *call) reply {
	for _, u := range c.srv.st.Users {
		if strings.EqualFold(u.Login, c.req.PathValue("login")) {
			return c.account(u)
		}
	}
	return notFound()
}

func getUserByID(c *call) reply {
	if u, known := c.srv.st.Users[c.number("id")]; known {
		return c.account(u)
	}
	return notFound()
}

func (c *call) account(u User) reply {
	o := c.srv.user(u).(obj)
	for name, v := range (obj{"user_view_type": "public", "name": nil, "company": nil, "blog": "", "location": nil, "email": nil, "hireable": nil, "bio": nil, "public_repos": 1,
		"public_gists": 0, "followers": 0, "following": 0, "created_at": "2011-01-25T18:44:36Z", "updated_at": "2011-01-25T18:44:36Z"}) {
		o[name] = v
	}
	return ok(o)
}

func getRateLimit(c *call) reply {
	limit := obj{"limit": c.srv.rate, "used": c.srv.used[c.secret], "remaining": max(0, c.srv.rate-c.srv.used[c.secret]),
		"reset": c.srv.Clock.Now().Unix() + 3600, "resource": "core"}
	c.srv.used[c.secret]-- // asking costs nothing
	return ok(obj{"resources": obj{"core": limit, "search": limit}, "rate": limit})
}

func atoi(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return -1
	}
	return n
}
