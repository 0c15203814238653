package github

import (
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"

	"selffix/gates"
	"selffix/pipeline/policy"
)

// PolicyPath is where the default branch holds the policy.
const PolicyPath = ".github/self-fix.yaml"

// Ref reads the commit that a branch names. [ErrNotFound] means that there is no such branch.
func (c *Client) Ref(ctx context.Context, branch string) (string, error) {
	type ref struct {
		Ref    *string `json:"ref"`
		Object *struct {
			Type *string `json:"type"`
			SHA  *string `json:"sha"`
		} `json:"object"`
	}
	r, w, err := get[ref](ctx, c, c.at("git/ref/heads/"+escapeRef(branch)), c.at("git/ref/heads/{branch}"), nil)
	if err != nil {
		return "", err
	}
	if text(r.Ref) != "refs/heads/"+branch || r.Object == nil || text(r.Object.Type) != "commit" || !gates.IsSHA(text(r.Object.SHA)) {
		return "", fail(w.route, ErrField, "expected the ref that was asked for, naming a commit by its full id")
	}
	return *r.Object.SHA, nil
}

// escapeRef escapes each part of a branch name and keeps its slashes.
func escapeRef(branch string) string {
	parts := strings.Split(branch, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

// Commit reads one commit by its full id.
func (c *Client) Commit(ctx context.Context, sha string) (gates.Commit, error) {
	if !gates.IsSHA(sha) {
		return gates.Commit{}, fail("GET commits", ErrConfig, "expected a full commit id")
	}
	raw, w, err := get[wireCommit](ctx, c, c.at("commits/"+sha), "", nil)
	if err != nil {
		return gates.Commit{}, err
	}
	out, _, err := raw.convert()
	if err != nil {
		return gates.Commit{}, named(&call{want: *w}, err)
	}
	if out.SHA != sha {
		return gates.Commit{}, fail(w.route, ErrField, "expected the commit that was asked for")
	}
	return out, nil
}

// branch is the head of a branch and the checks that its classic protection requires.
type branch struct {
	sha    string
	checks []requiredCheck
}

type requiredCheck struct {
	Context     *string `json:"context"`
	AppID       *int64  `json:"app_id"`         // classic protection
	Integration *int64  `json:"integration_id"` // rulesets
}

// pinned is the app that a check must come from, 0 for any: GitHub writes -1 or leaves it out.
func pinned(id *int64) int64 {
	if id == nil || *id < 0 {
		return 0
	}
	return *id
}

// defaultBranch reads the policy's default branch. GitHub shows the required checks of classic protection to
// every reader here; the protection's own route needs an administrator's token.
func (c *Client) defaultBranch(ctx context.Context, name string) (branch, error) {
	type record struct {
		Name       *string     `json:"name"`
		Commit     *wireObject `json:"commit"`
		Protection *struct {
			Enabled  *bool `json:"enabled"`
			Required *struct {
				Level    *string          `json:"enforcement_level"`
				Contexts []string         `json:"contexts"`
				Checks   *[]requiredCheck `json:"checks"`
			} `json:"required_status_checks"`
		} `json:"protection"`
	}
	r, w, err := get[record](ctx, c, c.at("branches/"+url.PathEscape(name)), c.at("branches/{default}"), nil)
	if err != nil {
		return branch{}, err
	}
	if text(r.Name) != name || r.Commit == nil || !gates.IsSHA(text(r.Commit.SHA)) {
		return branch{}, fail(w.route, ErrField, "expected the branch that was asked for with the full id of its head")
	}
	b := branch{sha: *r.Commit.SHA}
	p := r.Protection
	if p == nil || p.Enabled == nil || !*p.Enabled || p.Required == nil || text(p.Required.Level) == "off" {
		return b, nil
	}
	if p.Required.Checks != nil {
		b.checks = *p.Required.Checks
		return b, nil
	}
	for _, context := range p.Required.Contexts {
		b.checks = append(b.checks, requiredCheck{Context: &context})
	}
	return b, nil
}

// rules lists the checks that rulesets require on a branch.
func (c *Client) rules(ctx context.Context, name string) ([]requiredCheck, error) {
	type rule struct {
		Type       *string `json:"type"`
		Parameters *struct {
			Checks []requiredCheck `json:"required_status_checks"`
		} `json:"parameters"`
	}
	l := listing{path: c.at("rules/branches/" + url.PathEscape(name)), label: c.at("rules/branches/{default}")}
	var all []requiredCheck
	err := pages(ctx, c, l, func(page []rule) (int, bool, error) {
		for _, r := range page {
			if !filled(r.Type) {
				return 0, false, lacks("a rule lacks its type")
			}
			if *r.Type == "required_status_checks" && r.Parameters != nil {
				all = append(all, r.Parameters.Checks...)
			}
		}
		return len(page), false, nil
	})
	return all, err
}

// pin picks the requirements of one context, compared byte for byte.
func pin(context string, lists ...[]requiredCheck) gates.ReviewPin {
	var out gates.ReviewPin
	for _, list := range lists {
		for _, check := range list {
			if text(check.Context) != context {
				continue
			}
			app := pinned(check.AppID)
			if check.Integration != nil {
				app = pinned(check.Integration)
			}
			out.Apps = append(out.Apps, app)
		}
	}
	return out
}

// policyFile reads the policy at a commit, by its id, and holds the bytes to the blob id that GitHub names.
func (c *Client) policyFile(ctx context.Context, commit string) (gates.PolicyRecord, error) {
	type file struct {
		Type     *string `json:"type"`
		Path     *string `json:"path"`
		Encoding *string `json:"encoding"`
		Content  *string `json:"content"`
		SHA      *string `json:"sha"`
	}
	r, w, err := get[file](ctx, c, c.at("contents/"+PolicyPath), "", url.Values{"ref": {commit}})
	if err != nil {
		return gates.PolicyRecord{}, err
	}
	if text(r.Type) != "file" || text(r.Path) != PolicyPath || text(r.Encoding) != "base64" || r.Content == nil {
		return gates.PolicyRecord{}, fail(w.route, ErrField, "expected a plain file in base64 at the path that was asked for")
	}
	data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(*r.Content, "\n", ""))
	if err != nil {
		return gates.PolicyRecord{}, fail(w.route, ErrField, "the file's content is not base64")
	}
	if blobID(data) != text(r.SHA) {
		return gates.PolicyRecord{}, fail(w.route, ErrField, "the file's content does not have the blob id that GitHub names")
	}
	return gates.PolicyRecord{Commit: commit, SHA256: policy.Digest(data)}, nil
}

// blobID is git's name for a file's content.
func blobID(data []byte) string {
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(data)), data...))
	return hex.EncodeToString(sum[:])
}
