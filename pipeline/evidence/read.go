package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"selffix/gates"
	"selffix/internal/strictjson"
)

// The sources that a policy may name in bot.source.
const (
	SourceTestSprite = "testsprite"
	SourceFile       = "file"
)

// indexName is the file in which Fetch says what it brought.
const indexName = "index.json"

// fileName is the report of a bot that publishes one file, or the file that a person gave.
const fileName = "report"

// Index is what Fetch says about a raw report: where it came from, and one folder "runs/ID" a run.
type Index struct {
	Source string   `json:"source"`
	Runs   []string `json:"runs"`
}

func (i Index) valid() error {
	if i.Source != SourceTestSprite && i.Source != SourceFile {
		return fmt.Errorf("%w: unknown source %.40q", ErrReport, i.Source)
	}
	if len(i.Runs) > maxRuns || (i.Source == SourceFile && len(i.Runs) != 0) {
		return fmt.Errorf("%w: %d runs, the limit is %d", ErrTooLarge, len(i.Runs), maxRuns)
	}
	for _, r := range i.Runs {
		if !identifier.MatchString(r) {
			return fmt.Errorf("%w: %.40q is no id", ErrReport, r)
		}
	}
	return nil
}

// Read reads what Fetch brought and keeps the runs that count in the window. No run is ErrNone.
func Read(dir string, w gates.EvidenceWindow) (Bundle, error) {
	data, err := readFile(filepath.Join(dir, indexName), maxArtifactFile)
	if err != nil {
		return Bundle{}, err
	}
	var index Index
	if err := strictjson.Unmarshal(data, &index); err != nil {
		return Bundle{}, fmt.Errorf("%w: %w", ErrReport, err)
	}
	if err := index.valid(); err != nil {
		return Bundle{}, err
	}
	if index.Source == SourceFile {
		return readPublished(filepath.Join(dir, fileName), w)
	}
	b := Bundle{Source: SourceTestSprite}
	for _, id := range index.Runs {
		r, start, err := readArtifact(filepath.Join(dir, "runs", id))
		if err != nil {
			return Bundle{}, err
		}
		if r.RunID != id {
			return Bundle{}, fmt.Errorf("%w: asked for run %s, got another one", ErrReport, id)
		}
		if counts(r.Target, start, w) {
			b.Runs = append(b.Runs, r)
		}
	}
	return b.orNone()
}

// readPublished reads the one file of a bot that publishes a bundle of this format for each commit.
func readPublished(name string, w gates.EvidenceWindow) (Bundle, error) {
	data, err := readFile(name, MaxBytes)
	if err != nil {
		return Bundle{}, err
	}
	b, err := ReadBundle(data)
	if err != nil {
		return Bundle{}, err
	}
	// Text belongs to no run, so nothing says for which preview it was written.
	b.Source, b.Claimed, b.Text = SourceFile, false, ""
	b.Runs = slices.DeleteFunc(b.Runs, func(r Run) bool {
		start, err := time.Parse(time.RFC3339, r.StartedAt)
		return err != nil || (r.Status != "failed" && r.Status != "blocked") || !counts(r.Target, start, w)
	})
	return b.orNone()
}

func (b Bundle) orNone() (Bundle, error) {
	if len(b.Runs) == 0 {
		return Bundle{}, fmt.Errorf("%w: none targeted this preview and started in its window", ErrNone)
	}
	return b, nil
}

// ReadFile reads the report that a person gave: a folder as the bot's command line leaves it, a bundle, or
// plain text. It is held to no window, and says so.
func ReadFile(dir string) (Bundle, error) {
	b, err := readGiven(dir)
	b.Claimed = true
	return b, err
}

func readGiven(dir string) (Bundle, error) {
	given := filepath.Join(dir, fileName)
	if isFolder(given) {
		r, _, err := readArtifact(given)
		return Bundle{Source: SourceTestSprite, Runs: []Run{r}}, err
	}
	data, err := readFile(given, MaxBytes)
	if err != nil {
		return Bundle{}, err
	}
	trimmed := bytes.TrimSpace(data)
	switch {
	case len(trimmed) == 0:
		return Bundle{}, fmt.Errorf("%w: it is empty", ErrPartial)
	case !utf8.Valid(data):
		return Bundle{}, fmt.Errorf("%w: it is no UTF-8 text", ErrReport)
	case trimmed[0] == '{' && !json.Valid(trimmed):
		return Bundle{}, fmt.Errorf("%w: it begins as a JSON object and does not end as one", ErrPartial)
	case trimmed[0] == '{' && isBundle(trimmed):
		b, err := ReadBundle(data)
		b.Source = SourceFile
		if err == nil && len(b.Runs) == 0 && b.Text == "" {
			err = fmt.Errorf("%w: it describes nothing", ErrNone)
		}
		return b, err
	}
	return Bundle{Source: SourceFile, Text: Text(string(data), maxFileText)}, nil
}

// isBundle reports whether an object says that it is a bundle; any other JSON is a report like any text.
func isBundle(data []byte) bool {
	var o object
	return json.Unmarshal(data, &o) == nil && o["schema"] != nil
}

// Give puts the file or folder that a person named where ReadFile looks for it, below dir, which must be an
// empty folder. Only what is read is copied, so a video or a huge page costs nothing.
func Give(dir, name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrReport, err)
	}
	to := filepath.Join(dir, fileName)
	if !info.IsDir() {
		return copyFile(to, name, MaxBytes)
	}
	if err := os.MkdirAll(filepath.Join(to, "steps"), 0o755); err != nil {
		return fmt.Errorf("copy the report: %w", err)
	}
	names := []string{".partial", "meta.json", "result.json", "failure.json"}
	steps, err := os.ReadDir(filepath.Join(name, "steps"))
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("%w: %w", ErrReport, err)
	}
	for _, e := range steps {
		if evidenceFile.MatchString(e.Name()) {
			names = append(names, filepath.Join("steps", e.Name()))
		}
	}
	if len(names) > maxStepFiles {
		return fmt.Errorf("%w: %d files, the limit is %d", ErrTooLarge, len(names), maxStepFiles)
	}
	for _, n := range names {
		if _, err := os.Lstat(filepath.Join(name, n)); os.IsNotExist(err) {
			continue // ReadFile says what is missing
		}
		if err := copyFile(filepath.Join(to, n), filepath.Join(name, n), maxArtifactFile); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(to, from string, limit int64) error {
	data, err := readFile(from, limit)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		return fmt.Errorf("copy the report: %w", err)
	}
	return nil
}
