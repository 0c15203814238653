package workflow

import (
	"slices"
	"strings"
)

// function is how the workflows call one function of the module: every argument, since one that is left out may be filled from a
// file, and what it is asked for.
type function struct {
	arguments []string
	optional  string // an argument that depends on the policy
	then      string // the function of its result
	answer    string // the kind that answer.sh is told; "": its result is the next call's input
}

// functions lists the functions that the workflows may call.
func functions() map[string]function {
	return map[string]function{
		"gate":        {arguments: []string{"policy", "event", "run", "attempt", "token"}, then: "json", answer: "gate"},
		"evidence":    {arguments: []string{"policy", "verdict", "lockfile", "bot-key"}},
		"checkout":    {arguments: []string{"policy", "verdict", "token"}},
		"agent":       {arguments: []string{"policy", "verdict", "tree", "bundle", "model-token"}, optional: "packages", then: "check", answer: "check"},
		"recheck":     {arguments: []string{"policy", "verdict", "objects", "candidate", "patch"}, answer: "recheck"},
		"push":        {arguments: []string{"policy", "event", "run", "attempt", "result", "token"}, then: "json", answer: "push"},
		"review-gate": {arguments: []string{"policy", "event", "event-name", "run", "attempt", "token"}, optional: "app-key", then: "json", answer: "review"},
		"self-test":   {answer: "self-test"},
	}
}

// calls demands that functions are called through call.sh alone, each with all its arguments, and after the pinned command
// line was brought.
func calls(w Workflow) []string {
	var f found
	for _, name := range w.names() {
		ready := false
		for i, s := range w.Jobs[name].Steps {
			if s.Run == "bash .github/self-fix/setup.sh" {
				ready = true
				continue
			}
			called, rest := s.function()
			if called == "" {
				if strings.Contains(s.Run, "dagger") || s.Run != "" && !strings.HasPrefix(s.Run, "bash .github/self-fix/") {
					f.add("job %q, step %d: a command that is none of self-fix's scripts", name, i+1)
				}
				continue
			}
			if !strings.HasPrefix(s.Run, "bash .github/self-fix/call.sh ") || strings.ContainsAny(s.Run, ";|&<>`\n") || strings.Contains(s.Run, "$(") {
				f.add("job %q, step %d: expected one call of call.sh and nothing else", name, i+1)
			}
			if !ready {
				f.add("job %q, step %d: a call before setup.sh", name, i+1)
			}
			f = append(f, whole(name, called, rest)...)
		}
	}
	return f
}

// whole compares a call's arguments with the function's.
func whole(job, called string, rest []string) []string {
	var f found
	fn, ok := functions()[called]
	if !ok {
		f.add("job %q calls %.40q, which is no function of the module", job, called)
		return f
	}
	var names, tail []string
	for i := 0; i < len(rest); i++ {
		if !strings.HasPrefix(rest[i], "--") || i+1 == len(rest) {
			tail = append(tail, rest[i])
			continue
		}
		names = append(names, strings.TrimPrefix(rest[i], "--"))
		i++
	}
	want := slices.Clone(fn.arguments)
	if fn.optional != "" && slices.Contains(names, fn.optional) {
		want = append(want, fn.optional)
	}
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		f.add("job %q: %s takes exactly the arguments %v, got %v", job, called, want, names)
	}
	if strings.Join(tail, " ") != fn.then {
		f.add("job %q: %s is asked for %q, got %q", job, called, fn.then, tail)
	}
	return f
}

// agentApart holds the order of the fix job: report and commit are fetched in calls that ended, and the agent's call has the model token
// and nothing else of GitHub's or the bot's.
func agentApart(w Workflow) []string {
	var f found
	for _, name := range w.names() {
		var before []string
		for _, s := range w.Jobs[name].Steps {
			called, _ := s.function()
			if called != "agent" {
				before = append(before, called)
				continue
			}
			if !slices.Contains(before, "gate") || !slices.Contains(before, "evidence") || !slices.Contains(before, "checkout") {
				f.add("job %q: gate, evidence and checkout must end in calls of their own before the agent's", name)
			}
			if len(s.Env) != 1 || s.Env["CLAUDE_CODE_OAUTH_TOKEN"] != "${{ secrets.CLAUDE_CODE_OAUTH_TOKEN }}" {
				f.add("job %q: the agent's call takes the model token and nothing else", name)
			}
		}
	}
	return f
}

// answers demands that what a call decided is read, in the step that follows, by answer.sh: it shows the ids of the rules in the
// summary and lets nothing else into an output.
func answers(w Workflow) []string {
	var f found
	for _, name := range w.names() {
		steps := w.Jobs[name].Steps
		for i, s := range steps {
			called, _ := s.function()
			kind := functions()[called].answer
			if kind == "" {
				continue
			}
			if i+1 == len(steps) || !strings.HasPrefix(steps[i+1].Run, "bash .github/self-fix/answer.sh "+kind+" ") {
				f.add("job %q: expected answer.sh %s after the call of %s", name, kind, called)
			}
		}
	}
	return f
}

// artifacts keeps what crosses between jobs for a day, and holds what arrives to named files before anything looks at it.
func artifacts(w Workflow) []string {
	var f found
	for _, name := range w.names() {
		steps := w.Jobs[name].Steps
		for i, s := range steps {
			switch {
			case strings.HasPrefix(s.Uses, "actions/upload-artifact@"):
				if s.With["retention-days"] != "1" || s.With["if-no-files-found"] != "error" {
					f.add("job %q: expected retention-days: 1 and if-no-files-found: error", name)
				}
				if n := len(strings.Split(strings.TrimSpace(s.With["path"]), "\n")); strings.ContainsAny(s.With["path"], "*?[") || n != 2 && w.base() != fileTest || s.With["include-hidden-files"] != "" {
					f.add("job %q: expected two named files in an artifact, got %d", name, n)
				}
			case strings.HasPrefix(s.Uses, "actions/download-artifact@"):
				if s.With["path"] != "${{ runner.temp }}/self-fix-unpacked" || s.With["name"] == "" || len(s.With) != 2 {
					f.add("job %q: expected one artifact by name, unpacked into self-fix-unpacked, where nothing runs", name)
				}
				if i+1 == len(steps) || !takesTwo(steps[i+1]) {
					f.add("job %q: expected take.sh with two files and their limits right after the artifact", name)
				}
			}
		}
	}
	return f
}

// takesTwo reports whether a step holds an artifact to two files.
func takesTwo(s Step) bool {
	return strings.HasPrefix(s.Run, `bash .github/self-fix/take.sh "$RUNNER_TEMP/self-fix-unpacked" `) && len(strings.Fields(s.Run)) == 7
}

// mergeGroups keeps environments and their secrets out of jobs that run for a merge group.
func mergeGroups(w Workflow) []string {
	var f found
	for _, name := range w.names() {
		j := w.Jobs[name]
		if !slices.Contains(w.Triggers(), "merge_group") || j.If == "github.event_name == 'pull_request_target'" {
			continue
		}
		secret := j.environment() != ""
		for _, s := range j.Steps {
			for _, v := range s.Env {
				secret = secret || strings.Contains(v, "secrets.")
			}
		}
		if secret {
			f.add("job %q runs for merge groups and has an environment or a secret", name)
		}
	}
	return f
}
