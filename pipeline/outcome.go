package pipeline

import (
	"encoding/json"
	"errors"
	"fmt"

	"selffix/internal/strictjson"
	"selffix/internal/visible"
)

// Decision is what a step says about going on. The zero value is "could not decide", so a step that
// wrote nothing, or something unreadable, stops the run.
type Decision string

// The decisions of a step.
const (
	Undecided Decision = ""         // an error, an unreadable answer: stop, exit 2
	Continue  Decision = "continue" // the next step may run; never more than that
	Stop      Decision = "stop"     // decided not to go on: exit 1
)

// Outcome is a step's own word on how it ended. What a step wrote while exposed never grants: its
// "continue" only leads to the next step of the plan, which judges afresh.
type Outcome struct {
	Decision Decision `json:"decision"`
	Rule     string   `json:"rule"`   // the id of the rule that decided, such as SF-GATE-003
	Reason   string   `json:"reason"` // one sentence for people, free of untrusted text
}

// ErrOutcome marks what a step left in place of an outcome.
var ErrOutcome = errors.New("unreadable outcome")

// MaxOutcomeBytes bounds an outcome's JSON.
const MaxOutcomeBytes = 4 * kib

// WriteOutcome returns an outcome in the form that ReadOutcome reads.
func WriteOutcome(o Outcome) ([]byte, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("write the outcome: %w", err)
	}
	return text, nil
}

// ReadOutcome reads what a step wrote about its end. It refuses unknown, duplicate or missing keys, and makes the two texts safe to
// show: what ran behind the fence may have written them. Whether the decision is one is the driver's to say.
func ReadOutcome(text []byte) (Outcome, error) {
	if len(text) > MaxOutcomeBytes {
		return Outcome{}, fmt.Errorf("%w: %d bytes, the limit is %d", ErrOutcome, len(text), MaxOutcomeBytes)
	}
	var o Outcome
	if err := strictjson.Unmarshal(text, &o); err != nil {
		return Outcome{}, fmt.Errorf("%w: %w", ErrOutcome, err)
	}
	o.Rule, o.Reason = visible.Cut(o.Rule, 40), visible.Cut(o.Reason, 200)
	return o, nil
}
