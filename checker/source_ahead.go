package checker

import (
	"bytes"
	"runtime"
	"sync"

	"selffix/checker/source"
	"selffix/internal/hugeheap"
)

// growAbove is the size of source from which reading it takes more memory than a process has made ready at its start.
const growAbove = 16 << 10

// ahead reads source files while git still works on the patch. It starts from the grammar's reading, which in a patch that will be accepted
// is git's as well. A rule is given what was read ahead only for the very bytes that git made; for any others the file is read then.
type ahead struct {
	files   map[string]*aheadFile // by path
	running sync.WaitGroup
}

type aheadFile struct {
	text  []byte
	facts func() (*source.Facts, error)
}

// start begins to read the results of a reading, some at a time. It does not wait.
func (a *ahead) start(r reading, most int) {
	a.files = map[string]*aheadFile{}
	total := 0
	var reads []func() (*source.Facts, error)
	for path, e := range r.effects {
		d := source.DialectOf(path)
		if d == 0 || len(e.data) == 0 || len(e.data) > most {
			continue
		}
		read := sync.OnceValues(func() (*source.Facts, error) { return source.Parse(e.data, d) })
		a.files[path] = &aheadFile{e.data, read}
		reads = append(reads, read)
		total += len(e.data)
	}
	if total > growAbove {
		hugeheap.Grow()
	}
	next := make(chan func() (*source.Facts, error), len(reads))
	for _, read := range reads {
		next <- read
	}
	close(next)
	for range min(len(reads), runtime.GOMAXPROCS(0)) {
		a.running.Go(func() {
			for read := range next {
				read()
			}
		})
	}
}

// read returns the facts of a file's result, which may have been read before.
func (a *ahead) read(f *File, d source.Dialect) (*source.Facts, error) {
	if a != nil && a.files[f.Path] != nil && bytes.Equal(a.files[f.Path].text, f.Result) {
		return a.files[f.Path].facts()
	}
	return source.Parse(f.Result, d)
}

// wait returns when nothing is being read any more.
func (a *ahead) wait() { a.running.Wait() }
