package doctor

import (
	"maps"
	"path"
	"slices"
	"strings"

	"selffix/internal/install"
)

// codeOwners reads .github/CODEOWNERS, which GitHub takes before others. The last line that matches a path decides, so every path
// that init writes must have an owner by a line that surely matches it, and no later line may take it away.
func codeOwners(f Facts) (string, error) {
	if f.Settings.Err != nil {
		return "", f.Settings.Err
	}
	text, ok := f.Settings.Value["CODEOWNERS"]
	if !ok {
		return "", weak("there is no .github/CODEOWNERS")
	}
	written, err := install.Workflows(f.Given)
	if err != nil {
		return "", err
	}
	own := []string{install.PolicyPath, install.PinsPath, install.LockfilePath, install.VariablesPath, ".github/CODEOWNERS"}
	for _, name := range append(own, slices.Sorted(maps.Keys(written))...) {
		if err := owned(string(text), name); err != nil {
			return "", err
		}
	}
	return "", nil
}

func owned(text, name string) error {
	some, doubt := false, ""
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		switch match(fields[0], name) {
		case surely:
			some, doubt = accounts(fields[1:]), ""
		case perhaps:
			doubt = fields[0]
		}
	}
	switch {
	case !some:
		return weak("nobody owns %s", name)
	case doubt != "":
		return weak("a later line, %q, may give %s to others or to nobody", doubt, name)
	}
	return nil
}

// accounts reports whether every owner is one to GitHub: it skips a line with any other.
func accounts(owners []string) bool {
	return len(owners) > 0 && !slices.ContainsFunc(owners, func(o string) bool { return len(o) < 2 || !strings.Contains(o, "@") })
}

// matching is whether a pattern is about a path.
type matching int

const (
	never matching = iota
	perhaps
	surely
)

// match judges a pattern of CODEOWNERS against a file's path. What is not surely understood is perhaps a match.
func match(pattern, name string) matching {
	if pattern == "*" || pattern == "**" || pattern == "/**" {
		return surely
	}
	rooted := strings.Contains(strings.TrimSuffix(pattern, "/"), "/")
	pattern = strings.TrimPrefix(pattern, "/")
	if rest, deep := strings.CutPrefix(pattern, "**/"); deep {
		pattern, rooted = rest, strings.Contains(strings.TrimSuffix(rest, "/"), "/")
		if rooted {
			return perhaps
		}
	}
	if rest, all := strings.CutSuffix(pattern, "/**"); all {
		pattern = rest + "/"
	}
	if !rooted {
		return anywhere(strings.TrimSuffix(pattern, "/"), name)
	}
	if !strings.ContainsAny(pattern, `*?[]!\`) {
		folder := strings.TrimSuffix(pattern, "/")
		if name == pattern || strings.HasPrefix(name, folder+"/") {
			return surely
		}
		return never
	}
	first, _, _ := strings.Cut(pattern, "/")
	top, _, _ := strings.Cut(name, "/")
	if !strings.ContainsAny(first, `*?[]!\`) && first != top {
		return never
	}
	return perhaps
}

// anywhere judges a pattern without a slash, which is about files and folders of that name at any depth.
func anywhere(pattern, name string) matching {
	plain := !strings.ContainsAny(pattern, `*?[]!\`)
	for part := range strings.SplitSeq(name, "/") {
		hit, err := path.Match(pattern, part)
		switch {
		case hit && plain:
			return surely
		case hit || err != nil || strings.ContainsAny(pattern, `[]!\`):
			return perhaps
		}
	}
	return never
}
