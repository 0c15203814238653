package doctor

import (
	"path/filepath"
	"testing"

	"selffix/internal/testrepo"
	"selffix/pipeline/policy"
)

func TestCodeOwners(t *testing.T) {
	p, err := policy.Load(filepath.Join(testrepo.Root(t), "testdata", "policy", "seed.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		good       bool
	}{
		{"a folder", "/.github/ @maintainer\n", true},
		{"a folder without its slash", ".github @maintainer\n", true},
		{"all below a folder", "/.github/** @org/team m@example.org\n", true},
		{"everything", "* @maintainer\n", true},
		{"tabs", "/.github/\t@maintainer\t# ours\n", true},
		{"other patterns later", "/.github/ @maintainer\n*.ts @writer\n/src/**/*.yml @writer\ndocs/ @writer\n/pinned @writer\n", true},
		{"taken away and given back", "*.yml @writer\n/.github/ @maintainer\n", true},
		{"empty", "", false},
		{"another folder", "/src/ @maintainer\n", false},
		{"one file only", "/.github/self-fix.yaml @maintainer\n", false},
		{"all but a script", "/.github/ @maintainer\n/.github/self-fix/setup.sh\n", false},
		{"all but one workflow", "/.github/ @maintainer\n/.github/workflows/self-fix-ci.yml\n", false},
		{"taken away by the same line", "/.github/ @maintainer\n/.github/\n", false},
		{"taken away without a slash", "/.github/ @maintainer\n/.github\n", false},
		{"taken away by ending", "/.github/ @maintainer\n*.yaml\n", false},
		{"given to another by ending", "/.github/ @maintainer\n*.yml @writer\n", false},
		{"taken away at any depth", "/.github/ @maintainer\n**/pins\n", false},
		{"taken away by name", "/.github/ @maintainer\npins\n", false},
		{"taken away by a star", "/.github/ @maintainer\n/.github/workflows/*\n", false},
		{"taken away by a class", "/.github/ @maintainer\n[a-z]*.yml\n", false},
		{"taken away deep down", "/.github/ @maintainer\n**/workflows/self-fix.yml\n", false},
		{"taken away with a tab", "/.github/ @maintainer\n/.github/self-fix.yaml\t\n", false},
		{"an owner that is no account", "/.github/ maintainer\n", false},
	} {
		f := Facts{Given: p, Settings: Seen[map[string][]byte]{Value: map[string][]byte{"CODEOWNERS": []byte(c.text)}}}
		if _, err := codeOwners(f); (err == nil) != c.good {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
