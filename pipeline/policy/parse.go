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
	"regexp"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
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
		return Policy{}, r.faults
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
	if line, ok := firstInvalid(data); ok {
		return nil, &Fault{Line: line, Reason: ErrEncoding, Message: "want valid UTF-8"}
	}
	if bytes.HasPrefix(data, []byte("\uFEFF")) {
		return nil, &Fault{Line: 1, Column: 1, Reason: ErrEncoding, Message: "want no byte order mark; save the file as UTF-8 without one"}
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, &Fault{Line: 1, Reason: ErrSyntax, Message: "want one mapping of keys, got an empty file"}
	} else if err != nil {
		return nil, syntaxFault(err)
	}
	if err := dec.Decode(&more); err == nil {
		return nil, &Fault{Line: max(more.Line, 1), Column: more.Column, Reason: ErrSyntax, Message: "want one document, got a second one; take out the --- line"}
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxFault(err)
	}
	return doc.Content[0], nil
}

// firstInvalid returns the line of the first byte that is not part of valid UTF-8.
func firstInvalid(data []byte) (line int, found bool) {
	if utf8.Valid(data) {
		return 0, false
	}
	line = 1
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			return line, true
		}
		if r == '\n' {
			line++
		}
		data = data[n:]
	}
	return 0, false
}

var yamlLine = regexp.MustCompile(`line (\d+): `)

// syntaxFault places an error of the YAML reader, which names the line in its text, if at all.
func syntaxFault(err error) *Fault {
	f := &Fault{Line: 1, Reason: ErrSyntax, Message: quote(err.Error())}
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		f.Line, _ = strconv.Atoi(m[1])
	}
	return f
}
