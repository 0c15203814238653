package agent

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// sum is an integrity of the right form.
func sum() string { return "sha512-" + base64.StdEncoding.EncodeToString(make([]byte, 64)) }

// lockOf makes a lockfile of a command line with one dependency, and puts more into the entry of the dependency.
func lockOf(more string) string {
	return `{"name": "tools", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": {
"": {"name": "tools", "version": "1.0.0", "dependencies": {"@bot/cli": "0.4.0"}},
"node_modules/@bot/cli": {"version": "0.4.0", "integrity": "` + sum() + `", "license": "Apache-2.0", "bin": {"bot": "dist/cli.js"},
  "engines": {"node": ">=20"}, "dependencies": {"commander": "^12.0.0 || 13.x"}},
"node_modules/@bot/cli/node_modules/commander": {` + more + `}}}`
}

func goodEntry() string { return `"version": "12.1.0", "integrity": "` + sum() + `"` }

func TestCheckLock(t *testing.T) {
	l, err := CheckLock([]byte(lockOf(goodEntry() + `, "dev": true, "funding": {"url": "https://example.com"}, "os": ["linux"]`)))
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Packages) != 2 || l.Root["@bot/cli"] != "0.4.0" || l.Packages[1].Name != "commander" {
		t.Errorf("got %+v", l)
	}
	var m map[string]any
	if err := json.Unmarshal(l.Manifest(), &m); err != nil || m["private"] != true || m["scripts"] != nil {
		t.Errorf("manifest %s", l.Manifest())
	}
	good := lockOf(goodEntry())
	swap := func(old, with string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the lockfile has no %q", old)
		}
		return strings.Replace(good, old, with, 1)
	}
	for name, bad := range map[string]string{
		"resolved":             lockOf(goodEntry() + `, "resolved": "https://example.com/x.tgz"`),
		"link":                 lockOf(goodEntry() + `, "link": true`),
		"bundled":              lockOf(goodEntry() + `, "inBundle": true`),
		"bundling":             lockOf(goodEntry() + `, "bundleDependencies": ["x"]`),
		"shrinkwrap":           lockOf(goodEntry() + `, "hasShrinkwrap": true`),
		"no integrity":         lockOf(`"version": "12.1.0"`),
		"sha1":                 lockOf(`"version": "12.1.0", "integrity": "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk="`),
		"two integrities":      lockOf(`"version": "12.1.0", "integrity": "` + sum() + ` ` + sum() + `"`),
		"short integrity":      lockOf(`"version": "12.1.0", "integrity": "sha512-AAAA"`),
		"integrity twice":      lockOf(goodEntry() + `, "integrity": "` + sum() + `"`),
		"no version":           lockOf(`"integrity": "` + sum() + `"`),
		"git version":          lockOf(`"version": "git+ssh://git@example.com/x.git#1", "integrity": "` + sum() + `"`),
		"file version":         lockOf(`"version": "file:../x", "integrity": "` + sum() + `"`),
		"range as version":     lockOf(`"version": "^12.0.0", "integrity": "` + sum() + `"`),
		"alias":                lockOf(goodEntry() + `, "name": "other"`),
		"git dependency":       lockOf(goodEntry() + `, "dependencies": {"x": "git+https://example.com/x.git"}`),
		"short git dependency": lockOf(goodEntry() + `, "dependencies": {"x": "user/x"}`),
		"aliased dependency":   lockOf(goodEntry() + `, "optionalDependencies": {"x": "npm:y@1.0.0"}`),
		"bin of a dependency":  lockOf(goodEntry() + `, "bin": {"node": "node.js"}`),
		"bin leads out":        swap(`dist/cli.js`, `../../x.js`),
		"bin with a path name": swap(`"bot": "dist`, `"../bot": "dist`),
		"bin absolute":         swap(`dist/cli.js`, `/bin/sh`),
		"bin a string":         swap(`{"bot": "dist/cli.js"}`, `"dist/cli.js"`),
		"workspace":            swap(`"node_modules/@bot/cli/node_modules/commander"`, `"packages/commander"`),
		"dot dot":              swap(`"node_modules/@bot/cli/node_modules/commander"`, `"node_modules/../commander"`),
		"nested dot dot":       swap(`"node_modules/@bot/cli/node_modules/commander"`, `"node_modules/@bot/cli/node_modules/.."`),
		"root with workspaces": swap(`"dependencies": {"@bot/cli"`, `"workspaces": ["x"], "dependencies": {"@bot/cli"`),
		"root with a URL":      swap(`"@bot/cli": "0.4.0"`, `"@bot/cli": "https://example.com/x.tgz"`),
		"version 2":            swap(`"lockfileVersion": 3`, `"lockfileVersion": 2`),
		"version 2 part":       swap(`"requires": true`, `"requires": true, "dependencies": {}`),
		"no root":              swap(`"": {"name": "tools", "version": "1.0.0", "dependencies": {"@bot/cli": "0.4.0"}},`, ``),
		"capital key":          swap(`"license"`, `"Resolved": "x", "license"`),
		"cut":                  good[:len(good)-2],
		"followed by more":     good + "{}",
		"a list":               "[]",
		"empty":                "",
		"too large":            good + strings.Repeat(" ", MaxLockBytes),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := CheckLock([]byte(bad)); !errors.Is(err, ErrLock) {
				t.Fatalf("got %v", err)
			}
			// A project's own packages may bring programs. Every other part of the rule holds for them too.
			if _, err := CheckProjectLock([]byte(bad)); (err == nil) != (name == "bin of a dependency") {
				t.Fatalf("as a project's: %v", err)
			}
		})
	}
}

func TestOwnLock(t *testing.T) {
	p, err := ThePin()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []Pin{{Package: "other", Version: p.Version}, {Package: p.Package, Version: "2.1.329"}} {
		if _, err := ownLock(e); !errors.Is(err, ErrLock) {
			t.Errorf("%+v: got %v", e, err)
		}
	}
}
