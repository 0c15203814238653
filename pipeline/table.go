package pipeline

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Row is one step of the loop as people read it: who holds which secret, meets what, reaches what.
type Row struct {
	Plan      string     `json:"plan"`
	Job       string     `json:"job"`
	Step      StepName   `json:"step"`
	ExposedTo []Exposure `json:"exposed_to"`
	Fence     Profile    `json:"fence"`
	Secrets   []string   `json:"secrets"`
	Network   []string   `json:"network"`
	Effect    Effect     `json:"effect"`
	Optional  bool       `json:"optional"` // only where the policy enables it
	HandsOn   []string   `json:"hands_on"`
	Doc       string     `json:"doc"`
}

// title is the step's name as tables show it.
func (r Row) title() string {
	if r.Optional {
		return string(r.Step) + " (optional)"
	}
	return string(r.Step)
}

// RunnerRow is the one process outside every plan that holds a secret of an installation: the supervisor
// of disposable runners for other jobs. It stands in the map because its token can do more than any other.
func RunnerRow() Row {
	return Row{
		Plan: "none", Job: "none", Step: "runner-supervisor", ExposedTo: []Exposure{}, Fence: ProfileNone,
		Secrets: []string{"runner-administration"}, Network: []string{string(HostGitHubAPI)}, HandsOn: []string{"one-job registration"},
		Doc: "registers one-job runners for other jobs, only where an installation runs its own; its token (administration: write) lives in a process of its own, and no job of self-fix runs on such a runner",
	}
}

// Rows is the secrets map of plans: every step, in order. Of a plan that extends another one of them only the steps that it
// adds, which are optional.
func Rows(plans []Plan) []Row {
	rows := []Row{}
	for _, p := range plans {
		for _, s := range p.added(plans) {
			r := row(p, s)
			r.Optional = p.Base != ""
			rows = append(rows, r)
		}
	}
	return rows
}

// added are the steps of p that its base, if that is among the plans, does not have.
func (p Plan) added(plans []Plan) []Step {
	i := slices.IndexFunc(plans, func(b Plan) bool { return p.Base != "" && b.Name == p.Base })
	if i < 0 {
		return p.Steps
	}
	return slices.DeleteFunc(slices.Clone(p.Steps), func(s Step) bool {
		_, has := plans[i].Step(s.Name)
		return has
	})
}

func row(p Plan, s Step) Row {
	r := Row{
		Plan: p.Name, Job: s.Job, Step: s.Name, ExposedTo: append([]Exposure{}, s.Exposed...), Fence: s.Profile(),
		Secrets: []string{}, Network: []string{}, Effect: s.Effect, HandsOn: []string{}, Doc: s.Doc,
	}
	for _, g := range s.Secrets {
		r.Secrets = append(r.Secrets, string(g.Secret))
	}
	for _, h := range s.Net.Hosts {
		r.Network = append(r.Network, string(h))
	}
	if s.Net.Relay != "" {
		r.Network = append(r.Network, "relay to "+string(s.Net.Relay))
	}
	for _, o := range s.Out {
		r.HandsOn = append(r.HandsOn, o.Name)
	}
	return r
}

// WriteTable prints rows for a terminal.
func WriteTable(w io.Writer, rows []Row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "JOB\tSTEP\tSECRETS\tEXPOSED TO\tFENCE\tNETWORK\tEFFECT")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Job, r.title(), list(r.Secrets), list(r.ExposedTo), r.Fence, list(r.Network), dash(string(r.Effect)))
	}
	return t.Flush()
}

// WriteMarkdown prints the page docs/steps.md: the invariants, and every step of every plan.
func WriteMarkdown(w io.Writer, plans []Plan) error {
	var b strings.Builder
	b.WriteString("# The steps of the loop\n\nMade from the plans by `self-fix secrets-map --format markdown`; a test keeps this page equal to them.\n\n")
	b.WriteString("`Plan.Validate` proves these invariants on every plan before anything runs:\n\n")
	for _, inv := range Invariants() {
		fmt.Fprintf(&b, "%d. %s\n", inv.Number, inv.Text)
	}
	for _, p := range plans {
		fmt.Fprintf(&b, "\n## %s\n\n", p.Name)
		if p.Base != "" {
			fmt.Fprintf(&b, "The plan %s with these steps at its end, where the policy enables them.\n\n", p.Base)
		}
		b.WriteString("| job | step | exposed to | secrets | network | fence | hands on |\n| --- | --- | --- | --- | --- | --- | --- |\n")
		steps := p.added(plans)
		for _, r := range Rows([]Plan{{Name: p.Name, Base: p.Base, Steps: steps}}) {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", r.Job, r.title(), list(r.ExposedTo), list(r.Secrets), list(r.Network), r.Fence, list(r.HandsOn))
		}
		b.WriteByte('\n')
		for _, s := range steps {
			fmt.Fprintf(&b, "- **%s** %s.\n", s.Name, s.Doc)
		}
	}
	r := RunnerRow()
	fmt.Fprintf(&b, "\n## Outside the plans\n\n| who | secret | network |\n| --- | --- | --- |\n| %s | %s | %s |\n\n- **%s** %s.\n", r.Step, list(r.Secrets), list(r.Network), r.Step, r.Doc)
	_, err := io.WriteString(w, b.String())
	return err
}

func list[T ~string](items []T) string {
	var parts []string
	for _, i := range items {
		parts = append(parts, string(i))
	}
	return dash(strings.Join(parts, ", "))
}

func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
