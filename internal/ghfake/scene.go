package ghfake

import (
	"context"
	"errors"
	"time"
)

// Tokens of a [Scene].
const (
	ReadToken  = SandboxPrefix + "read"
	WriteToken = SandboxPrefix + "write"
	AdminToken = SandboxPrefix + "admin"
	BotToken   = SandboxPrefix + "bot"
)

// SceneOptions describes the usual situation. Zero values are filled in from the seed's policy: maintainer 1001, the test
// bot 258111874 and its context, a preview on .vercel.app.
type SceneOptions struct {
	FullName  string            // "": maintainer/app
	Files     map[string]string // of the default branch
	Branch    string            // of the pull request; "": feature
	Change    map[string]string // what the pull request changes; nil: one file
	Context   string            // of the bot's status; "": TestSprite V3
	Workflow  string            // path of the workflow whose run this is; "": .github/workflows/self-fix.yml
	Preview   string            // URL of the tested commit's deployment
	Private   bool              // the repository is not readable without a token
	ReviewApp App               // pinned for maintainer-review if its id is set; else any app may post it
}

// Scene is a red pull request of the maintainer: the tested commit is deployed and judged as failing by the test bot, and
// the workflow's run for that status is in progress. All four gates hold.
type Scene struct {
	Server     *Server
	Repo       *Repository
	Maintainer User
	Bot        User
	Writer     User // another account with write access
	Pull       *PullRequest
	Tested     string // the tested commit
	Status     Status // the failing one
	RunID      int64
	Workflow   string
	Context    string
}

// NewScene starts a server and sets the scene. The last thing happened a minute before the server's clock.
func NewScene(ctx context.Context, o Options, so SceneOptions) (*Scene, error) {
	srv, err := Serve(ctx, o)
	if err != nil {
		return nil, err
	}
	so.fill()
	srv.Clock.Advance(-3 * time.Hour)
	sc := &Scene{Server: srv, Workflow: so.Workflow, Context: so.Context,
		Maintainer: srv.AddUser(User{ID: 1001, Login: "maintainer"}),
		Bot:        srv.AddUser(User{ID: 258111874, Login: "testsprite[bot]", Type: "Bot"}),
		Writer:     srv.AddUser(User{ID: 1002, Login: "writer"})}
	if err := sc.set(so); err != nil {
		return nil, errors.Join(err, srv.Close())
	}
	return sc, nil
}

func (o *SceneOptions) fill() {
	for field, value := range map[*string]string{&o.FullName: "maintainer/app", &o.Branch: "feature", &o.Context: "TestSprite V3",
		&o.Workflow: ".github/workflows/self-fix.yml", &o.Preview: "https://app-git-feature.vercel.app"} {
		if *field == "" {
			*field = value
		}
	}
	if o.Files == nil {
		o.Files = map[string]string{"README.md": "# app\n", "packages/web/src/label.ts": "export const label = \"Sve\";\n"}
	}
	if o.Change == nil {
		o.Change = map[string]string{"packages/web/src/button.ts": "export const button = \"Save\";\n"}
	}
}

func (sc *Scene) set(o SceneOptions) error {
	srv := sc.Server
	repo, err := srv.AddRepository(RepositoryOptions{ID: 900001, FullName: o.FullName, Private: o.Private, Owner: sc.Maintainer, Files: o.Files})
	if err != nil {
		return err
	}
	sc.Repo = repo
	pin := o.ReviewApp.ID
	if pin != 0 {
		srv.AddApp(o.ReviewApp)
	}
	repo.RequireChecks("main", RequiredCheck{Context: "maintainer-review", AppID: pin})
	srv.Clock.Advance(time.Hour)
	sc.Pull, err = repo.OpenPull(PullOptions{Author: sc.Maintainer, Branch: o.Branch, Title: "Add a button", Commits: []Commit{{Message: "Add a button", Files: o.Change}}})
	if err != nil {
		return err
	}
	sc.Tested = sc.Pull.Head()
	srv.Clock.Advance(time.Hour)
	repo.AddDeployment(User{ID: 35613825, Login: "vercel[bot]", Type: "Bot"}, sc.Tested, "Preview", o.Preview)
	srv.Clock.Advance(59 * time.Minute)
	sc.Status = repo.PostStatus(sc.Bot, sc.Tested, o.Context, "failure")
	sc.RunID = repo.AddRun(Run{Path: o.Workflow, Event: "status", Status: "in_progress", Actor: sc.Bot,
		Jobs: []Job{{Name: "gate", Status: "in_progress", Runner: "GitHub Actions 1"}}})
	srv.Clock.Advance(time.Minute)
	admin := AllPermissions()
	return errors.Join(
		srv.AddActionsToken(ReadToken, ReadPermissions()),
		srv.AddActionsToken(WriteToken, WritePermissions()),
		srv.AddToken(AdminToken, Token{User: sc.Maintainer, Permissions: admin}),
		srv.AddToken(BotToken, Token{User: sc.Bot, Permissions: WritePermissions()}))
}

// AddAttempt records an earlier run whose fix job started for the pull request, which is what an attempt is.
func (sc *Scene) AddAttempt(number int, at time.Time, conclusion string) int64 {
	return sc.Repo.AddRun(Run{Path: sc.Workflow, Event: "status", Conclusion: conclusion, CreatedAt: at, Actor: sc.Bot, Jobs: []Job{
		{Name: "gate", Conclusion: "success", CreatedAt: at, StartedAt: at, Runner: "GitHub Actions 1"},
		{Name: FixJob(number), Conclusion: conclusion, CreatedAt: at, StartedAt: at.Add(time.Minute), Runner: "GitHub Actions 2"}}})
}

// AddSkipped records an earlier run whose jobs were all skipped, as most runs of a status event are.
func (sc *Scene) AddSkipped(at time.Time) int64 {
	return sc.Repo.AddRun(Run{Path: sc.Workflow, Event: "status", Conclusion: "skipped", CreatedAt: at, Actor: sc.Bot, Jobs: []Job{
		{Name: "gate", Conclusion: "skipped", CreatedAt: at}, {Name: "fix", Conclusion: "skipped", CreatedAt: at}}})
}
