package checker

import "fmt"

func ruleSizeFile() Rule {
	r := Rule{
		ID:     "SF-SIZE-005",
		Kind:   "size-file",
		Title:  "File too large to judge",
		Why:    "Rules on code parse each changed file before and after. A file over the limit is refused before it is parsed, so that time and memory stay bounded.",
		Policy: "limits.file_bytes",
		File:   "rule_size_file",
	}
	r.Check = func(c *Change) []Finding {
		var found []Finding
		most := c.Policy.Limits.FileBytes
		for _, f := range c.Files {
			if f.unread {
				found = append(found, r.at(f.Path, 0, 0, fmt.Sprintf("the file was left unread: it has more than %d bytes, or the files of the change together more than %d", maxBlobBytes, maxWork)))
			}
			if size := max(len(f.Base), len(f.Result)); size > most {
				found = append(found, r.at(f.Path, 0, 0, fmt.Sprintf("the file has %d bytes; want at most %d, before and after", size, most)))
			}
		}
		return found
	}
	return r
}
