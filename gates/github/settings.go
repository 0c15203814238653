package github

import (
	"context"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"selffix/gates"
)

// Repository is what GitHub says about the repository itself.
type Repository struct {
	ID            int64
	FullName      string
	DefaultBranch string
	Private       bool
}

// Open makes a client for a repository whose id is not known from an event, and reads the repository. It is for
// commands that people run; a job takes the id from its event.
func Open(ctx context.Context, o Options) (*Client, Repository, error) {
	if o.RepositoryID == 0 {
		o.RepositoryID = 1 // stands in pages' links only, of which the first request has none
	}
	c, err := New(o)
	if err != nil {
		return nil, Repository{}, err
	}
	r, err := c.Repository(ctx)
	if err != nil {
		c.Close()
		return nil, Repository{}, err
	}
	c.layer.id = r.ID
	return c, r, nil
}

// Repository reads the repository itself. Its name must be the one that was asked for: a renamed repository answers elsewhere.
func (c *Client) Repository(ctx context.Context) (Repository, error) {
	type record struct {
		ID       *int64  `json:"id"`
		FullName *string `json:"full_name"`
		Default  *string `json:"default_branch"`
		Private  *bool   `json:"private"`
	}
	r, w, err := get[record](ctx, c, "repos/"+c.repo, "", nil)
	if err != nil {
		return Repository{}, err
	}
	if !has(r.ID) || !strings.EqualFold(text(r.FullName), c.repo) || !filled(r.Default) || r.Private == nil {
		return Repository{}, fail(w.route, ErrField, "expected the repository that was asked for, with its id and default branch")
	}
	return Repository{ID: *r.ID, FullName: *r.FullName, DefaultBranch: *r.Default, Private: *r.Private}, nil
}

// RequiredChecks lists the checks that a branch requires by rulesets and by classic protection: for each context the
// apps that it is pinned to, 0 for any.
func (c *Client) RequiredChecks(ctx context.Context, branch string) (map[string][]int64, error) {
	rules, err := c.rules(ctx, branch)
	if err != nil {
		return nil, err
	}
	classic, err := c.defaultBranch(ctx, branch)
	if err != nil {
		return nil, err
	}
	out := map[string][]int64{}
	for _, check := range slices.Concat(rules, classic.checks) {
		if !filled(check.Context) {
			return nil, fail("GET required checks", ErrField, "a required check lacks its context")
		}
		out[*check.Context] = pin(*check.Context, rules, classic.checks).Apps
	}
	return out, nil
}

// BranchRules is what a branch's rules say beside its required checks.
type BranchRules struct {
	OwnersReview bool // a change needs a review by the code owners of what it touches
	MergeQueue   bool // pull requests are merged through a queue
}

// BranchRules reads rulesets, and the classic protection, which needs administration: read, where these say nothing of reviews.
func (c *Client) BranchRules(ctx context.Context, branch string) (BranchRules, error) {
	type rule struct {
		Type       *string `json:"type"`
		Parameters *struct {
			Owners *bool `json:"require_code_owner_review"`
		} `json:"parameters"`
	}
	var out BranchRules
	l := listing{path: c.at("rules/branches/" + url.PathEscape(branch)), label: c.at("rules/branches/{default}")}
	err := pages(ctx, c, l, func(page []rule) (int, bool, error) {
		for _, r := range page {
			if !filled(r.Type) {
				return 0, false, lacks("a rule lacks its type")
			}
			out.MergeQueue = out.MergeQueue || *r.Type == "merge_queue"
			out.OwnersReview = out.OwnersReview || *r.Type == "pull_request" && r.Parameters != nil && r.Parameters.Owners != nil && *r.Parameters.Owners
		}
		return len(page), false, nil
	})
	if err != nil || out.OwnersReview {
		return out, err
	}
	type protection struct {
		Reviews *struct {
			Owners *bool `json:"require_code_owner_reviews"`
		} `json:"required_pull_request_reviews"`
	}
	p, _, err := get[protection](ctx, c, c.at("branches/"+url.PathEscape(branch)+"/protection"), c.at("branches/{default}/protection"), nil)
	if isNotFound(err) {
		return out, nil // no classic protection either
	}
	out.OwnersReview = err == nil && p.Reviews != nil && p.Reviews.Owners != nil && *p.Reviews.Owners
	return out, err
}

// WorkflowDefaults is what a workflow gets that says nothing.
type WorkflowDefaults struct {
	Permissions string // "read" or "write"
	Approve     bool   // workflows may approve pull requests
}

// WorkflowDefaults reads what a workflow gets that says nothing. It needs administration: read.
func (c *Client) WorkflowDefaults(ctx context.Context) (WorkflowDefaults, error) {
	type record struct {
		Permissions *string `json:"default_workflow_permissions"`
		Approve     *bool   `json:"can_approve_pull_request_reviews"`
	}
	r, w, err := get[record](ctx, c, c.at("actions/permissions/workflow"), "", nil)
	if err != nil {
		return WorkflowDefaults{}, err
	}
	if p := text(r.Permissions); p != "read" && p != "write" || r.Approve == nil {
		return WorkflowDefaults{}, fail(w.route, ErrField, "expected read or write, and whether workflows may approve")
	}
	return WorkflowDefaults{*r.Permissions, *r.Approve}, nil
}

// Files reads the plain files directly in a folder at a commit, by name; none if there is no such folder. A link is
// listed with an empty content, as is what is larger than the limit of an answer.
func (c *Client) Files(ctx context.Context, commit, folder string) (map[string][]byte, error) {
	at := commit
	for _, part := range strings.Split(folder, "/") {
		entries, err := c.tree(ctx, at)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(entries, func(e treeEntry) bool { return text(e.Path) == part && text(e.Type) == "tree" })
		if i < 0 {
			return map[string][]byte{}, nil
		}
		at = text(entries[i].SHA)
	}
	entries, err := c.tree(ctx, at)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, e := range entries {
		switch {
		case text(e.Type) != "blob":
		case text(e.Mode) == "120000":
			out[text(e.Path)] = nil
		default:
			if out[text(e.Path)], err = c.blob(ctx, text(e.SHA)); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

type treeEntry struct {
	Path *string `json:"path"`
	Mode *string `json:"mode"`
	Type *string `json:"type"`
	SHA  *string `json:"sha"`
}

func (c *Client) tree(ctx context.Context, id string) ([]treeEntry, error) {
	type record struct {
		Tree      *[]treeEntry `json:"tree"`
		Truncated *bool        `json:"truncated"`
	}
	r, w, err := get[record](ctx, c, c.at("git/trees/"+id), "", nil)
	if err != nil {
		return nil, err
	}
	if r.Tree == nil || r.Truncated == nil || *r.Truncated {
		return nil, fail(w.route, ErrTruncated, "expected a whole tree")
	}
	for _, e := range *r.Tree {
		if !filled(e.Path, e.Mode, e.Type) || !gates.IsSHA(text(e.SHA)) {
			return nil, fail(w.route, ErrField, "an entry lacks its path, mode, type or id")
		}
	}
	return *r.Tree, nil
}

// blob reads a file by its id and holds the bytes to it.
func (c *Client) blob(ctx context.Context, id string) ([]byte, error) {
	type record struct {
		Encoding *string `json:"encoding"`
		Content  *string `json:"content"`
	}
	r, w, err := get[record](ctx, c, c.at("git/blobs/"+id), "", nil)
	if err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(text(r.Content), "\n", ""))
	if err != nil || text(r.Encoding) != "base64" || r.Content == nil || blobID(data) != id {
		return nil, fail(w.route, ErrField, "expected a file in base64 that has the id that was asked for")
	}
	return data, nil
}
