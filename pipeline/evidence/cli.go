package evidence

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of what the bot's listings may make this package do.
const (
	maxProjects = 20
	maxTests    = 50
	maxListing  = 4 << 20
	maxDownload = 256 << 20 // one file of an artifact, videos included
)

// Exit codes of the bot's command line, as documented.
const (
	exitNotFound = 4 // also: the run passed, is in flight or was cancelled
	exitAuth     = 3
)

// bot calls the test bot's command line. The key is in that process's environment only: the command line
// takes it from there or from a file in its home.
type bot struct{ o Options }

// call runs one command and returns its standard output. Standard error is dropped: it repeats page content.
func (b bot) call(ctx context.Context, args ...string) ([]byte, int, error) {
	ctx, cancel := context.WithTimeout(ctx, b.o.Each)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.o.CLI, args...)
	cmd.Dir = b.o.Home
	cmd.Env = []string{
		"PATH=" + b.o.Path, "HOME=" + b.o.Home, "LC_ALL=C",
		"TESTSPRITE_API_KEY=" + b.o.Key.Reveal(), "TESTSPRITE_API_URL=" + b.o.Policy.Hosts.Bot,
		"TESTSPRITE_NO_UPDATE_NOTIFIER=1", "TESTSPRITE_NO_TELEMETRY=1", "DO_NOT_TRACK=1", "TESTSPRITE_NO_SKILL_WARNING=1",
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	out := &limited{left: maxListing}
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		return nil, -1, fmt.Errorf("%w: its command line cannot be started: %w", ErrBot, err)
	}
	limit := unix.Rlimit{Cur: maxDownload, Max: maxDownload}
	if err := unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_FSIZE, &limit, nil); err != nil {
		return nil, -1, errors.Join(fmt.Errorf("%w: limit its command line: %w", ErrBot, err), cmd.Process.Kill(), cmd.Wait())
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, -1, fmt.Errorf("%w: it took longer than %v, or was cancelled", ErrBot, b.o.Each)
	case err != nil && !errors.As(err, &exit):
		return nil, -1, fmt.Errorf("%w: %w", ErrBot, err)
	}
	return out.data.Bytes(), cmd.ProcessState.ExitCode(), nil
}

// list runs a listing and decodes it.
func (b bot) list(ctx context.Context, into any, args ...string) error {
	out, code, err := b.call(ctx, append(args, "--output", "json")...)
	if err != nil {
		return err
	}
	if code == exitAuth {
		return fmt.Errorf("%w: it refused the key (exit code %d)", ErrBot, code)
	}
	if code != 0 {
		return fmt.Errorf("%w: a listing ended with exit code %d", ErrBot, code)
	}
	if err := decode(out, into); err != nil {
		return fmt.Errorf("%w: a listing cannot be read: %w", ErrBot, err)
	}
	return nil
}

// page is one listing of the command line. A next token means that more stands on another page.
type page struct {
	Items []struct {
		ID string `json:"id"`
	} `json:"items"`
	Next json.RawMessage `json:"nextToken"`
}

func (p page) ids(limit int) ([]string, error) {
	if next := string(p.Next); len(p.Items) > limit || (next != "" && next != "null") {
		return nil, fmt.Errorf("%w: a listing of more than %d", ErrTooLarge, limit)
	}
	var ids []string
	for _, i := range p.Items {
		if !identifier.MatchString(i.ID) {
			return nil, fmt.Errorf("%w: a listing names %.40q, which is no id", ErrBot, i.ID)
		}
		ids = append(ids, i.ID)
	}
	return ids, nil
}

// history is the listing of a test's runs.
type history struct {
	Runs []struct {
		RunID     string `json:"runId"`
		Status    string `json:"status"`
		StartedAt string `json:"startedAt"`
		TargetURL string `json:"targetUrl"`
	} `json:"runs"`
}

// fetchArtifacts finds the failing runs in the window and brings the artifact of each.
func fetchArtifacts(ctx context.Context, dir string, o Options) ([]string, error) {
	b := bot{o}
	runs, err := b.failing(ctx)
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(filepath.Join(dir, "runs"), 0o755); err != nil {
		return nil, fmt.Errorf("make a folder for the report: %w", err)
	}
	got := []string{}
	for _, id := range runs {
		to := filepath.Join(dir, "runs", id)
		_, code, err := b.call(ctx, "test", "artifact", "get", id, "--out", to, "--failed-only", "--output", "json")
		if err != nil {
			return nil, err
		}
		if code == exitNotFound {
			if err := os.RemoveAll(to); err != nil {
				return nil, fmt.Errorf("remove what was not found: %w", err)
			}
			continue
		}
		if code != 0 {
			return nil, fmt.Errorf("%w: the artifact of a run ended with exit code %d", ErrBot, code)
		}
		if err := prune(to); err != nil {
			return nil, fmt.Errorf("leave out what is never read: %w", err)
		}
		got = append(got, id)
	}
	if len(got) == 0 {
		return nil, fmt.Errorf("%w: the bot lists none for this preview in its window", ErrNone)
	}
	return got, nil
}

// failing lists the ids of failing runs in the window, at most maxRuns, over all projects of the key.
func (b bot) failing(ctx context.Context) ([]string, error) {
	var projects page
	if err := b.list(ctx, &projects, "project", "list", "--page-size", "100"); err != nil {
		return nil, err
	}
	ids, err := projects.ids(maxProjects)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, project := range ids {
		var tests page
		if err := b.list(ctx, &tests, "test", "list", "--project", project, "--status", "failed,blocked", "--page-size", "100"); err != nil {
			return nil, err
		}
		names, err := tests.ids(maxTests)
		if err != nil {
			return nil, err
		}
		for _, test := range names {
			if found, err = b.runsOf(ctx, test, found); err != nil || len(found) == maxRuns {
				return found, err
			}
		}
	}
	return found, nil
}

func (b bot) runsOf(ctx context.Context, test string, found []string) ([]string, error) {
	var h history
	since := b.o.Window.NotBefore.UTC().Format(time.RFC3339)
	if err := b.list(ctx, &h, "test", "result", test, "--history", "--since", since, "--page-size", "100"); err != nil {
		return nil, err
	}
	for _, r := range h.Runs {
		start, err := time.Parse(time.RFC3339, r.StartedAt)
		if err != nil || (r.Status != "failed" && r.Status != "blocked") || !counts(r.TargetURL, start, b.o.Window) {
			continue
		}
		if !identifier.MatchString(r.RunID) {
			return nil, fmt.Errorf("%w: a listing names %.40q, which is no id", ErrBot, r.RunID)
		}
		if len(found) < maxRuns {
			found = append(found, r.RunID)
		}
	}
	return found, nil
}

// limited keeps a bounded output.
type limited struct {
	data bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if len(p) > l.left {
		return 0, ErrTooLarge
	}
	l.left -= len(p)
	return l.data.Write(p)
}
