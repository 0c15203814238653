package checkout

import "testing"

func TestScrubbed(t *testing.T) {
	tests := map[string]bool{
		"CLAUDE.md": true, "claude.MD": true, "packages/web/Claude.md": true, "CLAUDE.local.md": true, "AGENTS.md": true, "docs/agents.md": true,
		".claude": true, ".claude/settings.json": true, "a/b/.CLAUDE/hooks/x.sh": true, ".claude.json": true, ".mcp.json": true, "sub/.MCP.json": true,
		".cursor/rules/a.mdc": true, ".cursorrules": true, ".cursorignore": true, "GEMINI.md": true, ".gemini/settings.json": true,
		".github/copilot-instructions.md": true, ".GitHub/Copilot-Instructions.md": true, ".github/instructions/a.md": true, ".github/prompts/x": true,
		".vscode/settings.json": true, ".VSCode/tasks.json": true, ".envrc": true, ".env": true, ".env.local": true, ".npmrc": true, "packages/web/.npmrc": true,
		".yarnrc.yml": true, "bunfig.toml": true, ".devcontainer/devcontainer.json": true, ".husky/pre-commit": true, ".windsurfrules": true, ".aider.conf.yml": true,
		"CLAUDE.md/inner": true,
		// U+212A KELVIN SIGN and U+017F LONG S fold to k and s
		".c\u017fursor": false, "AGENT\u017f.md": true, ".hu\u017fky/x": true,

		"README.md": false, "docs/claude.html": false, "my-CLAUDE.md": false, "packages/web/src/agents.ts": false, ".github/workflows/ci.yml": false,
		"src/cursor.ts": false, "environment.ts": false, "packages/core/src/env.ts": false, "instructions/a.md": false, "x/instructions/a.md": false,
		".gitattributes": false, "package.json": false, "CLAUDE.mdx": false,
	}
	for p, want := range tests {
		if got := Scrubbed(p); got != want {
			t.Errorf("Scrubbed(%q) = %v, want %v", p, got, want)
		}
	}
}
