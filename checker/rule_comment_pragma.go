package checker

import "selffix/internal/lazyregexp"

func ruleCommentPragma() Rule {
	return withLines(Rule{
		ID:    "SF-COMMENT-001",
		Kind:  "comment-pragma",
		Title: "Comment that a tool obeys, or global declaration",
		Why: "@jsxImportSource imports a package, webpackIgnore keeps an import from the bundler, /// <reference pulls a file into the types, @ts-nocheck, eslint-disable, NOSONAR and coverage's ignore switch the " +
			"reader's tools off, sourceMappingURL points debuggers elsewhere. declare global and declare module change types everywhere. Matched in any added line, so that no comment " +
			"that the base began is missed.",
		File: "rule_comment_pragma",
	}, func(_ *Change, line string) (int, string) {
		if m := actingComment.FindStringIndex(line); m != nil {
			return m[0], "the line is an instruction to a tool, or a global declaration"
		}
		return 0, ""
	})
}

var actingComment = lazyregexp.New(`@jsx(?:ImportSource|Runtime|Frag)?\b|@ts-(?:nocheck|ignore|expect-error|check)\b|\beslint-(?:disable|enable|env)|/\*\s*eslint\s+["']?[a-z@][\w@/-]*["']?\s*:|\b(?:tslint|oxlint|deno-lint|stylelint|biome)[:-](?:disable|ignore)` +
	`|[#@]\s*source(?:Mapping)?URL\s*=|^\s*///\s*<|\bwebpack[A-Z][A-Za-z]*\s*:|\bturbopack[A-Z][A-Za-z]*\s*:|@vite-ignore|@__PURE__|[#@]__NO_SIDE_EFFECTS__|@cc_on|<!--` +
	`|\b(?:istanbul|[cv]8|node:coverage)\s+ignore\b|\bNOSONAR\b|\bnosemgrep\b|\b(?:codeql|lgtm)\s?\[|\bgitleaks:allow\b|\btrufflehog:ignore\b|@(?:jest|vitest)-environment\b` +
	`|\bdeclare(?:\s|/\*.*?\*/)+(?:global|module|namespace)\b`)
