package policy

import (
	"fmt"
	"strings"
)

// Reference is the page that describes every key, in Markdown, from the same table as the reader.
func Reference() string {
	var b strings.Builder
	b.WriteString(referenceIntro)
	before := "-"
	for _, k := range Keys() {
		if section := sectionOf(k.Path); section != before {
			before = section
			heading(&b, section)
		}
		fmt.Fprintf(&b, "### `%s`\n\n%s\n\n", k.Path, k.Allows)
		fmt.Fprintf(&b, "- Takes: %s.\n", takes(k))
		if k.Floor != "" {
			fmt.Fprintf(&b, "- Floor: %s\n", k.Floor)
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

const referenceIntro = `# The policy

One file, ` + "`.github/self-fix.yaml`" + `, says what self-fix may do in a repository. It is read from the head of the default branch in
every job, never from a pull request. ` + "`self-fix policy check FILE`" + ` explains a policy in plain words or names every fault in it
with its line; ` + "`docs/policy.schema.json`" + ` makes editors complete and check it:

` + "```yaml" + `
# yaml-language-server: $schema=https://raw.githubusercontent.com/OWNER/self-fix/COMMIT/docs/policy.schema.json
` + "```" + `

The file is disabled unless it says ` + "`enabled: true`" + `. It is read strictly: an unknown or repeated key, a missing one, an empty list, a
value of the wrong type, an anchor, an alias, a tag or a second document is an error, and then nothing is done.

**The floor.** What the promise of self-fix rests on is code, and a policy can only narrow it: a value that would widen it is an error
with its line. Where a key has a floor, it is named below.

<!-- Written by "go test ./pipeline/policy -update" from the table that the reader uses. -->

`

func heading(b *strings.Builder, section string) {
	if section == "" {
		b.WriteString("## The file\n\n")
		return
	}
	fmt.Fprintf(b, "## `%s`\n\n%s\n\n", section, Sections()[section])
}

// sectionOf is the path without its last part.
func sectionOf(path string) string {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i]
	}
	return ""
}

// takes says what a value must be, and whether it may be left out.
func takes(k Key) string {
	out := k.Want
	if k.List() {
		out = "a list, each item " + out
	}
	if k.Optional {
		out += "; may be left out"
	}
	return out
}
