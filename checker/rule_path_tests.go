package checker

import (
	"slices"
	"strings"

	"selffix/pipeline/policy"
)

func rulePathTests() Rule {
	return pathRule(Rule{
		ID:    "SF-PATH-008",
		Kind:  "path-test",
		Title: "Test",
		Why: "A fix that changes the tests proves nothing. Tests, their mocks, snapshots and set-up are for people to change, and a new " +
			"test file is code that runs with the secrets of the CI.",
		File: "rule_path_tests",
	}, func(_ *Change, f *File) string {
		p := strings.ToLower(f.Path)
		for part := range strings.SplitSeq(folderOf(p), "/") {
			if slices.Contains(policy.TestFolders(), part) {
				return "the file lies in a folder of tests; no policy allows that"
			}
		}
		name := nameOf(p)
		stem := stemOf(name)
		if slices.ContainsFunc(middle(name), func(s string) bool { return slices.Contains(testMarks, s) }) ||
			slices.Contains(testStems, stem) || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec") {
			return "the file is a test by its name; no policy allows that"
		}
		return ""
	})
}

var (
	// testMarks are the parts between two dots by which test runners know their files: split.test.ts, home.cy.ts.
	testMarks = []string{"test", "tests", "spec", "specs", "cy", "e2e", "e2e-spec", "test-d", "snap"}
	// testStems are the names, up to the first dot, of what test runners load first: vitest.setup.ts, setupTests.ts.
	testStems = []string{"vitest", "jest", "playwright", "cypress", "setuptests", "setup-tests", "test-setup"}
)
