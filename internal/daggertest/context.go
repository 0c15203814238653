package daggertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Module is what is read of dagger.json.
type Module struct {
	Name          string   `json:"name"`
	EngineVersion string   `json:"engineVersion"`
	Source        string   `json:"source"`
	Include       []string `json:"include"`
}

// ReadModule reads dagger.json in the folder root.
func ReadModule(root string) (Module, error) {
	data, err := os.ReadFile(filepath.Join(root, "dagger.json"))
	if err != nil {
		return Module{}, fmt.Errorf("read dagger.json: %w", err)
	}
	var m Module
	if err := json.Unmarshal(data, &m); err != nil {
		return Module{}, fmt.Errorf("read dagger.json: %w", err)
	}
	return m, nil
}

// Includes reports whether an engine is handed the file at a path, relative to the root. Later patterns win, a "!" takes away, and a
// pattern that names a folder means all below it.
func (m Module) Includes(file string) bool {
	in := file == "dagger.json" || file == m.Source || strings.HasPrefix(file, m.Source+"/")
	for _, p := range m.Include {
		pattern, not := strings.CutPrefix(p, "!")
		if covers(pattern, file) {
			in = !not
		}
	}
	return in
}

// covers matches a pattern, whose "**" stands for any number of folders, with the file or a folder above it.
func covers(pattern, file string) bool {
	parts := strings.Split(file, "/")
	for n := 1; n <= len(parts); n++ {
		if matches(strings.Split(pattern, "/"), parts[:n]) {
			return true
		}
	}
	return false
}

func matches(pattern, parts []string) bool {
	if len(pattern) == 0 {
		return len(parts) == 0
	}
	if pattern[0] == "**" {
		for n := 0; n <= len(parts); n++ {
			if matches(pattern[1:], parts[n:]) {
				return true
			}
		}
		return false
	}
	if len(parts) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], parts[0])
	return err == nil && ok && matches(pattern[1:], parts[1:])
}

// CopyContext copies to the folder to, which must not exist, what an engine is handed of the repository at root: neither what git
// ignores in the module's folder, which an engine makes anew, nor anything that dagger.json does not name.
func CopyContext(to, root string) error {
	m, err := ReadModule(root)
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel == ".git" || rel == "build" || generated(m, rel) {
				return fs.SkipDir
			}
			return nil
		}
		if !m.Includes(rel) || generated(m, rel) {
			return nil
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%q is no plain file", rel)
		}
		return copyFile(filepath.Join(to, filepath.FromSlash(rel)), name)
	})
}

// generated are the paths of .dagger/.gitignore.
func generated(m Module, rel string) bool {
	return rel == m.Source+"/internal" || rel == m.Source+"/dagger.gen.go" || rel == m.Source+"/.env"
}

func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, 0o644))
}
