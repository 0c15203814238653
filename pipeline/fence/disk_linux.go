//go:build amd64 || arm64

package fence

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How often the folders are looked at. Free space is one cheap call and is asked for often; folders are walked when it fell by a
// part of the limit, and otherwise rarely, so that a large tree costs little.
const (
	lookEvery = 10 * time.Millisecond
	walkEvery = 300 * time.Millisecond
)

// watchDisk stops the program when what lies in its folders grows above the limits: the kernel bounds single files only.
func watchDisk(ctx context.Context, folders []string, limits Limits, stops chan<- order) {
	if len(folders) == 0 {
		return
	}
	first := freeBytes(folders)
	last, walked := first, time.Now()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		free := freeBytes(folders)
		if first-free > 2*limits.DiskBytes {
			// Deleted files that are still open are in no folder.
			stops <- order{Stop: Exceeded, Reason: fmt.Sprintf("free disk space fell by more than twice the limit of %d bytes", limits.DiskBytes)}
			return
		}
		if last-free < limits.DiskBytes/8 && time.Since(walked) < walkEvery {
			continue
		}
		began := time.Now()
		if stop := overDisk(folders, limits); stop != nil {
			stops <- *stop
			return
		}
		// A walk that takes long waits longer for its next turn.
		last, walked = free, time.Now().Add(10*time.Since(began))
	}
}

// freeBytes adds up the free space of the file systems that the folders lie on.
func freeBytes(folders []string) int64 {
	var total int64
	seen := map[unix.Fsid]bool{}
	for _, f := range folders {
		var st unix.Statfs_t
		if unix.Statfs(f, &st) == nil && !seen[st.Fsid] {
			seen[st.Fsid] = true
			total += int64(st.Bavail) * st.Bsize
		}
	}
	return total
}

// overDisk walks the folders and says which limit they are above, if one.
func overDisk(folders []string, limits Limits) *order {
	var bytes, files int64
	var stop *order
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // it went away, or cannot be read: what counts is what is there
			}
			files++
			if st, err := d.Info(); err == nil {
				bytes += sizeOf(st)
			}
			switch {
			case bytes > limits.DiskBytes:
				stop = &order{Stop: Exceeded, Reason: fmt.Sprintf("more than %d bytes in the folders to write", limits.DiskBytes)}
			case files > limits.DiskFiles:
				stop = &order{Stop: Exceeded, Reason: fmt.Sprintf("more than %d files in the folders to write", limits.DiskFiles)}
			default:
				return nil
			}
			return fs.SkipAll
		})
	}
	return stop
}

// sizeOf is what a file takes, or would take once copied: sparse files are copied whole.
func sizeOf(st fs.FileInfo) int64 {
	size := st.Size()
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		size = max(size, sys.Blocks*512)
	}
	return size
}
