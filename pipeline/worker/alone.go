package worker

import (
	"bytes"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"selffix/pipeline/fence"
)

// demand is what the fence around pull request code may not do without: every part of it. A container of the step's own is the
// other way: there the interpreter has laid nothing out, and no process is to be seen but those that started this one.
func (w work) demand(proc fs.FS) fence.Demand {
	if len(w.Layout.Mounts) == 0 && w.Layout.NewRoot == "" && alone(proc, os.Getpid()) {
		return fence.Mandatory
	}
	return fence.EveryPart
}

// alone reports whether the process pid and those above it, up to the first one, are all that /proc shows. Where /proc hides
// other users' processes it hides the first one as well, which then is not found.
func alone(proc fs.FS, pid int) bool {
	above := map[string]bool{}
	for at := strconv.Itoa(pid); at != "0"; {
		parent, ok := parentOf(proc, at)
		if !ok || above[at] {
			return false
		}
		above[at] = true
		at = parent
	}
	entries, err := fs.ReadDir(proc, ".")
	if err != nil || !above["1"] {
		return false
	}
	for _, e := range entries {
		if _, err := strconv.ParseUint(e.Name(), 10, 32); err == nil && !above[e.Name()] {
			return false
		}
	}
	return true
}

// parentOf reads the fourth field of a process's stat. The second is its name in brackets, which may hold anything.
func parentOf(proc fs.FS, pid string) (string, bool) {
	text, err := fs.ReadFile(proc, pid+"/stat")
	if err != nil {
		return "", false
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 2 {
		return "", false
	}
	return fields[1], true
}
