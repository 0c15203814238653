package ghfake

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// obj is a JSON object.
type obj = map[string]any

// call is one request of the API while it is answered. The server's lock is held.
type call struct {
	srv    *Server
	req    *http.Request
	body   []byte
	fault  *armed
	token  Token
	secret string
	jwt    App // the app that a JWT proves; zero: none
	repo   *repoState
	handle *Repository
	out    reply
}

// reply is a status, a value to write as JSON (nil: no body), and headers beside the usual ones.
type reply struct {
	status int
	body   any
	header http.Header
}

// write is the reply on the wire.
func (r reply) write() (int, []byte) {
	if r.body == nil {
		return r.status, nil
	}
	raw, err := json.Marshal(r.body)
	if err != nil {
		return http.StatusInternalServerError, []byte(`{"message":"Server Error"}`)
	}
	return r.status, raw
}

func ok(body any) reply { return reply{status: http.StatusOK, body: body} }

// failure is an error of the API in GitHub's words.
func failure(status int, message string) reply {
	return reply{status: status, body: obj{"message": message, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status)}}
}

func notFound() reply { return failure(http.StatusNotFound, "Not Found") }

// invalid is GitHub's 422 with one error.
func invalid(resource, code, message string) reply {
	r := failure(http.StatusUnprocessableEntity, "Validation Failed")
	r.body.(obj)["errors"] = []any{obj{"resource": resource, "code": code, "message": message}}
	return r
}

// answer authenticates and routes.
func (c *call) answer() reply {
	var known bool
	c.token, c.secret, known = c.srv.bearer(c.req)
	if !known && !c.byJWT() {
		return failure(http.StatusUnauthorized, "Bad credentials")
	}
	if c.srv.used[c.secret] >= c.srv.rate {
		return failure(http.StatusForbidden, "API rate limit exceeded for user ID "+strconv.FormatInt(c.token.User.ID, 10)+".")
	}
	c.out = notFound() // what stays if no pattern matches
	c.srv.mux.ServeHTTP(&recorder{header: http.Header{}}, c.req.WithContext(withCall(c.req.Context(), c)))
	return c.out
}

// enter finds the repository and checks the token's rights; done is false if the reply is settled.
func (c *call) enter(need string) (out reply, done bool) {
	if c.req.PathValue("owner") == "" {
		return reply{}, false
	}
	repo, moved := c.srv.st.repo(c.req.PathValue("owner") + "/" + c.req.PathValue("repo"))
	if repo == nil {
		return notFound(), true
	}
	if moved {
		return c.redirect(repo), true
	}
	c.repo = repo
	c.handle = &Repository{srv: c.srv, id: repo.ID, git: c.srv.gits[repo.ID]}
	write := strings.Contains(need, ":write") || strings.HasPrefix(need, "administration:") || strings.HasPrefix(need, "secrets:")
	if !c.token.reaches(repo.ID) || repo.Private && !c.token.Permissions.allows("metadata:read") {
		return notFound(), true
	}
	if (write || repo.Private) && need != "" && !c.token.Permissions.allows(need) {
		if c.secret == "" {
			return failure(http.StatusUnauthorized, "Requires authentication"), true
		}
		return failure(http.StatusForbidden, "Resource not accessible by integration"), true
	}
	return reply{}, false
}

// redirect is what GitHub answers for a renamed repository.
func (c *call) redirect(repo *repoState) reply {
	parts := strings.SplitN(c.req.URL.EscapedPath(), "/", 5)
	to := c.srv.public + "/repositories/" + strconv.FormatInt(repo.ID, 10)
	if len(parts) == 5 {
		to += "/" + parts[4]
	}
	if q := c.req.URL.RawQuery; q != "" {
		to += "?" + q
	}
	status := http.StatusMovedPermanently
	if c.req.Method != http.MethodGet {
		status = http.StatusTemporaryRedirect
	}
	return reply{status: status, header: http.Header{"Location": {to}},
		body: obj{"message": "Moved Permanently", "url": to, "documentation_url": "https://docs.github.com/v3/#http-redirects"}}
}

// decode reads the request's body; false is a 400 that is already in out.
func (c *call) decode(into any) bool {
	if err := json.Unmarshal(c.body, into); err != nil {
		c.out = failure(http.StatusBadRequest, "Problems parsing JSON")
		return false
	}
	return true
}

func (c *call) query(name string) string { return c.req.URL.Query().Get(name) }

func (c *call) number(name string) int64 {
	n, err := strconv.ParseInt(c.req.PathValue(name), 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// pull finds the pull request of the path.
func (c *call) pull() *Pull { return c.repo.pull(int(c.number("number"))) }
