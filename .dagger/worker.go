package main

import (
	"selffix/dagger/internal/dagger"
	"selffix/internal/images"
)

// WorkerPath is where the worker lies in every step. It is the entry of each, and the only one.
const WorkerPath = "/usr/local/bin/self-fix"

// builtWorker is the worker, built from this module's own source: the one that dagger.json lists, at the commit that the module
// was called by. No argument leads here, so that nothing can put another program in its place. The folder above the module's
// is its context, the root of this repository. No cache volume is used: other modules of the same name share those, and what
// they left would be built in.
func builtWorker() (*dagger.File, error) {
	image, err := images.Builder()
	if err != nil {
		return nil, err
	}
	source := dag.CurrentModule().Source().Directory("..").WithoutDirectory(".dagger")
	const at = "/src"
	return dag.Container().From(image).
		WithUser("0:0").
		WithWorkdir(at).
		WithEnvVariable("CGO_ENABLED", "0").
		WithFile(at+"/go.mod", source.File("go.mod")).
		WithFile(at+"/go.sum", source.File("go.sum")).
		WithExec([]string{"go", "mod", "download"}).
		WithDirectory(at, source).
		WithExec([]string{"go", "build", "-trimpath", "-buildvcs=false", "-o", "/built/self-fix", "./cmd/self-fix"}).
		File("/built/self-fix"), nil
}
