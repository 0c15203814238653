//go:build linux && (amd64 || arm64)

package fence

import (
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

// BenchmarkFence starts true bare, behind the fence by the command, and in the peer, in turns, and reports medians in
// milliseconds: what the fence and the peer add to the bare command, and how many times less the fence adds.
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
	bare := timer(b, "true")
	fence := timer(b, append(fenced, "--", "true")...)
	other, err := peerCommand()
	if err != nil {
		b.Logf("without the peer: %v", err)
	}
	var bares, fences, peers []time.Duration
	for b.Loop() {
		bares, fences = append(bares, bare()), append(fences, fence())
		if err == nil {
			peers = append(peers, timer(b, append(other, "true")...)())
		}
	}
	base, over := median(bares), median(fences)-median(bares)
	b.ReportMetric(milliseconds(base), "bare-ms")
	b.ReportMetric(milliseconds(over), "fence-adds-ms")
	if err == nil {
		peerOver := median(peers) - base
		b.ReportMetric(milliseconds(peerOver), "peer-adds-ms")
		b.ReportMetric(float64(peerOver)/float64(over), "times-less")
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
