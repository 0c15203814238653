//go:build linux && (amd64 || arm64)

package fence

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// peer is what the fence is measured against, in the same run.
const peer = "@anthropic-ai/sandbox-runtime@0.0.83"

// rounds is how often each command is started beside one start of the peer, which takes as long as all of them together.
const rounds = 10

// BenchmarkFence starts true bare, behind the fence, and in the peer, in turns, and reports medians in milliseconds over the bare command:
//
//   - run-adds-ms is what Run adds in a program that runs already, as a step of the pipeline does: a supervisor, its fence, the end of all;
//   - fence-adds-ms is what the command does, which is started for it as well;
//   - peer-adds-ms is what the peer's command does, and times-less how many times more that is than the fence's command.
func BenchmarkFence(b *testing.B) {
	dir := b.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	command := filepath.Join(dir, "self-fix")
	build := exec.Command("make", "-C", filepath.Join("..", ".."), "build", "BIN="+command) // as people build it
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("building the command: %v\n%s", err, out)
	}
	fenced := []string{command, "fence", "--timeout", "1m"}
	for _, p := range systemPaths() {
		fenced = append(fenced, "--read", p)
	}
	inside := runner(b)
	fence := timer(b, append(fenced, "--", "true")...)
	other, err := peerCommand()
	if err != nil {
		b.Logf("without the peer: %v", err)
	}
	var bares, runs, fences, peers []time.Duration
	for b.Loop() {
		for range rounds {
			bare, run := inside()
			bares, runs, fences = append(bares, bare), append(runs, run), append(fences, fence())
		}
		if err == nil {
			peers = append(peers, timer(b, append(other, "true")...)())
		}
	}
	base := median(bares)
	over := median(fences) - base
	b.ReportMetric(milliseconds(base), "bare-ms")
	b.ReportMetric(milliseconds(median(runs)-base), "run-adds-ms")
	b.ReportMetric(milliseconds(over), "fence-adds-ms")
	if err == nil {
		peerOver := median(peers) - base
		b.ReportMetric(milliseconds(peerOver), "peer-adds-ms")
		b.ReportMetric(float64(peerOver)/float64(over), "times-less")
	}
}

// timesArg has the test binary time true, bare and by Run, each time that it is asked on its standard input.
const timesArg = "fence-times"

// times answers each line with two durations in nanoseconds.
func times() int {
	o := Options{Helper: helper, Args: []string{"true"}, Read: systemPaths(), Timeout: time.Minute}
	for asked := bufio.NewScanner(os.Stdin); asked.Scan(); {
		begin := time.Now()
		err := exec.Command("true").Run()
		bare := time.Since(begin)
		begin = time.Now()
		result, runErr := Run(context.Background(), o)
		run := time.Since(begin)
		if err != nil || runErr != nil || result.End != Exited || result.Code != 0 {
			fmt.Println(err, runErr, result)
			return 1
		}
		fmt.Println(int64(bare), int64(run))
	}
	return 0
}

// runner starts this program as a caller of Run, from a file written in one piece, as make build writes the command.
func runner(b *testing.B) func() (bare, run time.Duration) {
	text, err := os.ReadFile(program)
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "caller")
	if err := os.WriteFile(path, text, 0o755); err != nil {
		b.Fatal(err)
	}
	caller := exec.Command(path, timesArg) // it ends with its standard input
	ask, err := caller.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	answer, err := caller.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := caller.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		ask.Close()
		if err := caller.Wait(); err != nil {
			b.Error(err)
		}
	})
	lines := bufio.NewReader(answer)
	return func() (bare, run time.Duration) {
		fmt.Fprintln(ask)
		line, err := lines.ReadString('\n')
		if _, scanErr := fmt.Sscan(line, (*int64)(&bare), (*int64)(&run)); err != nil || scanErr != nil {
			b.Fatalf("the caller of Run says %q: %v", line, errors.Join(err, scanErr))
		}
		return bare, run
	}
}

// timer measures one run of a command that must succeed.
func timer(b *testing.B, args ...string) func() time.Duration {
	return func() time.Duration {
		cmd := exec.Command(args[0], args[1:]...)
		begin := time.Now()
		out, err := cmd.CombinedOutput()
		took := time.Since(begin)
		if err != nil {
			b.Fatalf("%q: %v\n%s", args, err, out)
		}
		return took
	}
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// peerCommand brings the peer into the user's cache once. It needs bubblewrap, socat and ripgrep beside node.
func peerCommand() ([]string, error) {
	for _, need := range []string{"node", "npm", "bwrap", "socat", "rg"} {
		if _, err := exec.LookPath(need); err != nil {
			return nil, err
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "self-fix", "peers", "sandbox-runtime-0.0.83")
	script := filepath.Join(dir, "node_modules", "@anthropic-ai", "sandbox-runtime", "dist", "cli.js")
	if _, err := os.Stat(script); err != nil {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		npm := exec.Command("npm", "install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", peer)
		if out, err := npm.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("npm: %w: %s", err, cut(string(out)))
		}
	}
	command := []string{"node", script}
	if out, err := exec.Command(command[0], append(command[1:], "true")...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the peer does not work here: %w: %s", err, cut(string(out)))
	}
	return command, nil
}
