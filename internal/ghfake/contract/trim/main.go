// Command trim cuts GitHub's OpenAPI description down to the operations that ghfake serves.
//
//	npm pack @octokit/openapi@23.0.2
//	tar xzf octokit-openapi-23.0.2.tgz package/generated/api.github.com.json
//	go run ./trim <package/generated/api.github.com.json >testdata/github.json
//
// It keeps what a validator reads and drops prose, examples and extensions. The result is under the licence of the
// original, which testdata/LICENSE.octokit-openapi holds.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

type object = map[string]any

// kept names the operations, in the description's own spelling.
var kept = []string{
	"get /repos/{owner}/{repo}",
	"get /repos/{owner}/{repo}/commits/{ref}/statuses",
	"post /repos/{owner}/{repo}/statuses/{sha}",
	"get /repos/{owner}/{repo}/commits/{ref}/status",
	"get /repos/{owner}/{repo}/commits/{commit_sha}/pulls",
	"get /repos/{owner}/{repo}/commits/{ref}",
	"get /repos/{owner}/{repo}/pulls",
	"get /repos/{owner}/{repo}/pulls/{pull_number}",
	"get /repos/{owner}/{repo}/pulls/{pull_number}/commits",
	"put /repos/{owner}/{repo}/pulls/{pull_number}/merge",
	"get /repos/{owner}/{repo}/issues/{issue_number}/events",
	"get /repos/{owner}/{repo}/issues/{issue_number}/timeline",
	"get /repos/{owner}/{repo}/issues/{issue_number}/labels",
	"post /repos/{owner}/{repo}/issues/{issue_number}/labels",
	"delete /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}",
	"get /repos/{owner}/{repo}/issues/{issue_number}/comments",
	"post /repos/{owner}/{repo}/issues/{issue_number}/comments",
	"get /repos/{owner}/{repo}/labels/{name}",
	"get /repos/{owner}/{repo}/actions/runs",
	"get /repos/{owner}/{repo}/actions/workflows/{workflow_id}",
	"get /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs",
	"get /repos/{owner}/{repo}/actions/runs/{run_id}",
	"get /repos/{owner}/{repo}/actions/runs/{run_id}/jobs",
	"get /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/jobs",
	"get /repos/{owner}/{repo}/actions/secrets",
	"get /repos/{owner}/{repo}/actions/permissions/workflow",
	"get /repos/{owner}/{repo}/collaborators",
	"get /repos/{owner}/{repo}/environments/{environment_name}/variables",
	"get /repos/{owner}/{repo}/activity",
	"get /repos/{owner}/{repo}/git/ref/{ref}",
	"get /repos/{owner}/{repo}/git/matching-refs/{ref}",
	"get /repos/{owner}/{repo}/git/commits/{commit_sha}",
	"get /repos/{owner}/{repo}/git/blobs/{file_sha}",
	"get /repos/{owner}/{repo}/git/trees/{tree_sha}",
	"get /repos/{owner}/{repo}/contents/{path}",
	"get /repos/{owner}/{repo}/branches/{branch}",
	"get /repos/{owner}/{repo}/branches/{branch}/protection",
	"get /repos/{owner}/{repo}/branches/{branch}/protection/required_status_checks",
	"get /repos/{owner}/{repo}/rules/branches/{branch}",
	"get /repos/{owner}/{repo}/deployments",
	"get /repos/{owner}/{repo}/deployments/{deployment_id}/statuses",
	"get /repos/{owner}/{repo}/environments",
	"get /repos/{owner}/{repo}/environments/{environment_name}",
	"get /repos/{owner}/{repo}/environments/{environment_name}/deployment-branch-policies",
	"get /repos/{owner}/{repo}/environments/{environment_name}/secrets",
	"get /repos/{owner}/{repo}/installation",
	"get /users/{username}",
	"get /user/{account_id}",
	"get /app",
	"post /app/installations/{installation_id}/access_tokens",
	"get /rate_limit",
}

// prose is what no validator reads. A member of a schema's "properties" of that name is kept.
var prose = []string{"description", "examples", "example", "externalDocs", "tags", "summary", "operationId", "x-github", "x-webhooks",
	"x-github-breaking-changes", "title", "deprecated"}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "trim:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var whole object
	if err := json.NewDecoder(in).Decode(&whole); err != nil {
		return fmt.Errorf("read the description: %w", err)
	}
	paths := object{}
	for _, op := range kept {
		method, path, _ := strings.Cut(op, " ")
		item, ok := whole["paths"].(object)[path].(object)
		if !ok || item[method] == nil {
			return fmt.Errorf("the description has no operation %q", op)
		}
		if paths[path] == nil {
			paths[path] = object{}
		}
		paths[path].(object)[method] = strip(item[method], false)
	}
	components := object{}
	collect(paths, whole, components)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(object{
		"openapi":    whole["openapi"],
		"info":       object{"title": "GitHub v3 REST API, cut down", "version": whole["info"].(object)["version"], "license": object{"name": "MIT", "url": "https://spdx.org/licenses/MIT"}},
		"servers":    []any{object{"url": "https://api.github.com"}},
		"paths":      paths,
		"components": components,
	})
}

// strip drops prose. named says that the members of v are names that somebody chose, not keywords.
func strip(v any, named bool) any {
	switch t := v.(type) {
	case object:
		out := object{}
		for key, inner := range t {
			if !named && slices.Contains(prose, key) {
				continue
			}
			out[key] = strip(inner, !named && (key == "properties" || key == "responses" || key == "patternProperties"))
		}
		if named {
			return out
		}
		if t["content"] != nil || (t["headers"] != nil && t["description"] != nil) || onlyDescription(t) {
			out["description"] = "" // a response must have one
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, inner := range t {
			out[i] = strip(inner, false)
		}
		return out
	}
	return v
}

func onlyDescription(t object) bool { return len(t) == 1 && t["description"] != nil }

// collect copies every component that v refers to, and what those refer to.
func collect(v any, whole, into object) {
	switch t := v.(type) {
	case object:
		if ref, ok := t["$ref"].(string); ok {
			take(ref, whole, into)
		}
		for _, inner := range t {
			collect(inner, whole, into)
		}
	case []any:
		for _, inner := range t {
			collect(inner, whole, into)
		}
	}
}

func take(ref string, whole, into object) {
	parts := strings.Split(strings.TrimPrefix(ref, "#/components/"), "/")
	kind, name := parts[0], parts[1]
	if kind == "examples" {
		return
	}
	if into[kind] == nil {
		into[kind] = object{}
	}
	if into[kind].(object)[name] != nil {
		return
	}
	part := strip(whole["components"].(object)[kind].(object)[name], false)
	if kind == "responses" {
		part.(object)["description"] = ""
	}
	into[kind].(object)[name] = part
	collect(part, whole, into)
}
