package main

import (
	"context"
	"fmt"

	"selffix/dagger/internal/dagger"
	"selffix/gates"
	"selffix/internal/strictjson"
	"selffix/pipeline"
)

// Verdict is what was decided, as a value. A call that could not decide returns an error instead.
type Verdict struct {
	// What was decided: act, nothing, pushed, accept, refuse, pass or fail
	Decision string
	// The id of the rule that decided, such as SF-GATE-030
	Rule string
	// Why, in one sentence
	Reason string
	// Whether what was asked for is allowed.
	//
	// +private
	Allows bool
	// The whole verdict.
	//
	// +private
	Text string
}

// Json returns the whole verdict as JSON: the decision, its rule and reason, and what it rests on.
//
// +cache="never"
func (v *Verdict) Json() string { return v.Text }

// Require returns the decision if it allows to go on, and fails otherwise.
//
// +cache="never"
func (v *Verdict) Require() (string, error) {
	if !v.Allows {
		return "", fmt.Errorf("%s: %s: %s", v.Decision, v.Rule, v.Reason)
	}
	return v.Decision, nil
}

// gateVerdict turns what a gate's step left into a verdict. The step's own word and the file must agree.
func gateVerdict(ctx context.Context, o pipeline.Outcome, file *dagger.File) (*Verdict, error) {
	if file == nil {
		return nil, fmt.Errorf("%w: %s: %s", errUndecided, o.Rule, o.Reason)
	}
	content, err := file.Contents(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the verdict: %w", err)
	}
	var v gates.Verdict
	if err := strictjson.Unmarshal([]byte(content), &v); err != nil {
		return nil, fmt.Errorf("read the verdict: %w", err)
	}
	acts := v.Decision == gates.Act
	if acts != (o.Decision == pipeline.Continue) || (!acts && v.Decision != gates.Nothing) {
		return nil, fmt.Errorf("%w: the step and its verdict do not agree", errUndecided)
	}
	return &Verdict{Decision: string(v.Decision), Rule: v.Rule, Reason: v.Reason, Allows: acts, Text: content}, nil
}
