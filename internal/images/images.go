// Package images says which container image a step runs in.
//
// In go the key that a step of the plan names and what the policy of the default branch says; out comes one full reference
// with a digest. The built-in ones are the lines of images.json and stand nowhere else. A policy may replace the images that
// steps run in; the one that the worker is built in it may not, and nothing else may replace any: an image is the program
// that judges, so an argument or a file of defaults that named one would be a way around every rule.
//
// It refuses a reference without a digest, which would be whatever the registry serves that day.
package images

import (
	_ "embed"
	"errors"
	"fmt"

	"selffix/internal/lazyregexp"
	"selffix/internal/strictjson"
	"selffix/pipeline"
	"selffix/pipeline/policy"
)

//go:embed images.json
var builtIn []byte

// ErrImage marks a key without an image, or an image without a digest.
var ErrImage = errors.New("unusable image")

// form is what a reference looks like: a name in lower case, a tag for people, a digest.
var form = lazyregexp.New(`^[a-z0-9][a-z0-9._:/-]{0,200}@sha256:[0-9a-f]{64}$`)

// table is images.json.
type table struct {
	Builder string `json:"builder"` // Go and git: the worker is built in it
	Worker  string `json:"worker"`  // git
	Node    string `json:"node"`    // node and npm
}

func read(text []byte) (table, error) {
	var t table
	if err := strictjson.Unmarshal(text, &t); err != nil {
		return table{}, fmt.Errorf("%w: images.json: %w", ErrImage, err)
	}
	return t, nil
}

// Builder is the image that the worker is built in.
func Builder() (string, error) {
	t, err := read(builtIn)
	if err != nil {
		return "", err
	}
	return pinned("builder", t.Builder)
}

// For is the image of a key: the policy's, or else the built-in one.
func For(key pipeline.ImageKey, p policy.Images) (string, error) {
	t, err := read(builtIn)
	if err != nil {
		return "", err
	}
	switch key {
	case pipeline.ImageWorker:
		return pinned(key, first(p.Worker, t.Worker))
	case pipeline.ImageNode:
		return pinned(key, first(p.Node, t.Node))
	}
	return "", fmt.Errorf("%w: no image is called %.40q", ErrImage, key)
}

func pinned(key pipeline.ImageKey, reference string) (string, error) {
	if !form.MatchString(reference) {
		return "", fmt.Errorf("%w: %s: want a reference that ends in @sha256: and a digest, met %.100q", ErrImage, key, reference)
	}
	return reference, nil
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
