package policy_test

import (
	"errors"
	"strings"
	"testing"

	"selffix/pipeline/policy"
)

// TestEdits changes the seed's policy in one place. Each edit is refused for its reason, at its key and on its line, which
// is that of the text put in unless it says otherwise.
func TestEdits(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("0f", 32)
	tests := []struct {
		old, with string
		reason    error
		key       string
	}{
		{"version: 1", "version: 2", policy.ErrFloor, "version"},
		{"version: 1", "version: 0", policy.ErrValue, "version"},
		{"sandbox: false", "sandbox: false\nrepository_id: 0", policy.ErrValue, "repository_id"},

		// People.
		{"  id: 1001", "  id: 0", policy.ErrValue, "maintainer.id"},
		{"  id: 1001", "  id: -1", policy.ErrValue, "maintainer.id"},
		{"  id: 1001", "  id: 9007199254740992", policy.ErrFloor, "maintainer.id"},
		{"  id: 1001", "  id: 99999999999999999999", policy.ErrType, "maintainer.id"},
		{"login: maintainer", `login: ""`, policy.ErrValue, "maintainer.login"},
		{"login: maintainer", `login: "github-actions[bot]"`, policy.ErrValue, "maintainer.login"},
		{"login: maintainer", "login: a--b", policy.ErrValue, "maintainer.login"},
		{`login: "testsprite[bot]"`, "login: Maintainer", policy.ErrFloor, "bot.login"},
		{"context: TestSprite V3", `context: " TestSprite V3"`, policy.ErrValue, "bot.context"},
		{"context: TestSprite V3", `context: "a\nb"`, policy.ErrValue, "bot.context"},
		{"window: 2h", "window: 0s", policy.ErrValue, "bot.window"},
		{"window: 2h", "window: -2h", policy.ErrValue, "bot.window"},
		{"window: 2h", "window: 25h", policy.ErrFloor, "bot.window"},
		{"window: 2h", "window: two hours", policy.ErrType, "bot.window"},
		{"window: 2h", "window: 2h\n  source: junit", policy.ErrValue, "bot.source"},

		// Branches and attempts.
		{"never: [main]", "never: [release]", policy.ErrFloor, "branches.never"},
		{"never: [main]", "never: [Main]", policy.ErrFloor, "branches.never"},
		{"never: [main]", "never: []", policy.ErrValue, "branches.never"},
		{"never: [main]", "never: [main, main]", policy.ErrDuplicate, "branches.never[1]"},
		{"never: [main]", "never: [main, 'release/*']", policy.ErrValue, "branches.never[1]"},
		{"never: [main]", "never: [main, -x]", policy.ErrValue, "branches.never[1]"},
		{"never: [main]", "never: [main, a..b]", policy.ErrValue, "branches.never[1]"},
		{"never: [main]", "never: [main, a.lock]", policy.ErrValue, "branches.never[1]"},
		{"never: [main]", "never: [main, a/]", policy.ErrValue, "branches.never[1]"},
		{"never: [main]", "never: [main, refs/heads/x]", policy.ErrValue, "branches.never[1]"},
		{"never: [main]", "never: [HEAD, main]", policy.ErrValue, "branches.never[0]"},
		{"per_pull_request: 2", "per_pull_request: 0", policy.ErrValue, "attempts.per_pull_request"},
		{"per_pull_request: 2", "per_pull_request: 11", policy.ErrFloor, "attempts.per_pull_request"},
		{"per_day: 6", "per_day: 51", policy.ErrFloor, "attempts.per_day"},
		{"per_day: 6", "per_day: 06", policy.ErrType, "attempts.per_day"},

		// Paths.
		{"    - packages/core/src", `    - ""`, policy.ErrFloor, "paths.roots[1]"},
		{"    - packages/core/src", "    - .", policy.ErrFloor, "paths.roots[1]"},
		{"    - packages/core/src", "    - /", policy.ErrFloor, "paths.roots[1]"},
		{"    - packages/core/src", "    - ./packages", policy.ErrFloor, "paths.roots[1]"},
		{"    - packages/core/src", "    - packages/..", policy.ErrFloor, "paths.roots[1]"},
		{"    - packages/core/src", "    - packages/**", policy.ErrFloor, "paths.roots[1]"},
		{"    - packages/core/src", "    - packages/*/src", policy.ErrFloor, "paths.roots[1]"},
		{"    - packages/core/src", "    - .github", policy.ErrFloor, "paths.roots[1]"},
		{"    - packages/core/src", "    - packages/.claude", policy.ErrFloor, "paths.roots[1]"},
		{"    - packages/core/src", "    - node_modules/a", policy.ErrFloor, "paths.roots[1]"},
		{"    - packages/core/src", "    - packages/Node_Modules", policy.ErrFloor, "paths.roots[1]"},
		{"    - packages/core/src", "    - packages/core/tests", policy.ErrFloor, "paths.roots[1]"},
		{"    - packages/core/src", "    - packages/core/__tests__/a", policy.ErrFloor, "paths.roots[1]"},
		{"    - packages/core/src", "    - packages/web/src/db/sub", policy.ErrFloor, "paths.roots[1]"},
		{"    - packages/core/src", "    - packages/core/", policy.ErrValue, "paths.roots[1]"},
		{"    - packages/core/src", "    - /packages/core", policy.ErrValue, "paths.roots[1]"},
		{"    - packages/core/src", "    - packages//core", policy.ErrValue, "paths.roots[1]"},
		{"    - packages/core/src", `    - 'packages\core'`, policy.ErrValue, "paths.roots[1]"},
		{"    - packages/core/src", "    - packages/café", policy.ErrValue, "paths.roots[1]"},
		{"    - packages/core/src", "    - PACKAGES/web/src", policy.ErrDuplicate, "paths.roots[1]"},
		{"[.ts, .tsx, .css]", "[.ts, .js]", policy.ErrFloor, "paths.extensions[1]"},
		{"[.ts, .tsx, .css]", "[ts]", policy.ErrFloor, "paths.extensions[0]"},
		{"[.ts, .tsx, .css]", "[.TS]", policy.ErrFloor, "paths.extensions[0]"},
		{"[.ts, .tsx, .css]", `[""]`, policy.ErrFloor, "paths.extensions[0]"},
		{"[.ts, .tsx, .css]", "[]", policy.ErrValue, "paths.extensions"},
		{"- packages/web/src/lib/http.ts", "- packages/web/src/lib/http", policy.ErrValue, "paths.security_modules[3]"},
		{"- packages/web/src/lib/http.ts", `- "packages/web/src/lib/*.ts"`, policy.ErrFloor, "paths.security_modules[3]"},
		{"    - packages/web/src/pages", "    - packages/web/src/../app", policy.ErrFloor, "paths.app_folders[1]"},

		// Limits.
		{"changed_lines: 200", "changed_lines: 0", policy.ErrValue, "limits.changed_lines"},
		{"changed_lines: 200", "changed_lines: -5", policy.ErrValue, "limits.changed_lines"},
		{"changed_lines: 200", "changed_lines: 2001", policy.ErrFloor, "limits.changed_lines"},
		{"patch_bytes: 200000", "patch_bytes: 1048577", policy.ErrFloor, "limits.patch_bytes"},
		{"file_bytes: 131072", "file_bytes: 524289", policy.ErrFloor, "limits.file_bytes"},
		{"line_length: 1000", "line_length: 4001", policy.ErrFloor, "limits.line_length"},
		{"blank_run: 80", "blank_run: 401", policy.ErrFloor, "limits.blank_run"},
		{"blank_run: 80", "blank_run: unlimited", policy.ErrType, "limits.blank_run"},
		{"names: [CLAUDE_CODE_OAUTH_TOKEN,", "names: [KEY,", policy.ErrValue, "secrets.names[0]"},
		{"names: [CLAUDE_CODE_OAUTH_TOKEN,", "names: ['.*',", policy.ErrValue, "secrets.names[0]"},

		// Code.
		{"words: [serverEnv,", "words: [-process,", policy.ErrFloor, "code.words[0]"},
		{"words: [serverEnv,", `words: ["!eval",`, policy.ErrFloor, "code.words[0]"},
		{"words: [serverEnv,", "words: [server-env,", policy.ErrValue, "code.words[0]"},
		{"imports: [react,", "imports: ['node:fs',", policy.ErrFloor, "code.imports[0]"},
		{"imports: [react,", "imports: [child_process,", policy.ErrFloor, "code.imports[0]"},
		{"imports: [react,", "imports: [fs/promises,", policy.ErrFloor, "code.imports[0]"},
		{"imports: [react,", "imports: [next,", policy.ErrFloor, "code.imports[0]"},
		{"imports: [react,", "imports: [next/headers,", policy.ErrFloor, "code.imports[0]"},
		{"imports: [react,", "imports: [next/dist/server/web,", policy.ErrFloor, "code.imports[0]"},
		{"imports: [react,", "imports: [server-only,", policy.ErrFloor, "code.imports[0]"},
		{"imports: [react,", "imports: [react-dom/server.edge,", policy.ErrFloor, "code.imports[0]"},
		{"imports: [react,", "imports: [./secret,", policy.ErrValue, "code.imports[0]"},
		{"imports: [react,", "imports: ['https://example.com/x.js',", policy.ErrValue, "code.imports[0]"},
		{"imports: [react,", "imports: ['*',", policy.ErrValue, "code.imports[0]"},
		{`aliases: ["@/=packages/web/src/"]`, `aliases: ["./=packages/web/src/"]`, policy.ErrValue, "code.aliases[0]"},
		{`aliases: ["@/=packages/web/src/"]`, `aliases: ["node:/=packages/web/src/"]`, policy.ErrValue, "code.aliases[0]"},
		{`aliases: ["@/=packages/web/src/"]`, `aliases: ["@/=../src/"]`, policy.ErrFloor, "code.aliases[0]"},
		{`aliases: ["@/=packages/web/src/"]`, `aliases: ["@/=packages/web/src"]`, policy.ErrValue, "code.aliases[0]"},
		{`aliases: ["@/=packages/web/src/"]`, `aliases: []`, policy.ErrValue, "code.aliases"},
		{`aliases: ["@/=packages/web/src/"]`, `hosts: ["https://example.com"]`, policy.ErrValue, "code.hosts[0]"},
		{`aliases: ["@/=packages/web/src/"]`, `hosts: ["*.example.com"]`, policy.ErrValue, "code.hosts[0]"},
		{`aliases: ["@/=packages/web/src/"]`, `hosts: [com]`, policy.ErrValue, "code.hosts[0]"},
		{`aliases: ["@/=packages/web/src/"]`, `hosts: ["127.0.0.1"]`, policy.ErrValue, "code.hosts[0]"},

		// Evidence, agent, robot.
		{"environment: Preview", "environment: Production", policy.ErrFloor, "evidence.environment"},
		{"environment: Preview", "environment: ' production'", policy.ErrFloor, "evidence.environment"},
		{"host_suffix: .vercel.app", "host_suffix: vercel.app", policy.ErrValue, "evidence.host_suffix"},
		{"host_suffix: .vercel.app", "host_suffix: .app", policy.ErrValue, "evidence.host_suffix"},
		{"host_suffix: .vercel.app", "host_suffix: .", policy.ErrValue, "evidence.host_suffix"},
		{"betas: [oauth-2025-04-20,", "betas: [mcp-client-2025-04-04,", policy.ErrFloor, "agent.betas[0]"},
		{"betas: [oauth-2025-04-20,", "betas: [context-1m-2025-08-07,", policy.ErrFloor, "agent.betas[0]"},
		{"betas: [oauth-2025-04-20,", `betas: ["a,b",`, policy.ErrValue, "agent.betas[0]"},
		{"model: claude-sonnet-5-5", `model: "claude sonnet"`, policy.ErrValue, "agent.model"},
		{"max_turns: 60", "max_turns: 501", policy.ErrFloor, "agent.max_turns"},
		{"timeout: 20m", "timeout: 3h", policy.ErrFloor, "agent.timeout"},
		{"timeout: 20m", "timeout: 1s", policy.ErrValue, "agent.timeout"},
		{"max_usd: 5", "max_usd: 0", policy.ErrValue, "agent.max_usd"},
		{"max_usd: 5", "max_usd: -1.5", policy.ErrValue, "agent.max_usd"},
		{"max_usd: 5", "max_usd: 100.01", policy.ErrFloor, "agent.max_usd"},
		{"max_usd: 5", "max_usd: .nan", policy.ErrType, "agent.max_usd"},
		{"max_requests: 80", "max_requests: 2001", policy.ErrFloor, "agent.max_requests"},
		{"max_input_tokens: 4000000", "max_input_tokens: 100000001", policy.ErrFloor, "agent.max_input_tokens"},
		{"max_output_tokens: 400000", "max_output_tokens: 10000001", policy.ErrFloor, "agent.max_output_tokens"},
		{"input: 6", "input: 0.0", policy.ErrValue, "agent.price.input"},
		{"output: 22.5", "output: 1001", policy.ErrFloor, "agent.price.output"},
		{`name: "github-actions[bot]"`, `name: ""`, policy.ErrValue, "robot.name"},
		{`login: "github-actions[bot]"`, `login: ""`, policy.ErrValue, "robot.login"},
		{"  id: 41898282", "  id: 0", policy.ErrValue, "robot.id"},
		{"email: 41898282+github-actions[bot]@users.noreply.github.com", "email: nobody", policy.ErrValue, "robot.email"},
		{"email: 41898282+github-actions[bot]@users.noreply.github.com", `email: "a@b.c>\n"`, policy.ErrValue, "robot.email"},
		{`message: "self-fix: "`, `message: ""`, policy.ErrValue, "robot.message"},
		{`message: "self-fix: "`, `message: "  "`, policy.ErrValue, "robot.message"},

		// Review.
		{"label: reviewed", `label: ""`, policy.ErrValue, "review.label"},
		{"context: maintainer-review", "context: testsprite v3", policy.ErrFloor, "review.context"},
		{"context: maintainer-review", "context: review-gate", policy.ErrFloor, "review.context"},
		{"context: maintainer-review", "context: merge-group", policy.ErrFloor, "review.context"},
		{"context: maintainer-review", "context: self-test", policy.ErrFloor, "review.context"},
		{"context: maintainer-review", "context: Fix pr-12", policy.ErrFloor, "review.context"},
		{"accept_branch_writers: true", "accept_branch_writers: true\n  app_id: 5", policy.ErrFloor, "review.accept_branch_writers"},
		{"accept_branch_writers: true", "app_id: 0", policy.ErrValue, "review.app_id"},

		// Hosts and images.
		{"github_api: https://api.github.com", "github_api: http://api.github.com", policy.ErrFloor, "hosts.github_api"},
		{"github_api: https://api.github.com", "github_api: https://api.github.com/", policy.ErrFloor, "hosts.github_api"},
		{"github_api: https://api.github.com", "github_api: https://api.github.com/api/v3", policy.ErrFloor, "hosts.github_api"},
		{"github_api: https://api.github.com", "github_api: https://api.github.com?x=1", policy.ErrFloor, "hosts.github_api"},
		{"github_api: https://api.github.com", `github_api: "https://api.github.com#x"`, policy.ErrFloor, "hosts.github_api"},
		{"github_api: https://api.github.com", "github_api: https://user@api.github.com", policy.ErrFloor, "hosts.github_api"},
		{"github_api: https://api.github.com", "github_api: https://a:b@api.github.com", policy.ErrFloor, "hosts.github_api"},
		{"github_api: https://api.github.com", "github_api: https://API.github.com", policy.ErrFloor, "hosts.github_api"},
		{"github_api: https://api.github.com", "github_api: HTTPS://api.github.com", policy.ErrValue, "hosts.github_api"},
		{"github_api: https://api.github.com", "github_api: https://169.254.169.254", policy.ErrFloor, "hosts.github_api"},
		{"github_api: https://api.github.com", "github_api: https://[::1]", policy.ErrFloor, "hosts.github_api"},
		{"github_api: https://api.github.com", "github_api: https://localhost", policy.ErrFloor, "hosts.github_api"},
		{"github_api: https://api.github.com", "github_api: https://api.github.com:0", policy.ErrValue, "hosts.github_api"},
		{"github_api: https://api.github.com", "github_api: 'https://api.github.com:'", policy.ErrValue, "hosts.github_api"},
		{"github_api: https://api.github.com", "github_api: api.github.com", policy.ErrFloor, "hosts.github_api"},
		{"github_api: https://api.github.com", "github_api: ftp://api.github.com", policy.ErrFloor, "hosts.github_api"},
		{"github_api: https://api.github.com", "github_api: http://127.0.0.1:8080", policy.ErrFloor, "hosts.github_api"},
		{"github_git: https://github.com", "github_git: http://127.0.0.1:8080", policy.ErrFloor, "hosts.github_git"},
		{"model: https://api.anthropic.com", "model: http://sandbox-model:80", policy.ErrFloor, "hosts.model"},
		{"bot: https://api.testsprite.com", "bot: http://localhost:8080", policy.ErrFloor, "hosts.bot"},
		{"bot: https://api.testsprite.com", "bot: https://api.testsprite.com\n  bot_artifacts: http://127.0.0.1:1", policy.ErrFloor, "hosts.bot_artifacts"},
		{"bot: https://api.testsprite.com", "bot: https://api.testsprite.com\nimages:\n  node: node:22", policy.ErrFloor, "images.node"},
		{"bot: https://api.testsprite.com", "bot: https://api.testsprite.com\nimages:\n  node: node@sha256:0f", policy.ErrValue, "images.node"},
		{"bot: https://api.testsprite.com", "bot: https://api.testsprite.com\nimages:\n  worker: Golang" + digest, policy.ErrValue, "images.worker"},
		{"bot: https://api.testsprite.com", "bot: https://api.testsprite.com\nimages: {}", policy.ErrType, "images"},
	}
	for _, tt := range tests {
		text := edited(t, tt.old, tt.with)
		_, err := policy.Parse([]byte(text))
		var faults policy.Faults
		if !errors.As(err, &faults) {
			t.Errorf("%s: accepted, want %v", tt.with, tt.reason)
			continue
		}
		first := strings.Count(text[:strings.Index(text, tt.with)], "\n") + 1
		last := first + strings.Count(tt.with, "\n")
		found := false
		for _, f := range faults {
			found = found || f.Key == tt.key && errors.Is(f, tt.reason) && f.Line >= first && f.Line <= last
		}
		if !found {
			t.Errorf("%s: want %v of %s on lines %d to %d, got %v", tt.with, tt.reason, tt.key, first, last, err)
		}
	}
}

// TestAgreement changes one key such that another one, further down, does not agree with it: the fault is there.
func TestAgreement(t *testing.T) {
	for _, tt := range []struct {
		old, with, key string
		line           int
	}{
		{"  id: 1001", "  id: 258111874", "bot.id", 12},
		{"  id: 1001", "  id: 41898282", "robot.id", 77},
		{"context: TestSprite V3", "context: Maintainer-Review", "review.context", 84},
		{"  default: main", "  default: trunk", "branches.never", 18},
	} {
		_, err := policy.Parse([]byte(edited(t, tt.old, tt.with)))
		var faults policy.Faults
		if !errors.As(err, &faults) || len(faults) != 1 || faults[0].Key != tt.key || faults[0].Line != tt.line || !errors.Is(err, policy.ErrFloor) {
			t.Errorf("%s: got %v, want %s on line %d", tt.with, err, tt.key, tt.line)
		}
	}
}

// TestEditsThatPass narrows or moves the seed's policy in ways that stay above the floor.
func TestEditsThatPass(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("0f", 32)
	tests := []struct{ old, with string }{
		{"sandbox: false", "repository_id: 4711"},
		{"login: maintainer", "login: some-one_acme"},
		{"never: [main]", "never: [main, release/2026, hot_fix]"},
		{"default: main\n  never: [main]", "default: trunk\n  never: [trunk, main]"},
		{"    - packages/core/src", "    - src"},
		{"    - packages/core/src", "    - packages/core (shared)/@app/[id]"},
		{"[.ts, .tsx, .css]", "[.ts]"},
		{"changed_lines: 200", "changed_lines: 2000"},
		{"imports: [react,", `imports: ["@scope/name/part", zod, react,`},
		{`aliases: ["@/=packages/web/src/"]`, `aliases: ["~/=src/", "@app/=packages/web/src/"]`},
		{`aliases: ["@/=packages/web/src/"]`, "hosts: [example.com, cdn.example.co.uk]"},
		{"accept_branch_writers: true", "app_id: 4711"},
		{"accept_branch_writers: true", "accept_branch_writers: false\n  app_id: 4711"},
		{"window: 2h", "window: 1h30m\n  app_id: 99\n  source: file"},
		{"max_usd: 5", "max_usd: 0.25"},
		{"github_api: https://api.github.com", "github_api: https://ghe.example.com:8443"},
		{"bot: https://api.testsprite.com", "bot: https://api.testsprite.com\n  bot_artifacts: https://bucket.example.com"},
		{"bot: https://api.testsprite.com", "bot: https://api.testsprite.com\nimages:\n  worker: ghcr.io/o/self-fix:v1" + digest + "\n  node: node" + digest},
		{"bot: https://api.testsprite.com", "bot: https://api.testsprite.com\nimages:\n  node: registry.example.com:5000/node:22" + digest},
		{"  login: maintainer\n  id: 1001", "  {login: maintainer, id: 1001}"},
	}
	for _, tt := range tests {
		if _, err := policy.Parse([]byte(edited(t, tt.old, tt.with))); err != nil {
			t.Errorf("%s: %v", tt.with, err)
		}
	}
	if _, err := policy.Parse([]byte(strings.ReplaceAll(seedText(t), "\n", "\r\n"))); err != nil {
		t.Errorf("with Windows line ends: %v", err)
	}
}

// TestSandboxHosts changes any subset of the hosts to a loopback address, as tests of an installation do.
func TestSandboxHosts(t *testing.T) {
	lines := []string{
		"github_api: https://api.github.com", "github_git: https://github.com", "model: https://api.anthropic.com", "bot: https://api.testsprite.com",
	}
	for subset := range 1 << len(lines) {
		text := edited(t, "sandbox: false", "sandbox: true")
		for i, line := range lines {
			if subset&(1<<i) != 0 {
				key, _, _ := strings.Cut(line, ":")
				text = strings.Replace(text, line, key+": http://127.0.0.1:18080", 1)
			}
		}
		if _, err := policy.Parse([]byte(text)); err != nil {
			t.Errorf("subset %b in a sandbox: %v", subset, err)
		}
		_, err := policy.Parse([]byte(strings.Replace(text, "sandbox: true", "sandbox: false", 1)))
		if subset != 0 && !errors.Is(err, policy.ErrFloor) || subset == 0 && err != nil {
			t.Errorf("subset %b outside one: got %v", subset, err)
		}
	}
}

func TestLoopback(t *testing.T) {
	for base, want := range map[string]bool{
		"http://127.0.0.1:1": true, "http://127.0.0.1:65535": true, "http://sandbox-github:8080": true, "http://sandbox-bot": true,
		"": false, "http://127.0.0.1": false, "http://127.0.0.1:0": false, "http://127.0.0.1:65536": false, "http://127.0.0.1:080": false,
		"http://127.0.0.1:80/": false, "http://127.0.0.1:80@example.com": false, "https://127.0.0.1:80": false, "http://127.0.0.2:80": false,
		"http://localhost:80": false, "http://[::1]:80": false, "http://sandbox-github.example.com": false, "http://0.0.0.0:80": false, "http://127.1:80": false,
	} {
		if got := policy.Loopback(base); got != want {
			t.Errorf("Loopback(%q) = %v", base, got)
		}
	}
}
