package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"selffix/gates"
	"selffix/gates/github"
	"selffix/internal/lazyregexp"
	"selffix/internal/tokens"
	"selffix/pipeline/policy"
	"selffix/pipeline/worker"
)

// errRunner is wrapped by every complaint about what GitHub Actions gave, or did not give.
var errRunner = errors.New("unusable runner environment")

var attemptForm = lazyregexp.New(`^[1-9][0-9]{0,3}$`)

// readRunner reads what GitHub Actions says about the run, and its event. Identity comes from there, never from a file that
// another step wrote. GITHUB_API_URL must name the policy's host: a variable never chooses where a token goes.
func readRunner(getenv func(string) string, p policy.Policy) (worker.Caller, error) {
	c := worker.Caller{
		Policy: p, Run: gates.Run{Job: getenv("GITHUB_JOB")}, EventName: getenv("GITHUB_EVENT_NAME"), Repository: getenv("GITHUB_REPOSITORY"),
		Token: func() (tokens.Token, error) {
			t, err := tokens.New(getenv("GITHUB_TOKEN"))
			if err != nil {
				return t, fmt.Errorf("GITHUB_TOKEN: %w", err)
			}
			return t, nil
		},
	}
	if c.EventName == "" || getenv("GITHUB_EVENT_PATH") == "" || !gates.IsRepository(c.Repository) {
		return c, fmt.Errorf("%w: expected GITHUB_EVENT_NAME, GITHUB_EVENT_PATH and GITHUB_REPOSITORY as owner/name", errRunner)
	}
	if api := getenv("GITHUB_API_URL"); strings.TrimSuffix(api, "/") != strings.TrimSuffix(p.Hosts.GitHubAPI, "/") {
		return c, fmt.Errorf("%w: GITHUB_API_URL is not the policy's hosts.github_api; the policy decides where a token goes", errRunner)
	}
	id, err := strconv.ParseInt(getenv("GITHUB_RUN_ID"), 10, 64)
	if err != nil || id <= 0 {
		return c, fmt.Errorf("%w: expected GITHUB_RUN_ID as a positive number", errRunner)
	}
	c.Run.ID = id
	// An absent or odd attempt stays 0, which is refused: it must be exactly 1, not merely not above 1.
	if attempt := getenv("GITHUB_RUN_ATTEMPT"); attemptForm.MatchString(attempt) {
		c.Run.Attempt, _ = strconv.Atoi(attempt)
	}
	if raw := getenv("GITHUB_REPOSITORY_ID"); raw != "" {
		c.RepositoryID, err = strconv.ParseInt(raw, 10, 64)
		if err != nil || c.RepositoryID <= 0 {
			return c, fmt.Errorf("%w: expected GITHUB_REPOSITORY_ID as a positive number", errRunner)
		}
	}
	if c.Event, err = readLimited(getenv("GITHUB_EVENT_PATH"), github.MaxEventBytes); err != nil {
		return c, fmt.Errorf("%w: GITHUB_EVENT_PATH: %w", errRunner, err)
	}
	return c, nil
}

// readLimited reads a regular file that has at most max bytes.
func readLimited(path string, max int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%q: expected a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > max {
		return nil, fmt.Errorf("%q: expected at most %d bytes", path, max)
	}
	return data, nil
}

// outputForm is all that a workflow output may hold: a value with a line end in it could write a second output
// (the runner's files have no escape that every reader honours).
var outputForm = lazyregexp.New(`^[A-Za-z0-9-]{0,64}$`)

// setOutputs appends to the file of the step's outputs, if the runner gave one.
func setOutputs(getenv func(string) string, pairs ...[2]string) error {
	path := getenv("GITHUB_OUTPUT")
	if path == "" {
		return nil
	}
	var b strings.Builder
	for _, kv := range pairs {
		if !outputForm.MatchString(kv[1]) {
			return fmt.Errorf("output %s has a value that is no number, id or plain word", kv[0])
		}
		fmt.Fprintf(&b, "%s=%s\n", kv[0], kv[1])
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("GITHUB_OUTPUT: %w", err)
	}
	_, err = f.WriteString(b.String())
	return errors.Join(err, f.Close())
}

// verdictFlags are the flags of commands that end in a verdict.
type verdictFlags struct{ policy, format, out string }

func (f verdictFlags) check() error {
	if f.format != "text" && f.format != "json" {
		return fmt.Errorf("--format: expected text or json, got %q", f.format)
	}
	return nil
}

// write prints a verdict, and writes it to --out as JSON.
func (f verdictFlags) write(w io.Writer, v gates.Verdict) error {
	data, err := v.JSON()
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := os.WriteFile(f.out, data, 0o644); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
	}
	if f.format == "json" {
		_, err = w.Write(data)
		return err
	}
	_, err = io.WriteString(w, v.Text())
	return err
}

// finish ends a command with the exit code of its verdict.
func finish(v gates.Verdict) error {
	if code := v.Decision.ExitCode(); code != exitYes {
		return exit(code)
	}
	return nil
}
