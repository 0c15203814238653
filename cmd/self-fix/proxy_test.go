package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"selffix/internal/modelfake"
	"selffix/internal/testrepo"
	"selffix/pipeline/proxy"
)

// The command serves until it is told to end, and then says what was spent.
func TestProxyCommand(t *testing.T) {
	model, err := modelfake.Start(modelfake.Options{Key: "sandbox-token", Script: modelfake.Script{Turns: []modelfake.Turn{{Text: "hello"}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	seed, err := os.ReadFile(filepath.Join(testrepo.Root(t), "testdata", "policy", "seed.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		"policy": strings.NewReplacer("sandbox: false", "sandbox: true", "https://api.anthropic.com", model.URL).Replace(string(seed)),
		"token":  "sandbox-token\n", "key": "self-fix-run-a-key-of-this-test\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"proxy", "--policy", filepath.Join(dir, "policy"), "--token-file", filepath.Join(dir, "token"),
			"--key-file", filepath.Join(dir, "key"), "--listen", "127.0.0.1:0"}, env{Stdout: in, Stderr: io.Discard, Getenv: os.Getenv})
		in.Close()
	}()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("it ended at once")
	}
	address, ok := strings.CutPrefix(lines.Text(), "listening on ")
	if !ok {
		t.Fatalf("it says %q", lines.Text())
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/v1/messages",
		strings.NewReader(`{"model":"claude-sonnet-5-5","max_tokens":10,"messages":[{"role":"user","content":"hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Authorization", "Bearer self-fix-run-a-key-of-this-test")
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(a.Body)
	a.Body.Close()
	if a.StatusCode != http.StatusOK || err != nil || !strings.Contains(string(body), "hello") {
		t.Fatalf("got %d %s, %v", a.StatusCode, body, err)
	}
	stop()
	var m proxy.Meter
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &m) != nil || m.Requests != 1 || m.Settled != 1 {
		t.Errorf("at its end it says %q", lines.Text())
	}
	if code := <-ended; code != exitYes {
		t.Errorf("exit code %d", code)
	}
}
