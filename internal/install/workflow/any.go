package workflow

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"selffix/internal/lazyregexp"
)

var (
	fullCommit = lazyregexp.New(`^[A-Za-z0-9._-]+/[A-Za-z0-9._/-]+@[0-9a-f]{40}$`)
	imageForm  = lazyregexp.New(`^docker://[^@]+@sha256:[0-9a-f]{64}$`)
)

// Unpinned lists the actions, reusable workflows and images of any workflow, or of an action's own file, that are not named by a
// full commit id or digest. A path in the same repository is taken as pinned: it is of the commit that runs.
func Unpinned(path string, text []byte) ([]string, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%w: %.100q: it is larger than 512 KiB", ErrWorkflow, path)
	}
	var doc yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&doc); err != nil {
		return nil, fmt.Errorf("%w: %.100q: it is no YAML", ErrWorkflow, path)
	}
	var out []string
	var walk func(*yaml.Node)
	walk = func(n *yaml.Node) {
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			value := n.Content[i+1]
			if n.Content[i].Value == "uses" && value.Kind == yaml.ScalarNode && !pinnedUse(value.Value) {
				out = append(out, fmt.Sprintf("%s:%d: %.100q", path, value.Line, value.Value))
			}
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(&doc)
	return out, nil
}

func pinnedUse(uses string) bool {
	return strings.HasPrefix(uses, "./") || fullCommit.MatchString(uses) || imageForm.MatchString(uses)
}

// JobHead is what is looked at in a job of any workflow.
type JobHead struct{ ID, Name, Environment string }

// Jobs lists the jobs of any workflow, with the name of the environment that each may use.
func Jobs(path string, text []byte) ([]JobHead, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%w: %.100q: it is larger than 512 KiB", ErrWorkflow, path)
	}
	var doc struct {
		Jobs map[string]struct {
			Name        yaml.Node `yaml:"name"`
			Environment yaml.Node `yaml:"environment"`
		} `yaml:"jobs"`
	}
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%w: %.100q: its jobs cannot be read", ErrWorkflow, path)
	}
	var out []JobHead
	for _, id := range slices.Sorted(maps.Keys(doc.Jobs)) {
		j := doc.Jobs[id]
		out = append(out, JobHead{id, j.Name.Value, Job{Environment: j.Environment}.environment()})
	}
	return out, nil
}
