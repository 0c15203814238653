package main

import (
	"context"
	"fmt"

	"selffix/pipeline/policy"
)

// SelfTest tries behind the agent's own fence what must not be possible, and says what held.
//
// In a real container it tries to reach a network, read a secret or another process, write elsewhere, start a program. It fails
// unless every part held, and prints what this kernel enforces. It takes no secret, and is never answered from a cache.
//
// +check
// +cache="never"
func (m *SelfFix) SelfTest(ctx context.Context) (string, error) {
	w, err := builtWorker()
	if err != nil {
		return "", err
	}
	i := &interpreter{worker: w, policy: policy.Policy{}}
	said, err := i.command(ctx, command{args: []string{"self-test"}})
	if err != nil {
		return "", err
	}
	if said.code != 0 {
		return "", fmt.Errorf("the fence did not hold:\n%s", said.out)
	}
	return said.out, nil
}
