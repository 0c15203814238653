package verify

import "selffix/gates"

// The rules by which verify ends a run. None lets one go on.
const (
	RuleFails    = "SF-VERIFY-001"
	RuleChanged  = "SF-VERIFY-002"
	RuleDeadline = "SF-VERIFY-003"
	RuleLimit    = "SF-VERIFY-004"
	RuleCancel   = "SF-VERIFY-005"
	RuleSignal   = "SF-VERIFY-006"
	RulePackages = "SF-VERIFY-007"
	RuleApart    = "SF-VERIFY-008"
	RuleCommand  = "SF-VERIFY-009"
	RuleOff      = "SF-VERIFY-010"
)

// Rules describes each of them, for "self-fix explain".
func Rules() []gates.RuleDoc {
	return []gates.RuleDoc{
		{ID: RuleFails, Title: "the project's own check passes on the repaired tree", Why: "Its exit code is the one thing that is taken over from it, and it counts in one direction: zero adds nothing to what gates and checker decided, any other number stops before a candidate is handed on."},
		{ID: RuleChanged, Title: "package and lock files are the default branch's", Why: "package.json, every lockfile, .npmrc and the like say what is installed and which code runs beside the tests. A pull request that changes one, or brings a node_modules folder, is not run: bring the branch up to date, or merge that change first."},
		{ID: RuleDeadline, Title: "the check ends within verify.timeout", Why: "It is killed then with all that it started. What did not end says nothing, so the run is undecided."},
		{ID: RuleLimit, Title: "the check keeps to its limits", Why: "More output, or more on disk, than it may make ends it. Nothing that it printed is kept, so a quieter reporter is enough."},
		{ID: RuleCancel, Title: "the run was not cancelled while the check worked", Why: "What was ended from outside says nothing."},
		{ID: RuleSignal, Title: "the check ends by itself", Why: "A signal (its own, or the kernel's for memory or a forbidden call) is no exit code."},
		{ID: RulePackages, Title: "the packages can be installed from the default branch's lockfile", Why: "package-lock.json at the root, version 3, a sha512 for each package, and no address: npm writes none with omit-lockfile-registry-resolved. Links, workspaces, git and file packages are refused, and no install script runs."},
		{ID: RuleApart, Title: "the machine keeps the project's own code apart in full", Why: "Code of a pull request runs only behind every part of the fence (a root, process, network and ipc namespace of its own, and signals kept inside), or alone in a container; with less it does not run."},
		{ID: RuleCommand, Title: "the program of verify.command is there", Why: "It is looked up in node_modules/.bin, /usr/local/bin, /usr/bin and /bin, and nowhere else."},
		{ID: RuleOff, Title: "the policy enables verify", Why: "The step is in a plan only where the policy asks for it; it looks once more before it runs anything."},
	}
}
