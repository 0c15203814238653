package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"selffix/checker"
	"selffix/internal/visible"
	"selffix/pipeline"
)

// fixReport is what fix says about a run: run.json, and the output of --format json.
type fixReport struct {
	Outcome   string            `json:"outcome"` // "accepted", "refused", "stopped" or "undecided"
	Rule      string            `json:"rule"`
	Reason    string            `json:"reason"`
	StoppedBy []string          `json:"stopped_by"` // the layer and its rules, such as "checker SF-PATH-001"
	Steps     []fixStep         `json:"steps"`
	Findings  []checker.Finding `json:"findings"`
	// ClaimedVerify is how the project's own check ended: "passed", "failed" or "not finished"; "" if it did not run. The code under
	// check has a say in it, so it decides nothing here.
	ClaimedVerify string `json:"claimed_verify"`
	// ClaimedTurns and ClaimedCostUSD are what the agent says of itself; 0 if it said nothing.
	ClaimedTurns   int     `json:"claimed_turns"`
	ClaimedCostUSD float64 `json:"claimed_cost_usd"`
	// refusals are the reasons for which the model proxy passed a request or an answer on to nobody.
	refusals []string
	detail   error
}

type fixStep struct {
	Name      string   `json:"name"`
	Seconds   float64  `json:"seconds"`
	Secrets   []string `json:"secrets"`
	ExposedTo []string `json:"exposed_to"`
	Outcome   string   `json:"outcome"`
}

func (f fixFlags) report(plan pipeline.Plan, have map[pipeline.Ref]string, r pipeline.Result, runErr error) (fixReport, error) {
	rep := fixReport{Rule: r.Outcome.Rule, Reason: r.Outcome.Reason, StoppedBy: []string{}, Findings: []checker.Finding{}, detail: runErr}
	for _, s := range r.Steps {
		rep.Steps = append(rep.Steps, stepLine(plan, s))
	}
	if file, ok := have["check.report"]; ok {
		var c checker.Report
		data, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(data, &c)
		}
		if err != nil {
			return rep, fmt.Errorf("read the checker's report: %w", err)
		}
		rep.Findings = append(rep.Findings, c.Findings...)
	}
	var err error
	if rep.ClaimedVerify, err = claimedVerify(have); err != nil {
		return rep, err
	}
	if err := rep.readAgent(have); err != nil {
		return rep, err
	}
	switch {
	case runErr != nil || r.Outcome.Decision == pipeline.Undecided:
		rep.Outcome = "undecided"
	case r.Outcome.Decision == pipeline.Stop && len(rep.Findings) > 0:
		rep.Outcome = "refused"
	case r.Outcome.Decision == pipeline.Stop:
		rep.Outcome = "stopped"
	default:
		rep.Outcome = "accepted"
	}
	rep.StoppedBy = rep.layers(r)
	return rep, nil
}

func stepLine(plan pipeline.Plan, r pipeline.StepResult) fixStep {
	s, _ := plan.Step(r.Step) // it ran, so it is there
	row := pipeline.Rows([]pipeline.Plan{{Name: plan.Name, Steps: []pipeline.Step{s}}})[0]
	exposed := []string{}
	for _, x := range row.ExposedTo {
		exposed = append(exposed, string(x))
	}
	outcome := string(r.Outcome.Decision)
	if outcome == "" {
		outcome = "undecided"
	}
	return fixStep{Name: string(r.Step), Seconds: math.Round(r.Took.Seconds()*1000) / 1000, Secrets: row.Secrets, ExposedTo: exposed, Outcome: outcome}
}

// layers names what stopped the run: each rule of the checker that refuses, or the step and its rule.
func (r fixReport) layers(result pipeline.Result) []string {
	by := []string{}
	for _, f := range r.Findings {
		if l := "checker " + string(f.Rule); !slices.Contains(by, l) {
			by = append(by, l)
		}
	}
	if len(by) == 0 && r.Outcome != "accepted" && len(result.Steps) > 0 {
		last := result.Steps[len(result.Steps)-1].Step
		by = append(by, strings.TrimSpace(string(last)+" "+result.Outcome.Rule))
		if last == "agent" {
			for _, reason := range r.refusals {
				by = append(by, "model-proxy "+reason)
			}
		}
	}
	return by
}

// keep leaves the result in the out folder: of an accepted patch everything, of any other no patch.
func (f fixFlags) keep(rep fixReport, have map[pipeline.Ref]string) error {
	if err := os.MkdirAll(f.out, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	text, err := json.MarshalIndent(rep, "", "  ")
	if err != nil {
		return fmt.Errorf("write run.json: %w", err)
	}
	if err := os.WriteFile(filepath.Join(f.out, "run.json"), append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	files := map[pipeline.Ref]string{"check.report": "report.json"}
	if rep.Outcome == "accepted" {
		files["check.patch"], files["check.candidate"] = "fix.patch", "candidate.json"
	}
	for ref, name := range files {
		from, ok := have[ref]
		if !ok {
			continue
		}
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(f.out, name), data, 0o644)
		}
		if err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	return nil
}

// print says how it ended, and turns that into an exit code.
func (f fixFlags) print(e env, rep fixReport, have map[pipeline.Ref]string) error {
	if f.format == "json" {
		if err := visible.WriteJSON(e.Stdout, rep); err != nil {
			return err
		}
	} else if err := f.printText(e.Stdout, rep); err != nil {
		return err
	}
	if f.showRefused && rep.Outcome == "refused" {
		if err := showPatch(e.Stderr, have["diff.patch"]); err != nil {
			return err
		}
	}
	switch rep.Outcome {
	case "accepted":
		return nil
	case "refused", "stopped":
		return exit(exitNo)
	}
	if rep.detail != nil {
		fmt.Fprintf(e.Stderr, "self-fix: %s\n", visible.Cut(rep.detail.Error(), 1000))
	}
	return exit(exitUndecided)
}

func (f fixFlags) printText(w io.Writer, rep fixReport) error {
	if rep.Outcome == "accepted" {
		_, err := fmt.Fprintf(w, "accepted: the patch and its candidate are in %s\n", f.out)
		if err == nil && rep.ClaimedVerify != "" {
			_, err = fmt.Fprintf(w, "the project's own check, by its own word: %s\n", rep.ClaimedVerify)
		}
		return err
	}
	if _, err := fmt.Fprintf(w, "%s: %s (%s)\n", rep.Outcome, rep.Reason, strings.Join(rep.StoppedBy, ", ")); err != nil {
		return err
	}
	for _, x := range rep.Findings {
		place := visible.String(x.File)
		if x.Line > 0 {
			place = fmt.Sprintf("%s:%d", place, x.Line)
		}
		if _, err := fmt.Fprintf(w, "  %s %s: %s\n", x.Rule, place, visible.String(x.Message)); err != nil {
			return err
		}
	}
	return nil
}

// showPatch prints a refused patch for the person at the terminal, with everything that does not print visible.
func showPatch(w io.Writer, file string) error {
	if file == "" {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("--show-refused: %w", err)
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		if _, err := fmt.Fprintf(w, "refused> %s\n", visible.String(line)); err != nil {
			return err
		}
	}
	return nil
}

// stepProgress says on standard error which step runs and how it ended.
type stepProgress struct {
	pipeline.Interpreter[string]
	w io.Writer
}

// Run reports around the interpreter's own Run.
func (p stepProgress) Run(ctx context.Context, s pipeline.Step, in map[pipeline.Ref]string, services map[pipeline.StepName]pipeline.Service[string]) (map[pipeline.Ref]string, pipeline.Outcome, error) {
	start := time.Now()
	out, o, err := p.Interpreter.Run(ctx, s, in, services)
	word := string(o.Decision)
	switch {
	case errors.Is(err, context.Canceled):
		word = "cancelled"
	case err != nil || word == "":
		word = "undecided"
	}
	fmt.Fprintf(p.w, "%-14s %-9s %6.2f s%s\n", s.Name, word, time.Since(start).Seconds(), claimedSpent(out))
	return out, o, err
}
