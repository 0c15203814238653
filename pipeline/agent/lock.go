package agent

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"selffix/internal/lazyregexp"
	"selffix/internal/strictjson"
)

// ErrLock is wrapped by every reason for which a lockfile is not installed from.
var ErrLock = errors.New("lockfile refused")

// The bounds of a lockfile.
const (
	MaxLockBytes    = 4 << 20
	maxLockPackages = 2000
)

// Package is one entry of a lockfile.
type Package struct {
	Path      string // "node_modules/@scope/name", deeper for nested ones
	Name      string
	Version   string
	Integrity string // "sha512-…"
	Programs  bool   // it brings programs ("bin"), which npm links where programs are looked for
}

// Lock is a lockfile that holds the rule.
type Lock struct {
	Root     map[string]string // what the root asks for, by name
	Packages []Package         // sorted by path
	manifest []byte
}

// Manifest is the smallest package.json that the lockfile satisfies. Installing with it leaves out what a
// repository's own package.json may say beside its dependencies: scripts, workspaces, overrides.
func (l Lock) Manifest() []byte { return bytes.Clone(l.manifest) }

// CheckLock holds an npm lockfile to the rule for everything that is installed beside a secret or a model:
// every package comes from the configured registry under its own name, in one exact version, with one sha512
// integrity. An entry with "resolved" is refused, since that names where to fetch it (a git address, a file, another
// host); so are links, workspaces, bundled packages, shrinkwraps inside packages, and aliases, each of which
// brings code that the integrity does not cover.
func CheckLock(raw []byte) (Lock, error) {
	l, err := CheckProjectLock(raw)
	if err != nil {
		return Lock{}, err
	}
	return l, l.checkPrograms()
}

// CheckProjectLock is CheckLock for a project's own packages, any of which may bring programs: they are run where there is
// neither a secret nor a model.
func CheckProjectLock(raw []byte) (Lock, error) {
	if len(raw) > MaxLockBytes {
		return Lock{}, fmt.Errorf("%w: it is larger than %d bytes", ErrLock, MaxLockBytes)
	}
	// npm's keys have capitals, which Scan refuses except below a free key.
	if err := strictjson.Scan(slices.Concat([]byte(`{"lock":`), raw, []byte("}")), strictjson.Object, "lock"); err != nil {
		return Lock{}, fmt.Errorf("%w: %w", ErrLock, err)
	}
	top, err := fields(raw, "name", "version", "lockfileVersion", "requires", "packages")
	if err != nil {
		return Lock{}, fmt.Errorf("%w: %w", ErrLock, err)
	}
	if string(bytes.TrimSpace(top["lockfileVersion"])) != "3" {
		return Lock{}, fmt.Errorf("%w: lockfileVersion 3 is expected; write it anew with npm 7 or later", ErrLock)
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(top["packages"], &entries); err != nil || len(entries) < 2 || len(entries) > maxLockPackages {
		return Lock{}, fmt.Errorf("%w: between 1 and %d packages are expected", ErrLock, maxLockPackages)
	}
	l := Lock{}
	for at, entry := range entries {
		if at == "" {
			err = l.root(entry)
		} else {
			err = l.add(at, entry)
		}
		if err != nil {
			return Lock{}, fmt.Errorf("%w: entry %.120q %w", ErrLock, at, err)
		}
	}
	if l.manifest == nil {
		return Lock{}, fmt.Errorf("%w: it has no root entry", ErrLock)
	}
	slices.SortFunc(l.Packages, func(a, b Package) int { return strings.Compare(a.Path, b.Path) })
	return l, nil
}

// checkPrograms allows programs only of what the root itself asks for: a "node" or "git" that a dependency of a dependency brings
// would lie in the same folder.
func (l *Lock) checkPrograms() error {
	for _, p := range l.Packages {
		if _, asked := l.Root[p.Name]; p.Programs && (!asked || p.Path != "node_modules/"+p.Name) {
			return fmt.Errorf("%w: entry %.120q has a bin, and the root does not ask for it", ErrLock, p.Path)
		}
	}
	return nil
}

// root reads the entry of the project itself.
func (l *Lock) root(raw []byte) error {
	f, err := fields(raw, "name", "version", "license", "private", "engines", "dependencies", "devDependencies", "optionalDependencies", "hasInstallScript", "bin")
	if err != nil {
		return err
	}
	manifest := map[string]any{"private": true}
	l.Root = map[string]string{}
	for _, kind := range []string{"dependencies", "devDependencies", "optionalDependencies"} {
		deps, err := ranges(f[kind])
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		for name, wanted := range deps {
			l.Root[name] = wanted
		}
		if len(deps) > 0 {
			manifest[kind] = deps
		}
	}
	for _, key := range []string{"name", "version"} {
		var s string
		if f[key] != nil && json.Unmarshal(f[key], &s) == nil {
			manifest[key] = s
		}
	}
	l.manifest, err = json.Marshal(manifest)
	return err
}

var (
	packageName = lazyregexp.New(`^(@[a-z0-9~-][a-z0-9._~-]{0,100}/)?[a-zA-Z0-9~-][a-zA-Z0-9._~-]{0,200}$`)
	version     = lazyregexp.New(`^[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}(-[0-9A-Za-z.-]{1,64})?(\+[0-9A-Za-z.-]{1,64})?$`)
	// A range is made of versions and comparisons. A colon or a slash would name a place: git+ssh:, file:, npm:, user/repo.
	versionRange = lazyregexp.New(`^[0-9A-Za-z.*^~<>=|+ -]{0,200}$`)
)

// entryKeys lists what an entry may say. Absent among others: resolved, link, inBundle, bundleDependencies,
// hasShrinkwrap, extraneous, workspaces.
func entryKeys() []string {
	return []string{
		"name", "version", "integrity", "license", "bin", "engines", "os", "cpu", "libc", "funding", "deprecated",
		"dev", "optional", "devOptional", "peer", "hasInstallScript",
		"dependencies", "optionalDependencies", "peerDependencies", "peerDependenciesMeta",
	}
}

// add reads the entry of one package.
func (l *Lock) add(at string, raw []byte) error {
	f, err := fields(raw, entryKeys()...)
	if err != nil {
		return err
	}
	name, err := nameOf(at)
	if err != nil {
		return err
	}
	p := Package{Path: at, Name: name, Programs: f["bin"] != nil}
	if err := json.Unmarshal(orNull(f["version"]), &p.Version); err != nil || !version.MatchString(p.Version) {
		return errors.New("has no exact version")
	}
	if err := json.Unmarshal(orNull(f["integrity"]), &p.Integrity); err != nil || !isSHA512(p.Integrity) {
		return errors.New("has no single sha512 integrity")
	}
	var alias string
	if f["name"] != nil && (json.Unmarshal(f["name"], &alias) != nil || alias != name) {
		return errors.New("is an alias for another package")
	}
	for _, kind := range []string{"dependencies", "optionalDependencies", "peerDependencies"} {
		if _, err := ranges(f[kind]); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	if err := checkBin(f["bin"]); err != nil {
		return err
	}
	l.Packages = append(l.Packages, p)
	return nil
}

// nameOf takes an entry's path apart: names of packages, each in a node_modules folder, and nothing else.
func nameOf(at string) (string, error) {
	names := strings.Split("/"+at, "/node_modules/")
	if names[0] != "" || len(names) < 2 {
		return "", errors.New("lies outside node_modules")
	}
	for _, n := range names[1:] {
		if !packageName.MatchString(n) || strings.Contains(n, "..") || n == "node_modules" {
			return "", errors.New("is no path of packages")
		}
	}
	return names[len(names)-1], nil
}

// checkBin demands that programs lie in the package and have plain names: npm links them into a folder of programs.
func checkBin(raw []byte) error {
	if raw == nil {
		return nil
	}
	var bins map[string]string
	if err := json.Unmarshal(raw, &bins); err != nil {
		return errors.New("has a bin that is no list of names and files")
	}
	for name, file := range bins {
		clean := path.Clean(file)
		if !packageName.MatchString(name) || strings.Contains(name, "/") || path.IsAbs(clean) || clean == ".." ||
			strings.HasPrefix(clean, "../") || strings.ContainsAny(file, "\\\x00") {
			return fmt.Errorf("has the bin %.60q, which leads out of the package", name)
		}
	}
	return nil
}

func ranges(raw []byte) (map[string]string, error) {
	if raw == nil {
		return nil, nil
	}
	var deps map[string]string
	if err := json.Unmarshal(raw, &deps); err != nil {
		return nil, errors.New("a list of names and versions is expected")
	}
	for name, wanted := range deps {
		if !packageName.MatchString(name) || !versionRange.MatchString(wanted) {
			return nil, fmt.Errorf("%.60q is not asked for by version", name)
		}
	}
	return deps, nil
}

func isSHA512(s string) bool {
	sum, ok := strings.CutPrefix(s, "sha512-")
	raw, err := base64.StdEncoding.Strict().DecodeString(sum)
	return ok && err == nil && len(raw) == 64
}

// fields reads one object that has no key but the given ones.
func fields(raw []byte, known ...string) (map[string]json.RawMessage, error) {
	var f map[string]json.RawMessage
	if err := json.Unmarshal(raw, &f); err != nil || f == nil {
		return nil, errors.New("is no object")
	}
	for key := range f {
		if !slices.Contains(known, key) {
			return nil, fmt.Errorf("has %.60q, which is not allowed", key)
		}
	}
	return f, nil
}

func orNull(raw []byte) []byte {
	if raw == nil {
		return []byte("null")
	}
	return raw
}

// ownLock holds the built-in lockfile to the rule and to the pin: the wrapper and its programs for each platform,
// all of one version, and nothing else.
func ownLock(p Pin) (Lock, error) {
	l, err := CheckLock(packageLock)
	if err != nil {
		return l, err
	}
	if len(l.Root) != 1 || l.Root[p.Package] != p.Version {
		return l, fmt.Errorf("%w: its root must ask for %s %s alone", ErrLock, p.Package, p.Version)
	}
	for _, e := range l.Packages {
		if e.Path != "node_modules/"+e.Name || e.Version != p.Version || (e.Name != p.Package && !strings.HasPrefix(e.Name, p.Package+"-")) {
			return l, fmt.Errorf("%w: %.120q is no part of %s %s", ErrLock, e.Path, p.Package, p.Version)
		}
	}
	return l, nil
}
