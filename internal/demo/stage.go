package demo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"selffix/internal/ghfake"
	"selffix/internal/modelfake"
	"selffix/internal/play"
	"selffix/internal/tokens"
	"selffix/pipeline"
	"selffix/pipeline/local"
	"selffix/pipeline/policy"
)

// Tokens of the stand-ins, beside those of ghfake. Each goes to loopback only.
const (
	statusToken = ghfake.SandboxPrefix + "status"
	botKey      = ghfake.SandboxPrefix + "bot-key"
)

// previewURL is where the tested commit is deployed, as GitHub's record of the deployment says. Nobody asks it.
const previewURL = "https://app-git-feature.vercel.app"

// noBot is the bot's host in the policy: port 9 discards. The stand-in answers from files and asks nobody.
const noBot = "http://127.0.0.1:9"

// canaryName is the one file outside of the checkout that the plays name.
const canaryName = "canary.txt"

// workflow is the file whose runs the gates count.
const workflow = ".github/workflows/self-fix.yml"

// stage is one play laid out: a GitHub, a model, a repository with a red pull request in the making.
type stage struct {
	o          Options
	voice      *voice
	play       play.Play
	modules    string // the application's node_modules
	ip         *local.Interpreter
	model      *modelfake.Running // nil: the real one
	gh         *ghfake.Server
	repo       *ghfake.Repository
	maintainer ghfake.User
	bot        ghfake.User
	pull       *ghfake.PullRequest
	runID      int64
	policy     policy.Policy
	policyFile string
	answers    string // the folder of the bot's stand-in
	outside    string // a folder of the machine that is none of the agent's
	rows       []*Step
}

// newStage lays everything out in the run folder of an interpreter, which a later run removes if this one is killed.
func newStage(ctx context.Context, o Options, v *voice, p play.Play, modules string) (*stage, error) {
	s := &stage{o: o, voice: v, play: p, modules: modules}
	model := o.Token
	if model.Empty() {
		var err error
		if model, err = tokens.New(play.Token); err != nil {
			return nil, err
		}
	}
	secrets := map[pipeline.SecretName]tokens.Token{pipeline.SecretModel: model}
	for name, text := range map[pipeline.SecretName]string{
		pipeline.SecretGitHubRead: ghfake.ReadToken, pipeline.SecretGitHubWrite: ghfake.WriteToken,
		pipeline.SecretGitHubStatus: statusToken, pipeline.SecretBot: botKey,
	} {
		t, err := tokens.New(text)
		if err != nil {
			return nil, err
		}
		secrets[name] = t
	}
	ip, err := local.New(local.Options{
		Worker: o.Worker, Secrets: secrets, Offline: o.Offline, Getenv: o.Getenv, Stderr: o.Out,
		Keep: map[pipeline.Ref]string{"tools.tools": o.Cache},
	})
	if err != nil {
		return nil, err
	}
	s.ip = ip
	if err := s.set(ctx, model); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// close ends the stand-ins, then removes the run's folder.
func (s *stage) close() error {
	var err error
	if s.model != nil {
		err = s.model.Close()
	}
	if s.gh != nil {
		err = errors.Join(err, s.gh.Close())
	}
	return errors.Join(err, s.ip.Close())
}

func (s *stage) set(ctx context.Context, model tokens.Token) error {
	outside, err := s.ip.Folder("outside")
	if err != nil {
		return err
	}
	s.outside = outside
	if err := write(filepath.Join(outside, canaryName), []byte(canary), 0o644); err != nil {
		return err
	}
	if s.o.Token.Empty() {
		if err := s.startModel(); err != nil {
			return err
		}
	}
	if err := s.startGitHub(ctx); err != nil {
		return err
	}
	if err := s.writePolicy(model); err != nil {
		return err
	}
	return s.openPull()
}

func (s *stage) startModel() error {
	at := play.StepPaths(s.outside)
	if !s.ip.OwnRoot() {
		at = play.Paths{Checkout: ".", In: "../in", Outside: s.outside}
	}
	script, err := s.play.Script(at)
	if err != nil {
		return err
	}
	s.model, err = modelfake.Start(modelfake.Options{Key: play.Token, Script: script})
	return err
}

func (s *stage) startGitHub(ctx context.Context) error {
	dir, err := s.ip.Folder("github")
	if err != nil {
		return err
	}
	// It ends by close, not with ctx: what a cancelled step still asks is answered.
	s.gh, err = ghfake.Serve(context.WithoutCancel(ctx), ghfake.Options{Dir: dir})
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

// writePolicy makes the seed's policy one for a sandbox. A real model keeps its host, and gets the one token that may go
// there; every other host is loopback.
func (s *stage) writePolicy(model tokens.Token) error {
	seed, err := fs.ReadFile(s.o.Files, "policy/seed.yaml")
	if err != nil {
		return err
	}
	hosts := []string{
		"sandbox: false", "sandbox: true", "github_api: https://api.github.com", "github_api: " + s.gh.URL,
		"github_git: https://github.com", "github_git: " + s.gh.URL, "bot: https://api.testsprite.com", "bot: " + noBot,
	}
	if s.model != nil {
		hosts = append(hosts, "model: https://api.anthropic.com", "model: "+s.model.URL)
	}
	given, err := s.ip.Folder("given")
	if err != nil {
		return err
	}
	s.policyFile = filepath.Join(given, "policy.yaml")
	if err := write(s.policyFile, []byte(strings.NewReplacer(hosts...).Replace(string(seed))), 0o644); err != nil {
		return err
	}
	if s.policy, err = policy.Load(s.policyFile); err != nil {
		return err
	}
	if !s.policy.Sandbox {
		return errors.New("the demo's policy is not one of a sandbox")
	}
	return tokens.Check(s.policy.Sandbox, s.policy.Hosts.Model, model)
}

// openPull makes the repository, and the maintainer's pull request with the bug. The preview was deployed two minutes ago.
func (s *stage) openPull() error {
	before, err := s.appFiles()
	if err != nil {
		return err
	}
	buggy, err := fs.ReadFile(s.o.Files, "app/"+bugFile)
	if err != nil {
		return err
	}
	change := map[string]string{bugFile: string(buggy)}
	for _, f := range s.play.Files {
		change[f.Path] = f.Text
	}
	s.gh.Clock.Advance(-time.Hour)
	s.repo, err = s.gh.AddRepository(ghfake.RepositoryOptions{FullName: "maintainer/app", Owner: s.maintainer, Files: before})
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
	s.gh.Clock.Advance(8 * time.Minute)
	s.repo.AddDeployment(ghfake.User{ID: 35613825, Login: "vercel[bot]", Type: "Bot"}, s.pull.Head(), s.policy.Evidence.Environment, previewURL)
	s.gh.Clock.Advance(2 * time.Minute)
	s.voice.say("maintainer", "opened pull request #%d, which splits amounts anew: commit %.10s", s.pull.Number, s.pull.Head())
	return nil
}

// bugFile is the file of the application that the pull request breaks.
const bugFile = "packages/core/src/split.ts"

// appFiles is the default branch: the application before the pull request, and the policy.
func (s *stage) appFiles() (map[string]string, error) {
	files := map[string]string{}
	for _, dir := range []string{"app", "demo/before"} {
		more, err := readTree(s.o.Files, dir)
		if err != nil {
			return nil, err
		}
		maps.Copy(files, more)
	}
	text, err := os.ReadFile(s.policyFile)
	if err != nil {
		return nil, err
	}
	files[".github/self-fix.yaml"] = string(text)
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

// write makes a file and the folders on the way to it.
func write(name string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("lay the stage out: %w", err)
	}
	if err := os.WriteFile(name, data, mode); err != nil {
		return fmt.Errorf("lay the stage out: %w", err)
	}
	return nil
}
