package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"selffix/internal/strictjson"
)

// Mount says where a path of a step lies outside.
type Mount struct {
	Inside  string `json:"inside"`  // "/in/policy.yaml"
	Outside string `json:"outside"` // absolute
	Write   bool   `json:"write"`
}

// Layout is how an interpreter without containers lays a step out. The zero Layout is a container's: every
// path lies where the plan says.
type Layout struct {
	Mounts  []Mount `json:"mounts"`
	NewRoot string  `json:"new_root"` // a folder for a root of its own; "" maps paths instead
	Listen  string  `json:"listen"`   // of a service; "" is its port on every address
	Relay   string  `json:"relay"`    // of the service that the step relays to; "" is its name in the plan
	Offline bool    `json:"offline"`  // nothing may be brought from a registry
}

// container reports whether every path of the step lies where the plan says.
func (l Layout) container() bool { return len(l.Mounts) == 0 && l.NewRoot == "" }

// ScratchDir is where a step keeps what no other step sees: a home and temporary files.
const ScratchDir = "/agent"

// ReadLayout reads the file that an interpreter wrote.
func ReadLayout(name string) (Layout, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return Layout{}, fmt.Errorf("read the layout: %w", err)
	}
	var l Layout
	if err := strictjson.Unmarshal(data, &l); err != nil {
		return Layout{}, fmt.Errorf("read the layout: %w", err)
	}
	for _, m := range l.Mounts {
		for _, p := range []string{m.Inside, m.Outside} {
			if !filepath.IsAbs(p) || filepath.Clean(p) != p {
				return Layout{}, fmt.Errorf("read the layout: %.100q is no clean absolute path", p)
			}
		}
	}
	return l, nil
}

// paths turns paths of a step into paths of this process.
type paths []Mount

// of returns where a path of the step lies. The longest mount wins, so that an input may lie in a folder
// that lies elsewhere.
func (p paths) of(inside string) string {
	best := Mount{Inside: "", Outside: ""}
	for _, m := range p {
		if (inside == m.Inside || strings.HasPrefix(inside, m.Inside+"/")) && len(m.Inside) > len(best.Inside) {
			best = m
		}
	}
	return best.Outside + strings.TrimPrefix(inside, best.Inside)
}

// paths is the mapping once a root of its own was entered, or was not wanted.
func (l Layout) paths() paths {
	if l.NewRoot != "" {
		return nil
	}
	return slices.Clone(l.Mounts)
}
