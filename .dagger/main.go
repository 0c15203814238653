// Repairs red pull requests with an AI agent that cannot merge, push or leak
//
// self-fix lets an AI agent repair a pull request that a trusted test bot turned red, such that nothing in the pull request
// and nothing in the failure report can get code merged on its own, and the agent never holds a secret.
//
// Each function runs one or a few steps of the loop, as the plan has them (package pipeline): every step in a container of its
// own, with the inputs, the secrets and the services that the plan grants to it and no others. The entry of each is the same
// worker that runs without an engine; it puts the fence on, holds the limits, and says how the step ended. "secrets-map" prints
// the plan.
//
// A verdict is a value: a call that decided not to act prints so and exits 0. It exits with another code only if nothing could
// be decided. Every verdict has "require", which fails unless the verdict allows.
//
// No argument names a host, an image, a program or a command. Tokens go to the hosts of the policy; images are those of the
// policy or the built-in ones, by digest; the worker is built from this module's own source. Dagger fills arguments that were
// left out from a .env file in or above the working folder: call it from an empty folder, and pass every argument.
package main

import (
	"context"
	"errors"
	"fmt"

	"selffix/dagger/internal/dagger"
	"selffix/pipeline"
	"selffix/pipeline/policy"
)

// SelfFix is the module's root object.
type SelfFix struct {
	// Stand-ins that with-sandbox bound, for a policy that says sandbox: true.
	//
	// +private
	GitHub *dagger.Service
	// +private
	Model *dagger.Service
	// +private
	Bot *dagger.Service
}

// WithSandbox binds stand-ins for GitHub, the model and the test bot.
//
// It is for trying the functions without any of these. A step reaches a stand-in only if the policy says "sandbox: true" and
// names it, as http://sandbox-github:PORT, http://sandbox-model:PORT or http://sandbox-bot:PORT. Such a host is only ever given a
// token that begins with "sandbox-", and such a token goes nowhere else.
//
// +cache="never"
func (m *SelfFix) WithSandbox(
	// What answers as sandbox-github, such as tcp://127.0.0.1:8080
	// +optional
	github *dagger.Service,
	// What answers as sandbox-model
	// +optional
	model *dagger.Service,
	// What answers as sandbox-bot
	// +optional
	bot *dagger.Service,
) *SelfFix {
	return &SelfFix{GitHub: github, Model: model, Bot: bot}
}

// errUndecided marks a call whose exit code must not be 0: nothing was decided.
var errUndecided = errors.New("could not decide")

// maxPolicyBytes bounds what is read of a policy here; the steps read it again and hold it to the same.
const maxPolicyBytes = 256 << 10

// readPolicy reads the policy that says which images the steps run in.
func readPolicy(ctx context.Context, file *dagger.File) (policy.Policy, error) {
	size, err := file.Size(ctx)
	if err != nil {
		return policy.Policy{}, fmt.Errorf("policy: %w", err)
	}
	if size > maxPolicyBytes {
		return policy.Policy{}, fmt.Errorf("policy: %d bytes, the limit is %d", size, maxPolicyBytes)
	}
	text, err := file.Contents(ctx)
	if err != nil {
		return policy.Policy{}, fmt.Errorf("policy: %w", err)
	}
	p, err := policy.Parse([]byte(text))
	if err != nil {
		return policy.Policy{}, fmt.Errorf("policy: %w", err)
	}
	return p, nil
}

// secrets is what a call was given, by the names under which the plan grants them.
type secrets map[pipeline.SecretName]*dagger.Secret

// interpreter makes the interpreter of one call.
func (m *SelfFix) interpreter(ctx context.Context, file *dagger.File, given secrets) (*interpreter, error) {
	p, err := readPolicy(ctx, file)
	if err != nil {
		return nil, err
	}
	w, err := builtWorker()
	if err != nil {
		return nil, err
	}
	return &interpreter{worker: w, policy: p, secrets: given, sandbox: m.stands(p)}, nil
}

// stands is which stand-in a host of the policy leads to. Without sandbox: true there is none.
func (m *SelfFix) stands(p policy.Policy) map[string]*dagger.Service {
	bound := map[string]*dagger.Service{}
	if !p.Sandbox {
		return bound
	}
	for alias, service := range map[string]*dagger.Service{"sandbox-github": m.GitHub, "sandbox-model": m.Model, "sandbox-bot": m.Bot} {
		if service != nil {
			bound[alias] = service
		}
	}
	return bound
}
