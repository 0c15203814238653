package pipeline

import (
	"slices"
	"time"
)

// StepName names a step of the plan, in lower case with dashes: "fix-regate", "agent".
type StepName string

// Ref names an artifact: "in.NAME" for what the caller of Run brings, "STEP.OUTPUT" for what a step
// hands on, such as "checkout.tree".
type Ref string

// ImageKey names a container image in the one table of pins. Interpreters without containers ignore it.
type ImageKey string

// The images of the table. Nothing else may be named by a step.
const (
	ImageWorker ImageKey = "worker" // git and the self-fix binary
	ImageNode   ImageKey = "node"   // npm, for the two steps that install from a lockfile
)

// Exposure says which hostile material a step comes in contact with. A step may have several.
type Exposure string

// The exposures, as docs, reports and the secrets map print them.
const (
	PullRequestData Exposure = "pull request data" // read, never run
	PullRequestCode Exposure = "pull request code" // run
	UntrustedText   Exposure = "untrusted text"    // failure reports, model traffic passing through
	Model           Exposure = "model"             // a process that a model steers
)

// Exposures lists every exposure, in the order of the list above.
func Exposures() []Exposure {
	return []Exposure{PullRequestData, PullRequestCode, UntrustedText, Model}
}

// SecretName names a secret that the plan may grant to one step.
type SecretName string

// The secrets that exist. A plan that names another one is invalid.
const (
	SecretGitHubRead   SecretName = "github-read"
	SecretGitHubWrite  SecretName = "github-write"
	SecretGitHubStatus SecretName = "github-status"
	SecretReviewAppKey SecretName = "review-app-key"
	SecretModel        SecretName = "model"
	SecretBot          SecretName = "bot"
)

// Secrets lists every secret.
func Secrets() []SecretName {
	return []SecretName{SecretGitHubRead, SecretGitHubWrite, SecretGitHubStatus, SecretReviewAppKey, SecretModel, SecretBot}
}

// Writes reports whether the secret can push or post a status: a step that is granted it mounts no
// tree, no patch and no bundle (invariant 2).
func (s SecretName) Writes() bool {
	return s == SecretGitHubWrite || s == SecretGitHubStatus || s == SecretReviewAppKey
}

// Grant mounts one secret as a file of mode 0400, only for the step's one exec.
type Grant struct {
	Secret SecretName
	Path   string // absolute, inside the step
}

// Access says what a step may do to an input.
type Access string

// ReadOnly is the zero value: an input is never writable by accident. Copy gives the step a private
// copy, whose changes leave the step only as an output.
const (
	ReadOnly Access = ""
	Copy     Access = "copy"
)

// Kind says what an artifact holds. Invariant 2 is stated in these kinds, so each artifact has one.
type Kind string

// The kinds of artifact.
const (
	KindPolicy    Kind = "policy"     // the policy file of the default branch
	KindEvent     Kind = "event"      // the event of this run, typed fields only
	KindRun       Kind = "run"        // which run of the workflow this is: JSON of ThisRun
	KindVerdict   Kind = "verdict"    // JSON of gates.Verdict
	KindReport    Kind = "raw report" // bytes of the test bot, unread
	KindBundle    Kind = "bundle"     // bounded text made from a raw report
	KindObjects   Kind = "objects"    // a bare git repository
	KindTree      Kind = "tree"       // files of the pull request
	KindTools     Kind = "tools"      // the agent's program, held to its hash
	KindPatch     Kind = "patch"
	KindCandidate Kind = "candidate"
	KindResult    Kind = "result" // ids that recheck computed, typed
	KindPack      Kind = "pack"   // one bounded pack, for index-pack only
	KindJSON      Kind = "json"   // any other bounded JSON of a strict schema
	KindLockfile  Kind = "lockfile"
	KindPackages  Kind = "package files" // package and lock files of the default branch, each at its path
	KindRunKey    Kind = "run key"       // this run's random key between agent and model proxy; worth nothing elsewhere
)

// Folders inside a step. Every input lies at or below one of the first four, every output at or below
// CheckoutDir or OutDir, every secret below SecretDir.
const (
	InDir         = "/in"           // read-only inputs
	CheckoutDir   = "/src/checkout" // the tree that a step works on
	ToolsDir      = "/opt/agent"    // installed programs
	SupervisorDir = "/run/step"     // inputs for the supervisor alone: never visible behind the fence
	OutDir        = "/out"
	SecretDir     = "/run/secrets"
)

// Input mounts an artifact at a fixed path.
type Input struct {
	Ref    Ref
	Path   string // absolute, inside the step
	Access Access
}

// Output is one artifact that a step hands on. Everything else that it wrote is lost.
type Output struct {
	Name     string // the second half of the artifact's Ref
	Path     string // absolute, inside the step
	Kind     Kind
	Dir      bool  // a folder; otherwise one regular file
	MaxBytes int64 // of the file, or of all files of the folder; never zero
	MaxFiles int   // of a folder; never zero there
}

// HostKey names a host of the policy ("github_api"); a step never names a host itself.
type HostKey string

// The hosts that a step may reach. HostNPM is npm's registry, which is no key of the policy.
const (
	HostGitHubAPI    HostKey = "github_api"
	HostGitHubGit    HostKey = "github_git"
	HostModel        HostKey = "model"
	HostBot          HostKey = "bot"
	HostBotArtifacts HostKey = "bot_artifacts"
	HostNPM          HostKey = "npm"
)

// Network says what a step may reach. The zero value is nothing at all.
type Network struct {
	Hosts []HostKey // by policy key
	Relay StepName  // one relayed stream to this service step; excludes Hosts
}

// None reports whether the step has no network of any kind.
func (n Network) None() bool { return len(n.Hosts) == 0 && n.Relay == "" }

// Limits bound one exec. A zero field makes the plan invalid.
type Limits struct {
	Timeout     time.Duration // wall clock, after which every descendant is killed and reaped
	OutputBytes int64         // of standard output and error together
	MemoryBytes int64         // of data segments
	Processes   int           // alive at once
}

// Effect says what a step changes in the world. The zero value is nothing.
type Effect string

// The effects there are.
const (
	EffectNone   Effect = ""
	EffectPush   Effect = "push"   // one lease push, a pending status, a comment
	EffectStatus Effect = "status" // the review status
)

// Step is one exec of the worker in a container, or behind a fence, of its own. It is data: an
// interpreter turns it into an exec and nothing in it can take a limit away.
type Step struct {
	Name    StepName
	Doc     string // one sentence for people; what it does and why it is separate
	Job     string // the workflow job it runs in
	Image   ImageKey
	Args    []string          // of the worker, which is always the entry: constants
	Env     map[string]string // constants
	In      []Input
	Out     []Output
	Secrets []Grant
	Net     Network
	Serves  uint16 // the port of a service step (the model proxy); zero for all others
	Limits  Limits
	Exposed []Exposure // the fence's profile follows from it: no field takes the fence away
	Effect  Effect
	Fresh   bool // reads or changes the world: a nonce before the exec, never cached
}

// ExposedTo reports whether the step comes in contact with e.
func (s Step) ExposedTo(e Exposure) bool { return slices.Contains(s.Exposed, e) }

// Service reports whether the step serves other steps while they run.
func (s Step) Service() bool { return s.Serves != 0 }

// Profile is the fence that a step runs behind.
type Profile string

// The profiles. ProfileNone is for steps that are not exposed to anything.
const (
	ProfileNone  Profile = "none"
	ProfileTools Profile = "tools"
	ProfileAgent Profile = "agent"
	// ProfileCode is tools with every optional part of the fence, or the step does not run: what it runs was written by others.
	ProfileCode Profile = "code"
)

// Profile follows from the exposures alone. The model proxy is exposed to text that passes through
// it and needs the network, so as a service it is the named exception of invariant 4.
func (s Step) Profile() Profile {
	switch {
	case s.ExposedTo(Model):
		return ProfileAgent
	case s.ExposedTo(PullRequestCode):
		return ProfileCode
	case len(s.Exposed) == 0, s.Service():
		return ProfileNone
	}
	return ProfileTools
}
