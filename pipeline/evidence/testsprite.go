package evidence

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"selffix/gates"
	"selffix/internal/lazyregexp"
)

// artifactSchema is what the bot's command line writes into meta.json.
const artifactSchema = "cli-v1"

// Bounds of one file of an artifact.
const (
	maxArtifactFile = 4 << 20
	maxStepFiles    = 200
)

// identifier is how ids of the test bot look. They become arguments, so none begins with a dash.
var identifier = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$`)

var evidenceFile = lazyregexp.New(`^[0-9]{2,3}-evidence\.json$`)

// readArtifact reads one folder as "testsprite test artifact get" leaves it.
func readArtifact(dir string) (Run, time.Time, error) {
	none := time.Time{}
	if _, err := os.Lstat(filepath.Join(dir, ".partial")); !os.IsNotExist(err) {
		return Run{}, none, fmt.Errorf("%w: it holds a .partial mark; fetch it again", ErrPartial)
	}
	if _, err := os.Lstat(filepath.Join(dir, "meta.json")); err != nil {
		return Run{}, none, fmt.Errorf("%w: it has no meta.json, which is written last", ErrPartial)
	}
	meta, err := readObject(filepath.Join(dir, "meta.json"), maxArtifactFile)
	if err != nil {
		return Run{}, none, err
	}
	result, err := readObject(filepath.Join(dir, "result.json"), maxArtifactFile)
	if err != nil {
		return Run{}, none, err
	}
	failure, err := readObject(filepath.Join(dir, "failure.json"), maxArtifactFile)
	if err != nil {
		return Run{}, none, err
	}
	if err := sameRun(meta, result); err != nil {
		return Run{}, none, err
	}
	start, err := time.Parse(time.RFC3339, result.text("startedAt"))
	if err != nil {
		return Run{}, none, fmt.Errorf("%w: result.json: startedAt is no time", ErrReport)
	}
	r := runOf(result, failure)
	if r.Steps, err = readSteps(filepath.Join(dir, "steps")); err != nil {
		return Run{}, none, err
	}
	r, err = r.clean()
	return r, start, err
}

// sameRun refuses an artifact that was stitched together: every file of it speaks of one run of one test.
func sameRun(meta, result object) error {
	if got := meta.text("schemaVersion"); got != artifactSchema {
		return fmt.Errorf("%w: meta.json: schema %.40q, want %s", ErrReport, got, artifactSchema)
	}
	for _, key := range []string{"snapshotId", "testId", "runIdIfAvailable"} {
		if m, r := meta.text(key), result.text(key); m == "" || m != r {
			return fmt.Errorf("%w: meta.json and result.json disagree on %s, or have none", ErrReport, key)
		}
	}
	for _, key := range []string{"testId", "runIdIfAvailable"} {
		if !identifier.MatchString(result.text(key)) {
			return fmt.Errorf("%w: result.json: %s is no id", ErrReport, key)
		}
	}
	if m, r := meta.text("targetUrl"), result.text("targetUrl"); m != r {
		return fmt.Errorf("%w: meta.json and result.json disagree on targetUrl", ErrReport)
	}
	if s := result.text("status"); s != "failed" && s != "blocked" {
		return fmt.Errorf("%w: the run's status is %.40q, want failed or blocked", ErrReport, s)
	}
	return nil
}

func runOf(result, failure object) Run {
	target := failure.object("recommendedFixTarget")
	return Run{
		RunID: result.text("runIdIfAvailable"), TestID: result.text("testId"), Target: result.text("targetUrl"),
		StartedAt: result.text("startedAt"), Status: result.text("status"), Kind: result.text("failureKind"),
		FailedStep: result.number("failedStepIndex"), Summary: result.text("summary"),
		Hypothesis: failure.text("rootCauseHypothesis"), FixTarget: target.text("reference"), Rationale: target.text("rationale"),
		Trace: result.text("trace"),
	}
}

// readSteps reads the evidence of each step, in the order of the names. A report need not have any.
func readSteps(dir string) ([]Step, error) {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: steps: %w", ErrReport, err)
	}
	if len(entries) > maxStepFiles {
		return nil, fmt.Errorf("%w: %d files of steps, the limit is %d", ErrTooLarge, len(entries), maxStepFiles)
	}
	var steps []Step
	for _, e := range entries {
		if !evidenceFile.MatchString(e.Name()) {
			continue // screenshots, snapshots, logs: never opened
		}
		some, err := readEvidence(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		steps = append(steps, some...)
	}
	if len(steps) > maxSteps {
		return nil, fmt.Errorf("%w: %d pieces of evidence, the limit is %d", ErrTooLarge, len(steps), maxSteps)
	}
	return steps, nil
}

func readEvidence(name string) ([]Step, error) {
	data, err := readFile(name, maxArtifactFile)
	if err != nil {
		return nil, err
	}
	var items []object
	if err := decode(data, &items); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrReport, base(name), err)
	}
	var steps []Step
	for _, o := range items {
		var index int
		if _, err := fmt.Sscan(o.number("stepIndex"), &index); err != nil || index < 0 {
			return nil, fmt.Errorf("%w: %s: stepIndex is no number", ErrReport, base(name))
		}
		steps = append(steps, Step{Step: index, Kind: o.text("kind"), Summary: o.text("summary")})
	}
	return steps, nil
}

// counts reports whether a run is evidence in the window: it targeted a page of this very preview and
// started in time.
func counts(target string, start time.Time, w gates.EvidenceWindow) bool {
	got, ok := origin(target)
	want, wanted := origin(w.PreviewURL)
	return ok && wanted && got == want && w.Holds(w.PreviewURL, start)
}

// origin is scheme and host of an address that has no user: "https://a@b" shows a and leads to b.
func origin(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Host == "" || u.Opaque != "" || (u.Scheme != "https" && u.Scheme != "http") {
		return "", false
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), true
}

func base(name string) string { return filepath.Base(name) }

// isFolder reports whether a path is a folder and no link to one.
func isFolder(p string) bool {
	info, err := os.Lstat(p)
	return err == nil && info.Mode()&fs.ModeType == fs.ModeDir
}
