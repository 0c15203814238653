package checker

import (
	"path"
	"slices"
	"strings"

	"selffix/internal/lazyregexp"
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
		if isTest(nameOf(f.Path)) {
			return "the file is a test, or its set-up, by its name; no policy allows that"
		}
		return ""
	})
}

// isTest judges a file name by what test runners look for when nothing is configured, and by what people call the set-up, the mocks and the helpers
// of tests. Jest takes test.ts, spec.tsx and x.test.ts, Vitest x.bench.ts and x.test-d.ts, Node x-test.ts and x_test.ts.
func isTest(name string) bool {
	lower := strings.ToLower(name)
	if slices.ContainsFunc(middle(lower), func(s string) bool { return slices.Contains(testMarks, s) }) || slices.Contains(testStems, stemOf(lower)) {
		return true
	}
	for _, base := range []string{stemOf(name), strings.TrimSuffix(name, path.Ext(name))} {
		words := wordsOf(base)
		whole := len(words) == 1 && slices.Contains([]string{"test", "tests", "spec", "specs"}, words[0])
		if whole || testTail.MatchString(base) || testSetUp(words) {
			return true
		}
	}
	return false
}

// testTail matches a name whose last word, set off by a sign, is that of a test. "contest" and "latest" are none.
var testTail = lazyregexp.New(`(?i)[._-](?:test|spec)$`)

// testSetUp says that the words of a name, such as vitest-setup, globalTeardown or test-utils, tell what runs around tests.
func testSetUp(words []string) bool {
	has := func(list ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	around := has("setup", "teardown")
	part := around || has("util", "utils", "helper", "helpers", "mock", "mocks", "env", "environment", "globals", "matchers")
	switch {
	case has("vitest", "jest", "playwright", "cypress"):
		return part
	case len(words) != 2:
		return false
	case has("test", "tests", "testing", "e2e"):
		return part
	}
	return around && has("global", "files")
}

// wordsOf splits a name at . - _ and before a capital letter that follows a small one, in lower case.
func wordsOf(name string) []string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if small && r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
		}
		small = r >= 'a' && r <= 'z'
		b.WriteRune(r)
	}
	return strings.FieldsFunc(strings.ToLower(b.String()), func(r rune) bool { return strings.ContainsRune(" .-_", r) })
}

var (
	// testMarks are the parts between two dots by which test runners, and people, know such files: split.test.ts, home.cy.ts, api.mock.ts.
	testMarks = []string{
		"test", "tests", "spec", "specs", "cy", "e2e", "e2e-spec", "test-d", "spec-d", "snap",
		"bench", "mock", "mocks", "fixture", "fixtures", "setup", "teardown",
	}
	// testStems are the names, up to the first dot, of what test runners load first: vitest.setup.ts, setuptests.ts.
	testStems = []string{"vitest", "jest", "playwright", "cypress", "setuptests"}
)
