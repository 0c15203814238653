package main

import (
	"context"
	"crypto/rand"
	"fmt"

	"selffix/dagger/internal/dagger"
	"selffix/pipeline"
)

// command is a command of the worker for people, which is no step of the plan.
type command struct {
	args  []string            // constants, and what the caller named for itself
	files map[string]artifact // by name below pipeline.InDir
	token *dagger.Secret      // as GITHUB_TOKEN, for this one exec; nil for none
}

// answer is how a command ended.
type answer struct {
	out  string
	code int // 0 yes, 1 no
}

// command runs a command in a container of its own. Its exit codes 0 and 1 are answers; any other is an error.
func (i *interpreter) command(ctx context.Context, run command) (answer, error) {
	c, err := i.base(pipeline.ImageWorker)
	if err != nil {
		return answer{}, err
	}
	for _, name := range sortedKeys(run.files) {
		at := pipeline.InDir + "/" + name
		if a := run.files[name]; a.dir != nil {
			c = c.WithMountedDirectory(at, a.dir, dagger.ContainerWithMountedDirectoryOpts{ReadOnly: true})
		} else {
			c = c.WithMountedFile(at, a.file)
		}
	}
	if run.token != nil {
		c = i.bind(c, pipeline.Step{Net: pipeline.Network{Hosts: []pipeline.HostKey{pipeline.HostGitHubAPI}}})
	}
	c = c.WithEnvVariable(nonceVariable, rand.Text())
	if run.token != nil {
		c = c.WithSecretVariable("GITHUB_TOKEN", run.token)
	}
	done := c.WithExec(append([]string{WorkerPath}, run.args...), dagger.ContainerWithExecOpts{Expect: dagger.ReturnTypeAny}).
		WithoutSecretVariable("GITHUB_TOKEN")
	code, err := done.ExitCode(ctx)
	if err != nil {
		return answer{}, failed(pipeline.Step{Name: pipeline.StepName(run.args[0])}, err)
	}
	if code != 0 && code != 1 {
		return answer{}, fmt.Errorf("%w: self-fix %s ended with exit code %d", errUndecided, run.args[0], code)
	}
	out, err := done.Stdout(ctx)
	if err != nil {
		return answer{}, fmt.Errorf("read what self-fix %s said: %w", run.args[0], err)
	}
	return answer{out: out, code: code}, nil
}

// fenced puts the kernel fence around a command of the worker that reads what others wrote: no network, no secret, and only the
// inputs to read.
func fenced(args ...string) []string {
	return append([]string{
		"fence", "--profile", "tools", "--read", pipeline.InDir, "--read", "/usr", "--read", "/bin", "--read", "/lib",
		"--write", scratchDir, "--env", "PATH=/usr/local/bin:/usr/bin:/bin", "--env", "HOME=" + scratchDir, "--env", "TMPDIR=" + scratchDir,
		"--timeout", "5m", "--", WorkerPath,
	}, args...)
}
