package checker

import "strings"

// Rules that allow compare paths byte for byte, as Linux does; rules that refuse compare them in lower case, as the
// file systems of macOS and Windows do.

// folderOf is the path of the folder that holds p, "" for the top.
func folderOf(p string) string {
	return strings.TrimSuffix(p[:strings.LastIndexByte(p, '/')+1], "/")
}

// nameOf is the last part of p.
func nameOf(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

// stemOf is a name up to its first dot. Bundlers try endings in an order of their own (".web.ts", ".d.ts", ".js"
// before ".ts"), so two names of one stem may be loaded in place of each other.
func stemOf(name string) string {
	stem, _, _ := strings.Cut(name, ".")
	return stem
}

// below reports whether p lies below folder, compared byte for byte.
func below(p, folder string) bool {
	return folder != "" && strings.HasPrefix(p, folder+"/")
}

// lowered returns the list in lower case.
func lowered(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.ToLower(s)
	}
	return out
}

// middle returns the parts of a name between its first and its last dot: "test" of "split.test.ts". A name that
// has only one dot has none.
func middle(name string) []string {
	parts := strings.Split(name, ".")
	if len(parts) < 3 {
		return nil
	}
	return parts[1 : len(parts)-1]
}
