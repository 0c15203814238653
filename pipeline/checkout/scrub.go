package checkout

import (
	"path"
	"strings"
)

// scrubbedNames are files and folders that tell an agent, an editor or a package manager what to do. They
// are left out wherever they stand, with all that lies below. A leading dot and a trailing * are literal
// and "begins with".
var scrubbedNames = []string{
	// Claude Code
	"claude.md", "claude.local.md", ".claude*", ".mcp.json", "mcp.json", ".clauderc",
	// other agents
	"agents.md", "agents.local.md", "agents.override.md", "agent.md", "gemini.md", "qwen.md", "copilot-instructions.md", "conventions.md",
	".agents*", ".agent*", ".cursor*", ".windsurf*", ".codeium*", ".cline*", ".roo*", ".aider*", ".continue*", ".codex*", ".gemini*", ".qwen*",
	".copilot*", ".kiro*", ".junie*", ".trae*", ".augment*", ".goose*", ".opencode*", "opencode.json", ".amazonq*", ".tabnine*", ".rules", ".ai", ".llm*",
	// editors and shells, which run what they find
	".vscode", ".idea", ".zed", ".fleet", ".devcontainer*", ".envrc", ".env*", ".direnv", ".bashrc", ".profile", ".zshrc", ".husky", ".tool-versions", ".mise*", "mise.toml",
	// package managers and run times, which load code or send requests as these say
	".npmrc", ".yarnrc*", ".yarn", ".pnpmfile*", "bunfig.toml", ".bunfig.toml", ".node_repl*", ".cargo", ".pypirc", ".netrc", ".ripgreprc", ".gitconfig",
}

// scrubbedPaths are left out only below the folder that their tool reads them from.
var scrubbedPaths = []string{".github/copilot*", ".github/instructions", ".github/prompts", ".github/chatmodes", ".github/agents", ".github/skills"}

// Scrubbed reports whether a path, or a folder above it, is left out of the tree that the agent sees.
func Scrubbed(p string) bool {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		for _, name := range scrubbedNames {
			if matches(part, name) {
				return true
			}
		}
		if i == 0 {
			continue
		}
		for _, sp := range scrubbedPaths {
			dir, name := path.Split(sp)
			if strings.EqualFold(parts[i-1]+"/", dir) && matches(part, name) {
				return true
			}
		}
	}
	return false
}

// matches compares without letter case: a file system that ignores it, or a tool that does, would find
// the file all the same.
func matches(part, name string) bool {
	prefix, open := strings.CutSuffix(name, "*")
	if !open {
		return strings.EqualFold(part, name)
	}
	n := 0
	for i := range part { // as many code points as the ASCII prefix has: a folded letter may be longer
		if n == len(prefix) {
			return strings.EqualFold(part[:i], prefix)
		}
		n++
	}
	return n == len(prefix) && strings.EqualFold(part, prefix)
}
