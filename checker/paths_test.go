package checker

import (
	"slices"
	"strings"
	"testing"

	"selffix/pipeline/policy"
)

func seedPolicy(t testing.TB) policy.Policy {
	t.Helper()
	p, err := policy.Load("../testdata/policy/seed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// kindsOfPath are the kinds that the path rules find for one file.
func kindsOfPath(c *Change) []string {
	var kinds []string
	for _, r := range pathRules() {
		for _, f := range r.Check(c) {
			kinds = append(kinds, f.Kind)
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// TestPathRules judges whole paths: "new" or "edit", the path, and the kinds of all findings.
func TestPathRules(t *testing.T) {
	p := seedPolicy(t)
	for line := range strings.Lines(pathTable) {
		fields := strings.SplitN(strings.TrimSpace(line), "\t", 3)
		if fields[0] == "" {
			continue
		}
		want := strings.Fields(strings.TrimPrefix(fields[2], "-"))
		t.Run(fields[1], func(t *testing.T) {
			c := &Change{Policy: p, Files: []*File{{Path: fields[1], New: fields[0] == "new"}}}
			if got := kindsOfPath(c); !slices.Equal(got, want) {
				t.Errorf("%s: got %v, want %v", fields[0], got, want)
			}
		})
	}
}

// TestNeighbours judges new paths beside a base of three files.
func TestNeighbours(t *testing.T) {
	base := []string{"packages/core/src/totals.ts", "packages/core/src/Money/index.ts", "packages/core/src/card.css"}
	names := func(p string) []string {
		var out []string
		for _, file := range base {
			for at := file; at != ""; at = folderOf(at) {
				if strings.EqualFold(at, p) && !slices.Contains(out, at) {
					out = append(out, at)
				}
			}
		}
		return out
	}
	for p, want := range map[string]string{
		"packages/core/src/total.ts":         "",
		"packages/core/src/card.tsx":         "",
		"packages/core/src/totals.css":       "",
		"packages/core/src/totals/parts.ts":  "",
		"packages/core/src/Money/euro.ts":    "",
		"packages/core/src/totals.tsx":       "path-shadow", // .tsx before .ts
		"packages/core/src/TOTALS.tsx":       "path-shadow",
		"packages/core/src/Totals.ts":        "path-shadow", // the same file on macOS
		"packages/core/src/money.ts":         "path-shadow", // a file before a folder's index
		"packages/core/src/Money/index.tsx":  "path-shadow",
		"packages/core/src/money/euro.ts":    "path-shadow", // the same folder on macOS
		"packages/core/src/totals.ts/sub.ts": "path-shadow", // below a file
		"packages/core/src/Money":            "path-outside path-shadow",
	} {
		c := &Change{Policy: seedPolicy(t), Files: []*File{{Path: p, New: true}}, BaseNames: names}
		if got := strings.Join(kindsOfPath(c), " "); got != want {
			t.Errorf("%s: got %q, want %q", p, got, want)
		}
	}
}

// TestPathsWithinPatch judges two new paths of one patch.
func TestPathsWithinPatch(t *testing.T) {
	for _, tt := range []struct {
		one, other string
		findings   int
	}{
		{"packages/core/src/a/x.ts", "packages/core/src/a/y.ts", 0},
		{"packages/core/src/a/x.ts", "packages/core/src/b/X.ts", 0},
		{"packages/core/src/a/x.ts", "packages/core/src/A/y.ts", 2},
		{"packages/core/src/a.css", "packages/core/src/A.css", 2},
		{"packages/core/src/a", "packages/core/src/a/b.ts", 1},
	} {
		c := &Change{Policy: seedPolicy(t), Files: []*File{{Path: tt.one, New: true}, {Path: tt.other, New: true}}}
		if got := rulePathCollision().Check(c); len(got) != tt.findings {
			t.Errorf("%s and %s: got %+v, want %d findings", tt.one, tt.other, got, tt.findings)
		}
	}
}

// pathTable holds escapes, so that nothing in it is invisible.
var pathTable = strings.NewReplacer(`\v`, "\v", `\u202e`, "\u202e", `\\`, `\`).Replace(`
edit	packages/web/src/lib/format.ts	-
edit	packages/web/src/app/page.tsx	-
edit	packages/web/src/app/(info)/about/page.tsx	-
edit	packages/web/src/app/api/groups/route.ts	-
edit	packages/web/src/middleware.ts	-
edit	packages/web/src/app/g/[id]/page.tsx	-
edit	packages/web/src/components/share panel.tsx	-
new	packages/web/src/components/badge.tsx	-
new	packages/core/src/i18n/fr.ts	-
new	packages/web/src/hooks/use-pages.ts	-
new	packages/web/src/lib/http-errors.ts	-
new	packages/web/src/lib/context.ts	-
new	packages/web/src/components/app/bar.tsx	-
new	packages/web/src/components/spec-table.tsx	-
new	packages/web/src/components/specs/row.tsx	-
new	packages/web/src/lib/database.ts	-
new	packages/web/src/styles/app.css	-
new	packages/core/src/pages.ts	-
new	packages/core/src/agent.ts	-
edit	packages/web/src/lib/GROUPS.css	-
new	packages/core/src/test.ts	path-test
new	packages/core/src/index.ts	-
new	packages/web/src/lib/index.ts	-
edit	packages/web/src/lib/Groups.ts	path-security
edit	packages/web/src/lib/group-token.ts	path-security
edit	packages/web/src/lib/rate-limit.ts	path-security
edit	packages/web/src/lib/http.ts	path-security
edit	packages/web/src/lib/env.ts	path-security
edit	packages/web/src/lib/text.ts	path-security
edit	packages/web/src/lib/api-schemas.ts	path-security
edit	packages/web/src/db/a/b/c.css	path-security
new	packages/web/src/lib/group-token.js	path-outside path-shadow
new	packages/web/src/lib/group-token.mjs	path-outside path-shadow
new	packages/web/src/lib/group-token.json	path-outside path-shadow
new	packages/web/src/lib/group-token.wasm	path-outside path-shadow
new	packages/web/src/lib/group-token	path-outside path-shadow
new	packages/web/src/lib/group-token.d.ts	path-config path-shadow
new	packages/web/src/lib/group-token.web.tsx	path-shadow
new	packages/web/src/lib/group-token/package.json	path-config path-outside path-shadow
new	packages/web/src/lib/group-token.ts/index.ts	path-shadow
new	packages/web/src/LIB/group-token.ts	path-security path-shadow
new	packages/web/src/db/index.tsx	path-security
new	packages/web/src/db.tsx	path-shadow
new	packages/web/src/DB.ts	path-shadow
new	packages/web/src/db.d.ts	path-config path-shadow
new	packages/web/src/db.server/index.ts	path-shadow
new	packages/web/src/app.ts	path-shadow
new	packages/web/src/App/x.ts	path-new-route path-shadow
new	packages/web/app/page.tsx	path-new-route path-outside
new	packages/web/pages/a.ts	path-new-route path-outside
new	packages/web/src/app/sitemap.ts	path-new-route
new	packages/web/src/app/robots.ts	path-new-route
new	packages/web/src/app/@slot/default.tsx	path-new-route
new	packages/web/src/app/api/x/route.ts	path-new-route path-special-file
new	packages/web/src/pages/_app.tsx	path-new-route
new	packages/web/src/proxy/index.ts	path-special-file
new	packages/web/src/instrumentation/index.tsx	path-special-file
new	packages/core/src/ROUTE.ts	path-special-file
new	packages/core/src/route.page.tsx	path-special-file
edit	packages/web/src/app/page.test.tsx	path-test
new	packages/web/src/__TESTS__/a.ts	path-test
new	packages/core/src/tests/a.ts	path-test
new	packages/core/src/jest.setup.ts	path-test
new	packages/core/src/setupTests.ts	path-test
new	packages/core/src/a.test-d.ts	path-test
edit	packages/web/next.config.ts	path-config path-outside
edit	package.json	path-config path-outside
edit	pnpm-lock.yaml	path-config path-outside
edit	packages/web/tsconfig.json	path-config path-outside
new	bun.lockb	path-config path-outside
new	bun.lock	path-config path-outside
edit	next-env.d.ts	path-config path-outside
new	packages/core/src/vite-env.d.ts	path-config
new	packages/core/src/globals.d.mts	path-config path-outside
new	packages/core/src/postcss.config.ts	path-config
edit	CLAUDE.md	path-agent-doc path-outside
edit	packages/web/AGENTS.md	path-agent-doc path-outside
edit	docs/claude.MD	path-agent-doc path-outside
new	.cursorrules	path-agent-doc path-dot path-outside
new	.github/copilot-instructions.md	path-agent-doc path-dot path-outside
new	packages/core/src/AGENTS.override.md	path-agent-doc path-outside
new	packages/web/src/node_modules/react/index.ts	path-node-modules
new	node_modules/a.ts	path-node-modules path-outside
edit	.env.local	path-dot path-outside
edit	.github/self-fix.yaml	path-dot path-outside
new	packages/core/src/..a/b.ts	path-dot
edit	packages/web/src	path-outside
edit	packages/web/srcs/a.ts	path-outside
edit	packages/web/src/../../../x.ts	path-chars path-dot
edit	/packages/web/src/a.ts	path-chars path-outside
edit	packages/web/src//lib/env.ts	path-chars
edit	packages/web/src/./lib/env.ts	path-chars path-dot
edit	packages/web/src/lib/env.ts 	path-chars path-outside
edit	packages/web/src\\lib\\env.ts	path-chars path-outside
new	packages/core/src/a\vb.ts	path-chars
new	packages/core/src/a\u202eb.ts	path-chars
edit		path-chars path-outside
new	packages/core/src/a#b.ts	path-chars
new	packages/core/src/more /a.ts	path-chars
new	packages/core/src/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.ts	path-chars
new	packages/web/src/Lib.tsx	path-shadow
new	packages/web/src/next/link.tsx	path-shadow
new	packages/web/src/React.ts	path-shadow
new	packages/web/src/lib/env/a/b.ts	path-shadow
new	packages/web/src/lib/text.css	path-shadow
new	packages/web/src/lib/ENV.tsx	path-shadow
new	packages/web/src/pages.ts	path-shadow
new	packages/web/src/Middleware.ts	path-special-file
new	packages/web/src/proxy.ts	path-special-file
new	packages/web/src/instrumentation-client.ts	path-special-file
new	packages/core/src/home.cy.ts	path-test
new	packages/core/src/money.Test.ts	path-test
new	packages/core/src/__mocks__/money.ts	path-test
new	packages/web/src/e2e/home.ts	path-test
new	packages/core/src/sentry.client.config.ts	path-config
new	packages/core/src/Tailwind.Config.ts	path-config
new	packages/core/src/tsconfig.build.json	path-config path-outside
new	packages/core/src/Gemini.md	path-agent-doc path-outside
new	packages/core/src/style.mdc	path-agent-doc path-outside
new	packages/web/src/Pages/help.tsx	path-new-route path-shadow
new	packages/core/src/.git/hooks/a.ts	path-dot
new	scripts/a.ts	path-outside
new	packages/core/src/notes	path-outside
`)
