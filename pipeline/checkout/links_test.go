package checkout

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The list of links comes from behind the fence. Whatever it says, no link leads out of the tree and nothing is written outside or replaced.
func TestMakeLinks(t *testing.T) {
	for name, c := range map[string]struct {
		links []Link
		ok    bool
	}{
		"none":                            {nil, true},
		"to a file":                       {[]Link{{"link", "folder/file"}}, true},
		"in a folder of links alone":      {[]Link{{"new/link", "../folder"}}, true},
		"to a link":                       {[]Link{{"a", "folder"}, {"b", "a/file"}}, true},
		"absolute":                        {[]Link{{"link", "/etc/passwd"}}, false},
		"out of it":                       {[]Link{{"link", "../outside"}}, false},
		"out of it from a folder":         {[]Link{{"folder/link", "../../outside"}}, false},
		"out of it through a link":        {[]Link{{"folder/up", ".."}, {"link", "folder/up/../outside"}}, false},
		"through a link that comes later": {[]Link{{"link", "z/../../outside"}, {"z", "folder"}}, false},
		"in circles":                      {[]Link{{"a", "b"}, {"b", "a"}}, false},
		"nowhere":                         {[]Link{{"link", ""}}, false},
		"in place of a file":              {[]Link{{"folder/file", "other"}}, false},
		"twice":                           {[]Link{{"a", "folder"}, {"a", "folder/file"}}, false},
		"at an absolute path":             {[]Link{{"/tmp/link", "x"}}, false},
		"above the tree":                  {[]Link{{"../link", "x"}}, false},
		"a path that is not clean":        {[]Link{{"folder/../link", "x"}}, false},
		"below another link":              {[]Link{{"a", "folder"}, {"a/b", "file"}}, true}, // lies in the folder: never outside
		"a target without end":            {[]Link{{"link", strings.Repeat("a/", maxLinkBytes)}}, false},
		"the tree itself":                 {[]Link{{".", "folder"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dst := filepath.Join(parent, "tree")
			err := errors.Join(os.MkdirAll(filepath.Join(dst, "folder"), 0o755), os.WriteFile(filepath.Join(dst, "folder", "file"), []byte("kept"), 0o644))
			if err != nil {
				t.Fatal(err)
			}
			err = MakeLinks(dst, c.links)
			if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrLinks) {
				t.Fatalf("error %v, want success %v", err, c.ok)
			}
			if text, err := os.ReadFile(filepath.Join(dst, "folder", "file")); err != nil || string(text) != "kept" {
				t.Errorf("the file: %q, %v", text, err)
			}
			if left, err := os.ReadDir(parent); err != nil || len(left) != 1 {
				t.Errorf("beside the tree: %v, %v", left, err)
			}
			for _, l := range c.links {
				if !c.ok {
					break
				}
				if got, err := os.Readlink(filepath.Join(dst, l.Path)); err != nil || got != l.Target {
					t.Errorf("%s leads to %q, %v", l.Path, got, err)
				}
			}
		})
	}
}
