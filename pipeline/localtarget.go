package pipeline

import (
	"encoding/json"
	"fmt"
)

// LocalSchema is the only value of LocalTarget.Schema that is read.
const LocalSchema = "self-fix/local-target/v1"

// LocalTarget is what a person named on the command line. It stands where a gate's verdict stands on GitHub,
// in a form that is none, so that it can be taken for one nowhere.
type LocalTarget struct {
	Schema       string `json:"schema"`
	TestedCommit string `json:"tested_commit"`
	PolicySHA256 string `json:"policy_sha256"` // "" in what a person brings: the target step fills it in
}

// WriteTarget returns a local target as JSON.
func WriteTarget(t LocalTarget) ([]byte, error) {
	t.Schema = LocalSchema
	text, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("write the target: %w", err)
	}
	return text, nil
}

// ReportFile is the file, in the folder of a raw report, that a person's own report lies in.
const ReportFile = "report"
