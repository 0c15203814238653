package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"

	"selffix/pipeline/policy"
)

// ErrExists marks a file that would have to be replaced.
var ErrExists = errors.New("a file is there already and differs")

// Replacing says what happens to a file that is there and differs.
type Replacing int

// The ways to meet a file that is there and differs.
const (
	Keep    Replacing = iota // write nothing at all and say which
	Replace                  // replace what is a function of the policy: workflows and scripts; never policy, pins, lockfile or lists
)

// Change is what was done with one file: "written", "replaced", "same" or "kept".
type Change struct{ Path, Done string }

// Plan is an installation that was worked out and not written yet.
type Plan struct {
	Policy policy.Policy
	Pins   Pins
	Tree   Tree
	files  map[string][]byte
	own    map[string]bool // files that belong to people once they are there
}

// Prepare works out every file of an installation in a repository.
func Prepare(repository fs.FS, o Options) (Plan, error) {
	tree, err := Explore(repository)
	if err != nil {
		return Plan{}, err
	}
	pins, err := o.Pins.withBuiltIn().complete()
	if err != nil {
		return Plan{}, err
	}
	text, p, err := o.writePolicy(tree)
	if err != nil {
		return Plan{}, err
	}
	// What is there already is what the jobs will read: the workflows must follow from that.
	if there, err := fs.ReadFile(repository, PolicyPath); err == nil {
		if p, err = policy.Parse(there); err != nil {
			return Plan{}, fmt.Errorf("%w: the policy that is there cannot be read; mend it or move it away: %w", ErrOptions, err)
		}
		text = there
	}
	plan := Plan{Policy: p, Pins: pins, Tree: tree}
	if plan.files, err = Workflows(p); err != nil {
		return Plan{}, err
	}
	list, err := files.ReadFile("files/preview-variables")
	if err != nil {
		return Plan{}, fmt.Errorf("%w: %w", ErrTemplate, err)
	}
	pinned, err := render("pins", struct{ Pins Pins }{pins})
	if err != nil {
		return Plan{}, err
	}
	plan.own = map[string]bool{PolicyPath: true, PinsPath: true, VariablesPath: true}
	plan.files[PolicyPath], plan.files[PinsPath], plan.files[VariablesPath] = text, pinned, list
	if there, err := fs.ReadFile(repository, PinsPath); err == nil {
		if plan.Pins, err = ReadPins(there); err != nil {
			return Plan{}, err
		}
	}
	return plan, nil
}

// Files are the paths of the installation, sorted.
func (p Plan) Files() []string { return slices.Sorted(maps.Keys(p.files)) }

// Write writes the files below dir. With [Keep], it writes none if one is there and differs. It follows no link on the way.
func (p Plan) Write(dir string, how Replacing) ([]Change, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close()
	var changes []Change
	var differ []string
	for _, name := range p.Files() {
		if err := noLinks(root, name); err != nil {
			return nil, err
		}
		there, err := root.ReadFile(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			changes = append(changes, Change{name, "written"})
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", name, err)
		case bytes.Equal(there, p.files[name]):
			changes = append(changes, Change{name, "same"})
		case p.own[name]:
			changes = append(changes, Change{name, "kept"})
		default:
			differ = append(differ, name)
			changes = append(changes, Change{name, "replaced"})
		}
	}
	if how == Keep && len(differ) > 0 {
		return nil, fmt.Errorf("%w: %q; nothing was written; --replace replaces workflows and scripts", ErrExists, differ)
	}
	for _, c := range changes {
		if c.Done != "written" && c.Done != "replaced" {
			continue
		}
		if err := put(root, c.Path, p.files[c.Path]); err != nil {
			return changes, err
		}
	}
	return changes, nil
}

// noLinks refuses a path with a link in it: what is written would land elsewhere, or what is compared lie elsewhere.
func noLinks(root *os.Root, name string) error {
	var way []string
	for at := name; at != "."; at = path.Dir(at) {
		way = append(way, at)
	}
	slices.Reverse(way) // from the top: behind a link nothing can be looked at
	for _, at := range way {
		info, err := root.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("look at %s: %w", at, err)
		}
		if at == name && !info.Mode().IsRegular() || at != name && !info.IsDir() {
			return fmt.Errorf("%w: %s is a link or no plain file or folder", ErrOptions, at)
		}
	}
	return nil
}

func put(root *os.Root, name string, text []byte) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return fmt.Errorf("make a folder for %s: %w", name, err)
	}
	mode := fs.FileMode(0o644)
	if path.Ext(name) == ".sh" {
		mode = 0o755
	}
	if err := root.WriteFile(name, text, mode); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
