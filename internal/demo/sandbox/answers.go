package sandbox

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"selffix/internal/demo"
)

// Ids of the stand-in's one project, test and run.
const (
	projectID = "project_demo"
	testID    = "test_shares"
	failedRun = "run_red"
)

// failedStep is the step of the bot's test at which the page showed what it should not.
const failedStep = 5

// tools is the bot's command line after the failing run: a stand-in, with its listings and the run's artifact as documented,
// made of what the tests really said and of what the page showed.
func (s *Server) tools(run demo.TestRun) ([]demo.File, error) {
	script, err := fs.ReadFile(s.o.Files, "demo/testsprite")
	if err != nil {
		return nil, err
	}
	const bin = "node_modules/.bin/"
	files := []demo.File{{Path: bin + "testsprite", Text: string(script), Program: true}, {Path: bin + "key", Text: botKey}}
	for name, v := range s.documents(run) {
		text, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("write what the bot answers: %w", err)
		}
		files = append(files, demo.File{Path: bin + name, Text: string(text)})
	}
	slices.SortFunc(files, func(a, b demo.File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

type object map[string]any

func (s *Server) documents(run demo.TestRun) map[string]any {
	target := PreviewURL + "/group"
	began := run.Began.Format(time.RFC3339)
	summary := fmt.Sprintf("Failed (assertion) on step %d: %s", failedStep, strings.Join(run.Failing, "; "))
	artifact := "runs/" + failedRun + "/"
	same := func(more object) object {
		more["testId"], more["runIdIfAvailable"], more["snapshotId"], more["targetUrl"] = testID, failedRun, "snap_demo", target
		more["failedStepIndex"], more["failureKind"] = failedStep, "assertion"
		return more
	}
	return map[string]any{
		"projects.json": object{"items": []object{{"id": projectID, "name": "Splitter"}}, "nextToken": nil},
		"tests.json":    object{"items": []object{{"id": testID, "projectId": projectID, "status": "failed"}}, "nextToken": nil},
		"history.json": object{"runs": []object{{"runId": failedRun, "status": "failed", "startedAt": began, "targetUrl": target}},
			"nextCursor": nil},
		artifact + "meta.json": same(object{"schemaVersion": "cli-v1", "projectId": projectID, "capturedAt": began, "fetchedAt": began}),
		artifact + "result.json": same(object{"status": "failed", "startedAt": began, "finishedAt": began, "summary": summary,
			"trace": run.Output}),
		artifact + "failure.json": object{"rootCauseHypothesis": "The shares do not add up to the amount.",
			"recommendedFixTarget": object{"kind": "code", "reference": bugFile, "rationale": "The shares are computed there."}, "evidence": []object{}},
		artifact + "steps/05-evidence.json": []object{{"kind": "page", "stepIndex": failedStep, "summary": s.o.Play.Report}},
	}
}
