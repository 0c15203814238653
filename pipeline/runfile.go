package pipeline

import (
	"encoding/json"
	"errors"
	"fmt"

	"selffix/internal/strictjson"
)

// ErrRun marks a run's identity that is not read, or not written.
var ErrRun = errors.New("bad identity of this run")

// RunSchema is the only value of ThisRun.Schema that is read.
const RunSchema = "self-fix/run/v1"

// MaxRunBytes bounds a run's identity as a file.
const MaxRunBytes = 4 * kib

// ThisRun is the run for which a gate decides, as its caller says: GitHub Actions' environment, or the
// arguments of a Dagger function. It says nothing of the repository, the pull request or the commit: these
// come from the event and from what a gate reads. The job is the step's own.
type ThisRun struct {
	Schema    string `json:"schema"`
	RunID     int64  `json:"run_id"`      // positive
	Attempt   int    `json:"run_attempt"` // positive; whether a re-run may act is a gate's to say
	EventName string `json:"event_name"`
}

// WriteRun returns a run's identity as JSON. It refuses what ReadRun would refuse.
func WriteRun(r ThisRun) ([]byte, error) {
	r.Schema = RunSchema
	if err := r.valid(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRun, err)
	}
	return text, nil
}

// ReadRun reads a run's identity: at most MaxRunBytes, no unknown, duplicate or missing key, no zero.
func ReadRun(text []byte) (ThisRun, error) {
	if len(text) > MaxRunBytes {
		return ThisRun{}, fmt.Errorf("%w: %d bytes, the limit is %d", ErrRun, len(text), MaxRunBytes)
	}
	var r ThisRun
	if err := strictjson.Unmarshal(text, &r); err != nil {
		return ThisRun{}, fmt.Errorf("%w: %w", ErrRun, err)
	}
	if err := r.valid(); err != nil {
		return ThisRun{}, err
	}
	return r, nil
}

func (r ThisRun) valid() error {
	switch {
	case r.Schema != RunSchema:
		return fmt.Errorf("%w: schema %.40q, want %q", ErrRun, r.Schema, RunSchema)
	case r.RunID <= 0 || r.Attempt <= 0:
		return fmt.Errorf("%w: want a positive id and a positive attempt, met %d and %d", ErrRun, r.RunID, r.Attempt)
	case r.EventName != "status" && r.EventName != "pull_request_target" && r.EventName != "merge_group":
		return fmt.Errorf("%w: event %.40q, want status, pull_request_target or merge_group", ErrRun, r.EventName)
	}
	return nil
}
