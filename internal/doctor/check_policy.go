package doctor

import (
	"fmt"
	"slices"
)

func policyChecks() []check {
	return []check{
		{"SF-DOCTOR-001", "the default branch's policy is valid", "Mend .github/self-fix.yaml on the default branch; self-fix policy check names each fault.", policyValid},
		{"SF-DOCTOR-002", "the given policy is the default branch's", "Give doctor the file as the default branch has it, or merge your change.", policyGiven},
		{"SF-DOCTOR-003", "the policy's branch is the repository's default branch", "Set branches.default to the repository's default branch.", policyBranch},
		{"SF-DOCTOR-004", "the policy is no sandbox's", "Take sandbox: true out of the policy: a sandbox's hosts are no GitHub.", policySandbox},
	}
}

func policyValid(f Facts) (string, error) {
	if f.Policy.Err != nil {
		return "", f.Policy.Err
	}
	if !f.Policy.Value.Enabled {
		return "valid; disabled: self-fix does nothing until it says enabled: true", nil
	}
	return "valid and enabled", nil
}

func policyGiven(f Facts) (string, error) {
	if f.Policy.Err != nil {
		return "", f.Policy.Err
	}
	if f.Policy.Value.Digest != f.Given.Digest {
		return "", weak("the given file differs from the default branch's")
	}
	return "sha256 " + f.Given.Digest, nil
}

func policyBranch(f Facts) (string, error) {
	if f.Policy.Err != nil {
		return "", f.Policy.Err
	}
	if got := f.Policy.Value.Branches.Default; got != f.Repository.DefaultBranch {
		return "", weak("the policy says %q, the repository %q", got, f.Repository.DefaultBranch)
	}
	return f.Repository.DefaultBranch, nil
}

func policySandbox(f Facts) (string, error) {
	if f.Policy.Err != nil {
		return "", f.Policy.Err
	}
	// A loopback GitHub is a test's own: there the answer would always be the same.
	if f.Policy.Value.Sandbox && !f.Given.Sandbox {
		return "", weak("it says sandbox: true")
	}
	return "", nil
}

func statusChecks() []check {
	return []check{
		{"SF-DOCTOR-010", "the bot's status is required", "Require the status of bot.context in the default branch's rules.", botRequired},
		{"SF-DOCTOR-011", "the bot's status is pinned to its app", "Set bot.app_id, and in the rules choose that app as the source of the status: else a job of that name satisfies it.", botPinned},
		{"SF-DOCTOR-012", "the review status is required", "Require the status of review.context in the default branch's rules.", reviewRequired},
		{"SF-DOCTOR-013", "the review status is pinned to the review app", "Set review.app_id, and in the rules choose that app as the source of the status: else whoever can push a branch can forge it.", reviewPinned},
		{"SF-DOCTOR-014", "the merge queue can get a review status", "Do without a merge queue, or accept branch writers: a merge group's run uses a workflow that pull requests wrote, so it gets no app key.", mergeQueue},
	}
}

func required(f Facts, context string) error {
	if f.Checks.Err != nil {
		return f.Checks.Err
	}
	if len(f.Checks.Value[context]) == 0 {
		return weak("no rule of the default branch requires %q", context)
	}
	return nil
}

// pinned demands that each rule which requires a status takes it from one app only.
func pinned(f Facts, context string, app int64) error {
	if err := required(f, context); err != nil {
		return err
	}
	if slices.ContainsFunc(f.Checks.Value[context], func(got int64) bool { return got != app }) {
		return weak("%q is taken from the apps %v (0: any), expected only %d", context, f.Checks.Value[context], app)
	}
	return nil
}

func botRequired(f Facts) (string, error) {
	return f.Given.Bot.Context, required(f, f.Given.Bot.Context)
}

func botPinned(f Facts) (string, error) {
	if f.Given.Bot.AppID == 0 {
		return "", weak("the policy has no bot.app_id")
	}
	return fmt.Sprintf("app %d", f.Given.Bot.AppID), pinned(f, f.Given.Bot.Context, f.Given.Bot.AppID)
}

func reviewRequired(f Facts) (string, error) {
	return f.Given.Review.Context, required(f, f.Given.Review.Context)
}

func reviewPinned(f Facts) (string, error) {
	if f.Given.Review.AcceptBranchWriters {
		return accepted(f)
	}
	return fmt.Sprintf("app %d", f.Given.Review.AppID), pinned(f, f.Given.Review.Context, f.Given.Review.AppID)
}

// accepted lets branch writers be accepted where there is no writer but the maintainer.
func accepted(f Facts) (string, error) {
	if f.People.Err != nil {
		return "", f.People.Err
	}
	for _, p := range f.People.Value {
		if p.Write && p.ID != f.Given.Maintainer.ID {
			return "", weak("review.accept_branch_writers is set, and %q can push a branch too", p.Login)
		}
	}
	return "branch writers are accepted, and only the maintainer is one", nil
}

func mergeQueue(f Facts) (string, error) {
	if f.Rules.Err != nil {
		return "", f.Rules.Err
	}
	if f.Rules.Value.MergeQueue && !f.Given.Review.AcceptBranchWriters {
		return "", weak("merges go through a queue, where nothing may post the review app's status: no merge would ever end")
	}
	return "", nil
}
