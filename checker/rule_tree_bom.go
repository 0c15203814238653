package checker

import "bytes"

func ruleTreeBOM() Rule {
	r := Rule{
		ID:    "SF-TREE-005",
		Kind:  "tree-bom",
		Title: "Byte order mark added or taken away",
		Why:   "A byte order mark changes how tools read the whole file and is invisible in review. It stays as it was; a new file has none.",
		File:  "rule_tree_bom",
	}
	r.Check = func(c *Change) []Finding {
		bom := []byte("\uFEFF")
		var found []Finding
		for _, f := range c.Files {
			if f.Result != nil && bytes.HasPrefix(f.Base, bom) != bytes.HasPrefix(f.Result, bom) {
				found = append(found, r.at(f.Path, 1, 1, "the change adds or takes away the byte order mark at the start of the file"))
			}
		}
		return found
	}
	return r
}
