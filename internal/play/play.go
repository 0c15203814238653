package play

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"selffix/internal/modelfake"
	"selffix/internal/strictjson"
)

// ErrPlay marks a play that cannot be read.
var ErrPlay = errors.New("invalid play")

// Play is one scripted repair.
type Play struct {
	Name   string           `json:"name"`
	Doc    string           `json:"doc"`
	Files  []File           `json:"files"`  // what the tested commit holds beside the application
	Report string           `json:"report"` // the failure report, as text
	Turns  []modelfake.Turn `json:"turns"`
	Want   Want             `json:"want"`
}

// File is one file of the tested commit.
type File struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Want is how a play must end.
type Want struct {
	Outcome   string   `json:"outcome"`    // "accepted", "refused", "stopped" or "undecided"
	StoppedBy []string `json:"stopped_by"` // each must be among what stopped it, such as "checker SF-PATH-001"
	Calls     []Call   `json:"calls"`      // which layer answered tool calls; calls that are left out may end in any way
}

// Call says who answered one tool call.
type Call struct {
	Turn  int   `json:"turn"` // from 0
	Call  int   `json:"call"` // from 0
	Layer Layer `json:"layer"`
}

// Layer is who answered a tool call.
type Layer string

// The layers, from the inside out.
const (
	LayerNone     Layer = "none"     // the call was carried out
	LayerTools    Layer = "tools"    // the agent has no such tool
	LayerSettings Layer = "settings" // the agent's own permissions
	LayerFence    Layer = "fence"    // the kernel
)

// Parse reads one play strictly.
func Parse(data []byte) (Play, error) {
	var p Play
	// A call's input is the tool's own form.
	if err := strictjson.Scan(data, strictjson.Object, "input"); err != nil {
		return Play{}, fmt.Errorf("%w: %w", ErrPlay, err)
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return Play{}, fmt.Errorf("%w: %w", ErrPlay, err)
	}
	return p, p.valid()
}

func (p Play) valid() error {
	if p.Name == "" || p.Doc == "" || p.Report == "" {
		return fmt.Errorf("%w: want a name, a doc and a report", ErrPlay)
	}
	if err := (modelfake.Script{Turns: p.Turns}).Validate(); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrPlay, p.Name, err)
	}
	switch p.Want.Outcome {
	case "accepted", "refused", "stopped", "undecided":
	default:
		return fmt.Errorf("%w: %s: unknown outcome %q", ErrPlay, p.Name, p.Want.Outcome)
	}
	if p.Want.Outcome != "accepted" && len(p.Want.StoppedBy) == 0 {
		return fmt.Errorf("%w: %s: it says not what stops it", ErrPlay, p.Name)
	}
	for _, c := range p.Want.Calls {
		if c.Turn < 0 || c.Turn >= len(p.Turns) || c.Call < 0 || c.Call >= len(p.Turns[c.Turn].Calls) {
			return fmt.Errorf("%w: %s: there is no call %d in turn %d", ErrPlay, p.Name, c.Call, c.Turn)
		}
		switch c.Layer {
		case LayerNone, LayerTools, LayerSettings, LayerFence:
		default:
			return fmt.Errorf("%w: %s: unknown layer %q", ErrPlay, p.Name, c.Layer)
		}
	}
	return nil
}

// Load reads every play of a folder, in the order of their names.
func Load(files fs.FS, dir string) ([]Play, error) {
	entries, err := fs.ReadDir(files, dir)
	if err != nil {
		return nil, fmt.Errorf("read plays: %w", err)
	}
	var plays []Play
	for _, e := range entries {
		data, err := fs.ReadFile(files, path.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read plays: %w", err)
		}
		p, err := Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		if p.Name+".json" != e.Name() {
			return nil, fmt.Errorf("%w: %s holds the play %q", ErrPlay, e.Name(), p.Name)
		}
		plays = append(plays, p)
	}
	return plays, nil
}

// Paths say what the placeholders of a script stand for.
type Paths struct {
	Checkout string // {CHECKOUT}
	In       string // {IN}: the folder of the report
	Outside  string // {OUTSIDE}: a folder of the machine that is none of the agent's
}

// StepPaths are the fixed ones inside a step.
func StepPaths(outside string) Paths {
	return Paths{Checkout: "/src/checkout", In: "/in", Outside: outside}
}

// Script is what the scripted model says, with its placeholders filled in.
func (p Play) Script(at Paths) (modelfake.Script, error) {
	fill := strings.NewReplacer("{CHECKOUT}", at.Checkout, "{IN}", at.In, "{OUTSIDE}", at.Outside)
	s := modelfake.Script{}
	for _, t := range p.Turns {
		turn := t
		turn.Calls = nil
		for _, c := range t.Calls {
			c.Input = []byte(fill.Replace(string(c.Input)))
			turn.Calls = append(turn.Calls, c)
		}
		s.Turns = append(s.Turns, turn)
	}
	return s, s.Validate()
}
