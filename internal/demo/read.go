package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"selffix/internal/visible"
	"selffix/pipeline"
)

// receipt reads what the publisher says, and compares it with what GitHub serves.
func (a *actor[A]) receipt(ctx context.Context, file A) error {
	data, err := a.st.Read(ctx, file)
	if err != nil {
		return err
	}
	var r struct {
		Pushed bool   `json:"pushed"`
		Commit string `json:"commit"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("read the receipt: %w", err)
	}
	s, err := ask[State](ctx, a.st.Call, MessageState, none{})
	if err != nil {
		return err
	}
	if !r.Pushed || r.Commit != s.Head {
		return fmt.Errorf("%w: the receipt says %.12q and the branch names %.12q", ErrPlay, r.Commit, s.Head)
	}
	a.act.Play.PushedCommit = r.Commit
	a.st.Voice.Say("github", "pull request #%d now ends in %.10s; %s is %s", a.o.Pull, r.Commit, a.o.Context, strings.Join(s.Review, ", "))
	return nil
}

// stoppedBy names each layer that stopped something: what answered the model's calls, then what ended the run.
func (a *actor[A]) stoppedBy(ctx context.Context, result pipeline.Result) error {
	add := func(layer, name, what string) {
		a.act.Detail.Blocked = append(a.act.Detail.Blocked, Blocked{Layer: layer, What: visible.Cut(what, 300)})
		if line := layer + " " + name; !slices.Contains(a.act.Play.StoppedBy, line) {
			a.act.Play.StoppedBy = append(a.act.Play.StoppedBy, line)
		}
	}
	s, err := ask[State](ctx, a.st.Call, MessageState, none{})
	if err != nil {
		return err
	}
	for _, x := range s.Stopped {
		add(x.Layer, x.Tool, x.Tool+": "+x.Text)
	}
	for _, f := range a.act.Detail.Findings {
		add("checker", f.Rule, fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Rule, f.Message))
	}
	if len(a.act.Detail.Findings) == 0 && len(result.Steps) > 0 {
		add(string(result.Steps[len(result.Steps)-1].Step), result.Outcome.Rule, result.Outcome.Reason)
	}
	return nil
}

// readFindings reads the checker's report, if it came to one.
func (a *actor[A]) readFindings(ctx context.Context, have map[pipeline.Ref]A) error {
	file, ok := have["check.report"]
	if !ok {
		return nil
	}
	data, err := a.st.Read(ctx, file)
	if err != nil {
		return err
	}
	var r struct {
		Findings []Finding `json:"findings"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("read the checker's report: %w", err)
	}
	a.act.Detail.Findings = r.Findings
	return nil
}

func (a *actor[A]) readChanged(ctx context.Context, file A) error {
	data, err := a.st.Read(ctx, file)
	if err != nil {
		return err
	}
	c, err := pipeline.ReadCandidate(data)
	for _, entry := range c.Changed {
		a.act.Detail.Changed = append(a.act.Detail.Changed, entry.Path)
	}
	return err
}
