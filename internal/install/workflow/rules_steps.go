package workflow

import (
	"maps"
	"slices"
	"strings"

	"selffix/internal/lazyregexp"
)

func pinnedActions(w Workflow) []string {
	var f found
	w.eachStep(func(where string, _ Job, s Step) {
		if s.Uses == "" {
			return
		}
		name, commit, _ := strings.Cut(s.Uses, "@")
		if a, ok := Actions()[name]; !ok || a.Commit != commit {
			f.add("%s: %.80q is none of the pinned actions", where, s.Uses)
		}
	})
	return f
}

// noCaches refuses cache actions and cache inputs: a run of "status" writes into the scope of the default branch.
func noCaches(w Workflow) []string {
	var f found
	w.eachStep(func(where string, _ Job, s Step) {
		if strings.Contains(s.Uses, "cache") || strings.Contains(s.Uses, "/setup-") {
			f.add("%s: %.80q keeps a cache", where, s.Uses)
		}
		for key := range s.With {
			if strings.Contains(key, "cache") {
				f.add("%s: the input %q", where, key)
			}
		}
	})
	return f
}

// packagesFolder is where the default branch's package and lock files lie, if the policy asks for the project's own check.
const packagesFolder = "self-fix-packages"

// PackageFiles are the files that the project's own check is installed from, anywhere in the repository: the list of package verify, a
// test says. One that was left out would look as if the default branch did not have it, which refuses the run.
func PackageFiles() []string {
	return strings.Fields(`package.json package-lock.json npm-shrinkwrap.json .npmrc
		yarn.lock .yarnrc .yarnrc.yml .pnp.cjs .pnp.js .pnp.loader.mjs .pnp.data.json
		pnpm-lock.yaml pnpm-workspace.yaml .pnpmfile.cjs .pnpmfile.mjs pnpmfile.js
		bun.lock bun.lockb bunfig.toml .bunfig.toml deno.lock deno.json deno.jsonc .yarn/`)
}

var fullRef = lazyregexp.New(`^refs/heads/[A-Za-z0-9._/-]+$`)

// checkouts demands the default branch by its full name, no kept credentials, and only the files that are needed: a .env of
// the repository must not lie above a folder in which anything runs.
func checkouts(w Workflow) []string {
	var f found
	w.eachStep(func(where string, _ Job, s Step) {
		if !strings.HasPrefix(s.Uses, "actions/checkout@") {
			return
		}
		if !fullRef.MatchString(s.With["ref"]) {
			f.add("%s: expected ref: refs/heads/DEFAULT in full", where)
		}
		if s.With["persist-credentials"] != "false" {
			f.add("%s: expected persist-credentials: false", where)
		}
		needed, keys := []string{"/.github/self-fix.yaml", "/.github/self-fix/"}, []string{"ref", "persist-credentials", "sparse-checkout", "sparse-checkout-cone-mode"}
		if s.With["path"] == packagesFolder {
			needed, keys = PackageFiles(), append(keys, "path")
		}
		for _, path := range strings.Fields(s.With["sparse-checkout"]) {
			if !slices.Contains(needed, path) {
				f.add("%s: %.80q is not needed", where, path)
			}
		}
		if s.With["sparse-checkout"] == "" || s.With["sparse-checkout-cone-mode"] != "false" {
			f.add("%s: expected a sparse checkout, cone mode off, of policy and scripts only", where)
		}
		for _, key := range slices.Sorted(maps.Keys(s.With)) {
			if !slices.Contains(keys, key) {
				f.add("%s: the input %q has no place here", where, key)
			}
		}
	})
	return f
}

// credential finds an expression that can hold a secret. Names of contexts have no case; the context github as a whole, and what an
// index picks of it, hold the token.
var credential = lazyregexp.New(`(?i)\$\{\{[^}]*\b(?:secrets|github *\. *token|github *\[|github *\}|github *\)|tojson)[^}]*\}?\}`)

// secretsInSteps lets a secret stand in the variables of a step that calls a function and takes it by env://NAME, in one step of a
// job only; the run's own token may stand in several.
func secretsInSteps(w Workflow) []string {
	var f found
	inSteps := 0
	for _, name := range w.names() {
		used := map[string]bool{}
		for _, s := range w.Jobs[name].Steps {
			function, arguments := s.function()
			for _, key := range slices.Sorted(maps.Keys(s.Env)) {
				value := s.Env[key]
				if !credential.MatchString(value) {
					continue
				}
				inSteps++
				if value != "${{ github.token }}" && value != "${{ secrets."+key+" }}" {
					f.add("job %q: the variable %s is not exactly one secret of its own name", name, key)
				}
				if function == "" || !slices.Contains(arguments, "env://"+key) {
					f.add("job %q: a step has %s and hands it to no function", name, key)
				}
				if used[value] && value != "${{ github.token }}" {
					f.add("job %q: %s is in more than one step", name, key)
				}
				used[value] = true
			}
		}
	}
	if all := len(credential.FindAllString(w.Text, -1)); all != inSteps {
		f.add("%d of %d secrets stand outside the variables of a step", all-inSteps, all)
	}
	return f
}

// secretEnvironments demands an environment wherever a secret beside the run's own token is used, and none elsewhere.
func secretEnvironments(w Workflow) []string {
	var f found
	for _, name := range w.names() {
		uses := false
		for _, s := range w.Jobs[name].Steps {
			for _, v := range s.Env {
				uses = uses || strings.Contains(v, "secrets.")
			}
		}
		switch e := w.Jobs[name].environment(); {
		case uses && e != "self-fix" && e != "self-fix-review":
			f.add("job %q uses a secret without the environment self-fix or self-fix-review", name)
		case !uses && e != "":
			f.add("job %q has an environment and uses no secret of it", name)
		}
	}
	return f
}

// noExpressions keeps values out of scripts: they come through variables, which a shell does not read as code.
func noExpressions(w Workflow) []string {
	var f found
	w.eachStep(func(where string, _ Job, s Step) {
		if strings.Contains(s.Run+s.Shell+s.Dir, "${{") {
			f.add("%s: an expression stands in run, shell or working-directory", where)
		}
		if s.Shell != "" || s.Dir != "" {
			f.add("%s: shell and working-directory are the workflow's", where)
		}
	})
	if w.Defaults.Run.Shell != "bash" || w.Defaults.Run.Dir != "" {
		f.add("expected defaults: run: shell: bash, which stops at the first command that fails, and nothing else")
	}
	return f
}

func noAPIKey(w Workflow) []string {
	if strings.Contains(w.Text, "ANTHROPIC_API_KEY") {
		return []string{"ANTHROPIC_API_KEY stands in it"}
	}
	return nil
}

// noHandover refuses the runner's ways to change later steps, and commands in the log.
func noHandover(w Workflow) []string {
	var f found
	w.eachStep(func(where string, _ Job, s Step) {
		for _, word := range []string{"GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "::set-", "::add-", "eval ", "source "} {
			if strings.Contains(s.Run, word) {
				f.add("%s: %q", where, word)
			}
		}
	})
	if len(w.Env) > 0 {
		f.add("the workflow sets variables for all jobs")
	}
	for _, name := range w.names() {
		if len(w.Jobs[name].Env) > 0 {
			f.add("job %q sets variables for all steps", name)
		}
	}
	return f
}
