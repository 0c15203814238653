package pipeline

import "time"

// The jobs of the workflow, as its file names them.
const (
	JobGate       = "gate"
	JobFix        = "fix"
	JobRecheck    = "recheck"
	JobPush       = "push"
	JobReviewGate = "review-gate"
)

// The plans by name. Each is what one job runs; PlanLocal is what "self-fix fix" runs on a machine
// without GitHub, and PlanLocalRecheck what "self-fix recheck" runs.
const (
	PlanGate    = "gate"
	PlanFix     = "fix"
	PlanLocal   = "local-fix"
	PlanRecheck = "recheck"
	PlanPush    = "push"
	PlanReview  = "review-gate"

	PlanLocalRecheck = "local-recheck"

	PlanFixVerify   = "fix-verify"       // fix, where the policy enables the project's own check
	PlanLocalVerify = "local-fix-verify" // local-fix, likewise
)

// Sizes that several steps share.
const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30

	policyBytes  = 256 * kib
	eventBytes   = 1 * mib
	verdictBytes = 256 * kib
	jsonBytes    = 1 * mib
	patchBytes   = 1 * mib // above the policy's own limit, which the checker holds it to
	bundleBytes  = 256 * kib
	reportBytes  = 64 * mib
	reportFiles  = 2000
	objectBytes  = 1 * gib
	objectFiles  = 10_000
	treeBytes    = 1 * gib
	treeFiles    = 100_000
	toolsBytes   = 1 * gib
	toolsFiles   = 60_000
	packBytes    = 1 * gib
)

// Loop lists the plans of the whole loop in the order in which a repair runs through them, with the
// review gate posting as by says.
func Loop(by ReviewSecret) []Plan {
	return []Plan{Gate(), Fix(), Recheck(), Push(), Review(by)}
}

// Plans lists every built-in plan. Those with verify stand beside the plans that they extend: the policy chooses between them.
func Plans() []Plan {
	return append(Loop(ReviewByApp), LocalFix(), LocalRecheck(), FixWithVerify(), LocalFixWithVerify())
}

// worker is a step of the worker called name, with the limits of a short step.
func worker(job string, name StepName, doc string) Step {
	return Step{
		Name: name, Doc: doc, Job: job, Image: ImageWorker,
		Args:   []string{"step", string(name)},
		Limits: Limits{Timeout: 2 * time.Minute, OutputBytes: 1 * mib, MemoryBytes: 2 * gib, Processes: 64},
	}
}

// The inputs that several plans take.
func policyInput() PlanInput {
	return PlanInput{Ref: "in.policy", Kind: KindPolicy, MaxBytes: policyBytes}
}

func repositoryInput() PlanInput {
	return PlanInput{Ref: "in.repository", Kind: KindObjects, Dir: true, MaxBytes: 64 * gib, MaxFiles: 1_000_000}
}

func eventInput() PlanInput { return PlanInput{Ref: "in.event", Kind: KindEvent, MaxBytes: eventBytes} }

func runInput() PlanInput { return PlanInput{Ref: "in.run", Kind: KindRun, MaxBytes: MaxRunBytes} }

// The mounts that several steps have.
func mountPolicy() Input          { return Input{Ref: "in.policy", Path: InDir + "/policy.yaml"} }
func mountEvent() Input           { return Input{Ref: "in.event", Path: InDir + "/event.json"} }
func mountRun() Input             { return Input{Ref: "in.run", Path: InDir + "/run.json"} }
func mountVerdict(from Ref) Input { return Input{Ref: from, Path: InDir + "/verdict.json"} }

// file is one regular file that a step hands on from below OutDir.
func file(name, base string, kind Kind, limit int64) Output {
	return Output{Name: name, Path: OutDir + "/" + base, Kind: kind, MaxBytes: limit}
}

// folder is a folder that a step hands on.
func folder(name, path string, kind Kind, limit int64, files int) Output {
	return Output{Name: name, Path: path, Kind: kind, Dir: true, MaxBytes: limit, MaxFiles: files}
}

// grant mounts a secret at its one place.
func grant(s SecretName) []Grant {
	return []Grant{{Secret: s, Path: SecretDir + "/" + string(s)}}
}

// gateStep evaluates the gates: the worker in Go reads typed fields of the API and decides.
func gateStep(job string, name StepName, doc string) Step {
	s := worker(job, name, doc)
	s.In = []Input{mountPolicy(), mountEvent(), mountRun()}
	s.Out = []Output{file("verdict", "verdict.json", KindVerdict, verdictBytes)}
	s.Secrets = grant(SecretGitHubRead)
	s.Net.Hosts = []HostKey{HostGitHubAPI}
	s.Fresh = true
	return s
}

// fetchStep brings the objects of one commit with a token and reads none of them.
func fetchStep(job string, name StepName, identity Input) Step {
	s := worker(job, name, "fetches exactly the tested commit into a bare repository; checks nothing out and reads no object, so that the token meets bytes only")
	s.In = []Input{mountPolicy(), identity}
	s.Out = []Output{folder("objects", OutDir+"/objects.git", KindObjects, objectBytes, objectFiles)}
	s.Secrets = grant(SecretGitHubRead)
	s.Net.Hosts = []HostKey{HostGitHubGit}
	s.Limits.Timeout = 5 * time.Minute
	s.Fresh = true
	return s
}
