package doctor

import (
	"crypto/rand"
	"crypto/rsa"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"selffix/gates/github"
	"selffix/internal/ghfake"
	"selffix/internal/install"
	"selffix/internal/testrepo"
	"selffix/internal/tokens"
	"selffix/pipeline/policy"
)

const (
	reviewApp = 4242
	botApp    = 777
)

// clinic is a repository on a GitHub on loopback in which every check passes.
type clinic struct {
	t      *testing.T
	scene  *ghfake.Scene
	policy policy.Policy
	files  map[string]string
}

func newClinic(t *testing.T) *clinic {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	app := ghfake.App{ID: reviewApp, Slug: "review", InstallationID: 77, PublicKey: &key.PublicKey, Bot: ghfake.User{ID: 5001, Login: "review[bot]"}, Permissions: ghfake.Permissions{"statuses": "write"}}
	sc, err := ghfake.NewScene(t.Context(), ghfake.Options{Dir: t.TempDir()}, ghfake.SceneOptions{ReviewApp: app})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sc.Server.Close(); err != nil {
			t.Error(err)
		}
	})
	c := &clinic{t: t, scene: sc}
	c.install(func(s string) string { return s })
	sc.Repo.RequireChecks("main", ghfake.RequiredCheck{Context: "TestSprite V3", AppID: botApp})
	sc.Repo.RequireReview("main", "code owners")
	sc.Repo.AddEnvironment(ghfake.Environment{Name: environmentFix, Policy: "custom", Branches: []string{"main"}, Secrets: []string{"CLAUDE_CODE_OAUTH_TOKEN", "TESTSPRITE_API_KEY"}})
	sc.Repo.AddEnvironment(ghfake.Environment{Name: environmentReview, Policy: "custom", Branches: []string{"main"}, Secrets: []string{"SELF_FIX_REVIEW_APP_KEY"}})
	sc.Repo.AddEnvironment(ghfake.Environment{Name: "Preview", Variables: []string{"DATABASE_URL"}})
	sc.Repo.AddCollaborator(ghfake.Collaborator{User: sc.Maintainer, Role: "admin"})
	sc.Repo.AddCollaborator(ghfake.Collaborator{User: ghfake.User{ID: 1003, Login: "triager", Type: "User"}, Role: "triage"})
	return c
}

// install pushes the files of an installation, whose policy is the seed's with a review app, edited.
func (c *clinic) install(edit func(string) string) {
	c.t.Helper()
	raw, err := os.ReadFile(filepath.Join(testrepo.Root(c.t), "testdata", "policy", "seed.yaml"))
	if err != nil {
		c.t.Fatal(err)
	}
	text := strings.NewReplacer("sandbox: false", "sandbox: true", "https://api.github.com", c.scene.Server.URL, "accept_branch_writers: true", fmt.Sprintf("app_id: %d", reviewApp),
		"  window: 2h", fmt.Sprintf("  window: 2h\n  app_id: %d", botApp)).Replace(string(raw))
	text = edit(text)
	if c.policy, err = policy.Parse([]byte(text)); err != nil {
		c.t.Fatal(err)
	}
	all, err := install.Workflows(c.policy)
	if err != nil {
		c.t.Fatal(err)
	}
	c.files = map[string]string{install.PolicyPath: text, ".github/CODEOWNERS": "* @writer\n/.github/ @maintainer\n", install.VariablesPath: "# names\nDATABASE_URL\n",
		install.LockfilePath: `{"name":"x","lockfileVersion":3,"requires":true,"packages":{"":{"dependencies":{"a":"1.0.0"}},"node_modules/a":{"version":"1.0.0","integrity":"sha512-` + strings.Repeat("A", 86) + `=="}}}`,
		install.PinsPath:     "dagger_version=v0.21.8\ndagger_cli_sha256=" + strings.Repeat("a", 64) + "\ndagger_engine_sha256=" + strings.Repeat("b", 64) + "\nmodule=github.com/o/self-fix@" + strings.Repeat("c", 40) + "\n"}
	for name, text := range all {
		c.files[name] = string(text)
	}
	c.push(c.files)
}

func (c *clinic) push(files map[string]string) {
	c.t.Helper()
	if _, err := c.scene.Repo.Push(c.scene.Maintainer, "main", ghfake.Commit{Message: "install", Files: files}); err != nil {
		c.t.Fatal(err)
	}
}

// change pushes one file, edited.
func (c *clinic) change(name, old, new string) {
	c.t.Helper()
	if !strings.Contains(c.files[name], old) {
		c.t.Fatalf("%s has no %q", name, old)
	}
	c.push(map[string]string{name: strings.Replace(c.files[name], old, new, 1)})
}

func (c *clinic) examine() Report {
	c.t.Helper()
	token, err := tokens.New(ghfake.AdminToken)
	if err != nil {
		c.t.Fatal(err)
	}
	gh, r, err := github.Open(c.t.Context(), github.Options{Policy: c.policy, Token: token, Repository: "maintainer/app"})
	if err != nil {
		c.t.Fatal(err)
	}
	defer gh.Close()
	return Examine(Read(c.t.Context(), gh, r, c.policy))
}

func TestEveryCheck(t *testing.T) {
	const loop = install.WorkflowsDir + "/self-fix.yml"
	edit := func(old, new string) func(*clinic) {
		return func(c *clinic) {
			c.install(func(s string) string { return strings.Replace(s, old, new, 1) })
		}
	}
	environment := func(name string, f func(*ghfake.Environment)) func(*clinic) {
		return func(c *clinic) { c.scene.Repo.EditEnvironment(name, f) }
	}
	workflow := func(text string) func(*clinic) {
		return func(c *clinic) { c.push(map[string]string{install.WorkflowsDir + "/other.yml": text}) }
	}
	tests := []struct {
		name   string
		set    func(*clinic)
		fails  []string // exactly these
		detail string   // part of the first one's
	}{
		{"all is well", func(*clinic) {}, nil, ""},
		{"an invalid policy", func(c *clinic) { c.change(install.PolicyPath, "version: 1", "version: 2") }, []string{"001", "002", "003", "004", "071"}, "not valid"},
		{"another policy", func(c *clinic) { c.change(install.PolicyPath, "per_day: 6", "per_day: 7") }, []string{"002"}, "differs"},
		{"another branch", edit("default: main\n  never: [main]", "default: trunk\n  never: [main, trunk]"), []string{"003"}, "trunk"},
		{"a given policy of another digest", func(c *clinic) { c.policy.Digest = strings.Repeat("0", 64) }, []string{"002"}, ""},
		{"nothing is required", func(c *clinic) { c.scene.Repo.ClearRules() }, []string{"010", "011", "012", "013", "051"}, "no rule"},
		{"the bot is not pinned", func(c *clinic) {
			c.scene.Repo.RequireChecks("main", ghfake.RequiredCheck{Context: "TestSprite V3"})
		}, []string{"011"}, "[777 0]"},
		{"the bot's app is not known", edit(fmt.Sprintf("\n  app_id: %d", botApp), ""), []string{"011"}, "no bot.app_id"},
		{"the review status is anybody's", func(c *clinic) {
			c.scene.Repo.RequireChecks("main", ghfake.RequiredCheck{Context: "maintainer-review", AppID: ghfake.ActionsAppID})
		}, []string{"013"}, "15368"},
		{"a merge queue", func(c *clinic) { c.scene.Repo.RequireQueue("main") }, []string{"014"}, "queue"},
		{"branch writers and another writer", func(c *clinic) {
			c.scene.Repo.AddCollaborator(ghfake.Collaborator{User: c.scene.Writer, Role: "write"})
			c.install(func(s string) string {
				return strings.Replace(s, fmt.Sprintf("app_id: %d", reviewApp), "accept_branch_writers: true", 1)
			})
		}, []string{"013"}, "writer"},
		{"branch writers and nobody else", edit(fmt.Sprintf("app_id: %d", reviewApp), "accept_branch_writers: true"), nil, ""},
		{"every branch may use the environment", environment(environmentFix, func(e *ghfake.Environment) { e.Policy = "" }), []string{"020"}, "every branch"},
		{"every protected branch", environment(environmentFix, func(e *ghfake.Environment) { e.Policy = "protected" }), []string{"020"}, "protected"},
		{"one branch more", environment(environmentFix, func(e *ghfake.Environment) { e.Branches = append(e.Branches, "release/*") }), []string{"020"}, "release"},
		{"no environment", environment(environmentFix, func(e *ghfake.Environment) { e.Name = "other" }), []string{"020", "021"}, "no environment"},
		{"a secret more", environment(environmentFix, func(e *ghfake.Environment) { e.Secrets = append(e.Secrets, "SELF_FIX_REVIEW_APP_KEY") }), []string{"021"}, "REVIEW"},
		{"a secret less", environment(environmentFix, func(e *ghfake.Environment) { e.Secrets = e.Secrets[:1] }), []string{"021"}, "expected"},
		{"the app's key for every branch", environment(environmentReview, func(e *ghfake.Environment) { e.Policy = "" }), []string{"022"}, "every branch"},
		{"a repository secret", func(c *clinic) { c.scene.Repo.AddSecret("TESTSPRITE_API_KEY") }, []string{"023"}, "TESTSPRITE_API_KEY"},
		{"workflows write", func(c *clinic) { c.scene.Repo.SetWorkflowDefaults(ghfake.WorkflowDefaults{Permissions: "write"}) }, []string{"030"}, "write"},
		{"workflows approve", func(c *clinic) { c.scene.Repo.SetWorkflowDefaults(ghfake.WorkflowDefaults{Approve: "approve"}) }, []string{"031"}, "approve"},
		{"another maintainer", edit("login: maintainer\n  id: 1001", "login: maintainer\n  id: 1009"), []string{"032"}, "1009"},
		{"no owners", func(c *clinic) { c.change(".github/CODEOWNERS", "/.github/ @maintainer", "/.github/") }, []string{"050"}, "nobody owns"},
		{"owners taken away again", func(c *clinic) {
			c.change(".github/CODEOWNERS", "/.github/ @maintainer", "/.github/ @maintainer\n/.github/workflows/ # nobody")
		}, []string{"050"}, "workflows/"},
		{"the previews' variables are not listed", func(c *clinic) { c.change(install.VariablesPath, "DATABASE_URL", "") }, []string{"060", "061"}, "says nothing"},
		{"one variable more", environment("Preview", func(e *ghfake.Environment) { e.Secrets = []string{"STRIPE_KEY"} }), []string{"060", "061"}, "STRIPE_KEY"},
		{"a variable that the checker lets pass", func(c *clinic) { c.change(install.VariablesPath, "DATABASE_URL", "DATABASE_URL\nREDIS_URL") }, []string{"061"}, "REDIS_URL"},
		{"an action by tag", workflow("on: push\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n"), []string{"070"}, "other.yml:5"},
		{"a workflow that is no YAML", workflow("on: ["), []string{"070", "075", "076"}, "no YAML"},
		{"a changed script", func(c *clinic) { c.change(install.Folder+"/call.sh", "set -euo pipefail", "set -eu") }, []string{"071"}, "call.sh"},
		{"another trigger", func(c *clinic) { c.change(loop, "on: status", "on: [status, workflow_dispatch]") }, []string{"071", "072"}, "self-fix.yml"},
		{"a machine of one's own", func(c *clinic) { c.change(loop, "runs-on: ubuntu-24.04", "runs-on: [self-hosted]") }, []string{"071", "073"}, "self-fix.yml"},
		{"more rights", func(c *clinic) { c.change(loop, "contents: read", "contents: write") }, []string{"071", "074"}, "self-fix.yml"},
		{"an environment in another workflow", workflow("on: push\njobs:\n  a: {environment: {name: Self-Fix}, steps: []}\n"), []string{"075"}, "Self-Fix"},
		{"a job with the status's name", workflow("on: push\njobs:\n  a: {name: Maintainer-Review, steps: []}\n"), []string{"076"}, "maintainer-review"},
		{"an API key", workflow("on: push\njobs:\n  a: {steps: [], env: {ANTHROPIC_API_KEY: x}}\n"), []string{"077"}, "other.yml"},
		{"pins that are not filled", func(c *clinic) { c.change(install.PinsPath, strings.Repeat("a", 64), install.Unset) }, []string{"080"}, "dagger_cli_sha256"},
		{"the module of the work tree", func(c *clinic) {
			c.change(install.PinsPath, "github.com/o/self-fix@"+strings.Repeat("c", 40), "workspace")
		}, []string{"080"}, "workspace"},
		{"a lockfile with addresses", func(c *clinic) {
			c.change(install.LockfilePath, `"version":"1.0.0",`, `"version":"1.0.0","resolved":"git://x",`)
		}, []string{"081"}, "resolved"},
	}
	c := newClinic(t)
	start, files, given := c.scene.Server.Checkpoint(), c.files, c.policy
	seenToFail := map[string]bool{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := c.scene.Server.Restore(start); err != nil {
				t.Fatal(err)
			}
			c.t, c.files, c.policy = t, maps.Clone(files), given
			tt.set(c)
			r := c.examine()
			var failed []string
			for _, f := range r.Findings {
				if f.Status == Pass {
					continue
				}
				id := strings.TrimPrefix(f.ID, "SF-DOCTOR-")
				failed = append(failed, id)
				seenToFail[f.ID] = true
				if f.Status != Fail || f.Fix == "" || f.Detail == "" {
					t.Errorf("%+v", f)
				}
				if len(failed) == 1 && !strings.Contains(f.Detail, tt.detail) {
					t.Errorf("detail %q, want %q in it", f.Detail, tt.detail)
				}
			}
			if fmt.Sprint(failed) != fmt.Sprint(tt.fails) {
				t.Errorf("failed %v, want %v\n%+v", failed, tt.fails, r.Findings)
			}
			if want := min(len(tt.fails), 1); r.ExitCode() != want {
				t.Errorf("exit code %d, want %d", r.ExitCode(), want)
			}
		})
	}
	for _, check := range checks() {
		if check.id != "SF-DOCTOR-004" && !seenToFail[check.id] {
			t.Errorf("no case in which %s fails", check.id)
		}
	}
}

// A sandbox's policy is no policy for a real repository.
func TestSandboxPolicyOnGitHub(t *testing.T) {
	f := Facts{Policy: Seen[policy.Policy]{Value: policy.Policy{Sandbox: true}}}
	if _, err := policySandbox(f); err == nil {
		t.Error("no weakness")
	}
}

// What cannot be read is unknown, whatever else is well: nobody has looked.
func TestUnreadableIsUnknown(t *testing.T) {
	c := newClinic(t)
	tests := map[string][]string{
		"GET /repos/{owner}/{repo}/rules/branches/{branch}":                               {"010", "011", "012", "013", "014", "051"},
		"GET /repos/{owner}/{repo}/branches/{branch}":                                     {"010", "011", "012", "013"},
		"GET /repos/{owner}/{repo}/actions/permissions/workflow":                          {"030", "031"},
		"GET /repos/{owner}/{repo}/collaborators":                                         {"032"},
		"GET /repos/{owner}/{repo}/actions/secrets":                                       {"023"},
		"GET /repos/{owner}/{repo}/environments/{environment}":                            {"020", "021", "022", "060", "061"},
		"GET /repos/{owner}/{repo}/environments/{environment}/deployment-branch-policies": {"020", "021", "022"},
		"GET /repos/{owner}/{repo}/git/trees/{sha}":                                       {"001", "002", "003", "004", "050", "060", "061", "070", "071", "072", "073", "074", "075", "076", "077", "080", "081"},
		"GET /repos/{owner}/{repo}/git/ref/{ref...}":                                      {"001", "002", "003", "004", "050", "060", "061", "070", "071", "072", "073", "074", "075", "076", "077", "080", "081"},
	}
	start := c.scene.Server.Checkpoint()
	for route, want := range tests {
		for _, broken := range ghfake.Broken()[:6] {
			if err := c.scene.Server.Restore(start); err != nil {
				t.Fatal(err)
			}
			c.scene.Server.Inject(ghfake.Fault{Route: route, Distortion: broken})
			r := c.examine()
			var unknown []string
			for _, f := range r.Findings {
				if f.Status == Unknown {
					unknown = append(unknown, strings.TrimPrefix(f.ID, "SF-DOCTOR-"))
				}
			}
			if fmt.Sprint(unknown) != fmt.Sprint(want) || r.ExitCode() != 2 {
				t.Errorf("%s, %s: exit %d, unknown %v, want %v", route, broken.Name, r.ExitCode(), unknown, want)
			}
		}
	}
	if (Report{}).ExitCode() != 2 || (Report{Findings: []Finding{{}}}).ExitCode() != 2 {
		t.Error("a report without a word is clean")
	}
}

var update = flag.Bool("update", false, "write docs/doctor.md")

func TestReferencePage(t *testing.T) {
	page := filepath.Join(testrepo.Root(t), "docs", "doctor.md")
	if *update {
		if err := os.WriteFile(page, []byte(Reference()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(page)
	if err != nil || string(have) != Reference() {
		t.Errorf("docs/doctor.md is not what the checks say (error %v); go test ./internal/doctor -update writes it", err)
	}
}
