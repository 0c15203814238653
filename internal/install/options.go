package install

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"selffix/internal/lazyregexp"
	"selffix/pipeline/policy"
)

// ErrOptions marks what a person said that cannot be used.
var ErrOptions = errors.New("unusable option")

// Unset stands in the pins file for what is not known yet. The scripts stop at it.
const Unset = "unset"

// Account is an account of GitHub. A login can be taken over, so both are written down.
type Account struct {
	Login string
	ID    int64
}

// Options is what a person decides.
type Options struct {
	Maintainer         Account
	Bot                Bot
	Branch             string // the default branch
	PreviewEnvironment string
	PreviewSuffix      string
	ReviewAppID        int64 // 0: the workflow's own token posts, which whoever can push a branch can forge
	Pins               Pins
}

// Bot is the test bot.
type Bot struct {
	Account
	Context string
	AppID   int64 // 0: not known
}

// Pins is what the workflows run with. An empty field is written as [Unset].
type Pins struct {
	Version string // of Dagger, such as v0.21.8
	CLI     string // sha256 of the command line's archive
	Engine  string // digest of the engine's image, without "sha256:"
	Module  string // github.com/OWNER/self-fix@COMMIT
}

// DaggerVersion is the release that the module was built for.
const DaggerVersion = "v0.21.8"

// The hashes of that release. They were seen, equal, in more than two independent public repositories, and no download was compared
// with them when this was written: whoever installs compares them with the release once more (docs/upgrade.md).
const (
	daggerCLI    = "53e226c7da8fb75171e58c35759d736d961ce8b3a12db0baa7b7107954fccc5a" // dagger_v0.21.8_linux_amd64.tar.gz
	daggerEngine = "c9c1a0a6546380983d42e8d75adde070a2a0935c54b498d8bc9045d9cb2ee336" // registry.dagger.io/engine:v0.21.8, the index
)

var (
	versionForm = lazyregexp.New(`^v[0-9]+\.[0-9]+\.[0-9]+$`)
	digestForm  = lazyregexp.New(`^[0-9a-f]{64}$`)
	moduleForm  = lazyregexp.New(`^github\.com/[A-Za-z0-9-]+/[A-Za-z0-9._-]+@[0-9a-f]{40}$`)
)

// withBuiltIn fills in the hashes that are known. They belong to one release: of another, a person names both.
func (p Pins) withBuiltIn() Pins {
	if p.Version != "" && p.Version != DaggerVersion {
		return p
	}
	if p.CLI == "" {
		p.CLI = daggerCLI
	}
	if p.Engine == "" {
		p.Engine = daggerEngine
	}
	return p
}

// complete holds the pins to their forms and marks what is missing.
func (p Pins) complete() (Pins, error) {
	if p.Version == "" {
		p.Version = DaggerVersion
	}
	for _, x := range []struct {
		value *string
		form  *lazyregexp.Regexp
		want  string
	}{
		{&p.Version, versionForm, "a version such as " + DaggerVersion},
		{&p.CLI, digestForm, "the sha256 of the archive, 64 hexadecimal digits in lower case"},
		{&p.Engine, digestForm, "the digest of the engine's image, 64 hexadecimal digits in lower case"},
		{&p.Module, moduleForm, "github.com/OWNER/NAME@COMMIT with a full commit id"},
	} {
		if *x.value == "" {
			*x.value = Unset
			continue
		}
		if !x.form.MatchString(*x.value) {
			return Pins{}, fmt.Errorf("%w: expected %s, got %.100q", ErrOptions, x.want, *x.value)
		}
	}
	return p, nil
}

// Missing names what the pins file lacks, with where it comes from.
func (p Pins) Missing() []string {
	var out []string
	for _, x := range []struct{ value, what string }{
		{p.CLI, "dagger_cli_sha256: sha256 of Dagger's archive for linux/amd64"},
		{p.Engine, "dagger_engine_sha256: digest of registry.dagger.io/engine:" + p.Version},
		{p.Module, "module: github.com/OWNER/self-fix@COMMIT"},
	} {
		if x.value == "" || x.value == Unset {
			out = append(out, x.what)
		}
	}
	return out
}

// ReadPins reads a pins file as the scripts do: one line for each name, nothing but comments beside them.
func ReadPins(text []byte) (Pins, error) {
	var p Pins
	fields := map[string]*string{"dagger_version": &p.Version, "dagger_cli_sha256": &p.CLI, "dagger_engine_sha256": &p.Engine, "module": &p.Module}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		field := fields[name]
		if !ok || field == nil || *field != "" || value == "" {
			return Pins{}, fmt.Errorf("%w: the pins file has an odd or repeated line: %.100q", ErrOptions, line)
		}
		*field = value
	}
	for name, field := range fields {
		if *field == "" {
			return Pins{}, fmt.Errorf("%w: the pins file lacks %s", ErrOptions, name)
		}
		if *field == Unset {
			*field = ""
		}
	}
	return p.complete()
}

// writePolicy writes the policy and reads it back with the policy's own reader: nothing is installed that the jobs would refuse.
func (o Options) writePolicy(t Tree) ([]byte, policy.Policy, error) {
	never := []string{o.Branch}
	if o.Branch != "main" {
		never = append(never, "main")
	}
	text, err := render("policy.yaml", struct {
		Options
		Tree  Tree
		Never []string
	}{o, t, never})
	if err != nil {
		return nil, policy.Policy{}, err
	}
	p, err := policy.Parse(text)
	var faults policy.Faults
	if errors.As(err, &faults) && len(faults) > 0 {
		return nil, policy.Policy{}, fmt.Errorf("%w: the policy would not be valid: %s: %s", ErrOptions, faults[0].Key, faults[0].Message)
	}
	if err != nil {
		return nil, policy.Policy{}, fmt.Errorf("%w: the policy would not be valid: %w", ErrOptions, err)
	}
	if p.Enabled || bytes.Contains(text, []byte("\t")) || slices.Contains(p.Paths.Roots, "") {
		return nil, policy.Policy{}, fmt.Errorf("%w: the policy that would be written is enabled or odd", ErrOptions)
	}
	return text, p, nil
}
