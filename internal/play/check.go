package play

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"selffix/internal/modelfake"
)

// Outcome is how a play ended.
type Outcome struct {
	Outcome   string
	StoppedBy []string
	Results   []modelfake.Result // what the agent answered to the script's calls
}

// Check compares an outcome with what the play wants, and names every difference.
func (p Play) Check(o Outcome) error {
	var errs []error
	bad := func(format string, a ...any) {
		errs = append(errs, fmt.Errorf("play %s: "+format, append([]any{p.Name}, a...)...))
	}
	if o.Outcome != p.Want.Outcome {
		bad("ended as %q by %v, want %q", o.Outcome, o.StoppedBy, p.Want.Outcome)
	}
	for _, by := range p.Want.StoppedBy {
		if !slices.Contains(o.StoppedBy, by) {
			bad("stopped by %v, want %q among them", o.StoppedBy, by)
		}
	}
	for _, c := range p.Want.Calls {
		i := slices.IndexFunc(o.Results, func(r modelfake.Result) bool { return r.Turn == c.Turn && r.Call == c.Call })
		if i < 0 {
			bad("call %d of turn %d was not answered", c.Call, c.Turn)
			continue
		}
		if got := LayerOf(o.Results[i]); got != c.Layer {
			bad("call %d of turn %d (%s) was answered by %q, want %q: %.200q", c.Call, c.Turn, o.Results[i].Tool, got, c.Layer, o.Results[i].Text)
		}
	}
	return errors.Join(errs...)
}

// LayerOf says who answered a call, by the agent's own words for it.
func LayerOf(r modelfake.Result) Layer {
	text := strings.ToLower(r.Text)
	switch {
	case strings.Contains(text, "no such tool"):
		return LayerTools
	case !r.IsError:
		return LayerNone
	}
	for _, words := range []string{"eacces", "eperm", "enoent", "permission denied, open", "operation not permitted", "does not exist"} {
		if strings.Contains(text, words) {
			return LayerFence
		}
	}
	return LayerSettings
}
