package worker

import (
	"errors"
	"fmt"
	"os"

	"selffix/gates"
	"selffix/internal/strictjson"
	"selffix/pipeline"
	"selffix/pipeline/policy"
)

// The reasons for which a step does not know for whom it works.
var (
	ErrIdentity    = errors.New("no usable verdict")
	ErrOtherPolicy = errors.New("not the policy that the verdict names")
)

// identity is for whom a step works. On a machine without GitHub every number is zero, and a publisher
// compares them with its own: what was made there is pushed nowhere.
type identity struct {
	gates.Target
	local bool
}

// forWhom reads the step's policy and its verdict, and holds the one to the other: a policy that changed in between stops the
// step, which is also how a policy that was switched off takes effect at once.
func (w work) forWhom() (policy.Policy, identity, error) {
	p, err := w.policy()
	if err != nil {
		return policy.Policy{}, identity{}, err
	}
	id, err := readIdentity(w.in(pipeline.InDir + "/verdict.json"))
	if err != nil {
		return policy.Policy{}, identity{}, err
	}
	if p.Digest != id.PolicySHA256 {
		return policy.Policy{}, identity{}, ErrOtherPolicy
	}
	return p, id, nil
}

// readIdentity reads a verdict that says "act", or a local target.
func readIdentity(name string) (identity, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return identity{}, fmt.Errorf("%w: %w", ErrIdentity, err)
	}
	var t pipeline.LocalTarget
	if strictjson.Unmarshal(data, &t) == nil && t.Schema == pipeline.LocalSchema {
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
