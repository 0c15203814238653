package checker

import (
	"path"
	"slices"
	"strings"
)

func rulePathAgentDoc() Rule {
	return pathRule(Rule{
		ID:    "SF-PATH-010",
		Kind:  "path-agent-doc",
		Title: "Instructions for agents",
		Why: "Agents obey CLAUDE.md, AGENTS.md and their kin, at any depth: a patch that writes one gives orders to the next agent, and to " +
			"the maintainer's own.",
		Redundant: []RuleID{"SF-PATH-003"}, // no ending of such files can be allowed
		File:      "rule_path_agent_doc",
	}, func(_ *Change, f *File) string {
		name := nameOf(strings.ToLower(f.Path))
		ending := path.Ext(name)
		switch {
		case slices.Contains(docEndings, ending) && slices.Contains(agentDocs, stemOf(name)):
		case slices.Contains(docEndings, ending) && slices.ContainsFunc(middle(name), func(s string) bool { return slices.Contains(agentMarks, s) }):
		case slices.Contains(agentFiles, name) || ending == ".mdc":
		default:
			return ""
		}
		return "the file instructs agents; no policy allows that"
	})
}

var (
	docEndings = []string{"", ".md", ".mdx", ".txt", ".markdown"}
	agentDocs  = strings.Fields(`claude agent agents gemini qwen copilot copilot-instructions codex cursor cursorrules windsurfrules
		clinerules roorules grok kimi junie jules warp goose amp crush conventions skill replit llms`)
	agentMarks = []string{"instructions", "prompt", "chatmode", "agent", "rules"} // review.instructions.md
	agentFiles = strings.Fields(`mcp.json opencode.json opencode.jsonc crush.json .cursorrules .windsurfrules .clinerules .roorules
		.goosehints .mcp.json .aider.conf.yml`)
)
