package pipeline

import "time"

// ReviewSecret says what the review gate posts its status with.
type ReviewSecret string

// The ways to post the review status. The policy decides between them.
const (
	ReviewByApp   ReviewSecret = "app"   // a GitHub App of its own: nobody else can post its status
	ReviewByToken ReviewSecret = "token" // the workflow's token: whoever can push a branch can forge it
)

// Gate is the plan of the gate job.
func Gate() Plan {
	return Plan{Name: PlanGate, Inputs: []PlanInput{policyInput(), eventInput(), runInput()}, Steps: []Step{
		gateStep(JobGate, "gate", "evaluates the four gates on typed fields of the API; any doubt ends in doing nothing"),
	}}
}

// Recheck is the plan of the recheck job: a machine of its own recomputes the candidate and makes the
// one pack that is pushed. It knows for which run, pull request and commit from its own gates alone.
func Recheck() Plan {
	p := Plan{Name: PlanRecheck, Inputs: append([]PlanInput{policyInput(), eventInput(), runInput()}, candidateInputs()...)}
	verdict := Ref("recheck-regate.verdict")
	p.Steps = []Step{
		gateStep(JobRecheck, "recheck-regate", "evaluates the four gates again in the job that recomputes; the candidate is held to this verdict"),
		fetchStep(JobRecheck, "recheck-fetch", mountVerdict(verdict)), recheck(verdict, "recheck-fetch.objects"),
	}
	return p
}

// LocalRecheck is the plan of "self-fix recheck": the same step on the commit that a person names, out of a local repository.
func LocalRecheck() Plan {
	p := Plan{Name: PlanLocalRecheck, Inputs: append([]PlanInput{policyInput(), eventInput(), repositoryInput()}, candidateInputs()...)}
	p.Steps = []Step{target(), fetchLocal("target.verdict"), recheck("target.verdict", "fetch-local.objects")}
	return p
}

func candidateInputs() []PlanInput {
	return []PlanInput{
		{Ref: "in.candidate", Kind: KindCandidate, MaxBytes: MaxCandidateBytes},
		{Ref: "in.patch", Kind: KindPatch, MaxBytes: patchBytes},
	}
}

func recheck(verdict, objects Ref) Step {
	s := worker(JobRecheck, "recheck", "recomputes every field of the candidate from the tested commit and the patch, compares, and packs the one commit")
	s.In = []Input{
		mountPolicy(), mountVerdict(verdict),
		{Ref: objects, Path: InDir + "/objects.git"},
		{Ref: "in.candidate", Path: InDir + "/candidate.json"},
		{Ref: "in.patch", Path: InDir + "/fix.patch"},
	}
	s.Out = []Output{
		file("result", "result.json", KindResult, jsonBytes),
		file("pack", "result.pack", KindPack, packBytes),
	}
	s.Exposed = []Exposure{PullRequestData}
	return s
}

// Push is the plan of the push job, on a machine that ran nothing exposed.
func Push() Plan {
	p := Plan{Name: PlanPush, Inputs: []PlanInput{
		policyInput(), eventInput(), runInput(),
		{Ref: "in.result", Kind: KindResult, MaxBytes: jsonBytes},
		{Ref: "in.pack", Kind: KindPack, MaxBytes: packBytes},
	}}
	s := worker(JobPush, "publish", "indexes that pack, compares tree ids, pushes once with a lease on the tested commit, posts pending and the comment")
	s.In = []Input{
		mountPolicy(), mountVerdict("regate.verdict"),
		{Ref: "in.result", Path: InDir + "/result.json"},
		{Ref: "in.pack", Path: InDir + "/result.pack"},
	}
	s.Out = []Output{file("receipt", "receipt.json", KindJSON, jsonBytes)}
	s.Secrets = grant(SecretGitHubWrite)
	s.Net.Hosts = []HostKey{HostGitHubGit, HostGitHubAPI}
	s.Limits.Timeout = 5 * time.Minute
	s.Effect = EffectPush
	s.Fresh = true
	p.Steps = []Step{
		gateStep(JobPush, "regate", "evaluates the four gates once more, just before the push; ref and ids come from here alone"), s,
	}
	return p
}

// Review is the plan of the review-gate job.
func Review(by ReviewSecret) Plan {
	s := worker(JobReviewGate, "review-gate", "posts pending first, then success only if the maintainer's label covers the current head")
	s.In = []Input{mountPolicy(), mountEvent(), mountRun()}
	s.Out = []Output{file("verdict", "verdict.json", KindVerdict, verdictBytes)}
	s.Secrets = append(grant(SecretGitHubRead), grant(SecretReviewAppKey)...)
	if by == ReviewByToken {
		s.Secrets = grant(SecretGitHubStatus)
	}
	s.Net.Hosts = []HostKey{HostGitHubAPI}
	s.Effect = EffectStatus
	s.Fresh = true
	return Plan{Name: PlanReview, Inputs: []PlanInput{policyInput(), eventInput(), runInput()}, Steps: []Step{s}}
}
