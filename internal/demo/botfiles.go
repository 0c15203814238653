package demo

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

// Ids of the stand-in's one project, test and run.
const (
	projectID = "project_demo"
	testID    = "test_shares"
	failedRun = "run_red"
)

// failedStep is the step of the bot's test at which the page showed what it should not.
const failedStep = 5

// writeAnswers lays out what the bot's command line answers after the failing run: its listings, and the run's artifact
// as documented, made of what the tests really said and of what the page showed.
func (s *stage) writeAnswers(run testRun) error {
	dir, err := s.ip.Folder("bot")
	if err != nil {
		return err
	}
	s.answers = dir
	script, err := fs.ReadFile(s.o.Files, "demo/testsprite")
	if err != nil {
		return err
	}
	bin := filepath.Join(dir, "node_modules", ".bin")
	if err := write(filepath.Join(bin, "testsprite"), script, 0o755); err != nil {
		return err
	}
	if err := write(filepath.Join(bin, "key"), []byte(botKey), 0o644); err != nil {
		return err
	}
	for name, v := range s.documents(run) {
		text, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("write what the bot answers: %w", err)
		}
		if err := write(filepath.Join(bin, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

type object map[string]any

func (s *stage) documents(run testRun) map[string]any {
	target := previewURL + "/group"
	began := run.began.Format(time.RFC3339)
	summary := fmt.Sprintf("Failed (assertion) on step %d: %s", failedStep, strings.Join(run.failing, "; "))
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
			"trace": run.output}),
		artifact + "failure.json": object{"rootCauseHypothesis": "The shares do not add up to the amount.",
			"recommendedFixTarget": object{"kind": "code", "reference": bugFile, "rationale": "The shares are computed there."}, "evidence": []object{}},
		artifact + "steps/05-evidence.json": []object{{"kind": "page", "stepIndex": failedStep, "summary": s.play.Report}},
	}
}
