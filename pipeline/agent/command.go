package agent

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"selffix/internal/tokens"
	"selffix/pipeline/policy"
)

// ErrCommand is wrapped by every reason for which no command line is made.
var ErrCommand = errors.New("the agent cannot be called")

// The tools that the agent is offered, and those that it is denied by name beside. It is offered no others.
const (
	offeredTools = "Read,Edit,Write,Glob,Grep"
	deniedTools  = "Bash,PowerShell,WebFetch,WebSearch,Agent,Task,Skill,NotebookEdit,Workflow,Monitor,LSP,mcp__*"
)

// MaxOutputTokens is the longest answer that the agent asks for. It is the proxy's own cap: asking for more would only
// be cut.
const MaxOutputTokens = 32000

// Endpoint is where the agent finds the model proxy. The zero Endpoint is refused.
type Endpoint struct{ socket, url string }

// BySocket reaches the proxy over a Unix socket. Behind the fence every connect is answered by the relay, whatever
// the path says, so no socket needs to exist there.
func BySocket(path string) Endpoint { return Endpoint{socket: path} }

// ByURL reaches the proxy over TCP: "http://127.0.0.1:PORT".
func ByURL(url string) Endpoint { return Endpoint{url: url} }

// Layout says where things lie for one call. All are clean absolute paths.
type Layout struct {
	Checkout string // the agent works here, and writes nowhere else
	Bundle   string // a folder with the failure report, only read
	Home     string // an empty folder
	Temp     string // an empty folder
}

// StepLayout is the layout inside a step.
func StepLayout() Layout {
	return Layout{Checkout: "/src/checkout", Bundle: "/in", Home: "/agent/home", Temp: "/agent/tmp"}
}

// Call is one run of the agent.
type Call struct {
	Layout   Layout
	Policy   policy.Policy
	Endpoint Endpoint
	Key      tokens.Token // this run's key for the proxy; never the model token
}

// Command is what a fence starts. Nothing in it comes from a pull request or a report.
type Command struct {
	Args  []string // Args[0] is the program
	Env   []string // the whole environment
	Dir   string
	Stdin []byte   // the prompt
	Read  []string // what it must be able to read and run, for a fence
	Write []string // what it must be able to write, for a fence
}

// Command makes the command line. It looks at no file: call Verify first.
func (t Tools) Command(c Call) (Command, error) {
	if _, err := checkSettings(settingsJSON); err != nil {
		return Command{}, err
	}
	if err := c.check(); err != nil {
		return Command{}, err
	}
	a, l := c.Policy.Agent, c.Layout
	return Command{
		Args: []string{
			t.Binary(), "-p", "--output-format", "json", "--restricted",
			"--tools", offeredTools,
			"--disallowedTools", deniedTools,
			"--permission-mode", "dontAsk", "--permission-prompts", "none",
			"--setting-sources", "", "--settings", t.Settings(),
			"--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence", "--no-chrome",
			"--system-prompt-file", t.System(),
			"--add-dir", l.Bundle,
			"--model", a.Model,
			"--max-turns", strconv.Itoa(a.MaxTurns),
			"--max-budget-usd", strconv.FormatFloat(a.MaxUSD, 'f', -1, 64),
		},
		Env:   c.env(),
		Dir:   l.Checkout,
		Stdin: []byte(Prompt(c.Policy, l.Bundle)),
		Read:  []string{t.Dir, l.Bundle},
		Write: []string{l.Checkout, l.Home, l.Temp},
	}, nil
}

func (c Call) env() []string {
	l := c.Layout
	env := append(fixedEnv(), "HOME="+l.Home, "TMPDIR="+l.Temp, "CLAUDE_CODE_OAUTH_TOKEN="+c.Key.Reveal())
	if c.Endpoint.socket != "" {
		// The host is only a name: over a socket the agent speaks plain HTTP to whoever answers.
		return append(env, "ANTHROPIC_UNIX_SOCKET="+c.Endpoint.socket, "ANTHROPIC_BASE_URL=http://model.invalid")
	}
	return append(env, "ANTHROPIC_BASE_URL="+c.Endpoint.url)
}

// fixedEnv turns off what reaches out, runs in the background, or reads instructions out of a checkout; and asks for no betas
// beyond the everyday ones, nor for the long cache that costs double. There is no program on its PATH.
func fixedEnv() []string {
	return []string{
		"PATH=/nonexistent",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"CLAUDE_CODE_DISABLE_CLAUDE_MDS=1",
		"CLAUDE_CODE_DISABLE_AUTO_MEMORY=1",
		"CLAUDE_CODE_DISABLE_FILE_MENTIONS=1",
		"CLAUDE_CODE_DISABLE_ATTACHMENTS=1",
		"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1",
		"CLAUDE_CODE_DISABLE_BUNDLED_SKILLS=1",
		"CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING=1",
		"CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS=1",
		"CLAUDE_CODE_RESTRICTED=1",
		"CLAUDE_CODE_MAX_OUTPUT_TOKENS=" + strconv.Itoa(MaxOutputTokens),
		"CLAUDE_CODE_MAX_RETRIES=4",
		"FORCE_PROMPT_CACHING_5M=1",
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1",
	}
}

// EnvNames lists the names of the environment that a call has, for a self-test that refuses every other.
func EnvNames() []string {
	names := []string{"HOME", "TMPDIR", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_UNIX_SOCKET"}
	for _, e := range fixedEnv() {
		name, _, _ := strings.Cut(e, "=")
		names = append(names, name)
	}
	return names
}

func (c Call) check() error {
	a := c.Policy.Agent
	switch {
	case !c.Policy.Enabled:
		return fmt.Errorf("%w: the policy does not say enabled: true", ErrCommand)
	case a.Model == "" || strings.HasPrefix(a.Model, "-"):
		return fmt.Errorf("%w: the policy names no model", ErrCommand)
	case a.MaxTurns <= 0 || !(a.MaxUSD > 0): // 0 turns would mean no limit
		return fmt.Errorf("%w: agent.max_turns and agent.max_usd must be above 0", ErrCommand)
	case c.Key.Empty():
		return fmt.Errorf("%w: it has no key for the model proxy", ErrCommand)
	case strings.HasPrefix(c.Key.Reveal(), "sk-"):
		return fmt.Errorf("%w: its key looks like a model token, which the agent must never hold", ErrCommand)
	case (c.Endpoint.socket == "") == (c.Endpoint.url == ""):
		return fmt.Errorf("%w: it has no endpoint, or two", ErrCommand)
	}
	l := c.Layout
	for _, p := range []string{l.Checkout, l.Bundle, l.Home, l.Temp} {
		if !filepath.IsAbs(p) || filepath.Clean(p) != p || p == "/" {
			return fmt.Errorf("%w: %.100q is no clean absolute path below /", ErrCommand, p)
		}
	}
	return l.check()
}

// check keeps the folders apart, and the checkout and bundle out of places that the settings deny whole.
func (l Layout) check() error {
	for _, p := range []string{l.Checkout, l.Bundle} {
		for _, denied := range []string{"/proc", "/sys", "/dev", "/etc", "/run", "/root", "/home", l.Home} {
			if within(p, denied) {
				return fmt.Errorf("%w: %.100q lies below %q, which the settings deny", ErrCommand, p, denied)
			}
		}
	}
	all := []string{l.Checkout, l.Bundle, l.Home, l.Temp}
	for i, a := range all {
		for j, b := range all {
			if i != j && within(a, b) {
				return fmt.Errorf("%w: %.100q lies below %.100q; checkout, bundle, home and temp must be apart", ErrCommand, a, b)
			}
		}
	}
	return nil
}

func within(p, dir string) bool { return p == dir || strings.HasPrefix(p, dir+"/") }
