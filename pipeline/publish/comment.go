package publish

import (
	"fmt"
	"strings"

	"selffix/gates"
)

// maxListed is how many changed files a comment names.
const maxListed = 30

// comment is the text on the pull request: fixed words, ids, and file names in code spans, where neither a link nor a
// mention can come of them.
func comment(r Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n**self-fix** pushed %s on top of %s, which the test bot had failed.\n\n", gates.CommentMark, r.Commit, r.TestedCommit)
	fmt.Fprintf(&b, "Changed files:\n\n")
	for i, p := range r.Changed {
		if i == maxListed {
			fmt.Fprintf(&b, "\nand %d more.\n", len(r.Changed)-maxListed)
			break
		}
		fmt.Fprintf(&b, "- `%s`\n", p)
	}
	b.WriteString("\nAn agent made this change and a checker let it pass; nobody has read it yet. Please read it, then add the review label.\n\n" +
		"GitHub starts no other workflow for this commit. To run them, push an empty commit:\n\n" +
		"```sh\ngit commit --allow-empty -m \"run ci\"\ngit push\n```\n")
	return b.String()
}
