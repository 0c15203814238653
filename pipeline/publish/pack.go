package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"selffix/internal/scratch"
)

// pack writes the one pack: both commits with their whole trees. The tested commit must be in it, with "shallow"
// naming it on the other side, or index-pack --strict refuses the new one for a parent that is not there.
func (r *recheck) pack(ctx context.Context, id string) (digest string, size int64, err error) {
	f, err := scratch.Open(scratch.Repository{Objects: r.objects}, scratch.Options{Parent: r.work})
	if err != nil {
		return "", 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := os.WriteFile(f.Path("git/shallow"), []byte(r.said.TestedCommit+"\n"), 0o600); err != nil {
		return "", 0, fmt.Errorf("name the shallow commit: %w", err)
	}
	file, err := os.OpenFile(r.in.Pack, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", 0, fmt.Errorf("make the pack: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	sum := sha256.New()
	count := &counter{}
	_, err = f.Run(ctx, scratch.Command{
		Args:   []string{"pack-objects", "--revs", "--stdout", "-q", "--threads=1", "--no-use-bitmap-index"},
		Stdin:  []byte(id + "\n"),
		Stdout: io.MultiWriter(file, sum, count),
		Limit:  MaxPackBytes,
	})
	if err != nil {
		return "", 0, fail(rulePack, err, "git pack-objects")
	}
	return hex.EncodeToString(sum.Sum(nil)), count.n, nil
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// index takes the pack into an empty git folder and holds it to the result: its bytes, and the one commit that the result
// describes, with the tested commit as its only parent.
func index(ctx context.Context, f *scratch.Folder, name string, r Result, c commit) error {
	data, err := readPack(name, r)
	if err != nil {
		return err
	}
	if err := os.WriteFile(f.Path("git/shallow"), []byte(r.TestedCommit+"\n"), 0o600); err != nil {
		return fmt.Errorf("name the shallow commit: %w", err)
	}
	if _, err := f.Run(ctx, scratch.Command{Args: []string{"index-pack", "--strict", "--stdin", "--threads=1"}, Stdin: data}); err != nil {
		return fail(rulePack, err, "git index-pack")
	}
	for _, o := range []struct{ id, kind string }{{c.id(), "commit"}, {r.TestedCommit, "commit"}, {r.ResultTree, "tree"}, {r.TestedTree, "tree"}} {
		out, err := f.Run(ctx, scratch.Command{Args: []string{"cat-file", "-t", o.id}})
		if err != nil || string(bytes.TrimSpace(out)) != o.kind {
			return fail(rulePack, err, "the pack lacks the %s %s", o.kind, o.id)
		}
	}
	return nil
}

// readPack reads the pack whole: a file that changes between two reads would be hashed as one and indexed as another.
func readPack(name string, r Result) ([]byte, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, fail(rulePack, err, "result.pack")
	}
	if !info.Mode().IsRegular() || info.Size() != r.PackBytes {
		return nil, fail(rulePack, nil, "result.pack: want a regular file of %d bytes", r.PackBytes)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fail(rulePack, err, "result.pack")
	}
	sum := sha256.Sum256(data)
	if hex.EncodeToString(sum[:]) != r.PackSHA256 {
		return nil, fail(rulePack, nil, "result.pack is not the file that the result names")
	}
	return data, nil
}
