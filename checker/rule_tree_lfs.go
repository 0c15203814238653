package checker

import "bytes"

// lfsSpecs are the first bytes of pointer files, as git-lfs and its forerunners write them.
var lfsSpecs = []string{
	"version https://git-lfs.github.com/spec/",
	"version https://hawser.github.com/spec/",
	"version http://git-media.io/v/",
}

func ruleTreeLFS() Rule {
	r := Rule{
		ID:    "SF-TREE-003",
		Kind:  "tree-lfs",
		Title: "Git LFS pointer",
		Why:   "A pointer stands for a file that lies elsewhere: what is deployed is not what was judged. A file may neither be nor become one.",
		File:  "rule_tree_lfs",
	}
	r.Check = func(c *Change) []Finding {
		var found []Finding
		for _, f := range c.Files {
			switch {
			case isLFSPointer(f.Base):
				found = append(found, r.at(f.Path, 0, 0, "the base holds a Git LFS pointer here, not the file"))
			case isLFSPointer(f.Result):
				found = append(found, r.at(f.Path, 1, 1, "the result is a Git LFS pointer"))
			}
		}
		return found
	}
	return r
}

func isLFSPointer(data []byte) bool {
	for _, spec := range lfsSpecs {
		if bytes.HasPrefix(data, []byte(spec)) {
			return true
		}
	}
	return false
}
