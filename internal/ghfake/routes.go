package ghfake

import (
	"context"
	"net/http"
	"strings"
)

// Routes of git over HTTP, as the log and faults name them.
const (
	RouteRefs  = "GET /{owner}/{repo}.git/info/refs"
	RouteFetch = "POST /{owner}/{repo}.git/git-upload-pack"
	RoutePush  = "POST /{owner}/{repo}.git/git-receive-pack"
)

// endpoint is one operation of the API: its pattern, the right that it needs, and what it does. In a public
// repository only rights to write, and to see settings, are asked for.
type endpoint struct {
	pattern string
	need    string
	do      func(*call) reply
}

const repoPath = "/repos/{owner}/{repo}"

// endpoints is the whole API. A pattern that is not here answers 404.
func endpoints() []endpoint {
	return []endpoint{
		{"GET " + repoPath, "metadata:read", getRepository},
		{"GET " + repoPath + "/commits/{ref}/statuses", "statuses:read", listStatuses},
		{"GET " + repoPath + "/statuses/{ref}", "statuses:read", listStatuses},
		{"GET " + repoPath + "/commits/{ref}/status", "statuses:read", combinedStatus},
		{"POST " + repoPath + "/statuses/{sha}", "statuses:write", createStatus},
		{"GET " + repoPath + "/commits/{ref}/pulls", "pull_requests:read", listCommitPulls},
		{"GET " + repoPath + "/commits/{ref}", "contents:read", getCommit},
		{"GET " + repoPath + "/pulls", "pull_requests:read", listPulls},
		{"GET " + repoPath + "/pulls/{number}", "pull_requests:read", getPull},
		{"GET " + repoPath + "/pulls/{number}/commits", "pull_requests:read", listPullCommits},
		{"PUT " + repoPath + "/pulls/{number}/merge", "contents:write", mergePull},
		{"GET " + repoPath + "/issues/{number}/events", "issues:read|pull_requests:read", listEvents},
		{"GET " + repoPath + "/issues/{number}/timeline", "issues:read|pull_requests:read", listTimeline},
		{"GET " + repoPath + "/issues/{number}/labels", "issues:read|pull_requests:read", listLabels},
		{"POST " + repoPath + "/issues/{number}/labels", "issues:write|pull_requests:write", addLabels},
		{"DELETE " + repoPath + "/issues/{number}/labels/{name}", "issues:write|pull_requests:write", deleteLabel},
		{"GET " + repoPath + "/issues/{number}/comments", "issues:read|pull_requests:read", listComments},
		{"POST " + repoPath + "/issues/{number}/comments", "issues:write|pull_requests:write", createComment},
		{"GET " + repoPath + "/labels/{name}", "issues:read|pull_requests:read", getLabel},
		{"GET " + repoPath + "/actions/runs", "actions:read", listRuns},
		{"GET " + repoPath + "/actions/workflows/{workflow}", "actions:read", getWorkflow},
		{"GET " + repoPath + "/actions/workflows/{workflow}/runs", "actions:read", listRuns},
		{"GET " + repoPath + "/actions/runs/{run}", "actions:read", getRun},
		{"GET " + repoPath + "/actions/runs/{run}/jobs", "actions:read", listJobs},
		{"GET " + repoPath + "/actions/runs/{run}/attempts/{attempt}/jobs", "actions:read", listJobs},
		{"GET " + repoPath + "/actions/secrets", "secrets:read", listSecrets},
		{"GET " + repoPath + "/actions/permissions/workflow", "administration:read", getWorkflowDefaults},
		{"GET " + repoPath + "/collaborators", "metadata:read", listCollaborators},
		{"GET " + repoPath + "/activity", "contents:read", listActivity},
		{"GET " + repoPath + "/git/ref/{ref...}", "contents:read", getRef},
		{"GET " + repoPath + "/git/matching-refs/{ref...}", "contents:read", listMatchingRefs},
		{"GET " + repoPath + "/git/commits/{sha}", "contents:read", getGitCommit},
		{"GET " + repoPath + "/git/blobs/{sha}", "contents:read", getBlob},
		{"GET " + repoPath + "/git/trees/{sha}", "contents:read", getTree},
		{"GET " + repoPath + "/contents/{path...}", "contents:read", getContents},
		{"GET " + repoPath + "/branches/{branch}", "contents:read", getBranch},
		{"GET " + repoPath + "/branches/{branch}/protection", "administration:read", getProtection},
		{"GET " + repoPath + "/branches/{branch}/protection/required_status_checks", "administration:read", getRequiredChecks},
		{"GET " + repoPath + "/rules/branches/{branch}", "metadata:read", listRules},
		{"GET " + repoPath + "/deployments", "deployments:read", listDeployments},
		{"GET " + repoPath + "/deployments/{deployment}/statuses", "deployments:read", listDeploymentStatuses},
		{"GET " + repoPath + "/environments", "actions:read", listEnvironments},
		{"GET " + repoPath + "/environments/{environment}", "actions:read", getEnvironment},
		{"GET " + repoPath + "/environments/{environment}/deployment-branch-policies", "actions:read", listBranchPolicies},
		{"GET " + repoPath + "/environments/{environment}/secrets", "environments:read|secrets:read", listEnvironmentSecrets},
		{"GET " + repoPath + "/environments/{environment}/variables", "environments:read", listEnvironmentVariables},
		{"GET " + repoPath + "/installation", "", getInstallation},
		{"GET /users/{login}", "", getUser},
		{"GET /user/{id}", "", getUserByID},
		{"GET /app", "", getApp},
		{"POST /app/installations/{installation}/access_tokens", "", createInstallationToken},
		{"GET /rate_limit", "", getRateLimit},
	}
}

type callKey struct{}

func withCall(ctx context.Context, c *call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for _, e := range endpoints() {
		mux.HandleFunc(e.pattern, func(_ http.ResponseWriter, r *http.Request) {
			c, ok := r.Context().Value(callKey{}).(*call)
			if !ok {
				return
			}
			c.req = r
			out, settled := c.enter(e.need)
			if !settled {
				out = e.do(c)
			}
			c.out = out
		})
	}
	return mux
}

// routeOf names the pattern that a request matches; "" if none.
func (s *Server) routeOf(r *http.Request) string {
	switch {
	case strings.HasPrefix(r.URL.Path, "/repos/"):
	case strings.HasSuffix(r.URL.Path, "/info/refs"):
		return RouteRefs
	case strings.HasSuffix(r.URL.Path, "/git-upload-pack"):
		return RouteFetch
	case strings.HasSuffix(r.URL.Path, "/git-receive-pack"):
		return RoutePush
	}
	_, pattern := s.mux.Handler(r)
	return pattern
}

func isGit(route string) bool {
	return route == RouteRefs || route == RouteFetch || route == RoutePush
}

// Routes lists the patterns of the API, as the log and faults name them.
func Routes() []string {
	var list []string
	for _, e := range endpoints() {
		list = append(list, e.pattern)
	}
	return list
}
