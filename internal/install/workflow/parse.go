package workflow

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxBytes bounds a workflow file.
const MaxBytes = 512 << 10

// ErrWorkflow marks a file that cannot be read as one workflow.
var ErrWorkflow = errors.New("not a readable workflow")

// Workflow is what the rules look at.
type Workflow struct {
	Path        string             `yaml:"-"`
	Text        string             `yaml:"-"`
	Name        string             `yaml:"name"`
	RunName     string             `yaml:"run-name"`
	On          yaml.Node          `yaml:"on"`
	Permissions *map[string]string `yaml:"permissions"`
	Env         map[string]string  `yaml:"env"`
	Concurrency *Concurrency       `yaml:"concurrency"`
	Defaults    Defaults           `yaml:"defaults"`
	Jobs        map[string]Job     `yaml:"jobs"`
}

// Defaults is what every command of the workflow runs with.
type Defaults struct {
	Run struct {
		Shell string `yaml:"shell"`
		Dir   string `yaml:"working-directory"`
	} `yaml:"run"`
}

// Job is one job.
type Job struct {
	Name        string             `yaml:"name"`
	If          string             `yaml:"if"`
	RunsOn      yaml.Node          `yaml:"runs-on"`
	Timeout     int                `yaml:"timeout-minutes"`
	Permissions *map[string]string `yaml:"permissions"`
	Environment yaml.Node          `yaml:"environment"`
	Concurrency *Concurrency       `yaml:"concurrency"`
	Outputs     map[string]string  `yaml:"outputs"`
	Env         map[string]string  `yaml:"env"`
	Steps       []Step             `yaml:"steps"`
	Needs       yaml.Node          `yaml:"needs"`
	Uses        string             `yaml:"uses"`
	Secrets     yaml.Node          `yaml:"secrets"`
	Container   yaml.Node          `yaml:"container"`
	Services    yaml.Node          `yaml:"services"`
	Strategy    yaml.Node          `yaml:"strategy"`
}

// Step is one step.
type Step struct {
	Name  string            `yaml:"name"`
	ID    string            `yaml:"id"`
	If    string            `yaml:"if"`
	Uses  string            `yaml:"uses"`
	Run   string            `yaml:"run"`
	Shell string            `yaml:"shell"`
	Dir   string            `yaml:"working-directory"`
	Env   map[string]string `yaml:"env"`
	With  map[string]string `yaml:"with"`
}

// Concurrency is a group of runs or jobs.
type Concurrency struct {
	Group  string `yaml:"group"`
	Cancel string `yaml:"cancel-in-progress"`
	Queue  string `yaml:"queue"`
}

// Parse reads a workflow; path is the name that complaints and rules use.
func Parse(path string, text []byte) (Workflow, error) {
	bad := func(what string) (Workflow, error) {
		return Workflow{}, fmt.Errorf("%w: %.100q: %s", ErrWorkflow, path, what)
	}
	if len(text) > MaxBytes {
		return bad("it is larger than 512 KiB")
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		return bad("it is no YAML")
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return bad("it has more than one document")
	}
	if aliased(&doc) {
		return bad("it has an anchor or alias")
	}
	w := Workflow{Path: path, Text: string(text)}
	strict := yaml.NewDecoder(bytes.NewReader(text))
	strict.KnownFields(true) // what no rule looks at, such as continue-on-error, has no place
	if err := strict.Decode(&w); err != nil {
		return bad("a key is not known, has a value of another type, or stands there twice")
	}
	if len(w.Jobs) == 0 || w.On.IsZero() {
		return bad("it has no jobs or no trigger")
	}
	return w, nil
}

func aliased(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return true
	}
	for _, c := range n.Content {
		if aliased(c) {
			return true
		}
	}
	return false
}

// Triggers are the events that start the workflow.
func (w Workflow) Triggers() []string { return words(&w.On) }

// words reads what GitHub takes as a word, a list of words or a mapping of words.
func words(n *yaml.Node) []string {
	switch n.Kind {
	case yaml.ScalarNode:
		return []string{n.Value}
	case yaml.SequenceNode:
		var out []string
		for _, c := range n.Content {
			out = append(out, c.Value)
		}
		return out
	case yaml.MappingNode:
		var out []string
		for i := 0; i < len(n.Content); i += 2 {
			out = append(out, n.Content[i].Value)
		}
		return out
	}
	return nil
}

// types are the activity types of one event; nil if the event has none named.
func (w Workflow) types(event string) []string {
	for i := 0; w.On.Kind == yaml.MappingNode && i+1 < len(w.On.Content); i += 2 {
		of := w.On.Content[i+1]
		if w.On.Content[i].Value != event || of.Kind != yaml.MappingNode {
			continue
		}
		for j := 0; j+1 < len(of.Content); j += 2 {
			if of.Content[j].Value == "types" {
				return words(of.Content[j+1])
			}
		}
	}
	return nil
}

// environment is the name of the job's environment, "" if it has none.
func (j Job) environment() string {
	if j.Environment.Kind == yaml.ScalarNode {
		return j.Environment.Value
	}
	for i := 0; i+1 < len(j.Environment.Content); i += 2 {
		if j.Environment.Content[i].Value == "name" {
			return j.Environment.Content[i+1].Value
		}
	}
	return ""
}

// function is the function of the module that a step calls, with its arguments; "" if it calls none.
func (s Step) function() (name string, arguments []string) {
	fields := strings.Fields(s.Run)
	for i, f := range fields {
		if strings.HasSuffix(f, "/call.sh") && i+2 < len(fields) {
			return fields[i+2], fields[i+3:]
		}
	}
	return "", nil
}

// Needed names the jobs that must end before this one.
func (j Job) Needed() []string { return words(&j.Needs) }
