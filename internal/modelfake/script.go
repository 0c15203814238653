package modelfake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ErrScript is wrapped by every error about a script that cannot be played.
var ErrScript = errors.New("invalid model script")

// MaxScriptBytes bounds what ReadScript reads.
const MaxScriptBytes = 8 << 20

// Fault is a way in which a model's service goes wrong. The zero value is none.
type Fault string

// The faults. Each ends or spoils the turn that carries it; a turn may still have text and calls, which
// are then what was to be said.
const (
	FaultNone        Fault = ""
	FaultSlow        Fault = "slow"         // waits Options.Delay before each event, then says the turn
	FaultCut         Fault = "cut"          // closes the connection after the first content block began
	FaultRateLimit   Fault = "429"          // rate_limit_error with Retry-After: 0
	FaultOverloaded  Fault = "529"          // overloaded_error
	FaultMalformed   Fault = "malformed"    // an event whose data is no JSON
	FaultWrongModel  Fault = "wrong-model"  // says the turn in the name of another model
	FaultHuge        Fault = "huge"         // text of Options.HugeBytes before the turn's own
	FaultHang        Fault = "hang"         // accepts the request and never answers
	FaultContentType Fault = "content-type" // 200 with a page of HTML
	FaultRedirect    Fault = "redirect"     // 307 to a path of the same host
	FaultNoUsage     Fault = "no-usage"     // says the turn, but never how many tokens it took
)

// Faults lists every fault but none.
func Faults() []Fault {
	return []Fault{
		FaultSlow, FaultCut, FaultRateLimit, FaultOverloaded, FaultMalformed, FaultWrongModel,
		FaultHuge, FaultHang, FaultContentType, FaultRedirect, FaultNoUsage,
	}
}

// Call is one tool call. Input is a JSON object and is sent byte for byte.
type Call struct {
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
}

// Turn is one answer of the model. A turn without calls ends the conversation ("end_turn").
type Turn struct {
	Thinking string `json:"thinking,omitempty"` // said before the text, as models do that reason
	Text     string `json:"text,omitempty"`
	Calls    []Call `json:"calls,omitempty"`
	Fault    Fault  `json:"fault,omitempty"`
}

// Script is what the model says, one turn a request.
type Script struct {
	Turns []Turn `json:"turns"`
}

// Validate refuses a script that the fake could not play: no turns, an empty turn, an unknown fault, a
// call without a name or whose input is no JSON object.
func (s Script) Validate() error {
	if len(s.Turns) == 0 {
		return fmt.Errorf("%w: it has no turns", ErrScript)
	}
	for i, t := range s.Turns {
		if err := t.validate(); err != nil {
			return fmt.Errorf("%w: turn %d %w", ErrScript, i+1, err)
		}
	}
	return nil
}

func (t Turn) validate() error {
	if t.Text == "" && t.Thinking == "" && len(t.Calls) == 0 && t.Fault == FaultNone {
		return errors.New("says nothing, calls nothing and has no fault")
	}
	known := t.Fault == FaultNone
	for _, f := range Faults() {
		known = known || f == t.Fault
	}
	if !known {
		return fmt.Errorf("has the unknown fault %.40q", string(t.Fault))
	}
	for _, c := range t.Calls {
		if c.Tool == "" {
			return errors.New("has a call without a tool")
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(c.Input, &object); err != nil || object == nil {
			return fmt.Errorf("calls %.60q with an input that is no JSON object", c.Tool)
		}
	}
	return nil
}

// ReadScript reads a script in one of two forms: one JSON object {"turns":[…]}, or JSONL, one turn a
// line. Unknown keys are refused: a misspelt "fault" must not become a turn without one.
func ReadScript(r io.Reader) (Script, error) {
	raw, err := io.ReadAll(io.LimitReader(r, MaxScriptBytes+1))
	if err != nil {
		return Script{}, fmt.Errorf("read the model script: %w", err)
	}
	if len(raw) > MaxScriptBytes {
		return Script{}, fmt.Errorf("%w: it is longer than %d bytes", ErrScript, MaxScriptBytes)
	}
	s, err := decodeScript(raw)
	if err != nil {
		return Script{}, err
	}
	return s, s.Validate()
}

func decodeScript(raw []byte) (Script, error) {
	var whole Script
	if err := strict(raw, &whole); err == nil {
		return whole, nil
	}
	var s Script
	for i, line := range bytes.Split(raw, []byte("\n")) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var t Turn
		if err := strict(line, &t); err != nil {
			return Script{}, fmt.Errorf("%w: it is no {\"turns\":[…]}, and line %d is no turn: %v", ErrScript, i+1, err)
		}
		s.Turns = append(s.Turns, t)
	}
	return s, nil
}

// strict decodes exactly one JSON value without unknown keys.
func strict(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more follows after the value")
	}
	return nil
}
