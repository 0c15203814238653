package install

import (
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"selffix/internal/install/workflow"
	"selffix/internal/testrepo"
	"selffix/pipeline/policy"
	"selffix/pipeline/verify"
)

var update = flag.Bool("update", false, "write the golden files")

// seeds are the seed's policy, whose review status the workflow's own token posts, and the same with a review app.
func seeds(t *testing.T) map[string]policy.Policy {
	t.Helper()
	p, err := policy.Load(filepath.Join(testrepo.Root(t), "testdata", "policy", "seed.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	app := p
	app.Review.AcceptBranchWriters, app.Review.AppID = false, 42
	odd := p
	odd.Bot.Context, odd.Branches.Default = "it's #1: a bot's \"context\"", "release/1.0"
	verify := p
	verify.Verify = policy.Verify{Enabled: true, Command: []string{"npm", "test"}, Timeout: 5 * time.Minute}
	return map[string]policy.Policy{"token": p, "app": app, "odd": odd, "verify": verify}
}

// The names that the policy keeps a review status from are those of the jobs that are written: a check run of such a name would
// satisfy the required status.
func TestPolicyKnowsEveryJob(t *testing.T) {
	var written []string
	for _, p := range seeds(t) {
		all, err := Workflows(p)
		if err != nil {
			t.Fatal(err)
		}
		for path, text := range all {
			if filepath.Ext(path) != ".yml" {
				continue
			}
			w, err := workflow.Parse(path, text)
			if err != nil {
				t.Fatal(err)
			}
			written = slices.AppendSeq(written, maps.Keys(w.Jobs))
		}
	}
	slices.Sort(written)
	known := policy.JobNames()
	slices.Sort(known)
	if written = slices.Compact(written); !slices.Equal(written, known) {
		t.Errorf("the workflows have the jobs %q, the policy knows %q", written, known)
	}
}

// Every workflow holds every rule, whatever the policy says; each rule's own examples are in package workflow.
func TestWorkflowsHoldTheRules(t *testing.T) {
	for name, p := range seeds(t) {
		all, err := Workflows(p)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for path, text := range all {
			if filepath.Ext(path) != ".yml" {
				continue
			}
			n++
			w, err := workflow.Parse(path, text)
			if err != nil {
				t.Fatalf("%s: %s: %v\n%s", name, path, err, text)
			}
			for _, f := range workflow.Check(w) {
				t.Errorf("%s: %s: %s: %s", name, path, f.Rule, f.Message)
			}
			if loose, err := workflow.Unpinned(path, text); err != nil || len(loose) > 0 {
				t.Errorf("%s: unpinned %q, error %v", path, loose, err)
			}
		}
		if n != 3 {
			t.Errorf("%s: %d workflows, want 3", name, n)
		}
	}
}

// The files that a job takes for the project's own check are those that verify compares.
func TestPackageFilesAreVerifys(t *testing.T) {
	for _, name := range workflow.PackageFiles() {
		if !verify.PackageFile("a/" + strings.TrimSuffix(name, "/") + map[bool]string{true: "/x", false: ""}[strings.HasSuffix(name, "/")]) {
			t.Errorf("%s is no package file", name)
		}
	}
	if missing := verify.Unlisted(workflow.PackageFiles()); len(missing) > 0 {
		t.Errorf("not taken: %v", missing)
	}
}

// breaches lists for each rule workflows that break it: a file, what stands in it, and what would stand there instead.
func breaches() []struct{ rule, file, old, new string } {
	const loop, review, test = "self-fix.yml", "review-gate.yml", "self-fix-ci.yml"
	return []struct{ rule, file, old, new string }{
		{"SF-WORKFLOW-001", loop, "on: status", "on: [status, workflow_dispatch]"},
		{"SF-WORKFLOW-001", loop, "on: status", "on: push"},
		{"SF-WORKFLOW-001", review, "  merge_group:\n", "  merge_group:\n  push:\n"},
		{"SF-WORKFLOW-001", review, ", unlabeled", ""},
		{"SF-WORKFLOW-001", review, "  pull_request_target:", "  pull_request:"},
		{"SF-WORKFLOW-001", test, "on:\n  push:", "on:\n  pull_request_target:\n  push:"},
		{"SF-WORKFLOW-002", loop, "permissions: {}", "permissions: {contents: read}"},
		{"SF-WORKFLOW-002", loop, "permissions: {}\n", ""},
		{"SF-WORKFLOW-003", loop, "      contents: read\n", "      contents: write\n"},
		{"SF-WORKFLOW-003", loop, "      statuses: read\n", "      statuses: read\n      id-token: write\n"},
		{"SF-WORKFLOW-003", loop, "      contents: write\n", "      contents: write\n      packages: read\n"},
		{"SF-WORKFLOW-003", review, "      statuses: read\n", "      statuses: write\n"},
		{"SF-WORKFLOW-003", test, "    permissions:\n      contents: read\n", ""},
		{"SF-WORKFLOW-004", loop, "@11bd71901bbe5b1630ceea73d27597364c9af683", "@v4"},
		{"SF-WORKFLOW-004", loop, "@11bd71901bbe5b1630ceea73d27597364c9af683", "@11bd71901bbe5b1630ceea73d27597364c9af684"},
		{"SF-WORKFLOW-005", loop, "      - name: Bring the pinned Dagger command line\n", "      - uses: actions/cache@0057852bfaa89a56745cba8c7296529d2fc39830\n      - name: Bring the pinned Dagger command line\n"},
		{"SF-WORKFLOW-005", test, "          persist-credentials: false\n", "          persist-credentials: false\n          cache: true\n"},
		{"SF-WORKFLOW-006", loop, "persist-credentials: false", "persist-credentials: true"},
		{"SF-WORKFLOW-006", loop, "          persist-credentials: false\n", ""},
		{"SF-WORKFLOW-006", loop, "ref: \"refs/heads/main\"", "ref: main"},
		{"SF-WORKFLOW-006", loop, "ref: \"refs/heads/main\"", "ref: ${{ github.event.sha }}"},
		{"SF-WORKFLOW-006", loop, "            /.github/self-fix/\n", "            /*\n"},
		{"SF-WORKFLOW-006", loop, "sparse-checkout-cone-mode: false", "sparse-checkout-cone-mode: true"},
		{"SF-WORKFLOW-006", loop, "          persist-credentials: false\n", "          persist-credentials: false\n          submodules: recursive\n"},
		{"SF-WORKFLOW-006", loop, "          persist-credentials: false\n", "          persist-credentials: false\n          path: elsewhere\n"},
		{"SF-WORKFLOW-006", loop, "          persist-credentials: false\n", "          persist-credentials: false\n          path: self-fix-packages\n"},
		{"SF-WORKFLOW-006", loop, "            /.github/self-fix/\n", "            /.github/self-fix/\n            package.json\n"},
		{"SF-WORKFLOW-007", loop, "    timeout-minutes: 15\n", ""},
		{"SF-WORKFLOW-007", loop, "timeout-minutes: 150", "timeout-minutes: 360"},
		{"SF-WORKFLOW-008", loop, "    timeout-minutes: 150\n", "    timeout-minutes: 150\n    env:\n      TESTSPRITE_API_KEY: ${{ secrets.TESTSPRITE_API_KEY }}\n"},
		{"SF-WORKFLOW-008", loop, "          TESTSPRITE_API_KEY: ${{ secrets.TESTSPRITE_API_KEY }}", "          TESTSPRITE_API_KEY: ${{ secrets.OTHER }}"},
		{"SF-WORKFLOW-008", loop, "        id: regate\n", "        id: regate\n        env:\n          TESTSPRITE_API_KEY: ${{ secrets.TESTSPRITE_API_KEY }}\n"},
		{"SF-WORKFLOW-008", loop, "          name: candidate\n", "          name: candidate-${{ github.token }}\n"},
		{"SF-WORKFLOW-008", loop, "          GITHUB_TOKEN: ${{ github.token }}", "          GITHUB_TOKEN: ${{ toJSON(secrets) }}"},
		{"SF-WORKFLOW-008", loop, "          name: candidate\n", "          name: candidate-${{ github['token'] }}\n"},
		{"SF-WORKFLOW-008", loop, "          name: candidate\n", "          name: candidate-${{ Secrets.TESTSPRITE_API_KEY }}\n"},
		{"SF-WORKFLOW-008", loop, "          name: candidate\n", "          name: candidate-${{ toJSON(github) }}\n"},
		{"SF-WORKFLOW-008", loop, "          name: candidate\n", "          name: candidate-${{ github }}\n"},
		{"SF-WORKFLOW-009", loop, "    environment: self-fix\n", ""},
		{"SF-WORKFLOW-009", loop, "    timeout-minutes: 30\n", "    timeout-minutes: 30\n    environment: self-fix\n"},
		{"SF-WORKFLOW-009", review, "    environment: self-fix-review\n", "    environment: production\n"},
		{"SF-WORKFLOW-010", loop, "answer.sh gate \"$RUNNER_TEMP", "answer.sh gate \"${{ runner.temp }}"},
		{"SF-WORKFLOW-010", loop, "        id: regate\n", "        id: regate\n        working-directory: ${{ github.event.context }}\n"},
		{"SF-WORKFLOW-010", loop, "    shell: bash\n", "    shell: sh\n"},
		{"SF-WORKFLOW-011", loop, "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_API_KEY"},
		{"SF-WORKFLOW-012", loop, "      github.event.sender.id == 258111874\n", "      true\n"},
		{"SF-WORKFLOW-012", loop, "github.event.state == 'failure' &&", "github.event.state == 'failure' ||"},
		{"SF-WORKFLOW-012", loop, "    if: needs.fix.outputs.decision == 'accept'\n", ""},
		{"SF-WORKFLOW-012", loop, "    if: needs.recheck.outputs.decision == 'accept'\n", "    if: always() && needs.recheck.outputs.decision == 'accept'\n"},
		{"SF-WORKFLOW-013", loop, "      cancel-in-progress: false\n", "      cancel-in-progress: true\n"},
		{"SF-WORKFLOW-013", loop, "      queue: max\n", ""},
		{"SF-WORKFLOW-013", loop, "group: self-fix-push-${{ needs.gate.outputs.pr }}", "group: self-fix-push"},
		{"SF-WORKFLOW-013", loop, "group: self-fix-push-$", "group: self-fix-fix-$"},
		{"SF-WORKFLOW-013", review, "permissions: {}\n", "permissions: {}\nconcurrency: {group: all}\n"},
		{"SF-WORKFLOW-014", loop, "retention-days: 1", "retention-days: 90"},
		{"SF-WORKFLOW-014", loop, "            ${{ runner.temp }}/self-fix/repair/fix.patch\n", "            ${{ runner.temp }}/self-fix/repair/**\n"},
		{"SF-WORKFLOW-014", loop, "            ${{ runner.temp }}/self-fix/repair/fix.patch\n", ""},
		{"SF-WORKFLOW-014", loop, "          path: ${{ runner.temp }}/self-fix-unpacked\n", "          path: ${{ github.workspace }}\n"},
		{"SF-WORKFLOW-014", loop, "          result.json 1048576 result.pack 1073741824\n", "          result.json 1048576\n"},
		{"SF-WORKFLOW-015", loop, "runs-on: ubuntu-24.04", "runs-on: [self-hosted, linux]"},
		{"SF-WORKFLOW-015", loop, "runs-on: ubuntu-24.04", "runs-on: ${{ vars.RUNNER }}"},
		{"SF-WORKFLOW-015", loop, "    timeout-minutes: 30\n", "    timeout-minutes: 30\n    container: node\n"},
		{"SF-WORKFLOW-016", loop, " --attempt \"$GITHUB_RUN_ATTEMPT\"", ""},
		{"SF-WORKFLOW-016", loop, "          checkout --policy", "          checkout --image odd --policy"},
		{"SF-WORKFLOW-016", loop, "        run: bash .github/self-fix/setup.sh", "        run: curl https://dl.dagger.io/dagger/install.sh | sh"},
		{"SF-WORKFLOW-016", loop, "          --token env://GITHUB_TOKEN\n", "          --token env://GITHUB_TOKEN && dagger call gate\n"},
		{"SF-WORKFLOW-016", test, "        run: bash .github/self-fix/setup.sh\n", "        run: bash .github/self-fix/answer.sh self-test x\n"},
		{"SF-WORKFLOW-017", loop, "          CLAUDE_CODE_OAUTH_TOKEN: ${{ secrets.CLAUDE_CODE_OAUTH_TOKEN }}\n", "          CLAUDE_CODE_OAUTH_TOKEN: ${{ secrets.CLAUDE_CODE_OAUTH_TOKEN }}\n          GITHUB_TOKEN: ${{ github.token }}\n"},
		{"SF-WORKFLOW-017", loop, "          evidence --policy", "          gate --policy"},
		{"SF-WORKFLOW-018", loop, "answer.sh check", "answer.sh gate"},
		{"SF-WORKFLOW-018", loop, "      - name: Say what was done\n        run: bash .github/self-fix/answer.sh push \"$RUNNER_TEMP/self-fix/receipt.json\"\n", ""},
		{"SF-WORKFLOW-019", loop, "    name: fix pr-${{ needs.gate.outputs.pr }}\n", ""},
		{"SF-WORKFLOW-019", loop, "  recheck:\n", "  verify:\n"},
		{"SF-WORKFLOW-019", review, "    if: github.event_name == 'merge_group'\n", "    name: maintainer-review\n    if: github.event_name == 'merge_group'\n"},
		{"SF-WORKFLOW-019", loop, "run-name: self-fix ${{ github.event.sha }}\n", ""},
		{"SF-WORKFLOW-020", review, "    if: github.event_name == 'merge_group'\n", "    if: github.event_name == 'merge_group'\n    environment: self-fix-review\n"},
		{"SF-WORKFLOW-020", review, "    if: github.event_name == 'pull_request_target'\n", ""},
		{"SF-WORKFLOW-021", loop, "answer.sh push \"$RUNNER_TEMP/self-fix/receipt.json\"", "answer.sh push \"$RUNNER_TEMP/self-fix/receipt.json\" >> $GITHUB_ENV"},
		{"SF-WORKFLOW-021", loop, "permissions: {}\n", "permissions: {}\nenv: {PATH: /odd}\n"},
	}
}

// Each rule finds each of its own breaches. The workflows are those of a review app, which has all secrets.
func TestRulesFindBreaches(t *testing.T) {
	all, err := Workflows(seeds(t)["app"])
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]bool{}
	for i, b := range breaches() {
		tried[b.rule] = true
		text := string(all[WorkflowsDir+"/"+b.file])
		if !strings.Contains(text, b.old) {
			t.Errorf("breach %d of %s: %s has no %q", i, b.rule, b.file, b.old)
			continue
		}
		w, err := workflow.Parse(b.file, []byte(strings.Replace(text, b.old, b.new, 1)))
		if err != nil {
			t.Errorf("breach %d of %s: %v", i, b.rule, err)
			continue
		}
		found := slices.ContainsFunc(workflow.Check(w), func(f workflow.Finding) bool { return f.Rule == b.rule })
		if !found {
			t.Errorf("%s does not find %q in place of %q: %+v", b.rule, b.new, b.old, workflow.Check(w))
		}
	}
	for _, r := range workflow.Rules() {
		if !tried[r.ID] {
			t.Errorf("%s has no breach here", r.ID)
		}
	}
}

func TestUnreadableWorkflows(t *testing.T) {
	for _, text := range []string{"", "on: push", "on: push\njobs: {}\n", "a: [", "on: push\njobs: &a {x: {}}\n", "on: push\non: status\njobs: {a: {}}\n",
		"on: push\njobs: {a: {}}\n---\n{}\n", "on: push\njobs: {a: {steps: [{run: x, continue-on-error: true}]}}\n", "on: push\njobs: {a: {defaults: {run: {shell: sh}}}}\n", "jobs: {a: {}}\n", strings.Repeat("#", workflow.MaxBytes+1)} {
		if w, err := workflow.Parse("x.yml", []byte(text)); !errors.Is(err, workflow.ErrWorkflow) {
			t.Errorf("%.40q: error %v, workflow %+v", text, err, w)
		}
	}
}

func TestUnpinned(t *testing.T) {
	text := `on: push
jobs:
  a:
    uses: octo/flows/.github/workflows/x.yml@main
  b:
    steps:
      - uses: actions/checkout@v4
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683
      - uses: ./local
      - uses: docker://alpine:3
      - uses: docker://alpine@sha256:` + strings.Repeat("a", 64) + `
`
	got, err := workflow.Unpinned("x.yml", []byte(text))
	want := []string{`x.yml:4: "octo/flows/.github/workflows/x.yml@main"`, `x.yml:7: "actions/checkout@v4"`, `x.yml:10: "docker://alpine:3"`}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, error %v, want %q", got, err, want)
	}
	if _, err := workflow.Unpinned("x.yml", []byte("a: [")); err == nil {
		t.Error("no error for what is no YAML")
	}
}

// The workflows as a repository gets them, so that every change of them is read in review.
func TestWorkflowsGolden(t *testing.T) {
	for _, name := range []string{"token", "app", "verify"} {
		all, err := Workflows(seeds(t)[name])
		if err != nil {
			t.Fatal(err)
		}
		for path, text := range all {
			if filepath.Ext(path) != ".yml" {
				continue
			}
			golden := filepath.Join("testdata", name, filepath.Base(path))
			if *update {
				if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || string(want) != string(text) {
				t.Errorf("%s differs (error %v); go test ./internal/install -update writes it", golden, err)
			}
		}
	}
}
