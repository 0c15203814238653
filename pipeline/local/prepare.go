package local

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"selffix/pipeline"
	"selffix/pipeline/tree"
	"selffix/pipeline/worker"
)

// prepared is one step laid out in its folder.
type prepared struct {
	i      *Interpreter
	step   pipeline.Step
	dir    string // the step's folder
	layout worker.Layout
}

// prepare lays a step out: folders, inputs, secrets, and the layout file that tells the worker where they lie.
func (i *Interpreter) prepare(s pipeline.Step, in map[pipeline.Ref]string, services map[pipeline.StepName]pipeline.Service[string]) (*prepared, error) {
	i.mu.Lock()
	i.next++
	dir := filepath.Join(i.run.path, fmt.Sprintf("%02d-%s", i.next, s.Name))
	i.mu.Unlock()
	p := &prepared{i: i, step: s, dir: dir}
	p.layout = worker.Layout{Mounts: []worker.Mount{}, Offline: i.o.Offline}
	if s.Service() {
		p.layout.Listen = "127.0.0.1:0"
	}
	if r := s.Net.Relay; r != "" {
		svc, ok := services[r].(*service)
		if !ok {
			return nil, fmt.Errorf("%w: %s: the service %s does not run", ErrStep, s.Name, r)
		}
		p.layout.Relay = svc.address
	}
	if err := p.lay(in); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %s: %w", ErrStep, s.Name, err), p.dropSecrets())
	}
	return p, nil
}

func (p *prepared) lay(in map[pipeline.Ref]string) error {
	for _, d := range []string{"in", "out", "scratch", "supervisor"} {
		if err := os.MkdirAll(filepath.Join(p.dir, d), 0o755); err != nil {
			return err
		}
	}
	p.mount(pipeline.InDir, filepath.Join(p.dir, "in"), false)
	p.mount(pipeline.OutDir, filepath.Join(p.dir, "out"), true)
	p.mount(worker.ScratchDir, filepath.Join(p.dir, "scratch"), true)
	p.mount(pipeline.SupervisorDir, filepath.Join(p.dir, "supervisor"), false)
	for _, input := range p.step.In {
		if err := p.input(input, in[input.Ref]); err != nil {
			return fmt.Errorf("input %s: %w", input.Ref, err)
		}
	}
	if err := p.outputs(); err != nil {
		return err
	}
	if err := p.secrets(); err != nil {
		return err
	}
	return p.writeLayout()
}

func (p *prepared) mount(inside, outside string, write bool) {
	p.layout.Mounts = append(p.layout.Mounts, worker.Mount{Inside: inside, Outside: outside, Write: write})
}

// input puts one artifact where the step finds it: a file as a copy, a folder as a mount, read-only, or as a
// copy of its own where the plan says so.
func (p *prepared) input(in pipeline.Input, artifact string) error {
	info, err := os.Lstat(artifact)
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() {
		return copyFile(p.outside(in.Path), artifact)
	}
	if !info.IsDir() {
		return fmt.Errorf("%q is no file and no folder", artifact)
	}
	if in.Access == pipeline.Copy {
		return p.copied(in.Path, artifact)
	}
	if err := p.place(in.Path); err != nil {
		return err
	}
	reachable, err := p.i.reach(artifact)
	if err != nil {
		return err
	}
	p.mount(in.Path, reachable, false)
	return nil
}

// copied gives the step a copy of its own. One that lies inside an earlier copy becomes a part of that, so that its path is the
// same for whoever has a root of its own and for whoever has not.
func (p *prepared) copied(inside, artifact string) error {
	if at := p.outside(inside); at != "" {
		if err := os.Mkdir(at, 0o755); err != nil {
			return err
		}
		return copyTree(at, artifact)
	}
	to := filepath.Join(p.dir, "copy")
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	if err := copyTree(to, artifact); err != nil {
		return err
	}
	p.mount(inside, to, true)
	return nil
}

// outside is where a path below one of the step's own folders lies.
func (p *prepared) outside(inside string) string {
	for _, m := range p.layout.Mounts {
		if inside == m.Inside || strings.HasPrefix(inside, m.Inside+"/") {
			return m.Outside + strings.TrimPrefix(inside, m.Inside)
		}
	}
	return ""
}

// place makes the folder that a mount covers, where it lies in one of the step's own.
func (p *prepared) place(inside string) error {
	if at := p.outside(inside); at != "" {
		return os.MkdirAll(at, 0o755)
	}
	return nil
}

// outputs makes folders for outputs outside OutDir, and leads kept ones to where they are kept.
func (p *prepared) outputs() error {
	for _, o := range p.step.Out {
		if kept, ok := p.i.o.Keep[p.step.Ref(o.Name)]; ok {
			if err := os.MkdirAll(kept, 0o755); err != nil {
				return err
			}
			if err := p.place(o.Path); err != nil {
				return err
			}
			p.mount(o.Path, kept, true)
			continue
		}
		if !o.Dir || p.outside(o.Path) != "" {
			continue // below OutDir, or the copy of an input
		}
		to := filepath.Join(p.dir, "made")
		if err := os.Mkdir(to, 0o755); err != nil {
			return err
		}
		p.mount(o.Path, to, true)
	}
	return nil
}

// secrets writes the granted secrets, for as long as the step's one exec needs them.
func (p *prepared) secrets() error {
	if len(p.step.Secrets) == 0 {
		return nil
	}
	dir := filepath.Join(p.dir, "secrets")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for _, g := range p.step.Secrets {
		text := []byte(p.i.o.Secrets[g.Secret].Reveal())
		if len(text) == 0 {
			text = p.i.o.Keys[g.Secret]
		}
		if len(text) == 0 {
			return fmt.Errorf("the secret %s was not given", g.Secret)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(g.Path)), text, 0o400); err != nil {
			return err
		}
	}
	p.mount(pipeline.SecretDir, dir, false)
	return nil
}

func (p *prepared) dropSecrets() error { return os.RemoveAll(filepath.Join(p.dir, "secrets")) }

func (p *prepared) writeLayout() error {
	if p.i.ownRoot {
		p.layout.NewRoot = filepath.Join(p.dir, "root")
		if err := os.Mkdir(p.layout.NewRoot, 0o755); err != nil {
			return err
		}
	}
	// Where paths are mapped, the outer ones come last and lose against longer ones.
	slices.SortStableFunc(p.layout.Mounts, func(a, b worker.Mount) int { return len(b.Inside) - len(a.Inside) })
	text, err := json.Marshal(p.layout)
	if err != nil {
		return err
	}
	return os.WriteFile(p.layoutFile(), text, 0o600)
}

func (p *prepared) layoutFile() string { return filepath.Join(p.dir, "layout.json") }

func copyFile(to, from string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}

// copyTree copies a tree that an earlier step handed on. Its links stay inside it; they are copied as they are.
func copyTree(to, from string) error {
	limits := tree.DefaultLimits()
	limits.Entries, limits.FileBytes = 2*limits.Entries, limits.Bytes // packages: folders by the thousand, programs of any size
	links, err := tree.Links(from, limits)
	if err != nil {
		return err
	}
	_, err = tree.Copy(to, from, links, limits)
	return err
}
