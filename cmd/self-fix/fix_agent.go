package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"selffix/internal/strictjson"
	"selffix/pipeline"
	"selffix/pipeline/agent"
	"selffix/pipeline/proxy"
	"selffix/pipeline/worker"
)

// claimedSpent is what may be printed of a run of the agent: two numbers that were decoded as numbers, and nothing else.
func claimedSpent(out map[pipeline.Ref]string) string {
	s, seen, err := readSummary(out)
	if err != nil || !seen {
		return ""
	}
	return "  " + agent.Result{Turns: s.Turns, CostUSD: s.CostUSD}.String()
}

// readSummary reads what the agent's step left about it, if it did.
func readSummary(have map[pipeline.Ref]string) (s worker.Summary, seen bool, err error) {
	file, ok := have["agent.summary"]
	if !ok {
		return s, false, nil
	}
	data, err := os.ReadFile(file)
	if err == nil {
		err = strictjson.Unmarshal(data, &s)
	}
	if err != nil {
		return worker.Summary{}, false, fmt.Errorf("read the agent's summary: %w", err)
	}
	return s, true, nil
}

// readAgent takes the agent's own figures, and the rules by which the model proxy refused what it asked for.
func (r *fixReport) readAgent(have map[pipeline.Ref]string) error {
	s, _, err := readSummary(have)
	if err != nil {
		return err
	}
	r.ClaimedTurns, r.ClaimedCostUSD = s.Turns, s.CostUSD
	data, err := os.ReadFile(have["model-proxy.meter"])
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var m proxy.Meter
	if err == nil {
		err = strictjson.Unmarshal(data, &m)
	}
	if err != nil {
		return fmt.Errorf("read the model proxy's meter: %w", err)
	}
	for reason, n := range m.Refusals {
		// A client that went away was refused nothing.
		if n > 0 && reason != proxy.ReasonHungUp {
			r.refusals = append(r.refusals, string(reason))
		}
	}
	slices.Sort(r.refusals)
	return nil
}
