package install

import "fmt"

// ByHand lists what only a person can do, in order.
func (p Plan) ByHand() []string {
	var out []string
	for _, m := range p.Pins.Missing() {
		out = append(out, "Fill in "+PinsPath+": "+m+". Until then every job stops before it starts anything.")
	}
	out = append(out,
		"Put the test bot's lockfile at "+LockfilePath+" (npm install --package-lock-only --ignore-scripts in an empty folder, then take out every \"resolved\").",
		"Read .github/self-fix.yaml through: roots, security modules, the bot, the previews.",
		fmt.Sprintf("Make the environment self-fix, limited to the branch %s, with the secrets CLAUDE_CODE_OAUTH_TOKEN and TESTSPRITE_API_KEY. Delete repository secrets of these names.", p.Policy.Branches.Default),
	)
	if p.Policy.Review.AppID != 0 {
		out = append(out,
			fmt.Sprintf("Install the review app %d (statuses: write, nothing else) and make the environment self-fix-review, limited to %s, with its key as SELF_FIX_REVIEW_APP_KEY.", p.Policy.Review.AppID, p.Policy.Branches.Default),
			fmt.Sprintf("Require the status %s on %s, from the app %d only.", p.Policy.Review.Context, p.Policy.Branches.Default, p.Policy.Review.AppID))
	} else {
		out = append(out, fmt.Sprintf("Require the status %s on %s. Whoever can push a branch can forge it: a review app (review.app_id) closes that.", p.Policy.Review.Context, p.Policy.Branches.Default))
	}
	return append(out,
		fmt.Sprintf("Require the status %q on %s, from the bot's app only, and write that app's number as bot.app_id into the policy.", p.Policy.Bot.Context, p.Policy.Branches.Default),
		"Make a code owner of .github/ required for review (CODEOWNERS and the rule), and the default workflow permissions read-only.",
		"List the previews' variables in "+VariablesPath+".",
		"Make the label "+p.Policy.Review.Label+".",
		"Merge this, run self-fix doctor, and only when it says 0: set enabled: true.",
	)
}
