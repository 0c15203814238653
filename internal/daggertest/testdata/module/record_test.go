package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	registry "dagger.io/dagger"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// node is one object of the engine's interface: what made it, of which other one, and with which arguments. Equal nodes are one.
type node struct {
	id     string
	parent *node // nil: the root
	field  string
	args   map[string]any // string, int, bool, []any or *node
}

// str is an argument that is text, "" if it was not given.
func (n *node) str(name string) string {
	s, _ := n.args[name].(string)
	return s
}

// chain is the node with all that it was made from, the oldest first.
func (n *node) chain() []*node {
	var all []*node
	for ; n != nil; n = n.parent {
		all = append(all, n)
	}
	slices.Reverse(all)
	return all
}

// recorder is a connection to an engine that does nothing: it records each query as nodes and answers it.
type recorder struct {
	t       *testing.T
	mu      sync.Mutex
	nodes   []*node
	byKey   map[string]*node
	queries []string
	left    func(exec *node, path string) (string, bool) // what an exec leaves at a path; false for nothing
	code    func(exec *node) int
}

// connect makes the recorder the engine of this package's client.
func connect(t *testing.T) *recorder {
	t.Helper()
	r := &recorder{t: t, byKey: map[string]*node{}}
	c, err := registry.Connect(t.Context(), registry.WithConn(r))
	if err != nil {
		t.Fatal(err)
	}
	dag = c
	return r
}

// Host and Close make a connection of the recorder.
func (r *recorder) Host() string { return "engine" }

func (r *recorder) Close() error { return nil }

// Do answers one query.
func (r *recorder) Do(q *http.Request) (*http.Response, error) {
	var body struct {
		Query string `json:"query"`
	}
	if err := json.NewDecoder(q.Body).Decode(&body); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queries = append(r.queries, body.Query)
	doc, err := parser.ParseQuery(&ast.Source{Input: body.Query})
	if err != nil {
		return nil, fmt.Errorf("query %q: %w", body.Query, err)
	}
	data, failure := r.answer(nil, doc.Operations[0].SelectionSet)
	out := map[string]any{"data": data}
	if failure != nil {
		out = map[string]any{"data": nil, "errors": []any{map[string]any{"message": failure.Error()}}}
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(text))}, nil
}

// answer follows one chain of selections.
func (r *recorder) answer(at *node, set ast.SelectionSet) (any, error) {
	if len(set) != 1 {
		return nil, fmt.Errorf("want a chain of selections, met %d beside each other", len(set))
	}
	switch s := set[0].(type) {
	case *ast.InlineFragment:
		return r.answer(at, s.SelectionSet)
	case *ast.Field:
		if s.Name == "node" { // a node that is known, by its id
			v, err := r.answer(r.byID(s.Arguments[0].Value.Raw), s.SelectionSet)
			return map[string]any{s.Name: v}, err
		}
		next := r.node(at, s)
		if len(s.SelectionSet) == 0 {
			v, err := r.leaf(at, next)
			return map[string]any{s.Name: v}, err
		}
		v, err := r.answer(next, s.SelectionSet)
		return map[string]any{s.Name: v}, err
	}
	return nil, fmt.Errorf("unknown selection %T", set[0])
}

// node is the one node of a field of another.
func (r *recorder) node(parent *node, f *ast.Field) *node {
	n := &node{parent: parent, field: f.Name, args: map[string]any{}}
	for _, a := range f.Arguments {
		n.args[a.Name] = r.value(a.Value)
	}
	key := n.key()
	if old, ok := r.byKey[key]; ok {
		return old
	}
	n.id = fmt.Sprintf("id:%d", len(r.nodes))
	r.nodes, r.byKey[key] = append(r.nodes, n), n
	return n
}

func (n *node) key() string {
	var names []string
	for name := range n.args {
		names = append(names, name)
	}
	slices.Sort(names)
	b := &strings.Builder{}
	if n.parent != nil {
		b.WriteString(n.parent.id)
	}
	b.WriteString("." + n.field)
	for _, name := range names {
		v := n.args[name]
		if of, ok := v.(*node); ok {
			v = of.id
		}
		fmt.Fprintf(b, "|%s=%#v", name, v)
	}
	return b.String()
}

// value turns an argument into a value. An id is the node that it names.
func (r *recorder) value(v *ast.Value) any {
	switch v.Kind {
	case ast.IntValue:
		var n int
		fmt.Sscan(v.Raw, &n)
		return n
	case ast.BooleanValue:
		return v.Raw == "true"
	case ast.ListValue:
		var list []any
		for _, c := range v.Children {
			list = append(list, r.value(c.Value))
		}
		return list
	}
	if n := r.byID(v.Raw); n != nil {
		return n
	}
	return v.Raw
}

func (r *recorder) byID(id string) *node {
	for _, n := range r.nodes {
		if n.id == id {
			return n
		}
	}
	return nil
}

// leaf answers the last field of a query: at is the object that is asked.
func (r *recorder) leaf(at, asked *node) (any, error) {
	switch asked.field {
	case "id", "sync", "start", "stop":
		return at.id, nil
	case "entries":
		return r.entries(at), nil
	case "contents", "stdout":
		return r.content(at)
	case "size":
		text, err := r.content(at)
		return len(text), err
	case "exists":
		return asked.str("path") == ".git/objects", nil
	case "exitCode":
		if r.code == nil {
			return 0, nil
		}
		return r.code(execOf(at)), nil
	}
	return nil, fmt.Errorf("the recorder does not answer %q", asked.field)
}

// entries lists a step's folder of outputs.
func (r *recorder) entries(at *node) []string {
	names := []string{}
	for _, name := range []string{"outcome.json", "verdict.json", "bundle.json", "trees.json", "tools.json", "fix.patch", "inventories.json", "summary.json", "meter.json",
		"report.json", "candidate.json", "result.json", "result.pack", "receipt.json", "objects.git", "tree", "agent", "bot", "report", "project/node_modules", "verify.json"} {
		if _, ok := r.left(execOf(at), at.str("path")+"/"+name); ok {
			first, _, _ := strings.Cut(name, "/")
			names = append(names, first)
		}
	}
	return names
}

// content is the text of a file: what a test wrote, or what an exec left.
func (r *recorder) content(n *node) (string, error) {
	if n.field != "file" { // what an exec printed
		if exec := execOf(n); exec != nil {
			if text, ok := r.left(exec, "stdout"); ok {
				return text, nil
			}
		}
		return "", fmt.Errorf("nothing was printed")
	}
	path := n.str("path")
	for at := n.parent; at != nil; at = at.parent {
		switch at.field {
		case "withNewFile":
			if at.str("path") == path {
				return at.str("contents"), nil
			}
		case "withFile":
			if at.str("path") == path {
				return r.content(at.args["source"].(*node))
			}
		case "directory":
			if at.parent != nil && at.str("path") != "" {
				path = at.str("path") + "/" + path
			}
		case "withExec":
			text, ok := r.left(at, path)
			if !ok {
				return "", fmt.Errorf("no such file: %s", path)
			}
			return text, nil
		}
	}
	return "", fmt.Errorf("nobody wrote %s", path)
}

// execOf is the exec that a container, or what was taken of it, comes from; nil for none.
func execOf(n *node) *node {
	for ; n != nil; n = n.parent {
		if n.field == "withExec" || n.field == "asService" {
			return n
		}
	}
	return nil
}
