package checker

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"selffix/internal/scratch"
	"selffix/internal/testrepo"
)

// TestGitFails lets one git process at a time fail in one way at a time. None of it may end in "accept".
func TestGitFails(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := testrepo.Base(t)
	testrepo.Commit(t, dir, map[string]string{".gitattributes": "*.ts text=auto\n"})
	ways := map[string]string{
		"abort":     "kill -ABRT $$",
		"kill":      "kill -KILL $$",
		"exit code": "exit 3",
		"nothing":   "cat >/dev/null; exit 0",
		"nonsense":  "cat >/dev/null; echo nonsense; exit 0",
		"flood":     "yes",
		"stands":    "sleep 30",
	}
	for _, process := range []string{"cat-file", "read-tree", "apply", "check-attr"} {
		for name, way := range ways {
			t.Run(process+"/"+name, func(t *testing.T) {
				t.Parallel()
				fake := filepath.Join(t.TempDir(), "git")
				write(t, fake, "#!/bin/sh\ncase \" $* \" in *\" "+process+" \"*)\n"+way+";;\nesac\nexec "+real+" \"$@\"\n")
				in := Input{Repo: dir, Base: "HEAD", Policy: seedPolicy(t), Patch: []byte(goodPatch)}
				in.Scratch = scratch.Options{Parent: t.TempDir(), Git: fake, Timeout: 2 * time.Second}
				report, err := Check(t.Context(), in)
				if report.Verdict == Accept || err == nil && report.Verdict != Refuse {
					t.Errorf("Check = %+v, %v", report, err)
				}
				if name == "kill" && err == nil {
					t.Errorf("git was killed, for want of memory it may be, and that became the verdict %+v", report)
				}
				if left, _ := os.ReadDir(in.Scratch.Parent); len(left) > 0 {
					t.Errorf("%d entries stay behind", len(left))
				}
			})
		}
	}
}

// TestProcesses counts git processes: three a check, a fourth where the tree has attributes.
func TestProcesses(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name       string
		attributes bool
		want       int
	}{{"plain tree", false, 3}, {"tree with attributes", true, 4}} {
		t.Run(tt.name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			fake := filepath.Join(t.TempDir(), "git")
			write(t, fake, "#!/bin/sh\necho \"$1\" >>"+log+"\nexec "+real+" \"$@\"\n")
			in := Input{Repo: testrepo.Base(t), Base: "HEAD", Policy: seedPolicy(t), Patch: []byte(goodPatch)}
			if tt.attributes {
				testrepo.Commit(t, in.Repo, map[string]string{"packages/.gitattributes": "*.ts text=auto\n"})
			}
			in.Scratch = scratch.Options{Parent: t.TempDir(), Git: fake}
			if report, err := Check(t.Context(), in); err != nil || report.Verdict != Accept {
				t.Fatal(report, err)
			}
			text, _ := os.ReadFile(log)
			if n := strings.Count(string(text), "\n"); n != tt.want {
				t.Errorf("%d git processes, want %d:\n%s", n, tt.want, text)
			}
		})
	}
}

// TestCancel ends a check at different moments. Nothing stays behind, and no verdict comes out.
func TestCancel(t *testing.T) {
	in := Input{Repo: testrepo.Base(t), Base: "HEAD", Policy: seedPolicy(t), Patch: []byte(goodPatch), Scratch: scratch.Options{Parent: t.TempDir()}}
	for _, after := range []time.Duration{0, time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		report, err := Check(ctx, in)
		cancel()
		if err != nil && report.Verdict != "" || err == nil && report.Verdict != Accept {
			t.Errorf("after %v: %+v, %v", after, report, err)
		}
		if after == 0 && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with an ended context: %v, want %v", err, context.DeadlineExceeded)
		}
		if left, _ := os.ReadDir(in.Scratch.Parent); len(left) > 0 {
			t.Errorf("after %v: %d entries stay behind", after, len(left))
		}
	}
}
