package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"selffix/gates"
	"selffix/internal/ghfake"
)

// roundTrip is what a request to GitHub takes at least in these benchmarks.
const roundTrip = 5 * time.Millisecond

// slowScene is a scene behind a server that lets every request wait for one round trip.
func slowScene(b *testing.B) *action {
	b.Helper()
	var sc *ghfake.Scene
	made := &atomic.Int64{}
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(roundTrip)
		start := time.Now()
		sc.Server.ServeHTTP(w, r)
		made.Add(int64(time.Since(start)))
	}))
	b.Cleanup(slow.Close)
	sc, err := ghfake.NewScene(b.Context(), ghfake.Options{Dir: b.TempDir(), Public: slow.URL, Rate: 1 << 30}, ghfake.SceneOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = sc.Server.Close() })
	sc.Server.URL = slow.URL
	return &action{t: b, scene: sc, dir: b.TempDir(), made: made}
}

// measure runs the built command on the action and reports its time, its requests, its peak memory, and its time as a
// multiple of what the requests alone take, and of what "self-fix version" takes in the same run.
func measure(b *testing.B, a *action, name string, want int) {
	b.Helper()
	bin := buildSelf(b)
	var took, cpu, idle time.Duration
	var requests int
	var peak int64
	a.made.Store(0)
	for b.Loop() {
		a.scene.Server.ForgetRequests()
		cmd := exec.Command(bin, a.args...)
		for k, v := range a.vars {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
		start := time.Now()
		out, err := cmd.CombinedOutput()
		took += time.Since(start)
		if code := cmd.ProcessState.ExitCode(); code != want {
			b.Fatalf("%s: exit %d, %v: %s", name, code, err, out)
		}
		idle += timed(b, nil, bin, "version")
		cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		requests = len(a.scene.Server.Requests())
		if use, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = max(peak, use.Maxrss/1024)
		}
	}
	b.ReportMetric(float64(took.Milliseconds())/float64(b.N), "ms")
	// Without what the fake takes to make its answers, beyond the round trip: GitHub makes them on machines of its own.
	b.ReportMetric(float64((took-time.Duration(a.made.Load())).Milliseconds())/float64(b.N), "ms-at-5ms-a-request")
	b.ReportMetric(float64(took)/float64(idle), "x-of-version")
	b.ReportMetric(float64(cpu.Milliseconds())/float64(b.N), "cpu-ms")
	b.ReportMetric(float64(requests), "requests")
	b.ReportMetric(float64(peak), "MiB-peak")
	if requests > 0 {
		b.ReportMetric(float64(took)/float64(b.N)/float64(time.Duration(requests)*roundTrip), "x-of-round-trips")
	}
}

// BenchmarkGateBusy: 1,500 runs in the window, of which 40 were not skipped.
func BenchmarkGateBusy(b *testing.B) {
	a := slowScene(b)
	now := time.Now()
	a.scene.Pull.Edit(func(p *ghfake.Pull) { p.CreatedAt = now.Add(-20 * 24 * time.Hour) })
	for i := range 1500 {
		at := now.Add(-26*time.Hour - time.Duration(i)*15*time.Minute)
		if i%37 == 0 && i/37 < 40 {
			a.scene.AddAttempt(100+i, at, "failure")
			continue
		}
		a.scene.AddSkipped(at)
	}
	a.reset("gate")
	measure(b, a, "gate", exitYes)
}

// BenchmarkGateCommon: fewer than 100 runs, one earlier attempt.
func BenchmarkGateCommon(b *testing.B) {
	a := slowScene(b)
	now := time.Now()
	a.scene.AddAttempt(1, now.Add(-50*time.Minute), "failure")
	for i := range 90 {
		a.scene.AddSkipped(now.Add(-time.Duration(i) * time.Minute))
	}
	a.reset("gate")
	measure(b, a, "gate", exitYes)
}

// BenchmarkGateForeign: a status that is not the bot's.
func BenchmarkGateForeign(b *testing.B) {
	a := slowScene(b)
	a.reset("gate")
	a.write("event.json", a.scene.Repo.StatusEvent(a.scene.Repo.PostStatus(a.scene.Writer, a.scene.Tested, "ci", "failure")))
	measure(b, a, "gate", exitNo)
}

// BenchmarkReviewGateLong: 249 commits and 400 label events.
func BenchmarkReviewGateLong(b *testing.B) {
	a := slowScene(b)
	a.back(time.Hour)
	commits := make([]ghfake.Commit, 247)
	for i := range commits {
		commits[i] = ghfake.Commit{Message: fmt.Sprint("step ", i), Files: map[string]string{"a.txt": fmt.Sprint(i)}}
	}
	if _, err := a.scene.Pull.Push(a.scene.Maintainer, commits...); err != nil {
		b.Fatal(err)
	}
	a.push(ghfake.ActionsBot(), "self-fix: repair")
	a.scene.Pull.Comment(ghfake.ActionsBot(), gates.CommentMark+"\ndone")
	a.back(50 * time.Minute)
	for range 199 {
		a.scene.Pull.Label(a.scene.Maintainer, "reviewed")
		a.scene.Pull.Unlabel(a.scene.Maintainer, "reviewed")
	}
	a.scene.Pull.Label(a.scene.Maintainer, "bug")
	a.scene.Pull.Label(a.scene.Maintainer, "reviewed")
	a.scene.Server.Clock.Set(time.Time{})
	a.reset("review-gate")
	a.review()
	a.write("event.json", a.scene.Pull.Event("labeled", a.scene.Maintainer))
	measure(b, a, "review-gate", exitYes)
}

// BenchmarkReviewGateCommon: a robot commit that the maintainer labelled.
func BenchmarkReviewGateCommon(b *testing.B) {
	a := slowScene(b)
	a.back(30 * time.Minute)
	a.push(ghfake.ActionsBot(), "self-fix: repair")
	a.back(20 * time.Minute)
	a.scene.Pull.Label(a.scene.Maintainer, "reviewed")
	a.scene.Server.Clock.Set(time.Time{})
	a.reset("review-gate")
	a.review()
	a.write("event.json", a.scene.Pull.Event("labeled", a.scene.Maintainer))
	measure(b, a, "review-gate", exitYes)
}
