package github

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/url"
	"strings"
	"time"

	gogithub "github.com/google/go-github/v66/github"

	"selffix/gates"
	"selffix/internal/strictjson"
	"selffix/internal/tokens"
	"selffix/pipeline/policy"
)

// DefaultBudget is how many requests one client makes at most. A workflow's token has 1,000 an hour, shared by the
// jobs of the repository; a full scan of 31 busy days takes under 200.
const DefaultBudget = 300

// Options says whose facts are read, and with what. Zero functions are the real clock and network.
type Options struct {
	Policy       policy.Policy // its hosts.github_api is the only host that is ever spoken to
	Token        tokens.Token
	Repository   string // owner/name, from the event
	RepositoryID int64  // from the event
	Budget       int    // requests at most; 0 is DefaultBudget
	Now          func() time.Time
	Sleep        func(context.Context, time.Duration) error
	Transport    http.RoundTripper
}

// Client speaks to one repository on the policy's host. It is for one evaluation and not for several goroutines:
// GitHub asks for serial requests.
type Client struct {
	gh    *gogithub.Client
	layer *layer
	repo  string
}

// New makes a client, or refuses: a token that does not belong to the host, a repository that is not owner/name.
func New(o Options) (*Client, error) {
	base, err := url.Parse(strings.TrimSuffix(o.Policy.Hosts.GitHubAPI, "/") + "/")
	if err != nil {
		return nil, fail("hosts.github_api", ErrConfig, "the policy's host is not a URL")
	}
	if err := tokens.Check(o.Policy.Sandbox, o.Policy.Hosts.GitHubAPI, o.Token); err != nil {
		return nil, err
	}
	if !gates.IsRepository(o.Repository) || o.RepositoryID <= 0 {
		return nil, fail("repository", ErrConfig, "expected owner/name and a positive id")
	}
	l := &layer{
		next: o.Transport, base: base, repo: "/repos/" + o.Repository, id: o.RepositoryID,
		token: o.Token, now: o.Now, sleep: o.Sleep, left: o.Budget, counts: map[string]int{},
	}
	if l.left <= 0 {
		l.left = DefaultBudget
	}
	if l.now == nil {
		l.now = time.Now
	}
	if l.sleep == nil {
		l.sleep = pause
	}
	if l.next == nil {
		l.next = transport()
	}
	gh := gogithub.NewClient(&http.Client{Transport: l, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }})
	gh.BaseURL, gh.UserAgent = base, "self-fix"
	return &Client{gh: gh, layer: l, repo: o.Repository}, nil
}

// transport has no proxy: a variable of the environment must not choose where a token goes.
func transport() http.RoundTripper {
	return &http.Transport{
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true,
		MaxResponseHeaderBytes: 64 << 10,
		ResponseHeaderTimeout:  tryTimeout,
		TLSHandshakeTimeout:    10 * time.Second,
		IdleConnTimeout:        time.Minute,
	}
}

// Close gives the connections back.
func (c *Client) Close() { c.gh.Client().CloseIdleConnections() }

// Clock is GitHub's clock over the requests made so far.
func (c *Client) Clock() gates.Clock {
	c.layer.mu.Lock()
	defer c.layer.mu.Unlock()
	return c.layer.clock
}

// Requests is how many requests were made so far, retries included.
func (c *Client) Requests() int {
	c.layer.mu.Lock()
	defer c.layer.mu.Unlock()
	n := 0
	for _, k := range c.layer.counts {
		n += k
	}
	return n
}

// call is one request: where to, with what, and how it is named in messages.
type call struct {
	method string
	path   string // below the API's root, each variable part escaped
	label  string // path without branch names; "" is path
	query  url.Values
	body   any
	want   want
}

// at is a path of the client's repository.
func (c *Client) at(rest string) string { return "repos/" + c.repo + "/" + rest }

// do makes one request and decodes its answer into v. It fills in call.want.
func (c *Client) do(ctx context.Context, k *call, v any) error {
	label := k.label
	if label == "" {
		label = k.path
	}
	k.want.route = k.method + " /" + label
	if k.want.status == 0 {
		k.want.status = http.StatusOK
	}
	if k.want.kind == 0 {
		k.want.kind = strictjson.Object
	}
	path := k.path
	if len(k.query) > 0 {
		path += "?" + k.query.Encode()
	}
	req, err := c.gh.NewRequest(k.method, path, k.body)
	if err != nil {
		return fail(k.want.route, ErrConfig, "the request could not be built")
	}
	_, err = c.gh.Do(context.WithValue(ctx, wantKey{}, &k.want), req, v)
	if err != nil {
		return asError(k.want.route, err)
	}
	return nil
}

// get reads one object.
func get[T any](ctx context.Context, c *Client, path, label string, query url.Values) (T, *want, error) {
	var v T
	k := &call{method: http.MethodGet, path: path, label: label, query: query}
	err := c.do(ctx, k, &v)
	return v, &k.want, err
}
