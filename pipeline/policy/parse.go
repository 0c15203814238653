package policy

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"selffix/checker/codepoint"
	"selffix/internal/lazyregexp"
)

// MaxBytes bounds a policy file.
const MaxBytes = 64 << 10

// Digest is the sha256 of a policy file's bytes in lower-case hex. A run whose policy has another digest
// at push than at its gate stops.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Load reads the policy in the regular file at path. Faults of its text are a [Faults] in the error's chain.
func Load(path string) (Policy, error) {
	data, err := readFile(path)
	if err != nil {
		return Policy{}, fmt.Errorf("read policy: %w", err)
	}
	p, err := Parse(data)
	if err != nil {
		return Policy{}, fmt.Errorf("policy %q: %w", path, err)
	}
	return p, nil
}

// readFile reads at most one byte more than a policy may have. A pipe or a device is refused before it is opened.
func readFile(path string) ([]byte, error) {
	if path == "" {
		return nil, errors.New("want the name of a file, got an empty one")
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%q: want a regular file, got %v", path, info.Mode().Type())
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxBytes+1))
}

// Parse reads one policy file. The error is a [Faults] with everything that is wrong; the policy is then the
// zero one, which is disabled.
func Parse(data []byte) (Policy, error) {
	root, fault := document(data)
	if fault != nil {
		return Policy{}, Faults{fault}
	}
	r := reader{places: map[string]place{}}
	r.plain(root)
	r.section(root, "", Keys())
	r.floor()
	if len(r.faults) > 0 {
		r.faults.sort()
		return Policy{}, r.faults.bounded()
	}
	r.policy.Bot.Source = cmp.Or(r.policy.Bot.Source, "testsprite")
	r.policy.Digest = Digest(data)
	return r.policy, nil
}

// document gates the bytes and reads the one YAML document in them.
func document(data []byte) (*yaml.Node, *Fault) {
	if len(data) > MaxBytes {
		return nil, &Fault{Line: 1, Reason: ErrSize, Message: fmt.Sprintf("want at most %d bytes, got more", MaxBytes)}
	}
	if fault := legible(data); fault != nil {
		return nil, fault
	}
	docs, err := documents(data)
	switch {
	case err != nil:
		return nil, syntaxFault(data, err)
	case len(docs) == 0:
		return nil, &Fault{Line: 1, Reason: ErrSyntax, Message: "want one mapping of keys, got an empty file"}
	case len(docs) > 1:
		return nil, &Fault{Line: max(docs[1].Line, 1), Column: docs[1].Column, Reason: ErrSyntax, Message: "want one document, got a second one; take out the --- line"}
	}
	return docs[0].Content[0], nil
}

// documents reads up to two documents: what follows the second does not matter.
func documents(data []byte) ([]yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var docs []yaml.Node
	for len(docs) < 2 {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

// legible refuses bytes that are no text, and characters by which a reviewer of the file is shown something else
// than it says: anywhere in it, comments included. It refuses directives as well, which the YAML reader obeys.
func legible(data []byte) *Fault {
	if bytes.HasPrefix(data, []byte("\uFEFF")) {
		return &Fault{Line: 1, Column: 1, Reason: ErrEncoding, Message: "want no byte order mark; save the file as UTF-8 without one"}
	}
	line, column := 1, 0
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		column++
		switch {
		case r == utf8.RuneError && n == 1:
			return &Fault{Line: line, Column: column, Reason: ErrEncoding, Message: "want UTF-8, got a byte that is none"}
		case r == '\n':
			line, column = line+1, 0
		case r == '%' && column == 1:
			return &Fault{Line: line, Column: column, Reason: ErrSyntax, Message: "directives are not taken; take the line out"}
		case r == '\r' && bytes.HasPrefix(data, []byte("\r\n")):
		case codepoint.Of(r) != 0:
			return &Fault{Line: line, Column: column, Reason: ErrEncoding, Message: "want visible text only, got " + codepoint.Name(r)}
		}
		data = data[n:]
	}
	return nil
}

var (
	yamlPrefix  = lazyregexp.New(`^yaml: (line \d+: )?`)
	yamlLine    = lazyregexp.New(`line (\d+): `)
	yamlParser  = lazyregexp.New(`did not find expected (key|node content|'-' indicator|',' or '\]'|',' or '}'|<document start>)`)
	yamlUnknown = lazyregexp.New(`unknown anchor '(.*)' referenced`)
)

// syntaxFault places an error of the YAML reader, which names a line in its text, if any: by its scanner the line at
// fault, by its parser the one where the mapping or list begins in which the fault is.
func syntaxFault(data []byte, err error) *Fault {
	f := &Fault{Line: 1, Reason: ErrSyntax, Message: quote(yamlPrefix.ReplaceAllString(err.Error(), ""))}
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		f.Line, _ = strconv.Atoi(m[1])
	}
	if what := yamlParser.FindString(err.Error()); what != "" {
		f.Line = firstLineWith(data, what)
	}
	if m := yamlUnknown.FindStringSubmatch(err.Error()); m != nil {
		before, _, _ := bytes.Cut(data, []byte("*"+m[1]))
		f.Line = bytes.Count(before, []byte("\n")) + 1
		f.Message = "anchors and aliases are not taken; write the value out"
	}
	return f
}

// firstLineWith is the number of lines after which the YAML reader first finds the fault: that of the line at fault.
func firstLineWith(data []byte, what string) int {
	lines := bytes.SplitAfter(data, []byte("\n"))
	n := sort.Search(len(lines), func(n int) bool {
		_, err := documents(bytes.Join(lines[:n+1], nil))
		return err != nil && strings.Contains(err.Error(), what)
	})
	return min(n+1, len(lines))
}
