package visible

import "testing"

func TestString(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"packages/web/src/a b.ts", "packages/web/src/a b.ts"},
		{"割り勘 é", "割り勘 é"},
		{"a\x1b[2Jb", "a<U+001B>[2Jb"},
		{"a\r\nb\tc", "a<U+000D><U+000A>b<U+0009>c"},
		{"x\u202ey", "x<U+202E>y"},
		{"x\u200by\ufe0f", "x<U+200B>y<U+FE0F>"},
		{"x\u3164y\u2800z", "x<U+3164>y<U+2800>z"},
		{"x\u00a0y\u3000z", "x<U+00A0>y<U+3000>z"},
		{"x\ue000y\U000e0041", "x<U+E000>y<U+E0041>"},
		{"bad\xffbyte", "bad<byte FF>byte"},
		{"a\ufffd", "a<U+FFFD>"},
	} {
		if got := String(c.in); got != c.want {
			t.Errorf("String(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestStringNeverEmitsControls(t *testing.T) {
	for r := rune(0); r <= 0x10ffff; r++ {
		for _, o := range String(string(r)) {
			if o < 0x20 || (o >= 0x7f && o < 0xa0) || (o >= 0x202a && o <= 0x202e) || (o >= 0x2066 && o <= 0x2069) {
				t.Fatalf("String(%U) lets %U through", r, o)
			}
		}
	}
}

func TestCut(t *testing.T) {
	if got := Cut("abcdef", 3); got != "abc…" {
		t.Errorf("Cut = %q", got)
	}
	if got := Cut("a\x00", 3); got != "a<U+0000>" {
		t.Errorf("Cut = %q", got)
	}
}
