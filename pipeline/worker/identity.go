package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"selffix/gates"
	"selffix/internal/strictjson"
)

// ErrIdentity marks a verdict or target that does not say for whom a step works.
var ErrIdentity = errors.New("no usable verdict")

// LocalSchema is the only value of LocalTarget.Schema that is read.
const LocalSchema = "self-fix/local-target/v1"

// LocalTarget is what a person named on the command line. It stands where a gate's verdict stands on GitHub,
// in a form that is none, so that it can be taken for one nowhere.
type LocalTarget struct {
	Schema       string `json:"schema"`
	TestedCommit string `json:"tested_commit"`
	PolicySHA256 string `json:"policy_sha256"` // "" in what a person brings: the target step fills it in
}

// identity is for whom a step works. On a machine without GitHub every number is zero, and a publisher
// compares them with its own: what was made there is pushed nowhere.
type identity struct {
	gates.Target
	local bool
}

// readIdentity reads a verdict that says "act", or a local target.
func readIdentity(name string) (identity, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return identity{}, fmt.Errorf("%w: %w", ErrIdentity, err)
	}
	var t LocalTarget
	if strictjson.Unmarshal(data, &t) == nil && t.Schema == LocalSchema {
		if !gates.IsSHA(t.TestedCommit) || len(t.PolicySHA256) != 64 {
			return identity{}, fmt.Errorf("%w: the local target is incomplete", ErrIdentity)
		}
		return identity{Target: gates.Target{TestedCommit: t.TestedCommit, PolicySHA256: t.PolicySHA256}, local: true}, nil
	}
	v, err := gates.ReadVerdict(data)
	if err != nil {
		return identity{}, fmt.Errorf("%w: %w", ErrIdentity, err)
	}
	if v.Decision != gates.Act || v.Target == nil {
		return identity{}, fmt.Errorf("%w: the gate does not say act", ErrIdentity)
	}
	return identity{Target: *v.Target}, nil
}

// WriteTarget returns a local target as JSON.
func WriteTarget(t LocalTarget) ([]byte, error) {
	t.Schema = LocalSchema
	return json.Marshal(t)
}
