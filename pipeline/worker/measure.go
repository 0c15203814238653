package worker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"selffix/pipeline"
)

// ErrOutput marks an output that breaks the plan's bounds, or is no plain file or folder.
var ErrOutput = errors.New("an output is not as the plan says")

// ErrTooMuch marks what a step that a model steers left above its bound: a decision about the change, not a fault of the machine.
var ErrTooMuch = errors.New("more than an output may hold")

// TooMuch is how such a step ends.
func TooMuch() pipeline.Outcome { return explain(ErrTooMuch) }

// measure holds what a step left to its plan. It runs in the outer half once nothing of the inner one is alive, so nothing changes any
// more. A container engine takes files by their names and follows links: what is no plain file must not get that far.
func (w work) measure() error {
	if err := plain(filepath.Join(w.in(pipeline.OutDir), OutcomeName), pipeline.MaxOutcomeBytes); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: outcome: %w", ErrOutput, err)
	}
	for _, o := range w.step.Out {
		err := error(nil)
		if at := w.in(o.Path); o.Dir {
			if err = bounded(at, o); errors.Is(err, ErrTooMuch) && w.step.ExposedTo(pipeline.Model) {
				return fmt.Errorf("%s: %w", o.Name, err)
			}
		} else {
			err = plain(at, o.MaxBytes)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: %s: %w", ErrOutput, o.Name, err)
		}
	}
	return nil
}

// plain demands a regular file with one name, by its record alone.
func plain(name string, limit int64) error {
	var st unix.Stat_t
	if err := unix.Lstat(name, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink != 1 {
		return errors.New("no regular file with one name")
	}
	if st.Size > limit {
		return fmt.Errorf("more than %d bytes", limit)
	}
	return nil
}

// bounded counts files and bytes of a folder by their records alone: nothing in it is opened or followed. Whether each is a plain
// file is for the safe copy to say.
func bounded(dir string, o pipeline.Output) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errors.New("no folder")
	}
	files, bytes := 0, int64(0)
	return filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files, bytes = files+1, bytes+info.Size()
		if files > o.MaxFiles || bytes > o.MaxBytes {
			return fmt.Errorf("%w: %d files or %d bytes", ErrTooMuch, o.MaxFiles, o.MaxBytes)
		}
		return nil
	})
}
