package images

import (
	"errors"
	"strings"
	"testing"

	"selffix/pipeline"
	"selffix/pipeline/policy"
)

const digest = "@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func TestEveryImageOfThePlansIsPinned(t *testing.T) {
	if b, err := Builder(); err != nil || !strings.Contains(b, "@sha256:") {
		t.Errorf("Builder() = %q, %v", b, err)
	}
	for _, p := range pipeline.Plans() {
		for _, s := range p.Steps {
			if got, err := For(s.Image, policy.Images{}); err != nil || !strings.Contains(got, "@sha256:") {
				t.Errorf("For(%q) of step %s = %q, %v", s.Image, s.Name, got, err)
			}
		}
	}
}

func TestFor(t *testing.T) {
	built, err := For(pipeline.ImageNode, policy.Images{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		key    pipeline.ImageKey
		policy policy.Images
		want   string // "" is an error
	}{
		{"the policy's image wins", pipeline.ImageNode, policy.Images{Node: "registry.example.com:5000/node" + digest}, "registry.example.com:5000/node" + digest},
		{"each key has its own", pipeline.ImageNode, policy.Images{Worker: "git" + digest}, built},
		{"a tag is no digest", pipeline.ImageWorker, policy.Images{Worker: "golang:1.26"}, ""},
		{"a short digest", pipeline.ImageWorker, policy.Images{Worker: "golang@sha256:01"}, ""},
		{"an option in place of a name", pipeline.ImageWorker, policy.Images{Worker: "--x" + digest}, ""},
		{"a key that no step may name", "builder", policy.Images{}, ""},
		{"no key", "", policy.Images{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := For(tt.key, tt.policy)
			if got != tt.want || (err != nil) != (tt.want == "") || (err != nil && !errors.Is(err, ErrImage)) {
				t.Errorf("For(%q) = %q, %v, want %q", tt.key, got, err, tt.want)
			}
		})
	}
}

func TestTableIsReadStrictly(t *testing.T) {
	for _, text := range []string{``, `{}`, `{"builder":"a","worker":"b"}`, `{"builder":"a","worker":"b","node":"c","other":"d"}`} {
		if _, err := read([]byte(text)); !errors.Is(err, ErrImage) {
			t.Errorf("read(%q) = %v, want an error", text, err)
		}
	}
}
