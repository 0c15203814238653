package local

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"selffix/pipeline"
	"selffix/pipeline/worker"
)

// ErrOutput marks an output that breaks the plan's bounds, or is no plain file or folder.
var ErrOutput = errors.New("an output is not as the plan says")

// collect takes the outcome and the outputs of a step that has ended. No process of it is left, so nothing
// changes any more. Of a step that does not say "continue" only the files are taken that are as the plan says: its own reason is
// the one to report, whatever it left beside.
func (p *prepared) collect() (map[pipeline.Ref]string, pipeline.Outcome, error) {
	outcome, err := p.outcome()
	if err != nil {
		return nil, pipeline.Outcome{}, err
	}
	out := make(map[pipeline.Ref]string)
	for _, o := range p.step.Out {
		ref := p.step.Ref(o.Name)
		if kept, ok := p.i.o.Keep[ref]; ok {
			out[ref] = kept
			continue
		}
		going := outcome.Decision == pipeline.Continue
		if o.Dir && !going {
			continue
		}
		taken, err := p.output(o)
		switch {
		case err == nil:
			out[ref] = taken
		case errors.Is(err, fs.ErrNotExist) || !going:
		case errors.Is(err, worker.ErrTooMuch) && p.step.ExposedTo(pipeline.Model):
			return nil, worker.TooMuch(), nil
		default:
			return nil, pipeline.Outcome{}, fmt.Errorf("%w: %s: %w", ErrOutput, ref, err)
		}
	}
	return out, outcome, nil
}

// output takes one output, of the kind that the plan says.
func (p *prepared) output(o pipeline.Output) (string, error) {
	at := p.where(o.Path)
	info, err := os.Lstat(at)
	if err != nil {
		return "", err
	}
	if o.Dir != info.IsDir() {
		return "", fmt.Errorf("want a %s", kindOf(o))
	}
	return p.take(o, at)
}

func kindOf(o pipeline.Output) string {
	if o.Dir {
		return "folder"
	}
	return "file"
}

// where finds an output's place: the longest mount that covers it.
func (p *prepared) where(inside string) string {
	best := worker.Mount{}
	for _, m := range p.layout.Mounts {
		if (inside == m.Inside || strings.HasPrefix(inside, m.Inside+"/")) && len(m.Inside) > len(best.Inside) {
			best = m
		}
	}
	return best.Outside + strings.TrimPrefix(inside, best.Inside)
}

// take checks one output. A file is copied, so that a later step cannot be shown another one; a folder
// stays where it is and is only measured: no later step may write it.
func (p *prepared) take(o pipeline.Output, at string) (string, error) {
	if o.Dir {
		return at, measure(at, o)
	}
	data, err := readPlain(at, o.MaxBytes)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(p.dir, "taken")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	to := filepath.Join(dir, o.Name)
	return to, os.WriteFile(to, data, 0o600)
}

// measure counts files and bytes of a folder by their records alone: nothing in it is opened or followed.
// Whether each is a plain file is for the safe copy to say.
func measure(dir string, o pipeline.Output) error {
	files, bytes := 0, int64(0)
	return filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files, bytes = files+1, bytes+info.Size()
		if files > o.MaxFiles || bytes > o.MaxBytes {
			return fmt.Errorf("%w: %d files or %d bytes", worker.ErrTooMuch, o.MaxFiles, o.MaxBytes)
		}
		return nil
	})
}

// readPlain reads a regular file with one name, without following a link or waiting for a FIFO's writer.
func readPlain(name string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return nil, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink != 1 {
		return nil, errors.New("no regular file with one name")
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("more than %d bytes", limit)
	}
	return data, nil
}

// outcome reads how the step says that it ended. None, or an unreadable one, is undecided by the driver.
func (p *prepared) outcome() (pipeline.Outcome, error) {
	data, err := readPlain(filepath.Join(p.dir, "out", worker.OutcomeName), pipeline.MaxOutcomeBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return pipeline.Outcome{}, nil
	}
	if err != nil {
		return pipeline.Outcome{}, fmt.Errorf("%w: outcome: %w", ErrOutput, err)
	}
	o, err := pipeline.ReadOutcome(data)
	if err != nil {
		return pipeline.Outcome{}, fmt.Errorf("%w: %w", ErrOutput, err)
	}
	return o, nil
}
