package visible

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestWriteJSON(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a b", `"a b"`},
		{"割り勘 é", `"割り勘 é"`},
		{"a\u009b31m\x1b\x7f\n", `"a\u009b31m\u001b\u007f\n"`},
		{"x\u202ey\u2066\u200b", `"x\u202ey\u2066\u200b"`},
		{"\U000e0041\ufe0f", `"\udb40\udc41\ufe0f"`},
		{"<a&b>", `"\u003ca\u0026b\u003e"`},
	} {
		var out bytes.Buffer
		if err := WriteJSON(&out, c.in); err != nil || out.String() != c.want+"\n" {
			t.Errorf("WriteJSON(%q) = %s, %v; want %s", c.in, out.String(), err, c.want)
		}
	}
}

// TestWriteJSONKeepsTheValue reads back every code point.
func TestWriteJSONKeepsTheValue(t *testing.T) {
	var all []rune
	for r := rune(0); r <= 0x10ffff; r++ {
		if r < 0xd800 || r > 0xdfff {
			all = append(all, r)
		}
	}
	in := map[string]string{string(all): string(all)}
	var out bytes.Buffer
	if err := WriteJSON(&out, in); err != nil {
		t.Fatal(err)
	}
	for i, r := range out.String() {
		if r != '\n' && !Shows(r) {
			t.Fatalf("%U stands at byte %d", r, i)
		}
	}
	var back map[string]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back[string(all)] != string(all) {
		t.Errorf("the value is another one when it is read back, %v", err)
	}
}
