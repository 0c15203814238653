package scratch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// What can be wrong with an object.
var (
	ErrMissing = errors.New("no such object")
	ErrTooBig  = errors.New("object is larger than it may be")
	ErrForged  = errors.New("object does not hash to its name")
)

// Object is one object, whole, whose id was computed again from its bytes.
type Object struct {
	ID   string // 40 hexadecimal digits
	Type string // "commit", "tree", "blob" or "tag"
	Data []byte
}

// CatFile reads objects through one long-lived "git cat-file --batch". It is not safe for concurrent use.
type CatFile struct {
	in     io.WriteCloser
	out    *bufio.Reader
	cmd    *exec.Cmd
	ctx    context.Context
	cancel context.CancelFunc
	text   *bytes.Buffer
	broken error
}

// CatFile starts the reader. It must be closed. The folder's time limit is for all reads together.
func (f *Folder) CatFile(ctx context.Context) (*CatFile, error) {
	ctx, cancel := f.within(ctx, 0)
	text := &bytes.Buffer{}
	cmd := f.command(ctx, Command{Args: []string{"cat-file", "--batch"}})
	cmd.Stderr = &tail{to: text, left: maxErrorText}
	in, err := cmd.StdinPipe()
	if err != nil {
		cancel()
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return &CatFile{in: in, out: bufio.NewReaderSize(out, 64<<10), cmd: cmd, ctx: ctx, cancel: cancel, text: text}, nil
}

// Get reads the object that a name means: an id, or an id with ~, ^ or ^{type} behind it. An object above limit bytes is
// ErrTooBig and none of its bytes is kept. After any other error than ErrMissing and ErrTooBig the reader answers only that error.
func (c *CatFile) Get(name string, limit int64) (Object, error) {
	if c.broken != nil {
		return Object{}, c.broken
	}
	if name == "" || strings.ContainsAny(name, "\n\x00 ") {
		return Object{}, fmt.Errorf("%w: %q is no object name", ErrMissing, cut(name))
	}
	o, err := c.get(name, limit)
	if err != nil && !errors.Is(err, ErrMissing) && !errors.Is(err, ErrTooBig) {
		if cause := context.Cause(c.ctx); cause != nil {
			err = cause
		}
		c.broken = fmt.Errorf("git cat-file: %w", err)
		return Object{}, c.broken
	}
	return o, err
}

func (c *CatFile) get(name string, limit int64) (Object, error) {
	if _, err := io.WriteString(c.in, name+"\n"); err != nil {
		return Object{}, err
	}
	head, err := c.out.ReadSlice('\n')
	if err != nil {
		return Object{}, err
	}
	line := string(head[:len(head)-1])
	if strings.HasSuffix(line, " missing") || strings.HasSuffix(line, " ambiguous") {
		return Object{}, fmt.Errorf("%w: %q", ErrMissing, cut(line))
	}
	f := strings.Split(line, " ")
	if len(f) != 3 {
		return Object{}, fmt.Errorf("unreadable answer %q", cut(line))
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil || size < 0 {
		return Object{}, fmt.Errorf("unreadable size in answer %q", cut(line))
	}
	if size > limit {
		if _, err := io.CopyN(io.Discard, c.out, size+1); err != nil {
			return Object{}, err
		}
		return Object{ID: f[0], Type: f[1]}, fmt.Errorf("%w: %s has %d bytes, the limit is %d", ErrTooBig, f[0], size, limit)
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(c.out, data); err != nil {
		return Object{}, err
	}
	data = data[:size:size]
	if got := HashObject(f[1], data); got != f[0] {
		return Object{}, fmt.Errorf("%w: %s holds the bytes of %s", ErrForged, f[0], got)
	}
	return Object{ID: f[0], Type: f[1], Data: data}, nil
}

// Close ends the reader. An error says that it did not end by itself with exit code 0.
func (c *CatFile) Close() error {
	defer c.cancel()
	closeErr := c.in.Close()
	io.Copy(io.Discard, c.out)
	return errors.Join(closeErr, ending(c.ctx, "cat-file", c.cmd.Wait(), c.text.String()))
}
