package pipeline

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
