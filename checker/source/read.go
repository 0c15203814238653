package source

import (
	"errors"
	"fmt"
	"time"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// ErrParse marks a file that cannot be read with certainty.
var ErrParse = errors.New("cannot be read with certainty")

// Deadline bounds the reading of one file. A file of 128 KiB takes a fiftieth of it; only text made to be slow comes near.
const Deadline = 5 * time.Second

// Parse reads one file. The error wraps [ErrParse] and quotes nothing of the text.
func Parse(text []byte, d Dialect) (facts *Facts, err error) {
	defer func() {
		if recover() != nil {
			facts, err = nil, fmt.Errorf("%w: the reader gave up", ErrParse)
		}
	}()
	if d != TypeScript && d != TSX {
		return nil, fmt.Errorf("%w: the file is neither TypeScript nor TSX", ErrParse)
	}
	if err := nested(text); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrParse, err)
	}
	type answer struct {
		form form
		reading
		err error
	}
	answers := make(chan answer, 2)
	for _, f := range []form{plain, folded} {
		go func() {
			r, err := read(string(text), d, f)
			answers <- answer{f, r, err}
		}()
	}
	late := time.NewTimer(Deadline)
	defer late.Stop()
	facts = &Facts{}
	for range 2 {
		select {
		case a := <-answers:
			if a.err != nil {
				return nil, fmt.Errorf("%w: %w", ErrParse, a.err)
			}
			if a.form == plain {
				facts.plain = a.reading
				continue
			}
			facts.folded = a.reading
		case <-late.C:
			return nil, fmt.Errorf("%w: reading took longer than %v", ErrParse, Deadline)
		}
	}
	return facts, nil
}

// read reads one form. A panic of a parser is an error: its input is an attacker's.
func read(text string, d Dialect, f form) (r reading, err error) {
	defer func() {
		if recover() != nil {
			r, err = reading{}, errors.New("the parser gave up")
		}
	}()
	code, sourceMap, err := normalise(text, d, f, kept)
	if err != nil {
		return reading{}, err
	}
	in := parse.NewInputBytes(code)
	defer func() { in.Restore() }()
	tree, err := js.Parse(in, js.Options{})
	if err != nil {
		if code, sourceMap, err = normalise(text, d, f, lowered); err != nil {
			return reading{}, err
		}
		in.Restore()
		in = parse.NewInputBytes(code)
		if tree, err = js.Parse(in, js.Options{}); err != nil {
			return reading{}, errors.New("the tree parser cannot read the normalised file")
		}
	}
	var numbers map[string]bool
	if f == plain { // the other form has no names to go by
		numbers = numbersIn(text)
	}
	w := newWalker(in.Bytes(), f, tree, numbers) // not code: the parser may have copied it
	if f == plain {
		w.eval.annotated = annotated(text, in.Bytes(), sourceMap)
	}
	w.program(tree)
	r = reading{uses: w.uses, lines: lines(code, sourceMap)}
	r.count, r.distinct = w.count()
	return r, nil
}
