//go:build amd64 || arm64

package fence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How often the folders are looked at. Free space and free inodes are one cheap call and are asked for often; folders are walked
// when they fell by a part of the limit, and otherwise rarely, so that a large tree costs little: after a long walk ten times
// as long passes, but never more than walkAtLeast, since not every file system counts its inodes.
const (
	lookEvery   = 10 * time.Millisecond
	walkEvery   = 300 * time.Millisecond
	walkAtLeast = 2 * time.Second
)

// watchDisk stops the program when what lies in its folders grows above the limits: the kernel bounds single files only.
func watchDisk(ctx context.Context, folders []string, limits Limits, stops chan<- order) {
	if len(folders) == 0 {
		return
	}
	first := spaceOf(folders)
	last, next := first, time.Now().Add(walkEvery)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		free := spaceOf(folders)
		if reason := first.fell(free, limits); reason != "" {
			stops <- order{Stop: Exceeded, Reason: reason}
			return
		}
		if last.bytes-free.bytes < limits.DiskBytes/8 && last.files-free.files < limits.DiskFiles/8 && time.Now().Before(next) {
			continue
		}
		began := time.Now()
		if stop := overDisk(folders, limits); stop != nil {
			stops <- *stop
			return
		}
		last, next = free, time.Now().Add(untilNext(time.Since(began)))
	}
}

// untilNext is how long after a walk the next one comes if nothing else calls for it.
func untilNext(took time.Duration) time.Duration { return min(walkEvery+10*took, walkAtLeast) }

// space is what is free on file systems.
type space struct{ bytes, files int64 }

// fell says which limit what is free now has fallen by twice: deleted files that are still open are in no folder, and a walk
// of many files is slower than a program that makes more of them.
func (s space) fell(now space, limits Limits) string {
	switch {
	case s.bytes-now.bytes > 2*limits.DiskBytes:
		return fmt.Sprintf("free disk space fell by more than twice the limit of %d bytes", limits.DiskBytes)
	case s.files-now.files > 2*limits.DiskFiles:
		return fmt.Sprintf("free inodes fell by more than twice the limit of %d files", limits.DiskFiles)
	}
	return ""
}

// spaceOf adds up what is free on the file systems that the folders lie on.
func spaceOf(folders []string) space {
	var total space
	seen := map[unix.Fsid]bool{}
	for _, f := range folders {
		var st unix.Statfs_t
		if unix.Statfs(f, &st) == nil && !seen[st.Fsid] {
			seen[st.Fsid] = true
			total.bytes += int64(st.Bavail) * st.Bsize
			total.files += int64(st.Ffree)
		}
	}
	return total
}

// overDisk walks the folders and says which limit they are above, if one.
func overDisk(folders []string, limits Limits) *order {
	w := diskWalk{limits: limits}
	for _, folder := range folders {
		at, err := filepath.EvalSymlinks(folder) // a walk does not follow a link, not even as its root
		if err != nil {
			return &order{Stop: Exceeded, Reason: fmt.Sprintf("a folder to write cannot be counted: %s", reasonOf(err))}
		}
		_ = filepath.WalkDir(at, w.visit)
		if w.over != "" {
			return &order{Stop: Exceeded, Reason: w.over}
		}
	}
	return nil
}

// diskWalk adds up one look at the folders.
type diskWalk struct {
	limits       Limits
	bytes, files int64
	over         string
}

func (w *diskWalk) visit(_ string, d fs.DirEntry, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it went away
	}
	w.files++
	if err == nil {
		var st fs.FileInfo
		if st, err = d.Info(); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			w.bytes += sizeOf(st)
		}
	}
	switch {
	case err != nil:
		// Folders nested deeper than a path can name, or closed to their own user, would hide what is in them.
		w.over = fmt.Sprintf("the folders to write cannot be counted: %s", reasonOf(err))
	case w.bytes > w.limits.DiskBytes:
		w.over = fmt.Sprintf("more than %d bytes in the folders to write", w.limits.DiskBytes)
	case w.files > w.limits.DiskFiles:
		w.over = fmt.Sprintf("more than %d files in the folders to write", w.limits.DiskFiles)
	default:
		return nil
	}
	return fs.SkipAll
}

// reasonOf is an error without the path in it, which is the program's own text.
func reasonOf(err error) string {
	var where *fs.PathError
	if errors.As(err, &where) {
		return where.Err.Error()
	}
	return cut(err.Error())
}

// sizeOf is what a file takes, or would take once copied: sparse files are copied whole.
func sizeOf(st fs.FileInfo) int64 {
	size := st.Size()
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		size = max(size, sys.Blocks*512)
	}
	return size
}
