package pipeline

import (
	"errors"
	"fmt"
)

// Violation is one place at which a plan breaks an invariant of the design. It wraps ErrPlan.
type Violation struct {
	Rule   string // the rule that found it, such as "secret-meets-code"
	Step   StepName
	Detail string
	number int
}

// Error names the invariant by its number in the design, the step and what is wrong with it.
func (v *Violation) Error() string {
	if v.Step == "" {
		return fmt.Sprintf("%v: invariant %d (%s): %s", ErrPlan, v.number, v.Rule, v.Detail)
	}
	return fmt.Sprintf("%v: invariant %d (%s): step %s: %s", ErrPlan, v.number, v.Rule, v.Step, v.Detail)
}

// Unwrap makes errors.Is(err, ErrPlan) hold.
func (v *Violation) Unwrap() error { return ErrPlan }

// Invariant is one of the seven promises that every plan keeps.
type Invariant struct {
	Number int
	Text   string
}

// Invariants lists them as the documentation prints them.
func Invariants() []Invariant {
	return []Invariant{
		{1, "No step holds a secret and runs a model or pull request code."},
		{2, "No step with a write secret mounts a tree, a patch, a bundle or anything else but typed fields, ids and one pack."},
		{3, "A secret is mounted as one file, in one step only, just before its one exec, and reaches no cached layer, argument or output. (The job's own read-only token is mounted afresh in each step that reads GitHub.)"},
		{4, "Every exposed step runs behind the fence without network. Named exceptions bring bytes and read none of them; the model proxy reads requests, strictly. What runs pull request code comes after every service has ended, and gets nothing of its supervisor's and no package but those of the default branch's lockfile."},
		{5, "What crosses from an exposed step to another is bounded, has a fixed name, and never meets a step that is not exposed, but for ids and one pack. Nothing reads what pull request code wrote."},
		{6, "Identity comes from this run's event and this job's gates, never from what an exposed step wrote or another job sent."},
		{7, "Any doubt ends in doing nothing: what is unknown, unbounded, ungated or zero is no plan."},
	}
}

// Validate proves the invariants on the plan. Every violation is reported, so that a changed plan can
// be mended in one go.
func (p Plan) Validate() error { return p.validate(planRules()) }

func (p Plan) validate(rules []planRule) error {
	var errs []error
	for _, r := range rules {
		report := func(s StepName, format string, a ...any) {
			errs = append(errs, &Violation{Rule: r.name, Step: s, Detail: fmt.Sprintf(format, a...), number: r.invariant})
		}
		r.check(p, report)
	}
	return errors.Join(errs...)
}

// planRule is one rule of an invariant. Each has an example in the tests that only this rule refuses.
type planRule struct {
	invariant int
	name      string
	check     func(Plan, reporter)
}

type reporter func(step StepName, format string, a ...any)

// each turns a rule on one step into a rule on a plan.
func each(check func(Plan, Step, reporter)) func(Plan, reporter) {
	return func(p Plan, report reporter) {
		for _, s := range p.Steps {
			check(p, s, report)
		}
	}
}

func planRules() []planRule {
	return []planRule{
		{1, "secret-meets-code", each(secretMeetsCode)},
		{1, "exposure-undeclared", each(exposureUndeclared)},
		{2, "write-secret-mounts", each(writeSecretMounts)},
		{2, "write-secret-exposed", each(writeSecretExposed)},
		{3, "secret-shared", secretShared},
		{3, "secret-place", each(secretPlace)},
		{3, "secret-named", each(secretNamed)},
		{3, "secret-cached", each(secretCached)},
		{4, "exposed-network", each(exposedNetwork)},
		{4, "relay-target", each(relayTarget)},
		{4, "service-exception", each(serviceException)},
		{4, "raw-bytes-maker", each(rawBytesMaker)},
		{4, "code-network", each(codeNetwork)},
		{4, "code-after-services", codeAfterServices},
		{4, "code-supervisor", each(codeSupervisor)},
		{4, "code-packages", each(codePackages)},
		{5, "output-unbounded", each(outputUnbounded)},
		{5, "folder-from-exposed", each(folderFromExposed)},
		{5, "unexposed-reads-exposed", each(unexposedReadsExposed)},
		{5, "job-crossing", jobCrossing},
		{5, "code-hands-on", codeHandsOn},
		{6, "verdict-maker", verdictMaker},
		{6, "run-source", each(runSource)},
		{6, "identity-source", each(identitySource)},
		{7, "effect-ungated", each(effectUngated)},
		{7, "world-cached", each(worldCached)},
		{7, "unknown-value", each(unknownValue)},
		{7, "limit-zero", each(limitZero)},
		{7, "step-name", stepNames},
		{7, "ref-unmade", refUnmade},
		{7, "path-place", each(pathPlace)},
	}
}
