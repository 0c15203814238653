// Package agent says how Claude Code is installed, called and read.
//
// In go the built-in pin, lockfile, settings and system prompt, a policy, and the folders of one step. Out
// come the program held to its hash ([Install], [Tools.Verify]), one command line with a whole environment
// ([Tools.Command]), and, of all that the agent says, two numbers ([ReadResult]).
//
// The call was measured against hostile checkouts, and each part of it answers something that was seen: project
// settings and MCP servers ran before any trust dialog (CVE-2025-59536), a project's ANTHROPIC_BASE_URL took
// the token (CVE-2026-21852), "@file" in a prompt read any file, an invalid settings file is dropped
// silently with all its rules (anthropics/claude-code#8961), and a bare permission to write reaches the whole
// machine. So the agent has file tools only, reads no settings but the built-in ones, and may write only where
// those allow it: if they were dropped, every write would be denied.
//
// This is the second layer. The first is the fence (pipeline/fence) around the whole process, and the agent
// holds no secret that a third would have to keep: its model token is the proxy's random key of this run.
//
// [SelfTest] is run in that very fence before the first model call and says what holds there.
//
// [CheckLock] is the rule for every npm lockfile that self-fix installs from, its own and that of
// the test bot's command line: integrity for each package, and no way to bring one from elsewhere.
package agent
