package verify

import (
	_ "embed" // for Preload
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"selffix/pipeline"
	"selffix/pipeline/fence"
	"selffix/pipeline/policy"
)

// The reasons for which the check does not run.
var (
	ErrOff   = errors.New("the policy does not enable verify")
	ErrApart = errors.New("this machine cannot keep the project's own code apart in full")
	// ErrCommand marks a command whose program is not there.
	ErrCommand = errors.New("the program of verify.command is not there")
)

// Folders are where one step's paths lie.
type Folders struct {
	Checkout string // the judged tree with its packages; the check may write to it, and nothing reads it afterwards
	Scratch  string // a home and temporary files
	Home     string // below Scratch
	Temp     string // below Scratch
}

// Preload is a script that every node process of the check loads first; see its own text. The caller writes it to the folders'
// PreloadPath.
//
//go:embed preload.cjs
var Preload []byte

// PreloadPath is where Preload lies. It is the check's own to change, as its whole process is.
func (f Folders) PreloadPath() string { return filepath.Join(f.Scratch, "preload.cjs") }

// Command is the fence around the policy's command. Helper, Demand and Read for the machine's programs are the caller's to add.
// What the command prints is counted and dropped: Stdout and Stderr stay nil.
func Command(p policy.Policy, f Folders, l pipeline.Limits) (fence.Options, error) {
	if !p.Verify.Enabled || len(p.Verify.Command) == 0 || p.Verify.Timeout <= 0 {
		return fence.Options{}, ErrOff
	}
	return fence.Options{
		Profile: fence.Tools, Timeout: min(p.Verify.Timeout, l.Timeout), Limits: limits(l),
		Args: p.Verify.Command, Dir: f.Checkout, Env: environment(f),
		// Programs of packages lie in the checkout, so it is given to execute as well.
		Read: []string{f.Checkout}, Write: []string{f.Checkout, f.Scratch},
	}, nil
}

// environment is all that the check sees. npm's are those that keep it from asking a registry for news.
func environment(f Folders) []string {
	return []string{
		"PATH=" + filepath.Join(f.Checkout, "node_modules", ".bin") + ":/usr/local/bin:/usr/bin:/bin",
		"HOME=" + f.Home, "TMPDIR=" + f.Temp, "LC_ALL=C.UTF-8", "TZ=UTC", "CI=true", "NO_COLOR=1", "OPENSSL_CONF=/dev/null",
		"npm_config_offline=true", "npm_config_update_notifier=false", "npm_config_audit=false", "npm_config_fund=false",
		// A machine's npmrc has no say. It may name a file of certificates, which npm reads even offline, and which is not to be had here.
		"npm_config_globalconfig=" + filepath.Join(f.Home, "npmrc"),
		"NODE_OPTIONS=--require=" + f.PreloadPath(),
		"npm_config_cache=" + filepath.Join(f.Home, "npm"),
	}
}

// limits leave room for the tree, its packages, and as much again.
func limits(l pipeline.Limits) fence.Limits {
	const disk = 4 << 30
	return fence.Limits{
		OutputBytes: l.OutputBytes, DataBytes: uint64(l.MemoryBytes), Processes: uint64(l.Processes),
		DiskBytes: disk, DiskFiles: 400_000, FileBytes: 1 << 30,
	}
}

// The claims of a Result.
const (
	Passed      = "passed"
	Failed      = "failed"
	NotFinished = "not finished"
)

// Claims lists them.
func Claims() []string { return []string{Passed, Failed, NotFinished} }

// Result is what is kept of a check: nothing that it printed.
type Result struct {
	ClaimedVerify string `json:"claimed_verify"` // one of Claims; the code under check has a say in it
	ExitCode      int    `json:"exit_code"`      // 0 to 255; -1 if it did not end by itself
}

// Outcome is what the end of a check means: it goes on, stops, or is undecided. Only the number of an exit code is taken over.
func Outcome(r fence.Result) (Result, pipeline.Outcome) {
	undecided := func(rule, reason string) (Result, pipeline.Outcome) {
		return Result{ClaimedVerify: NotFinished, ExitCode: -1}, pipeline.Outcome{Rule: rule, Reason: reason}
	}
	switch {
	case r.End == fence.Exited && r.Code == 0:
		return Result{ClaimedVerify: Passed}, pipeline.Outcome{Decision: pipeline.Continue}
	case r.End == fence.Exited:
		code := r.Code & 0xff
		return Result{ClaimedVerify: Failed, ExitCode: code}, pipeline.Outcome{
			Decision: pipeline.Stop, Rule: RuleFails, Reason: fmt.Sprintf("the project's own check fails on the repaired tree, with exit code %d", code),
		}
	case r.End == fence.Deadline:
		return undecided(RuleDeadline, "the project's own check did not end within verify.timeout")
	case r.End == fence.Exceeded:
		return undecided(RuleLimit, "the project's own check printed or wrote more than it may")
	case r.End == fence.Cancelled:
		return undecided(RuleCancel, "the project's own check was cancelled")
	}
	return undecided(RuleSignal, "the project's own check was ended by a signal")
}

// Refused says why the fence did not start the command.
func Refused(err error) error {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%w: %w", ErrCommand, err)
	case errors.Is(err, fence.ErrUnavailable):
		return fmt.Errorf("%w: %w", ErrApart, err)
	}
	return err
}
