package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// The reasons for which the agent is not started.
var (
	ErrTools   = errors.New("the agent's program cannot be had")
	ErrOffline = errors.New("not installed yet, and offline")
	ErrHash    = errors.New("not the pinned program")
)

// The files beside the program, in the folder of the tools.
const (
	settingsName = "settings.json"
	systemName   = "system.txt"
)

// Tools is the folder with the agent's program, its settings and its system prompt.
type Tools struct {
	Dir string // absolute
	pin Pin
}

// Open takes a folder that Install made, or a copy or mount of it, such as a step's /opt/agent. It
// does not look at it: Verify does, before each start.
func Open(dir string) (Tools, error) {
	p, err := ThePin()
	if err != nil {
		return Tools{}, err
	}
	return open(dir, p)
}

func open(dir string, p Pin) (Tools, error) {
	if !filepath.IsAbs(dir) || filepath.Clean(dir) != dir {
		return Tools{}, fmt.Errorf("%w: the folder of the tools must be a clean absolute path, not %.100q", ErrTools, dir)
	}
	return Tools{Dir: dir, pin: p}, nil
}

// Binary is the path of the program.
func (t Tools) Binary() string { return filepath.Join(t.Dir, filepath.FromSlash(t.pin.Binary)) }

// Settings is the path of the settings file.
func (t Tools) Settings() string { return filepath.Join(t.Dir, settingsName) }

// System is the path of the system prompt.
func (t Tools) System() string { return filepath.Join(t.Dir, systemName) }

// Verify compares the program with its pinned hash, and settings and system prompt with the built-in ones. It is
// called before each start: a registry, a lockfile or a cache that lied then changes nothing.
func (t Tools) Verify(ctx context.Context) error {
	for name, want := range map[string][]byte{t.Settings(): settingsJSON, t.System(): systemText} {
		got, err := readRegular(name, int64(len(want)))
		if err != nil {
			return fmt.Errorf("%w: %w", ErrTools, err)
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("%w: %w: %q is not as built in; delete the folder %q", ErrTools, ErrHash, filepath.Base(name), t.Dir)
		}
	}
	f, size, err := openRegular(t.Binary())
	if err != nil {
		return fmt.Errorf("%w: %w", ErrTools, err)
	}
	defer f.Close()
	if size != t.pin.Bytes {
		return fmt.Errorf("%w: %w: the program has %d bytes, %d are expected; delete the folder %q", ErrTools, ErrHash, size, t.pin.Bytes, t.Dir)
	}
	h := sha256.New()
	if _, err := io.CopyBuffer(struct{ io.Writer }{h}, contextReader{ctx, f}, make([]byte, 1<<20)); err != nil {
		return fmt.Errorf("%w: %w", ErrTools, err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != t.pin.SHA256 {
		return fmt.Errorf("%w: %w: the program's sha256 is %s, %s is expected; delete the folder %q", ErrTools, ErrHash, got, t.pin.SHA256, t.Dir)
	}
	return nil
}

// openRegular opens a regular file, no link to one and no FIFO, and tells its size.
func openRegular(name string) (*os.File, int64, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%q is no regular file", name)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// readRegular reads at most one byte more than most.
func readRegular(name string, most int64) ([]byte, error) {
	f, _, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most+1))
}

// contextReader ends a long read when its context ends.
type contextReader struct {
	ctx  context.Context
	from io.Reader
}

func (c contextReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.from.Read(b)
}
