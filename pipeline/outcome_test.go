package pipeline

import (
	"errors"
	"strings"
	"testing"
)

func TestReadOutcome(t *testing.T) {
	o, err := ReadOutcome([]byte(`{"decision":"stop","rule":"SF-X-001","reason":"a\u001b[2Jb"}`))
	if err != nil || o != (Outcome{Decision: Stop, Rule: "SF-X-001", Reason: "a<U+001B>[2Jb"}) {
		t.Errorf("ReadOutcome() = %+v, %v, want the escape shown as its code point", o, err)
	}
	if text, err := WriteOutcome(o); err != nil || string(text) != `{"decision":"stop","rule":"SF-X-001","reason":"a\u003cU+001B\u003e[2Jb"}` {
		t.Errorf("WriteOutcome() = %s, %v", text, err)
	}
	for _, text := range []string{
		``, `null`, `{}`, `{"decision":"continue","rule":""}`, `{"decision":"continue","rule":"","reason":"","grant":true}`,
		`{"decision":"stop","decision":"continue","rule":"","reason":""}`,
		`{"decision":"stop","rule":"","reason":"` + strings.Repeat("a", MaxOutcomeBytes) + `"}`,
	} {
		if o, err := ReadOutcome([]byte(text)); !errors.Is(err, ErrOutcome) || o != (Outcome{}) {
			t.Errorf("ReadOutcome(%.60q) = %+v, %v, want ErrOutcome", text, o, err)
		}
	}
}
