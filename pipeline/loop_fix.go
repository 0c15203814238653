package pipeline

import "time"

// ModelProxyPort is where the model proxy serves inside its container.
const ModelProxyPort = 8080

// Fix is the plan of the fix job: from the gates, evaluated again, to a candidate.
func Fix() Plan {
	p := Plan{Name: PlanFix, Inputs: []PlanInput{
		policyInput(), eventInput(), runInput(),
		{Ref: "in.bot-lockfile", Kind: KindLockfile, MaxBytes: 8 * mib},
		{Ref: "in.run-key", Kind: KindRunKey, MaxBytes: 256},
	}}
	verdict := Ref("fix-regate.verdict")
	p.Steps = append(p.Steps,
		gateStep(JobFix, "fix-regate", "evaluates the four gates again in the job that acts; every later identity of the job comes from this verdict"),
		botTools(), evidenceFetch(verdict), evidenceRead(verdict),
		fetchStep(JobFix, "fetch", mountVerdict(verdict)),
	)
	p.Steps = append(p.Steps, repair(verdict, "fetch.objects", "evidence-read.bundle")...)
	return p
}

// LocalFix is the plan of "self-fix fix": the same repair, with the commit and the report that a
// person names instead of GitHub's and the test bot's.
func LocalFix() Plan {
	p := Plan{Name: PlanLocal, Inputs: []PlanInput{
		policyInput(), eventInput(), repositoryInput(),
		{Ref: "in.report", Kind: KindReport, Dir: true, MaxBytes: reportBytes, MaxFiles: reportFiles},
		{Ref: "in.run-key", Kind: KindRunKey, MaxBytes: 256},
	}}
	verdict := Ref("target.verdict")
	p.Steps = append(p.Steps, target(), evidenceFile(), fetchLocal(verdict))
	p.Steps = append(p.Steps, repair(verdict, "fetch-local.objects", "evidence-file.bundle")...)
	return p
}

// repair is what both plans share: scrubbed tree, tools, agent behind the fence, patch and check.
func repair(verdict, objects, bundle Ref) []Step {
	return []Step{
		materialise(verdict, objects), tools(), modelProxy(), agent(bundle),
		diff(), check(verdict, objects),
	}
}

func target() Step {
	s := worker(JobFix, "target", "turns the commit that a person named on the command line into the verdict that a gate would give")
	s.In = []Input{mountPolicy(), mountEvent()}
	s.Out = []Output{file("verdict", "verdict.json", KindVerdict, verdictBytes)}
	s.Fresh = true
	return s
}

func botTools() Step {
	s := worker(JobFix, "bot-tools", "installs the test bot's command line from the installing repository's own lockfile, scripts off, before any key is mounted")
	s.Image = ImageNode
	s.In = []Input{{Ref: "in.bot-lockfile", Path: InDir + "/bot-lock.json"}}
	s.Out = []Output{folder("tools", OutDir+"/bot", KindTools, toolsBytes, toolsFiles)}
	s.Net.Hosts = []HostKey{HostNPM}
	s.Limits.Timeout = 5 * time.Minute
	return s
}

func evidenceFetch(verdict Ref) Step {
	s := worker(JobFix, "evidence-fetch", "brings the failing run's report with the test bot's key, capped, and reads none of it")
	s.Image = ImageNode
	s.In = []Input{mountPolicy(), mountVerdict(verdict), {Ref: "bot-tools.tools", Path: ToolsDir}}
	s.Out = []Output{folder("report", OutDir+"/report", KindReport, reportBytes, reportFiles)}
	s.Secrets = grant(SecretBot)
	s.Net.Hosts = []HostKey{HostBot, HostBotArtifacts}
	s.Limits.Timeout = 5 * time.Minute
	s.Fresh = true
	return s
}

func evidenceRead(verdict Ref) Step {
	s := worker(JobFix, "evidence-read", "reads the report strictly, text fields only, holds it to this preview and to its window, and marks it untrusted")
	s.In = []Input{mountPolicy(), mountVerdict(verdict), {Ref: "evidence-fetch.report", Path: InDir + "/report"}}
	return bundleOut(s)
}

func evidenceFile() Step {
	s := worker(JobFix, "evidence-file", "reads the report that a person gave as strictly; it has no window to be held to, so the candidate calls it claimed")
	s.In = []Input{{Ref: "in.report", Path: InDir + "/report"}}
	return bundleOut(s)
}

func bundleOut(s Step) Step {
	s.Out = []Output{file("bundle", "bundle.json", KindBundle, bundleBytes)}
	s.Exposed = []Exposure{UntrustedText}
	return s
}

func fetchLocal(verdict Ref) Step {
	s := worker(JobFix, "fetch-local", "copies exactly the named commit out of a local repository, whose own configuration is never read")
	s.In = []Input{mountVerdict(verdict), {Ref: "in.repository", Path: InDir + "/repository"}}
	s.Out = []Output{folder("objects", OutDir+"/objects.git", KindObjects, objectBytes, objectFiles)}
	s.Exposed = []Exposure{PullRequestData}
	return s
}

func materialise(verdict, objects Ref) Step {
	s := worker(JobFix, "materialise", "writes the tested tree byte for byte without agent instructions, settings and links that lead out; recomputes both tree ids")
	s.In = []Input{mountVerdict(verdict), {Ref: objects, Path: InDir + "/objects.git"}}
	s.Out = []Output{
		folder("tree", CheckoutDir, KindTree, treeBytes, treeFiles),
		file("trees", "trees.json", KindJSON, jsonBytes),
	}
	s.Exposed = []Exposure{PullRequestData}
	return s
}

func tools() Step {
	s := worker(JobFix, "tools", "installs the agent from self-fix's own lockfile, scripts off; the binary is held to its pinned hash")
	s.Image = ImageNode
	s.Out = []Output{
		folder("tools", OutDir+"/agent", KindTools, toolsBytes, toolsFiles),
		file("where", "tools.json", KindJSON, 4*kib),
	}
	s.Net.Hosts = []HostKey{HostNPM}
	s.Limits.Timeout = 10 * time.Minute
	return s
}

func modelProxy() Step {
	s := worker(JobFix, "model-proxy", "holds the model token, builds every request anew for the one model and host, and counts tokens and money before it sends")
	s.In = []Input{mountPolicy(), {Ref: "in.run-key", Path: SupervisorDir + "/run-key"}}
	s.Out = []Output{file("meter", "meter.json", KindJSON, 64*kib)}
	s.Secrets = grant(SecretModel)
	s.Net.Hosts = []HostKey{HostModel}
	s.Serves = ModelProxyPort
	s.Exposed = []Exposure{UntrustedText}
	s.Limits.Timeout = time.Hour
	s.Fresh = true
	return s
}

func agent(bundle Ref) Step {
	s := worker(JobFix, "agent", "lets the agent read the bundle and edit the scrubbed tree behind the fence, with no secret and one relayed stream to the model proxy")
	s.In = []Input{
		{Ref: "in.policy", Path: SupervisorDir + "/policy.yaml"},
		{Ref: "in.run-key", Path: SupervisorDir + "/run-key"},
		{Ref: "tools.where", Path: SupervisorDir + "/tools.json"},
		{Ref: "tools.tools", Path: ToolsDir},
		{Ref: "materialise.tree", Path: CheckoutDir, Access: Copy},
		{Ref: bundle, Path: InDir + "/bundle.json"},
	}
	s.Out = []Output{
		folder("tree", CheckoutDir, KindTree, treeBytes, treeFiles),
		file("summary", "summary.json", KindJSON, 16*kib),
	}
	s.Net.Relay = "model-proxy"
	s.Limits = Limits{Timeout: time.Hour, OutputBytes: 16 * mib, MemoryBytes: 8 * gib, Processes: 128}
	s.Exposed = []Exposure{PullRequestData, UntrustedText, Model}
	s.Fresh = true
	return s
}

func diff() Step {
	s := worker(JobFix, "diff", "takes one safe copy of what the agent left and makes the canonical patch and both inventories from it")
	s.In = []Input{
		{Ref: "materialise.tree", Path: InDir + "/before"},
		{Ref: "agent.tree", Path: InDir + "/after"},
		{Ref: "materialise.trees", Path: InDir + "/trees.json"},
	}
	s.Out = []Output{
		file("patch", "fix.patch", KindPatch, patchBytes),
		file("inventories", "inventories.json", KindJSON, jsonBytes),
		folder("tree", OutDir+"/tree", KindTree, treeBytes, treeFiles),
	}
	s.Exposed = []Exposure{PullRequestData}
	return s
}

func check(verdict, objects Ref) Step {
	s := worker(JobFix, "check", "judges the patch against the tested tree; hands on patch and candidate only if every rule accepts it")
	s.In = []Input{
		mountPolicy(), mountVerdict(verdict),
		{Ref: objects, Path: InDir + "/objects.git"},
		{Ref: "materialise.trees", Path: InDir + "/trees.json"},
		{Ref: "diff.patch", Path: InDir + "/fix.patch"},
		{Ref: "diff.inventories", Path: InDir + "/inventories.json"},
		{Ref: "agent.summary", Path: InDir + "/summary.json"},
		{Ref: "model-proxy.meter", Path: InDir + "/meter.json"},
	}
	s.Out = []Output{
		file("report", "report.json", KindJSON, jsonBytes),
		file("patch", "fix.patch", KindPatch, patchBytes),
		file("candidate", "candidate.json", KindCandidate, MaxCandidateBytes),
	}
	s.Exposed = []Exposure{PullRequestData}
	return s
}
