package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"selffix/internal/testrepo"
)

// gitleaks is the peer: a scanner of patches in Go that people run at the same place. It is installed as a module, pinned.
const gitleaks = "github.com/zricethezav/gitleaks/v8@v8.30.1"

// BenchmarkCheckProcess runs the whole process on a small patch, in turn with gitleaks on the same patch, and reports our
// time as a share of its time.
func BenchmarkCheckProcess(b *testing.B) {
	self := buildSelf(b)
	peer := installPeer(b)
	base := testrepo.Base(b)
	data := filepath.Join(testrepo.Root(b), "testdata")
	patch := filepath.Join(data, "patches", "001-pad-cents.patch")
	text, err := os.ReadFile(patch)
	if err != nil {
		b.Fatal(err)
	}
	var ours, theirs time.Duration
	for b.Loop() {
		ours += timed(b, nil, self, "check", "--repo", base, "--base", testrepo.BaseCommit,
			"--policy", filepath.Join(data, "policy", "seed.yaml"), "--patch", patch)
		theirs += timed(b, text, peer, "stdin", "--no-banner", "--log-level", "error")
	}
	b.ReportMetric(float64(ours.Microseconds())/1000/float64(b.N), "self-fix-ms")
	b.ReportMetric(float64(theirs.Microseconds())/1000/float64(b.N), "gitleaks-ms")
	b.ReportMetric(float64(ours)/float64(theirs), "share-of-gitleaks")
}

func timed(b *testing.B, stdin []byte, name string, args ...string) time.Duration {
	b.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stdin = bytes.NewReader(stdin)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("%s: %v\n%s", name, err, out)
	}
	return time.Since(start)
}

// buildSelf builds the command as people do.
func buildSelf(b *testing.B) string {
	b.Helper()
	bin := filepath.Join(b.TempDir(), "self-fix")
	cmd := exec.Command("make", "-C", testrepo.Root(b), "build", "BIN="+bin)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("make build: %v\n%s", err, out)
	}
	return bin
}

// installPeer builds gitleaks into the user's cache folder once; where the module cannot be had, there is no peer to compare with.
func installPeer(b *testing.B) string {
	b.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		b.Fatal(err)
	}
	dir := filepath.Join(cache, "self-fix", "bench")
	bin := filepath.Join(dir, "gitleaks")
	if _, err := os.Stat(bin); err == nil {
		return bin
	}
	cmd := exec.Command("go", "install", gitleaks)
	cmd.Dir = b.TempDir() // outside the module: its dependencies are none of ours
	cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Skipf("%s cannot be had here: %v\n%s", gitleaks, err, out)
	}
	return bin
}
