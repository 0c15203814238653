package checker

import (
	"context"
	"errors"
	"fmt"

	"selffix/internal/lazyregexp"
	"selffix/internal/scratch"
)

// readings are the three readings of one patch.
type readings struct {
	text *scan
	own  reading // the strict grammar's
	diff reading // go-gitdiff's
	git  gitReading
}

// truth is the reading whose result counts: git's, whenever git applied the patch. The others stand in for it only where a test turns
// off the rule that wants git to apply it.
func (r readings) truth() reading {
	switch {
	case r.git.ok:
		return r.git.reading
	case r.diff.ok:
		return r.diff
	case r.own.ok:
		return r.own
	}
	return reading{}
}

// read lets all three read the patch and reports every fault and every difference. git applies it while go-gitdiff does, and while the
// source that comes of it is read.
func (c *check) read(ctx context.Context) (readings, error) {
	r := readings{text: readGrammar(c.in.Patch)}
	for _, f := range r.text.faults {
		c.report(f.rule, f.path, fmt.Sprintf("byte %d: %s", f.at, f.message))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var gitErr error
	proceed, done := make(chan bool, 1), make(chan struct{})
	go func() {
		defer close(done)
		filled := <-c.indexed
		if gitErr = filled.err; gitErr == nil && <-proceed {
			r.git, gitErr = readGit(ctx, c.folder, filled.index, c.base.root, c.in.Patch)
		}
	}()
	err := c.readInProcess(&r, proceed)
	if err != nil {
		cancel()
	}
	<-done
	if err := errors.Join(err, gitErr); err != nil {
		return r, err
	}
	if r.git.refused != nil {
		c.report(idGitRefuses, "", gitRefusal(r.git.refused))
	}
	c.agree(r)
	c.modes(r)
	return r, c.bases(r)
}

// packed says that the patch goes to no other reader: binary content unpacks to a thousand times its size.
func (c *check) packed(s *scan) bool {
	_, on := c.on[idOpBinary]
	return on && s.binary
}

// readInProcess carries out the grammar's reading and go-gitdiff's, and lets git proceed unless the patch costs too much. Only an unreadable base
// is an error.
func (c *check) readInProcess(r *readings, proceed chan<- bool) error {
	defer close(proceed)
	if c.packed(r.text) {
		proceed <- false
		return nil
	}
	var base baseError
	own, path, err := play(c.base, r.text.edits())
	proceed <- !errors.As(err, &base) && !errors.Is(err, errTooMuch)
	if errors.As(err, &base) {
		return err
	}
	if own.ok && r.text.clean() {
		c.ahead.start(own, c.in.Policy.Limits.FileBytes)
	}
	if r.own = own; err != nil && !errors.Is(err, errBinary) && !errors.Is(err, errTooLarge) {
		c.report(idParsePlace, path, fmt.Sprintf("byte %d: the patch does not fit the base: %v", r.text.offset(path), err))
	}
	if errors.Is(err, errTooMuch) {
		return nil
	}
	return c.readGitdiff(r)
}

// readGitdiff carries out go-gitdiff's reading.
func (c *check) readGitdiff(r *readings) error {
	edits, err := readGitdiff(c.in.Patch)
	if err != nil {
		c.report(idGitdiffRefuses, "", "go-gitdiff cannot read the patch"+lineOf(err.Error()))
		return nil
	}
	var base baseError
	diff, path, err := play(c.base, edits)
	if errors.As(err, &base) {
		return err
	}
	if r.diff = diff; err != nil {
		c.report(idGitdiffRefuses, path, "go-gitdiff cannot apply the patch: its lines do not stand in the base where it says")
	}
	return nil
}

// offset is where a file begins in the patch.
func (s *scan) offset(path string) int {
	for _, f := range s.files {
		if f.path == path {
			return f.at
		}
	}
	return 0
}

// gitRefusal tells why git did not apply a patch.
func gitRefusal(err error) string {
	var exit *scratch.ExitError
	switch {
	case errors.Is(err, scratch.ErrSignal):
		return "git died over the patch"
	case errors.Is(err, scratch.ErrIndex):
		return "git makes something of the patch that is no list of files, links and submodules"
	case errors.As(err, &exit):
		return fmt.Sprintf("git does not apply the patch: exit code %d%s", exit.Code, lineOf(exit.Text))
	}
	return "git does not apply the patch"
}

var lineNumber = lazyregexp.New(`\bline ([0-9]{1,9})\b`)

// lineOf takes the line number, and nothing else, out of a reader's error: the rest may quote the patch, and a finding never does.
func lineOf(text string) string {
	if m := lineNumber.FindStringSubmatch(text); m != nil {
		return ", at its line " + m[1]
	}
	return ""
}

// agree compares the readings in pairs. A faulty text has no reading of the grammar's own to compare.
func (c *check) agree(r readings) {
	own := r.text.clean() && r.own.ok
	if own && r.diff.ok {
		c.compare("the grammar", r.own, "go-gitdiff", r.diff)
	}
	switch {
	case r.git.ok && r.diff.ok:
		c.compare("go-gitdiff", r.diff, "git", r.git.reading)
	case r.git.ok && own:
		c.compare("the grammar", r.own, "git", r.git.reading)
	}
	for path := range r.git.counts {
		if _, ok := r.git.effects[path]; !ok && r.git.ok {
			c.report(idGitFiles, path, "git counts a file that its result leaves as it was")
		}
	}
}

// compare reports each path at which two readings differ.
func (c *check) compare(nameA string, a reading, nameB string, b reading) {
	paths := map[string]bool{}
	for p := range a.effects {
		paths[p] = true
	}
	for p := range b.effects {
		paths[p] = true
	}
	for p := range paths {
		ea, inA := a.effects[p]
		eb, inB := b.effects[p]
		switch {
		case inA != inB:
			c.report(idGitFiles, p, fmt.Sprintf("only one of %s and %s reads a change of this file", nameA, nameB))
		case ea.deleted != eb.deleted:
			c.report(idGitFiles, p, fmt.Sprintf("only one of %s and %s deletes this file", nameA, nameB))
		case ea.added != eb.added || ea.removed != eb.removed:
			c.report(idGitFiles, p, fmt.Sprintf("%s reads %d added and %d removed lines, %s %d and %d",
				nameA, ea.added, ea.removed, nameB, eb.added, eb.removed))
		}
		if inA && inB && ea.id != eb.id {
			c.report(idGitBytes, p, fmt.Sprintf("%s and %s make different bytes of this file", nameA, nameB))
		}
	}
}

// modes judges what git's result holds: a mode that no line of the patch shows is still in it.
func (c *check) modes(r readings) {
	for path, e := range r.git.effects {
		if e.deleted {
			c.report(idOpDelete, path, "the result has lost this file")
			continue
		}
		if id := modeRule(e.mode); id != "" {
			c.report(id, path, "the result has mode "+e.mode+", want 100644")
		}
	}
}
