package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"selffix/internal/strictjson"
	"selffix/pipeline"
)

// ErrControl marks a message of the control API, or an answer to one, that cannot be used.
var ErrControl = errors.New("invalid message of the demo's control API")

// MaxMessageBytes bounds a message and an answer.
const MaxMessageBytes = 4 << 20

// MaxOutputBytes bounds what a run of the application's tests said.
const MaxOutputBytes = 256 << 10

// Where stand-ins answer in a container of their own, and the names under which it is bound next to a step.
const (
	GitHubPort  = 8081
	ModelPort   = 8082
	ControlPort = 8083

	GitHubAlias = "sandbox-github"
	ModelAlias  = "sandbox-model"
)

// Message names what the stand-ins are asked for.
type Message string

// The messages, in the order of a play.
const (
	MessageOpen    Message = "open"    // what is given to every job, and what the play is about: Opened
	MessageVerdict Message = "verdict" // TestRun: the bot posts its verdict; Judged
	MessageRun     Message = "run"     // the workflow's run that a failing verdict starts; Started
	MessageFix     Message = "fix"     // its fix job begins
	MessageLabel   Message = "label"   // the maintainer sets the label; Started
	MessageState   Message = "state"   // what GitHub shows now; State
	MessageEnd     Message = "end"     // Play: was it as it must be; Ended
)

// Messages lists them.
func Messages() []Message {
	return []Message{MessageOpen, MessageVerdict, MessageRun, MessageFix, MessageLabel, MessageState, MessageEnd}
}

// Caller carries one message to the stand-ins and returns their answer: in this process, over HTTP, or by an exec of "self-fix
// sandbox control" in a container to which they are bound.
type Caller func(ctx context.Context, name Message, in []byte) ([]byte, error)

// Opened is a play in which nothing has happened but the pull request.
type Opened struct {
	Play    string `json:"play"`
	Doc     string `json:"doc"`
	Policy  string `json:"policy"` // the file, whose hosts are the stand-ins
	Head    string `json:"head"`   // of the pull request
	Pull    int    `json:"pull_request"`
	Context string `json:"review_context"`
	Label   string `json:"review_label"`
	// Secrets are the made-up tokens by the plan's names for them. The model's is missing where the real model is asked.
	Secrets map[pipeline.SecretName]string `json:"secrets"`
}

// TestRun is what the application's tests said about one commit.
type TestRun struct {
	Commit  string    `json:"commit"`
	State   string    `json:"state"` // "success" or "failure"
	Began   time.Time `json:"began"`
	Passed  int       `json:"passed"`
	Failing []string  `json:"failing"` // names of tests
	Output  string    `json:"output"`  // untrusted
}

// File is one file of a folder that the stand-ins hand out.
type File struct {
	Path    string `json:"path"` // relative, slashes
	Text    string `json:"text"`
	Program bool   `json:"program"`
}

// Judged is what follows from the bot's verdict.
type Judged struct {
	Event string `json:"event"` // GitHub's event file of the status
	Tools []File `json:"tools"` // of the bot's command line, with its answers; empty for a success
}

// Started is a run of a workflow.
type Started struct {
	Event string `json:"event"` // GitHub's event file; "" for the bot's status, which Judged has
	Run   string `json:"run"`   // the run's identity, as a plan takes it
}

// Stopped is one call of the model that a layer did not carry out.
type Stopped struct {
	Layer string `json:"layer"`
	Tool  string `json:"tool"`
	Text  string `json:"text"` // untrusted
}

// State is what GitHub and the model show.
type State struct {
	Head    string    `json:"head"`
	Bot     []string  `json:"bot"`    // the bot's last verdict on the tested, then on the pushed commit
	Review  []string  `json:"review"` // states on the pushed commit, adjacent repeats dropped
	Stopped []Stopped `json:"stopped"`
}

// Ended says what of a play was otherwise than it must be.
type Ended struct {
	Wrong []string `json:"wrong"`
}

// none is what messages without content carry.
type none struct{}

// Check holds a run of tests to its form: what came over a wire may be of any.
func (t TestRun) Check() error {
	switch {
	case t.State != "success" && t.State != "failure":
		return fmt.Errorf("%w: state %.20q, want success or failure", ErrControl, t.State)
	case (t.State == "success") != (len(t.Failing) == 0) || t.Passed < 0:
		return fmt.Errorf("%w: %s, and %d tests fail", ErrControl, t.State, len(t.Failing))
	case len(t.Output) > MaxOutputBytes || len(t.Failing) > 1000 || t.Began.IsZero():
		return fmt.Errorf("%w: want at most %d bytes of output, 1000 failing tests, and a time", ErrControl, MaxOutputBytes)
	}
	return nil
}

// ReadTestRun reads one strictly.
func ReadTestRun(data []byte) (TestRun, error) {
	t, err := decode[TestRun](data)
	if err == nil {
		err = t.Check()
	}
	return t, err
}

// Open asks for what a play begins with, and refuses a secret that is no sandbox's.
func Open(ctx context.Context, call Caller) (Opened, error) {
	o, err := ask[Opened](ctx, call, MessageOpen, none{})
	if err != nil {
		return o, err
	}
	for name, text := range o.Secrets {
		if !slices.Contains(pipeline.Secrets(), name) || !strings.HasPrefix(text, "sandbox-") {
			return Opened{}, fmt.Errorf("%w: the secret %.30q is unknown, or no sandbox's", ErrControl, name)
		}
	}
	return o, nil
}

// Hold asks whether a play ended as it must, and whether anything leaked or was pushed that must not be.
func Hold(ctx context.Context, call Caller, p Play) error {
	e, err := ask[Ended](ctx, call, MessageEnd, p)
	if err != nil {
		return err
	}
	var wrong []error
	for _, w := range e.Wrong {
		wrong = append(wrong, fmt.Errorf("%w: %s", ErrPlay, w))
	}
	return errors.Join(wrong...)
}

func ask[T any](ctx context.Context, call Caller, name Message, in any) (T, error) {
	var zero T
	text, err := json.Marshal(in)
	if err != nil {
		return zero, fmt.Errorf("%w: %s: %w", ErrControl, name, err)
	}
	data, err := call(ctx, name, text)
	if err != nil {
		return zero, fmt.Errorf("ask the stand-ins for %s: %w", name, err)
	}
	out, err := decode[T](data)
	if err != nil {
		return zero, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

func decode[T any](data []byte) (T, error) {
	var out T
	if len(data) > MaxMessageBytes {
		return out, fmt.Errorf("%w: more than %d bytes", ErrControl, MaxMessageBytes)
	}
	if err := strictjson.Unmarshal(data, &out); err != nil {
		return out, fmt.Errorf("%w: %w", ErrControl, err)
	}
	return out, nil
}

// checkFiles holds a folder's files to paths that stay inside it.
func checkFiles(files []File) error {
	for _, f := range files {
		if f.Path == "" || path.IsAbs(f.Path) || path.Clean(f.Path) != f.Path || f.Path == ".." || strings.HasPrefix(f.Path, "../") {
			return fmt.Errorf("%w: a file at %.100q", ErrControl, f.Path)
		}
	}
	return nil
}
