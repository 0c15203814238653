package main

import (
	"crypto/rand"
	"fmt"

	"selffix/dagger/internal/dagger"
	"selffix/pipeline"
)

// fileName is how files are called in the folders that one passes through on its way to a step.
const fileName = "file"

// given is a file that the caller brought, readable by whatever user a step's fence runs as.
func given(f *dagger.File) artifact {
	d := dag.Directory().WithFile(fileName, f, dagger.DirectoryWithFileOpts{Permissions: 0o644})
	return artifact{file: d.File(fileName)}
}

// text is a file with this content. It stands in the query and in spans: never a secret.
func text(content []byte) artifact {
	return artifact{file: dag.Directory().WithNewFile(fileName, string(content), dagger.DirectoryWithNewFileOpts{Permissions: 0o644}).File(fileName)}
}

// run is which run of the workflow this is.
func run(id, attempt int, event string) (artifact, error) {
	data, err := pipeline.WriteRun(pipeline.ThisRun{RunID: int64(id), Attempt: attempt, EventName: event})
	if err != nil {
		return artifact{}, err
	}
	return text(data), nil
}

// runKey is this run's random key between agent and model proxy. It is worth nothing elsewhere, and travels as a secret so that
// nobody who reads the log while the run lasts can spend its money.
func runKey() artifact {
	key := "self-fix-run-" + rand.Text() + rand.Text()
	return artifact{secret: dag.SetSecret("self-fix-run-key-"+rand.Text(), key)}
}

// outcomeFile says how a run ended, for a folder of results.
func outcomeFile(o pipeline.Outcome) (string, error) {
	data, err := pipeline.WriteOutcome(o)
	if err != nil {
		return "", err
	}
	return string(data), nil
}

// folder lays the artifacts of a run that exist into one folder, beside the outcome.
func folder(o pipeline.Outcome, have map[pipeline.Ref]artifact, names map[string]pipeline.Ref) (*dagger.Directory, error) {
	how, err := outcomeFile(o)
	if err != nil {
		return nil, fmt.Errorf("write the outcome: %w", err)
	}
	d := dag.Directory().WithNewFile(outcomeName, how)
	for _, name := range sortedKeys(names) {
		a := have[names[name]]
		switch {
		case a.file != nil:
			d = d.WithFile(name, a.file)
		case a.dir != nil:
			d = d.WithDirectory(name, a.dir)
		}
	}
	return d, nil
}
