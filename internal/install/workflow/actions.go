package workflow

// Action is a third-party action at a full commit id. A tag can be moved to other code by whoever holds the action's repository.
type Action struct {
	Commit  string
	Release string // what the commit was released as; a comment for people
}

// Actions are the only actions that self-fix's workflows use. docs/upgrade.md says how to renew them.
func Actions() map[string]Action {
	return map[string]Action{
		"actions/checkout":          {"11bd71901bbe5b1630ceea73d27597364c9af683", "v4.2.2"},
		"actions/upload-artifact":   {"ea165f8d65b6e75b540449e92b4886f43607fa02", "v4.6.2"},
		"actions/download-artifact": {"d3f86a106a0bac45b974a628896c90dbdf5c8093", "v4.3.0"},
	}
}
