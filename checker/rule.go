package checker

// RuleID is "SF-<AREA>-<NNN>". Ids are never reused.
type RuleID string

// Rule is one reason to refuse a patch. Rules that belong to reading (grammar, git) report while the
// patch is read and have no Check; see Reading.
type Rule struct {
	ID     RuleID
	Kind   string // the class of fault, such as "path-shadow"
	Title  string // a few words, for SARIF and the list of rules
	Why    string // the reason or the attack, with its source
	Policy string // the policy key that tunes it; "" for the floor
	// Redundant lists rules that refuse this rule's own examples too. The mutation test turns this rule
	// off together with them, and the verdict must flip.
	Redundant []RuleID
	File      string // of its code and examples, without ending: "rule_path_dot"
	// Check returns this rule's findings on a change that was read without doubt.
	Check func(*Change) []Finding
}

// Example is a change that shows what a rule accepts or refuses.
type Example struct {
	Name  string
	Base  map[string]string // files that the base has beside those of the common base, by path
	Patch string
}

// Finding is one place at which a rule does not hold. It never quotes a line of the patch.
type Finding struct {
	Rule      RuleID `json:"rule"`
	Kind      string `json:"kind"`
	File      string `json:"file"`   // "" when the fault is in the patch itself
	Line      int    `json:"line"`   // of the result, from 1; 0 when the fault has no line
	Column    int    `json:"column"` // in code points, from 1; 0 when it has none
	Message   string `json:"message"`
	PolicyKey string `json:"policy_key"`
}

// Verdict is the checker's answer.
type Verdict string

// The answers. The zero value is none of them and reads as Undecided.
const (
	Accept    Verdict = "accept"
	Refuse    Verdict = "refuse"
	Undecided Verdict = "undecided"
)

// ExitCode is the process exit code of a verdict.
func (v Verdict) ExitCode() int {
	switch v {
	case Accept:
		return 0
	case Refuse:
		return 1
	}
	return 2
}

// Report is the checker's answer with every finding, ordered by file, line, column and rule.
type Report struct {
	Verdict  Verdict   `json:"verdict"`
	Findings []Finding `json:"findings"`

	// What an accepted patch makes. Empty unless Verdict is Accept.
	BaseTree   string        `json:"-"`
	ResultTree string        `json:"-"`
	Changed    []ChangedFile `json:"-"`
}

// ChangedFile is one path that the patch changes, with full blob ids; Before is "" for a new file.
type ChangedFile struct {
	Path          string
	Before, After string
}
