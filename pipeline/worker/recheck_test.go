package worker

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"selffix/pipeline"
	"selffix/pipeline/policy"
)

// The candidate is held to the verdict of the job's own gates: whatever names another run, pull request, repository or commit, and a
// policy that changed since the gates looked, stops before any object is read.
func TestRecheckStepHoldsToItsVerdict(t *testing.T) {
	pol := sandboxPolicy(t)
	commit, id := strings.Repeat("a", 40), strings.Repeat("b", 40)
	patch := []byte("diff --git a/a b/a\n")
	sum := sha256.Sum256(patch)
	inventory := pipeline.Inventory{SHA256: strings.Repeat("c", 64), Files: 1, Bytes: 1}
	candidate, err := pipeline.WriteCandidate(pipeline.Candidate{
		Schema: pipeline.CandidateSchema, Sandbox: true, RepositoryID: 900001, PullRequest: 1, RunID: 5, TestedCommit: commit, TestedTree: id, ScrubbedTree: id,
		PolicySHA256: policy.Digest(pol), PatchSHA256: hex.EncodeToString(sum[:]), PatchBytes: int64(len(patch)), ResultTree: commit,
		Before: inventory, After: inventory, Changed: []pipeline.Entry{{Path: "a", Before: id, After: commit}}, Check: pipeline.Check{Verdict: "accept"},
	})
	if err != nil {
		t.Fatal(err)
	}
	verdict := act(t, pol, commit)
	for name, tt := range map[string]struct {
		old, new string // in the verdict
		policy   []byte
		rule     string
		decision pipeline.Decision
	}{
		// The one that agrees goes on to the objects, of which there are none.
		"the same":             {"", "", pol, "SF-PUSH-004", pipeline.Stop},
		"another run":          {`"run_id": 5`, `"run_id": 6`, pol, "SF-PUSH-007", pipeline.Stop},
		"another pull request": {`"pull_request": 1`, `"pull_request": 2`, pol, "SF-PUSH-007", pipeline.Stop},
		"another repository":   {`"repository_id": 900001`, `"repository_id": 900002`, pol, "SF-PUSH-007", pipeline.Stop},
		"another commit":       {commit, strings.Repeat("d", 40), pol, "SF-PUSH-007", pipeline.Stop},
		"another policy":       {"", "", append([]byte("# changed\n"), pol...), "SF-IDENTITY-004", pipeline.Stop},
		"no act":               {`"decision": "act"`, `"decision": "nothing"`, pol, "SF-IDENTITY-001", pipeline.Undecided},
	} {
		t.Run(name, func(t *testing.T) {
			w := ground(t, "recheck")
			w.give(t, "/in/policy.yaml", tt.policy)
			if err := os.MkdirAll(w.temp(), 0o755); err != nil {
				t.Fatal(err)
			}
			w.give(t, "/in/candidate.json", candidate)
			w.give(t, "/in/fix.patch", patch)
			changed := bytes.ReplaceAll(verdict, []byte(tt.old), []byte(tt.new))
			if tt.old == "" {
				changed = verdict
			} else if bytes.Equal(changed, verdict) {
				t.Fatalf("%q is not in the verdict", tt.old)
			}
			w.give(t, "/in/verdict.json", changed)
			o, err := recheck(t.Context(), w)
			if err != nil {
				o = explain(err)
			}
			if o.Rule != tt.rule || o.Decision != tt.decision {
				t.Errorf("%+v, %v; want %q by %s", o, err, tt.decision, tt.rule)
			}
		})
	}
}
