package pipeline

import "slices"

// brokenCode are plans that break, in one way each, what holds for a step that runs a pull request's code.
var brokenCode = []brokenPlan{
	{"secret-meets-code", "verify holds a token", edit(FixWithVerify(), "verify", func(s *Step) {
		s.Secrets, s.In = grant(SecretGitHubRead), append(s.In, mountVerdict("fix-regate.verdict"))
	})},
	{"exposed-network", "verify may reach npm's registry", edit(FixWithVerify(), "verify", func(s *Step) { s.Net.Hosts = []HostKey{HostNPM} })},
	{"exposure-undeclared", "verify says that it reads only text", edit(LocalFixWithVerify(), "verify", func(s *Step) { s.Exposed = []Exposure{UntrustedText} })},
	{"code-network", "verify has the relay to the model", edit(FixWithVerify(), "verify", func(s *Step) {
		s.Net.Relay, s.Exposed = "model-proxy", append(s.Exposed, Model)
	})},
	{"code-after-services", "the model is asked again after verify", func() Plan {
		p := FixWithVerify()
		s, _ := p.Step("agent")
		s.Name, s.Args = "agent-again", []string{"step", "agent-again"}
		p.Steps = append(slices.Clone(p.Steps), s)
		return p
	}()},
	{"code-supervisor", "verify gets the policy as its supervisor's", edit(FixWithVerify(), "verify", func(s *Step) {
		s.In[0].Path = SupervisorDir + "/policy.yaml"
	})},
	{"code-hands-on", "a step reads what verify wrote", func() Plan {
		p := LocalFixWithVerify()
		s := worker(JobFix, "believe", "believes what the code said of itself")
		s.In = []Input{{Ref: "verify.result", Path: InDir + "/verify.json"}}
		s.Exposed = []Exposure{PullRequestData}
		p.Steps = append(slices.Clone(p.Steps), s)
		return p
	}()},
	{"code-packages", "verify runs on what the pull request wants installed", edit(FixWithVerify(), "verify-tools", func(s *Step) {
		s.In = []Input{{Ref: "in.bot-lockfile", Path: verifyPackages}}
	})},
}
