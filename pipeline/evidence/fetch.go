package evidence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"selffix/gates"
	"selffix/internal/tokens"
	"selffix/pipeline/policy"
)

// ErrBot marks an answer of the test bot that leaves undecided whether there is evidence.
var ErrBot = errors.New("the test bot did not answer as documented")

// Options say what Fetch works with.
type Options struct {
	Policy policy.Policy
	Window gates.EvidenceWindow
	Key    tokens.Token
	CLI    string        // the bot's command line: a program
	Path   string        // PATH for it, to find node
	Home   string        // an empty folder
	Bytes  int64         // of all that is brought
	Each   time.Duration // for one call
}

// Fetch brings the raw report of the failing runs in the window into dir, an empty folder.
func Fetch(ctx context.Context, dir string, o Options) error {
	if err := tokens.Check(o.Policy.Sandbox, o.Policy.Hosts.Bot, o.Key); err != nil {
		return fmt.Errorf("test bot's key: %w", err)
	}
	if o.Bytes <= 0 || o.Each <= 0 || o.Window.NotBefore.IsZero() || o.Window.PreviewURL == "" {
		return fmt.Errorf("%w: a limit or the window is zero", ErrReport)
	}
	index := Index{Source: o.Policy.Bot.Source, Runs: []string{}}
	if index.Source == "" {
		index.Source = SourceTestSprite
	}
	var err error
	if index.Source == SourceFile {
		err = fetchPublished(ctx, filepath.Join(dir, fileName), o)
	} else {
		index.Runs, err = fetchArtifacts(ctx, dir, o)
	}
	if err != nil {
		return err
	}
	if err := index.valid(); err != nil {
		return err
	}
	text, err := json.Marshal(index)
	if err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, indexName), text, 0o644); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	return capped(dir, o.Bytes)
}

// fetchPublished asks a bot that publishes one bundle a commit, at BASE/COMMIT.json.
func fetchPublished(ctx context.Context, to string, o Options) error {
	ctx, cancel := context.WithTimeout(ctx, o.Each)
	defer cancel()
	if len(o.Window.Commit) != 40 || strings.Trim(o.Window.Commit, "0123456789abcdef") != "" {
		return fmt.Errorf("%w: the window names no commit", ErrReport)
	}
	address := strings.TrimSuffix(o.Policy.Hosts.Bot, "/") + "/" + o.Window.Commit + ".json"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("%w: its address cannot be used", ErrBot)
	}
	req.Header.Set("Authorization", "Bearer "+o.Key.Reveal())
	client := http.Client{
		Transport:     &http.Transport{DisableCompression: true}, // no proxy of the environment sees the key
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("%w: the request failed", ErrBot)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: status %d for the tested commit's report", ErrBot, resp.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, MaxBytes+1))
	if err != nil {
		return fmt.Errorf("%w: the answer was cut", ErrBot)
	}
	if len(data) > MaxBytes {
		return fmt.Errorf("%w: more than %d bytes", ErrTooLarge, MaxBytes)
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// capped refuses more than limit bytes, and anything but folders and regular files.
func capped(dir string, limit int64) error {
	var total int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%w: it holds a file that is none", ErrReport)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if total += info.Size(); total > limit {
			return fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("what was brought: %w", err)
	}
	return nil
}

// prune removes what is never read: videos, screenshots, pages, logs, code.
func prune(dir string) error {
	keep := []string{".partial", "meta.json", "result.json", "failure.json"}
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, p)
		if slices.Contains(keep, name) || (filepath.Dir(name) == "steps" && evidenceFile.MatchString(filepath.Base(name))) {
			return nil
		}
		return os.Remove(p)
	})
}
