package main

import (
	"slices"
	"strings"
)

// state is what a container holds when it runs a program.
type state struct {
	exec     *node
	image    string
	args     []string
	user     string
	workdir  string
	env      map[string]string
	mounts   map[string]mount
	secrets  map[string]grant // by path
	secretVs map[string]*node // by variable
	bindings map[string]*node // by alias
	port     int
	options  []string // of the exec, beside its arguments
	after    []string // mounts that were taken away after it, before anything was taken of it
}

type mount struct {
	source   *node
	readOnly bool
}

type grant struct {
	source *node
	owner  string
	mode   int
}

// name is the step that runs, or the command.
func (s state) name() string {
	if len(s.args) == 3 && s.args[1] == "step" {
		return s.args[2]
	}
	return strings.Join(s.args[min(1, len(s.args)):], " ")
}

// states are all programs of the worker that the recorded queries run, in the order in which they were asked for.
func (r *recorder) states() []state {
	var all []state
	for _, n := range r.nodes {
		if n.field != "withExec" && n.field != "asService" {
			continue
		}
		s := stateOf(n)
		if len(s.args) > 0 && s.args[0] == WorkerPath {
			for _, later := range r.nodes {
				if later.field == "withoutMount" && execOf(later) == n {
					s.after = append(s.after, later.str("path"))
				}
			}
			all = append(all, s)
		}
	}
	return all
}

// others are the programs that are not the worker's.
func (r *recorder) others() []state {
	var all []state
	for _, n := range r.nodes {
		if n.field == "withExec" || n.field == "asService" {
			if s := stateOf(n); len(s.args) == 0 || s.args[0] != WorkerPath {
				all = append(all, s)
			}
		}
	}
	return all
}

func stateOf(exec *node) state {
	s := state{
		exec: exec, env: map[string]string{}, mounts: map[string]mount{}, secrets: map[string]grant{},
		secretVs: map[string]*node{}, bindings: map[string]*node{},
	}
	for _, n := range exec.chain() {
		s.apply(n, n == exec)
	}
	return s
}

func (s *state) apply(n *node, last bool) {
	of := func(name string) *node { v, _ := n.args[name].(*node); return v }
	path := n.str("path")
	switch n.field {
	case "container", "withoutEntrypoint", "withFile", "withDirectory", "sync", "node":
	case "from":
		s.image = n.str("address")
	case "withUser":
		s.user = n.str("name")
	case "withWorkdir":
		s.workdir = path
	case "withEnvVariable":
		s.env[n.str("name")] = n.str("value")
	case "withMountedFile":
		s.mounts[path] = mount{source: of("source")}
	case "withMountedDirectory":
		ro, _ := n.args["readOnly"].(bool)
		s.mounts[path] = mount{source: of("source"), readOnly: ro}
	case "withMountedSecret":
		mode, _ := n.args["mode"].(int)
		s.secrets[path] = grant{source: of("source"), owner: n.str("owner"), mode: mode}
	case "withSecretVariable":
		s.secretVs[n.str("name")] = of("secret")
	case "withoutMount":
		delete(s.secrets, path)
		delete(s.mounts, path)
	case "withoutSecretVariable":
		delete(s.secretVs, n.str("name"))
	case "withServiceBinding":
		s.bindings[n.str("alias")] = of("service")
	case "withExposedPort":
		s.port, _ = n.args["port"].(int)
	case "withExec", "asService":
		if !last {
			s.options = append(s.options, "an exec before")
			return
		}
		args, _ := n.args["args"].([]any)
		for _, a := range args {
			s.args = append(s.args, a.(string))
		}
		for name := range n.args {
			if name != "args" {
				s.options = append(s.options, name)
			}
		}
	default:
		s.options = append(s.options, "container."+n.field)
	}
}

// madeBy reports whether a file or folder is what the program of a step left at a path, and was taken after its secrets were gone.
func madeBy(n *node, s state, path string) bool {
	if n == nil || execOf(n) != s.exec || n.str("path") != path || (n.field != "file" && n.field != "directory") {
		return false
	}
	var gone []string
	for _, c := range n.chain() {
		if c.field == "withoutMount" {
			gone = append(gone, c.str("path"))
		}
	}
	for at := range s.secrets {
		if !slices.Contains(gone, at) {
			return false
		}
	}
	return true
}
