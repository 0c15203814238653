// Package policy reads the one strict policy file of an installation.
//
// The policy is taken only from the head of the default branch, at .github/self-fix.yaml. It is
// disabled unless it says "enabled: true", and it only narrows: a floor (dot paths, workflows, the
// policy itself, lock, configuration and test files, instruction files, node_modules, plain files
// only, no rename, copy or deletion) is code, and a policy that would widen it is an error with its line.
package policy

import "time"

// Policy is a policy file that was read in full and holds every rule of the format. A zero Policy is
// disabled. Fields are named as their keys are.
type Policy struct {
	Version int  `yaml:"version"` // always 1
	Enabled bool `yaml:"enabled"`
	Sandbox bool `yaml:"sandbox"` // loopback hosts and sandbox- tokens, and nothing else

	RepositoryID int64 `yaml:"repository_id"` // optional: 0 takes the event's, which must then agree everywhere

	Maintainer Account  `yaml:"maintainer"`
	Bot        Bot      `yaml:"bot"`
	Branches   Branches `yaml:"branches"`
	Attempts   Attempts `yaml:"attempts"`
	Paths      Paths    `yaml:"paths"`
	Limits     Limits   `yaml:"limits"`
	Secrets    Secrets  `yaml:"secrets"`
	Code       Code     `yaml:"code"`
	Evidence   Evidence `yaml:"evidence"`
	Agent      Agent    `yaml:"agent"`
	Verify     Verify   `yaml:"verify"` // optional: left out, no code of a pull request is run
	Robot      Robot    `yaml:"robot"`
	Review     Review   `yaml:"review"`
	Hosts      Hosts    `yaml:"hosts"`
	Images     Images   `yaml:"images"` // optional: replaces built-in digests

	// Digest is the sha256 of the file's bytes in lower-case hex. It is computed, not a key.
	Digest string `yaml:"-"`
}

// Account is a person on GitHub. Both fields must match: a login can be taken over, an id cannot.
type Account struct {
	Login string `yaml:"login"`
	ID    int64  `yaml:"id"`
}

// Bot is the test bot whose failing status starts the loop.
type Bot struct {
	Login   string        `yaml:"login"`
	ID      int64         `yaml:"id"`
	Context string        `yaml:"context"` // compared byte for byte
	Window  time.Duration `yaml:"window"`  // its run started at most so long before the failing status
	AppID   int64         `yaml:"app_id"`  // optional: the app that doctor wants its required check pinned to
	Source  string        `yaml:"source"`  // evidence format: "testsprite" or "file"; left out, Parse sets the first
}

// Branches says where self-fix may work.
type Branches struct {
	Default string   `yaml:"default"` // pull requests must go to it; the policy is read from it
	Never   []string `yaml:"never"`   // head branches that are never pushed to; the default branch and main are always among them
}

// Attempts bounds how often the loop may start. A run whose fix job started counts.
type Attempts struct {
	PerPullRequest int `yaml:"per_pull_request"`
	PerDay         int `yaml:"per_day"` // across the repository, since midnight UTC
}

// Paths says which files a patch may touch. Everything else is refused.
type Paths struct {
	Roots           []string `yaml:"roots"`            // folders, without a slash at the end
	Extensions      []string `yaml:"extensions"`       // each needs a judge: .ts, .tsx, .css
	SecurityModules []string `yaml:"security_modules"` // files never to change, nor to shadow
	SecurityFolders []string `yaml:"security_folders"` // folders of such files
	AppFolders      []string `yaml:"app_folders"`      // no new file below them: the framework serves files from there
}

// Limits bounds a patch.
type Limits struct {
	ChangedLines int `yaml:"changed_lines"` // added plus removed
	PatchBytes   int `yaml:"patch_bytes"`
	FileBytes    int `yaml:"file_bytes"`  // of each changed file, base and result, before it is parsed
	LineLength   int `yaml:"line_length"` // bytes of an added line
	BlankRun     int `yaml:"blank_run"`   // blanks in a row inside an added line
}

// Secrets names what must not stand in a patch, beside the built-in shapes.
type Secrets struct {
	Names []string `yaml:"names"`
}

// Code tunes the rules on TypeScript and CSS above their floor.
type Code struct {
	Words   []string `yaml:"words"`   // identifiers refused anywhere in an added line, beside the built-in ones
	Imports []string `yaml:"imports"` // packages that a patch may import newly; relative and alias imports are judged by path
	Aliases []string `yaml:"aliases"` // import prefixes that mean a folder: "@/=packages/web/src/"
	Hosts   []string `yaml:"hosts"`   // optional: hosts that an added URL may name
}

// Evidence says which previews count. A report for any other target is no evidence.
type Evidence struct {
	Environment string `yaml:"environment"` // name of GitHub's deployment environment for previews
	HostSuffix  string `yaml:"host_suffix"` // ".example.app": the preview's host ends so, with at least one label before it
}

// Agent bounds the agent and the model proxy.
type Agent struct {
	Model           string        `yaml:"model"`
	Betas           []string      `yaml:"betas"` // values of anthropic-beta that the proxy lets through
	MaxTurns        int           `yaml:"max_turns"`
	Timeout         time.Duration `yaml:"timeout"`
	MaxUSD          float64       `yaml:"max_usd"`
	MaxRequests     int           `yaml:"max_requests"`
	MaxInputTokens  int64         `yaml:"max_input_tokens"`  // of all requests together
	MaxOutputTokens int64         `yaml:"max_output_tokens"` // of all requests together
	Price           Price         `yaml:"price"`
}

// Price is in US dollars for a million tokens, at the dearest rate of the model.
type Price struct {
	Input  float64 `yaml:"input"`
	Output float64 `yaml:"output"`
}

// Verify is the project's own check, run on the repaired tree before a candidate is handed on. It can stop a repair and never
// allow one. A zero Verify is no part of the plan.
type Verify struct {
	Enabled bool          `yaml:"enabled"`
	Command []string      `yaml:"command"` // a program and its arguments, constant words: no shell reads them
	Timeout time.Duration `yaml:"timeout"`
}

// Robot is the identity of self-fix's own commits.
type Robot struct {
	Login   string `yaml:"login"`
	ID      int64  `yaml:"id"`
	Name    string `yaml:"name"`
	Email   string `yaml:"email"`
	Message string `yaml:"message"` // every robot commit's message begins with it
}

// Review is the status that holds every merge of a robot commit.
type Review struct {
	Label               string `yaml:"label"`
	Context             string `yaml:"context"`
	AppID               int64  `yaml:"app_id"`                // the review app, to which the required check is pinned; 0 exactly if AcceptBranchWriters
	AcceptBranchWriters bool   `yaml:"accept_branch_writers"` // post with the workflow's token instead: whoever can push a branch can forge it
}

// Hosts are the only places that a token is sent to: base URLs without a slash at the end, https except in a sandbox (see [Loopback]).
type Hosts struct {
	GitHubAPI    string `yaml:"github_api"`
	GitHubGit    string `yaml:"github_git"`
	Model        string `yaml:"model"`
	Bot          string `yaml:"bot"`
	BotArtifacts string `yaml:"bot_artifacts"` // optional
}

// Images replaces built-in pins. Each is a full reference with a digest.
type Images struct {
	Worker string `yaml:"worker"`
	Node   string `yaml:"node"`
}
