package policy

import "time"

func agentKeys() []Key {
	return []Key{
		{Path: "evidence.environment", Want: "the name of a deployment environment", check: environmentCheck,
			Allows: "GitHub's deployment environment of the previews.",
			Floor:  "Never production.",
			field:  func(p *Policy) any { return &p.Evidence.Environment }},
		{Path: "evidence.host_suffix", Want: "a host suffix such as .example.app", form: hostSuffixForm,
			Allows: "How the host of a preview ends, with at least one more label before it.",
			Floor:  "The report must be about the preview of the tested commit, by GitHub's own record.",
			field:  func(p *Policy) any { return &p.Evidence.HostSuffix }},

		{Path: "agent.model", Want: "the id of a model", form: nameForm,
			Allows: "The one model that the proxy asks.",
			field:  func(p *Policy) any { return &p.Agent.Model }},
		{Path: "agent.betas", Optional: true, Want: "a value of anthropic-beta", form: nameForm, check: betaCheck,
			Allows: "Values of the anthropic-beta header that the proxy lets through.",
			Floor:  "Never one that gives the model a way out (servers, files, fetching) or multiplies the price.",
			field:  func(p *Policy) any { return &p.Agent.Betas }},
		{Path: "agent.max_turns", Want: "a whole number from 1 to 500", Min: 1, Max: 500,
			Allows: "Turns of one run of the agent.",
			field:  func(p *Policy) any { return &p.Agent.MaxTurns }},
		{Path: "agent.timeout", Want: "a duration from 1m to 2h", Min: int64(time.Minute), Max: int64(2 * time.Hour),
			Allows: "The time of one run of the agent, after which it is killed with all it started.",
			field:  func(p *Policy) any { return &p.Agent.Timeout }},
		{Path: "agent.max_usd", Want: "an amount above 0 and up to 100", Max: 100,
			Allows: "US dollars of one run, reserved before each request.",
			field:  func(p *Policy) any { return &p.Agent.MaxUSD }},
		{Path: "agent.max_requests", Want: "a whole number from 1 to 2000", Min: 1, Max: 2000,
			Allows: "Requests of one run.",
			field:  func(p *Policy) any { return &p.Agent.MaxRequests }},
		{Path: "agent.max_input_tokens", Want: "a whole number from 1 to 100000000", Min: 1, Max: 100_000_000,
			Allows: "Input tokens of all requests of one run together.",
			field:  func(p *Policy) any { return &p.Agent.MaxInputTokens }},
		{Path: "agent.max_output_tokens", Want: "a whole number from 1 to 10000000", Min: 1, Max: 10_000_000,
			Allows: "Output tokens of all requests of one run together.",
			field:  func(p *Policy) any { return &p.Agent.MaxOutputTokens }},
		{Path: "agent.price.input", Want: "an amount above 0 and up to 1000", Max: 1000,
			Allows: "US dollars for a million input tokens, at the dearest rate of the model.",
			field:  func(p *Policy) any { return &p.Agent.Price.Input }},
		{Path: "agent.price.output", Want: "an amount above 0 and up to 1000", Max: 1000,
			Allows: "US dollars for a million output tokens, at the dearest rate of the model.",
			field:  func(p *Policy) any { return &p.Agent.Price.Output }},
	}
}

func robotKeys() []Key {
	return []Key{
		{Path: "robot.login", Want: "a GitHub login", form: loginForm,
			Allows: "A commit with this author or committer is a robot commit.",
			field:  func(p *Policy) any { return &p.Robot.Login }},
		{Path: "robot.id", Want: "a GitHub id above 0", Min: 1, Max: maxID,
			Allows: "The numeric id of that account.",
			field:  func(p *Policy) any { return &p.Robot.ID }},
		{Path: "robot.name", Want: "one line of text, at most 100 characters", check: lineOf(100),
			Allows: "The name in self-fix's own commits.",
			field:  func(p *Policy) any { return &p.Robot.Name }},
		{Path: "robot.email", Want: "an e-mail address", form: emailForm,
			Allows: "The address in self-fix's own commits; any commit of that author is a robot commit.",
			field:  func(p *Policy) any { return &p.Robot.Email }},
		{Path: "robot.message", Want: "one line of text, at most 40 characters", check: lineOf(40),
			Allows: "How the message of each of self-fix's commits begins; any commit that begins so is a robot commit.",
			Floor:  "Any one of these marks is enough, and a co-author line with that address is one too.",
			field:  func(p *Policy) any { return &p.Robot.Message }},

		{Path: "review.label", Want: "one line of text, at most 50 characters", check: lineOf(50),
			Allows: "The label by which the maintainer allows the merge.",
			Floor:  "It counts only if the maintainer added it after the current head arrived, and nobody removed it since.",
			field:  func(p *Policy) any { return &p.Review.Label }},
		{Path: "review.context", Want: "one line of text, at most 100 characters", check: lineOf(100),
			Allows: "The name of the required status.",
			Floor:  "It differs from the bot's and from every job's: a job of that name would satisfy the required check.",
			field:  func(p *Policy) any { return &p.Review.Context }},
		{Path: "review.app_id", Optional: true, Want: "a GitHub app id above 0", Min: 1, Max: maxID,
			Allows: "The app that posts the review status, and that the required check is pinned to.",
			Floor:  "Exactly one of app_id and accept_branch_writers: true stands in a policy.",
			field:  func(p *Policy) any { return &p.Review.AppID }},
		{Path: "review.accept_branch_writers", Optional: true, Want: "true or false",
			Allows: "Posts the review status with the workflow's own token instead. Whoever can push a branch can then forge it.",
			field:  func(p *Policy) any { return &p.Review.AcceptBranchWriters }},
	}
}

const hostWant = "https:// and a host name, without a path, or in a sandbox http://127.0.0.1:PORT"

func hostKeys() []Key {
	return []Key{
		{Path: "hosts.github_api", Want: hostWant, check: baseURLCheck,
			Allows: "GitHub's API; it gets the GitHub token.",
			Floor:  "No flag, variable or event names a host: tokens go to these only. It must equal GITHUB_API_URL.",
			field:  func(p *Policy) any { return &p.Hosts.GitHubAPI }},
		{Path: "hosts.github_git", Want: hostWant, check: baseURLCheck,
			Allows: "GitHub's git server; it gets the GitHub token.",
			field:  func(p *Policy) any { return &p.Hosts.GitHubGit }},
		{Path: "hosts.model", Want: hostWant, check: baseURLCheck,
			Allows: "The model's API; it gets the model token, from the proxy only.",
			field:  func(p *Policy) any { return &p.Hosts.Model }},
		{Path: "hosts.bot", Want: hostWant, check: baseURLCheck,
			Allows: "The test bot's API; it gets the bot's key.",
			field:  func(p *Policy) any { return &p.Hosts.Bot }},
		{Path: "hosts.bot_artifacts", Optional: true, Want: hostWant, check: baseURLCheck,
			Allows: "Where the bot's API sends us for artifacts. It gets no key.",
			field:  func(p *Policy) any { return &p.Hosts.BotArtifacts }},

		{Path: "images.worker", Optional: true, Want: "an image with its digest", form: imageForm, check: imageCheck,
			Allows: "The image with git that steps run in.",
			Floor:  "No image without a digest.",
			field:  func(p *Policy) any { return &p.Images.Worker }},
		{Path: "images.node", Optional: true, Want: "an image with its digest", form: imageForm, check: imageCheck,
			Allows: "The image with npm, for the steps that install the tools.",
			field:  func(p *Policy) any { return &p.Images.Node }},
	}
}
