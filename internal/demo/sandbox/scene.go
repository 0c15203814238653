package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"strings"
	"time"

	"selffix/internal/ghfake"
	"selffix/internal/play"
	"selffix/pipeline"
	"selffix/pipeline/policy"
)

// Tokens of the stand-ins, beside those of ghfake and of the plays. Each goes to loopback only.
const (
	statusToken = ghfake.SandboxPrefix + "status"
	botKey      = ghfake.SandboxPrefix + "bot-key"
)

// PreviewURL is where the tested commit is deployed, as GitHub's record of the deployment says. Nobody asks it.
const PreviewURL = "https://app-git-feature.vercel.app"

// noBot is the bot's host in the policy: port 9 discards. The stand-in answers from files and asks nobody.
const noBot = "http://127.0.0.1:9"

// workflow is the file whose runs the gates count.
const workflow = ".github/workflows/self-fix.yml"

// bugFile is the file of the application that the pull request breaks.
const bugFile = "packages/core/src/split.ts"

// Secrets are the made-up tokens by the plan's names for them.
func Secrets() map[pipeline.SecretName]string {
	return map[pipeline.SecretName]string{
		pipeline.SecretGitHubRead: ghfake.ReadToken, pipeline.SecretGitHubWrite: ghfake.WriteToken, pipeline.SecretGitHubStatus: statusToken,
		pipeline.SecretBot: botKey, pipeline.SecretModel: play.Token,
	}
}

// startGitHub makes a GitHub with the accounts and tokens of the play. base is what its answers call it.
func (s *Server) startGitHub(ctx context.Context, base string) error {
	var err error
	// It ends by Close, not with ctx: what a cancelled step still asks is answered.
	s.gh, err = ghfake.Serve(context.WithoutCancel(ctx), ghfake.Options{Dir: s.o.Dir, Public: base})
	if err != nil {
		return err
	}
	status := ghfake.ReadPermissions()
	status["statuses"] = "write"
	s.maintainer = s.gh.AddUser(ghfake.User{ID: 1001, Login: "maintainer"})
	s.bot = s.gh.AddUser(ghfake.User{ID: 258111874, Login: "testsprite[bot]", Type: "Bot"})
	return errors.Join(
		s.gh.AddActionsToken(ghfake.ReadToken, ghfake.ReadPermissions()),
		s.gh.AddActionsToken(ghfake.WriteToken, ghfake.WritePermissions()),
		s.gh.AddActionsToken(statusToken, status))
}

// writePolicy makes the seed's policy one for a sandbox. A real model keeps its host; every other host is a stand-in's.
func (s *Server) writePolicy() error {
	seed, err := fs.ReadFile(s.o.Files, "policy/seed.yaml")
	if err != nil {
		return err
	}
	hosts := []string{
		"sandbox: false", "sandbox: true", "github_api: https://api.github.com", "github_api: " + s.GitHub,
		"github_git: https://github.com", "github_git: " + s.GitHub, "bot: https://api.testsprite.com", "bot: " + noBot,
	}
	if s.model != nil {
		hosts = append(hosts, "model: https://api.anthropic.com", "model: "+s.Model)
	}
	s.policyText = strings.NewReplacer(hosts...).Replace(string(seed))
	if s.policy, err = policy.Parse([]byte(s.policyText)); err != nil {
		return err
	}
	if !s.policy.Sandbox {
		return errors.New("the demo's policy is not one of a sandbox")
	}
	return nil
}

// openPull makes the repository, and the maintainer's pull request with the bug. The preview was deployed two minutes ago.
func (s *Server) openPull() error {
	before, err := s.appFiles()
	if err != nil {
		return err
	}
	buggy, err := fs.ReadFile(s.o.Files, "app/"+bugFile)
	if err != nil {
		return err
	}
	change := map[string]string{bugFile: string(buggy)}
	for _, f := range s.o.Play.Files {
		change[f.Path] = f.Text
	}
	s.gh.Clock.Advance(-time.Hour)
	s.repo, err = s.gh.AddRepository(ghfake.RepositoryOptions{FullName: Repository, Owner: s.maintainer, Files: before})
	if err != nil {
		return err
	}
	s.repo.RequireChecks("main", ghfake.RequiredCheck{Context: s.policy.Review.Context})
	s.gh.Clock.Advance(50 * time.Minute)
	s.pull, err = s.repo.OpenPull(ghfake.PullOptions{Author: s.maintainer, Branch: "feature", Title: "Compute shares in one pass",
		Commits: []ghfake.Commit{{Message: "Compute shares in one pass", Files: change}}})
	if err != nil {
		return err
	}
	s.tested = s.pull.Head()
	s.gh.Clock.Advance(8 * time.Minute)
	s.repo.AddDeployment(ghfake.User{ID: 35613825, Login: "vercel[bot]", Type: "Bot"}, s.tested, s.policy.Evidence.Environment, PreviewURL)
	s.gh.Clock.Advance(2 * time.Minute)
	return nil
}

// appFiles is the default branch: the application before the pull request, and the policy.
func (s *Server) appFiles() (map[string]string, error) {
	files := map[string]string{}
	for _, dir := range []string{"app", "demo/before"} {
		more, err := readTree(s.o.Files, dir)
		if err != nil {
			return nil, err
		}
		maps.Copy(files, more)
	}
	files[".github/self-fix.yaml"] = s.policyText
	return files, nil
}

func readTree(files fs.FS, dir string) (map[string]string, error) {
	sub, err := fs.Sub(files, dir)
	if err != nil {
		return nil, err
	}
	tree := map[string]string{}
	return tree, fs.WalkDir(sub, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(sub, p)
		tree[p] = string(data)
		return err
	})
}
