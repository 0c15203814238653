package install

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"selffix/internal/install/workflow"
	"selffix/pipeline/policy"
)

//go:embed files
var files embed.FS

// Where the files of an installation lie.
const (
	PolicyPath    = ".github/self-fix.yaml"
	Folder        = ".github/self-fix"
	PinsPath      = Folder + "/pins"
	LockfilePath  = Folder + "/bot-package-lock.json"
	VariablesPath = Folder + "/preview-variables"
	WorkflowsDir  = ".github/workflows"
)

// ErrTemplate marks a policy that the workflows cannot be written for.
var ErrTemplate = errors.New("the workflows cannot be written")

// Workflows returns the workflows and scripts of an installation by path. They follow from the policy alone: its default
// branch, its bot and how it posts the review status.
func Workflows(p policy.Policy) (map[string][]byte, error) {
	if strings.Contains(p.Bot.Context, "${{") || strings.Contains(p.Bot.Context, "}}") {
		return nil, fmt.Errorf("%w: bot.context holds an expression of GitHub Actions", ErrTemplate)
	}
	out := map[string][]byte{}
	for name, path := range map[string]string{
		"self-fix.yml": WorkflowsDir + "/self-fix.yml", "review-gate.yml": WorkflowsDir + "/review-gate.yml", "ci.yml": WorkflowsDir + "/self-fix-ci.yml",
	} {
		text, err := render(name, struct{ Policy policy.Policy }{p})
		if err != nil {
			return nil, err
		}
		out[path] = text
	}
	for _, name := range []string{"setup.sh", "call.sh", "take.sh", "answer.sh"} {
		text, err := files.ReadFile("files/" + name)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrTemplate, err)
		}
		out[Folder+"/"+name] = text
	}
	return out, nil
}

// render fills in one template. Its delimiters are [[ and ]], since GitHub's expressions have braces.
func render(name string, data any) ([]byte, error) {
	raw, err := files.ReadFile("files/" + name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTemplate, err)
	}
	t, err := template.New(name).Delims("[[", "]]").Option("missingkey=error").Funcs(template.FuncMap{
		"quote": quote, "quotes": quotes, "expr": expression, "pin": actionPin, "packages": workflow.PackageFiles,
		"ref": func() (string, error) {
			d, ok := data.(struct{ Policy policy.Policy })
			if !ok {
				return "", fmt.Errorf("%w: no policy", ErrTemplate)
			}
			return quote("refs/heads/" + d.Policy.Branches.Default)
		},
	}).Parse(string(raw))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTemplate, err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTemplate, err)
	}
	return b.Bytes(), nil
}

// quote writes a YAML scalar in double quotes, whose escapes are JSON's.
func quote(s string) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

func quotes(list []string) (string, error) {
	var parts []string
	for _, s := range list {
		q, err := quote(s)
		if err != nil {
			return "", err
		}
		parts = append(parts, q)
	}
	return "[" + strings.Join(parts, ", ") + "]", nil
}

// expression writes a string of GitHub's expressions, in which a quote is doubled.
func expression(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// actionPin names an action's commit, with its release as a comment for people.
func actionPin(name string) (string, error) {
	a, ok := workflow.Actions()[name]
	if !ok {
		return "", fmt.Errorf("%w: no pin for %s", ErrTemplate, name)
	}
	return a.Commit + " # " + a.Release, nil
}
