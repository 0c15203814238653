package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"time"

	"selffix/dagger/internal/dagger"
	"selffix/internal/demo"
	"selffix/pipeline"
	"selffix/pipeline/policy"
)

// Demo plays the whole loop against stand-ins, twice: a repair that is pushed, and a hijacked one that is not.
//
// It needs nothing: no repository, no token, no secret. The stand-ins for GitHub, the model and the test bot are services of this
// module; every other step runs as it does in an installation. In the second play the failure report holds instructions and the
// model obeys them. The folder has report.json and report.html: each step with what it held and met, and what stopped what.
//
// +cache="never"
func (m *SelfFix) Demo(ctx context.Context) (*dagger.Directory, error) {
	w, err := builtWorker()
	if err != nil {
		return nil, err
	}
	voice := demo.NewVoice(os.Stdout, time.Now)
	page := demo.Page{Report: demo.Report{Plays: []demo.Play{}}}
	for _, s := range demo.Scripts() {
		voice.Head(s.Title)
		act, err := play(ctx, w, s.Name, voice)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		page.Add(act)
	}
	report, err := page.Report.Write()
	if err != nil {
		return nil, err
	}
	html, err := page.HTML()
	if err != nil {
		return nil, err
	}
	return dag.Directory().WithNewFile("report.json", string(report)).WithNewFile("report.html", string(html)), nil
}

// play plays one play with stand-ins of its own, and holds it to what it must be.
func play(ctx context.Context, w *dagger.File, name string, voice *demo.Voice) (act demo.Act, err error) {
	s := &stage{worker: w, voice: voice}
	s.stands, err = s.serve(ctx, name)
	if err != nil {
		return act, err
	}
	defer func() {
		if _, stopErr := s.stands.Stop(context.WithoutCancel(ctx)); err == nil && stopErr != nil {
			err = fmt.Errorf("the stand-ins did not stop: %w", stopErr)
		}
	}()
	opened, err := demo.Open(ctx, s.call)
	if err != nil {
		return act, err
	}
	if s.policy, err = policy.Parse([]byte(opened.Policy)); err != nil {
		return act, err
	}
	s.secrets = secrets{}
	for name, text := range opened.Secrets {
		s.secrets[name] = dag.SetSecret("self-fix-demo-"+string(name)+"-"+rand.Text(), text)
	}
	if act, err = demo.Perform(ctx, s.stage(), opened); err != nil {
		return act, err
	}
	return act, demo.Hold(ctx, s.call, act.Play)
}

// stage is one play, with its stand-ins as a service.
type stage struct {
	worker  *dagger.File
	voice   *demo.Voice
	stands  *dagger.Service
	policy  policy.Policy
	secrets secrets
}

// interpreter is the one of the loop, with the stand-ins bound where the plan lets a step reach a host.
func (s *stage) interpreter(p pipeline.Plan) *interpreter {
	return &interpreter{
		plan: p, worker: s.worker, policy: s.policy, secrets: s.secrets,
		sandbox: map[string]*dagger.Service{demo.GitHubAlias: s.stands, demo.ModelAlias: s.stands},
	}
}

func (s *stage) stage() demo.Stage[artifact] {
	return demo.Stage[artifact]{
		Call: s.call, Voice: s.voice, Test: s.test,
		Steps: func(p pipeline.Plan) pipeline.Interpreter[artifact] { return s.interpreter(p) },
		Give:  func(_ context.Context, _ pipeline.Ref, data []byte) (artifact, error) { return text(data), nil },
		Key:   func(context.Context) (artifact, error) { return runKey(), nil },
		Folder: func(_ context.Context, files []demo.File) (artifact, error) {
			d := dag.Directory()
			for _, f := range files {
				mode := 0o644
				if f.Program {
					mode = 0o755
				}
				d = d.WithNewFile(f.Path, f.Text, dagger.DirectoryWithNewFileOpts{Permissions: mode})
			}
			return artifact{dir: d}, nil
		},
		Read: func(ctx context.Context, a artifact) ([]byte, error) {
			content, err := a.file.Contents(ctx)
			return []byte(content), err
		},
	}
}

// serve starts the stand-ins of a play.
func (s *stage) serve(ctx context.Context, name string) (*dagger.Service, error) {
	c, err := s.interpreter(pipeline.Plan{}).base(pipeline.ImageWorker)
	if err != nil {
		return nil, err
	}
	for _, port := range []int{demo.GitHubPort, demo.ModelPort, demo.ControlPort} {
		c = c.WithExposedPort(port)
	}
	return c.WithEnvVariable(nonceVariable, rand.Text()).
		AsService(dagger.ContainerAsServiceOpts{Args: []string{WorkerPath, "sandbox", "serve", "--play", name, "--listen", "0.0.0.0"}}).
		Start(ctx)
}

// answerPath is where a command of the sandbox leaves what it made.
const answerPath = "/agent/answer"

// sandboxed runs one command of the sandbox.
func (s *stage) sandboxed(image pipeline.ImageKey, with func(*dagger.Container) *dagger.Container, args ...string) (*dagger.Container, error) {
	c, err := s.interpreter(pipeline.Plan{}).base(image)
	if err != nil {
		return nil, err
	}
	c = with(c).WithEnvVariable(nonceVariable, rand.Text())
	return c.WithExec(append([]string{WorkerPath, "sandbox"}, args...)), nil
}

// bound binds a container to the stand-ins.
func (s *stage) bound(c *dagger.Container) *dagger.Container {
	return c.WithServiceBinding(demo.GitHubAlias, s.stands)
}

// call carries one message to the stand-ins.
func (s *stage) call(ctx context.Context, name demo.Message, in []byte) ([]byte, error) {
	with := func(c *dagger.Container) *dagger.Container {
		return s.bound(c).WithMountedFile("/in/message", text(in).file)
	}
	c, err := s.sandboxed(pipeline.ImageWorker, with, "control", string(name), "--at", standIn(demo.ControlPort), "--in", "/in/message", "--out", answerPath)
	if err != nil {
		return nil, err
	}
	content, err := c.File(answerPath).Contents(ctx)
	return []byte(content), err
}

// test brings a commit's tree with git, and runs its tests with Node, behind the fence: two containers.
func (s *stage) test(ctx context.Context, commit string) (demo.TestRun, error) {
	brought, err := s.sandboxed(pipeline.ImageWorker, s.bound, "bring", "--at", standIn(demo.GitHubPort), "--commit", commit, "--out", answerPath)
	if err != nil {
		return demo.TestRun{}, err
	}
	runner, err := s.runner()
	if err != nil {
		return demo.TestRun{}, err
	}
	with := func(c *dagger.Container) *dagger.Container {
		return c.WithMountedDirectory("/in/app", brought.Directory(answerPath)).WithMountedDirectory("/in/node_modules", runner)
	}
	tested, err := s.sandboxed(pipeline.ImageNode, with, "test", "--app", "/in/app", "--commit", commit, "--modules", "/in/node_modules", "--out", answerPath)
	if err != nil {
		return demo.TestRun{}, err
	}
	content, err := tested.File(answerPath).Contents(ctx)
	if err != nil {
		return demo.TestRun{}, err
	}
	return demo.ReadTestRun([]byte(content))
}

// runner is the test runner, installed from the application's lockfile. It is pinned by that, so it may come from the cache.
func (s *stage) runner() (*dagger.Directory, error) {
	c, err := s.interpreter(pipeline.Plan{}).base(pipeline.ImageNode)
	if err != nil {
		return nil, err
	}
	const at = "/agent/runner"
	return c.WithExec([]string{WorkerPath, "sandbox", "modules", "--out", at}).Directory(at + "/node_modules"), nil
}

func standIn(port int) string { return fmt.Sprintf("http://%s:%d", demo.GitHubAlias, port) }
