package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"selffix/dagger/internal/dagger"
	"selffix/internal/images"
	"selffix/pipeline"
	"selffix/pipeline/policy"
)

// The names that every step's container has.
const (
	scratchDir    = "/agent"         // a home and temporary files
	outcomeName   = "outcome.json"   // below pipeline.OutDir
	nonceVariable = "SELF_FIX_NONCE" // another value before each exec that reads or changes the world
	root          = "0:0"            // of the worker; what it fences gets a user of its own
	secretMode    = 0o400
)

// startGrace is what a container may take beside its step's own time.
const startGrace = 2 * time.Minute

// artifact is how this interpreter names what steps are given and make: exactly one of the three.
type artifact struct {
	file   *dagger.File
	dir    *dagger.Directory
	secret *dagger.Secret // the run's key alone: a value that stands in no query and no span
}

// interpreter turns one step of the plan into one exec in a container of its own.
type interpreter struct {
	plan    pipeline.Plan
	worker  *dagger.File
	policy  policy.Policy
	secrets secrets
	sandbox map[string]*dagger.Service // by alias
}

var _ pipeline.Interpreter[artifact] = (*interpreter)(nil)

// Run runs one step to its end.
func (i *interpreter) Run(ctx context.Context, s pipeline.Step, in map[pipeline.Ref]artifact, services map[pipeline.StepName]pipeline.Service[artifact]) (map[pipeline.Ref]artifact, pipeline.Outcome, error) {
	c, err := i.prepare(s, in)
	if err != nil {
		return nil, pipeline.Outcome{}, err
	}
	if relay := s.Net.Relay; relay != "" {
		to, ok := services[relay].(*service)
		if !ok {
			return nil, pipeline.Outcome{}, fmt.Errorf("the service %s does not run", relay)
		}
		c = c.WithServiceBinding(string(relay), to.running)
	}
	// Images are pulled and the worker is built before the step's time begins.
	if c, err = c.Sync(ctx); err != nil {
		return nil, pipeline.Outcome{}, fmt.Errorf("prepare the container: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, s.Limits.Timeout+startGrace)
	defer cancel()
	if c, err = i.grant(c, s, in); err != nil {
		return nil, pipeline.Outcome{}, err
	}
	done := i.revoke(c.WithExec(entry(s)), s, in)
	return collect(ctx, s, done)
}

// entry is what every container runs.
func entry(s pipeline.Step) []string { return append([]string{WorkerPath}, s.Args...) }

// base is the container that every program of the worker runs in: image, worker, and a folder of its own.
func (i *interpreter) base(key pipeline.ImageKey) (*dagger.Container, error) {
	image, err := images.For(key, i.policy.Images)
	if err != nil {
		return nil, err
	}
	return dag.Container().From(image).
		WithoutEntrypoint().
		WithUser(root).
		WithWorkdir("/").
		WithDirectory(scratchDir, dag.Directory()).
		WithEnvVariable("HOME", scratchDir).
		WithEnvVariable("TMPDIR", scratchDir).
		WithMountedFile(WorkerPath, i.worker), nil
}

// prepare lays a step out: inputs at their paths, stand-ins. Nothing of it is secret.
func (i *interpreter) prepare(s pipeline.Step, in map[pipeline.Ref]artifact) (*dagger.Container, error) {
	c, err := i.base(s.Image)
	if err != nil {
		return nil, err
	}
	for _, name := range sortedKeys(s.Env) {
		c = c.WithEnvVariable(name, s.Env[name])
	}
	for _, input := range s.In {
		a, ok := in[input.Ref]
		switch {
		case !ok:
			return nil, fmt.Errorf("step %s: %s was not given", s.Name, input.Ref)
		case a.file != nil:
			c = c.WithMountedFile(input.Path, a.file)
		case a.dir != nil:
			// A writable mount is this container's own copy; its changes leave it only as an output.
			c = c.WithMountedDirectory(input.Path, a.dir, dagger.ContainerWithMountedDirectoryOpts{ReadOnly: input.Access != pipeline.Copy})
		case a.secret == nil:
			return nil, fmt.Errorf("step %s: %s is empty", s.Name, input.Ref)
		}
	}
	return i.bind(c, s), nil
}

// steps runs a plan's steps from first to last.
func (i *interpreter) steps(ctx context.Context, plan pipeline.Plan, first, last pipeline.StepName, in map[pipeline.Ref]artifact) (map[pipeline.Ref]artifact, pipeline.Result, error) {
	i.plan = plan
	have, result, err := pipeline.RunPart(ctx, plan, first, last, i, in)
	if err == nil && result.Outcome.Decision == pipeline.Undecided {
		err = fmt.Errorf("%w: %s: %s", errUndecided, result.Outcome.Rule, result.Outcome.Reason)
	}
	return have, result, err
}

// bind lets a step reach the stand-ins for the hosts that the plan lets it reach.
func (i *interpreter) bind(c *dagger.Container, s pipeline.Step) *dagger.Container {
	var aliases []string
	for _, key := range s.Net.Hosts {
		u, err := url.Parse(i.host(key))
		if err != nil || i.sandbox[u.Hostname()] == nil || slices.Contains(aliases, u.Hostname()) {
			continue
		}
		aliases = append(aliases, u.Hostname())
	}
	for _, alias := range aliases {
		c = c.WithServiceBinding(alias, i.sandbox[alias])
	}
	return c
}

// host is the policy's base URL of a host.
func (i *interpreter) host(key pipeline.HostKey) string {
	h := i.policy.Hosts
	return map[pipeline.HostKey]string{
		pipeline.HostGitHubAPI: h.GitHubAPI, pipeline.HostGitHubGit: h.GitHubGit, pipeline.HostModel: h.Model,
		pipeline.HostBot: h.Bot, pipeline.HostBotArtifacts: h.BotArtifacts,
	}[key]
}

// grant is the last thing before a step's one exec: the nonce, and the step's secrets as files.
func (i *interpreter) grant(c *dagger.Container, s pipeline.Step, in map[pipeline.Ref]artifact) (*dagger.Container, error) {
	if s.Fresh || s.Effect != pipeline.EffectNone {
		c = c.WithEnvVariable(nonceVariable, rand.Text())
	}
	as := dagger.ContainerWithMountedSecretOpts{Owner: root, Mode: secretMode}
	for _, g := range s.Secrets {
		secret := i.secrets[g.Secret]
		if secret == nil {
			return nil, fmt.Errorf("step %s: the secret %s was not given", s.Name, g.Secret)
		}
		c = c.WithMountedSecret(g.Path, secret, as)
	}
	for _, input := range s.In {
		if secret := in[input.Ref].secret; secret != nil {
			c = c.WithMountedSecret(input.Path, secret, as)
		}
	}
	return c, nil
}

// revoke takes the secrets away again, so that no later exec of the container could see one. There is none.
func (i *interpreter) revoke(c *dagger.Container, s pipeline.Step, in map[pipeline.Ref]artifact) *dagger.Container {
	for _, g := range s.Secrets {
		c = c.WithoutMount(g.Path)
	}
	for _, input := range s.In {
		if in[input.Ref].secret != nil {
			c = c.WithoutMount(input.Path)
		}
	}
	return c
}

// collect reads how a step says that it ended, and takes its outputs: files and folders, never the container.
func collect(ctx context.Context, s pipeline.Step, done *dagger.Container) (map[pipeline.Ref]artifact, pipeline.Outcome, error) {
	left := done.Directory(pipeline.OutDir)
	names, err := left.Entries(ctx)
	if err != nil {
		return nil, pipeline.Outcome{}, failed(s, err)
	}
	if !slices.Contains(names, outcomeName) {
		return nil, pipeline.Outcome{}, nil // the driver takes it for undecided
	}
	text, err := left.File(outcomeName).Contents(ctx)
	if err != nil {
		return nil, pipeline.Outcome{}, failed(s, err)
	}
	outcome, err := pipeline.ReadOutcome([]byte(text))
	if err != nil {
		return nil, pipeline.Outcome{}, err
	}
	out := map[pipeline.Ref]artifact{}
	for _, o := range s.Out {
		first, _, _ := strings.Cut(strings.TrimPrefix(o.Path, pipeline.OutDir+"/"), "/")
		if strings.HasPrefix(o.Path, pipeline.OutDir+"/") && !slices.Contains(names, first) && !slices.Contains(names, first+"/") {
			continue
		}
		if o.Dir {
			out[s.Ref(o.Name)] = artifact{dir: done.Directory(o.Path)}
			continue
		}
		f := done.File(o.Path)
		size, err := f.Size(ctx)
		if err != nil {
			return nil, pipeline.Outcome{}, failed(s, err)
		}
		if int64(size) > o.MaxBytes {
			return nil, pipeline.Outcome{}, fmt.Errorf("step %s: its output %s has %d bytes, the limit is %d", s.Name, o.Name, size, o.MaxBytes)
		}
		out[s.Ref(o.Name)] = artifact{file: f}
	}
	return out, outcome, nil
}

// failed keeps what a program printed out of an error: it may quote what others wrote, and errors reach logs and spans.
func failed(s pipeline.Step, err error) error {
	var exec *dagger.ExecError
	if errors.As(err, &exec) {
		return fmt.Errorf("step %s: the worker ended with exit code %d", s.Name, exec.ExitCode)
	}
	return fmt.Errorf("step %s: %w", s.Name, err)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
