package pipeline

import "time"

// The sizes of what verify works on.
const (
	packagesBytes  = 32 * mib
	packagesFiles  = 2000
	modulesFiles   = 100_000
	verifyBytes    = 4 * kib
	verifyMaxTime  = 30 * time.Minute // above the policy's own limit
	verifyProcs    = 512
	modulesFolder  = "node_modules"
	projectFolder  = OutDir + "/project"
	verifyPatch    = InDir + "/fix.patch"
	verifyPackages = InDir + "/packages"
)

// FixWithVerify is Fix with the project's own check at its end: the plan where the policy says verify.enabled: true.
func FixWithVerify() Plan {
	p := Fix()
	return withVerify(p, PlanFixVerify, "fix-regate.verdict", "fetch.objects")
}

// LocalFixWithVerify is LocalFix with the project's own check at its end.
func LocalFixWithVerify() Plan {
	return withVerify(LocalFix(), PlanLocalVerify, "target.verdict", "fetch-local.objects")
}

// withVerify adds the optional steps. They come after check, so that no service is up while a pull request's code runs, and
// what they add to a run is one more way to stop it.
func withVerify(p Plan, name string, verdict, objects Ref) Plan {
	p.Base, p.Name = p.Name, name
	p.Inputs = append(p.Inputs, PlanInput{Ref: "in.packages", Kind: KindPackages, Dir: true, MaxBytes: packagesBytes, MaxFiles: packagesFiles})
	p.Steps = append(p.Steps, verifyTree(verdict, objects), verifyTools(), verify())
	return p
}

func verifyTree(verdict, objects Ref) Step {
	s := worker(JobFix, "verify-tree", "writes the tree that check judged, from objects, and refuses it where its package or lock files are not the default branch's")
	s.In = []Input{
		mountPolicy(), mountVerdict(verdict),
		{Ref: objects, Path: InDir + "/objects.git"},
		{Ref: "check.patch", Path: verifyPatch},
		{Ref: "check.candidate", Path: InDir + "/candidate.json"},
		{Ref: "in.packages", Path: verifyPackages},
	}
	s.Out = []Output{folder("tree", OutDir+"/tree", KindTree, treeBytes, treeFiles)}
	s.Exposed = []Exposure{PullRequestData}
	return s
}

func verifyTools() Step {
	s := worker(JobFix, "verify-tools", "installs the project's packages from the default branch's lockfile, scripts off, before any code of the pull request runs")
	s.Image = ImageNode
	s.In = []Input{{Ref: "in.packages", Path: verifyPackages}}
	s.Out = []Output{folder("modules", projectFolder+"/"+modulesFolder, KindTools, toolsBytes, modulesFiles)}
	s.Net.Hosts = []HostKey{HostNPM}
	s.Limits.Timeout = 15 * time.Minute
	return s
}

func verify() Step {
	s := worker(JobFix, "verify", "runs the project's own check on that tree, with no secret, no network and every part of the fence; it can stop the repair and allow nothing")
	s.Image = ImageNode
	s.In = []Input{
		mountPolicy(),
		{Ref: "verify-tree.tree", Path: CheckoutDir, Access: Copy},
		{Ref: "verify-tools.modules", Path: CheckoutDir + "/" + modulesFolder, Access: Copy},
	}
	s.Out = []Output{file("result", "verify.json", KindJSON, verifyBytes)}
	s.Limits = Limits{Timeout: verifyMaxTime, OutputBytes: 16 * mib, MemoryBytes: 8 * gib, Processes: verifyProcs}
	s.Exposed = []Exposure{PullRequestData, PullRequestCode}
	s.Fresh = true
	return s
}
