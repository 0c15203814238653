package diff

import "testing"

func TestUndo(t *testing.T) {
	const bom = "\xef\xbb\xbf"
	tests := []struct{ name, before, after, want string }{
		{"nothing flipped", "a\nb\n", "a\nc\n", "a\nc\n"},
		{"CRLF to LF", "a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"},
		{"LF to CRLF", "a\nb\n", "a\r\nc\r\n", "a\nc\n"},
		{"mixed before stays the agent's", "a\r\nb\n", "a\nc\n", "a\nc\n"},
		{"mixed after stays the agent's", "a\r\nb\r\n", "a\r\nc\n", "a\r\nc\n"},
		{"mark lost", bom + "a\n", "b\n", bom + "b\n"},
		{"mark gained", "a\n", bom + "b\n", "b\n"},
		{"mark kept", bom + "a\n", bom + "b\n", bom + "b\n"},
		{"last newline gained", "a\nb", "a\nc\n", "a\nc"},
		{"last newline lost", "a\nb\n", "a\nc", "a\nc\n"},
		{"last newline of CRLF lost", "a\r\nb\r\n", "a\r\nc", "a\r\nc\r\n"},
		{"last newline of CRLF gained", "a\r\nb", "a\r\nc\r\n", "a\r\nc"},
		{"all at once", bom + "a\r\nb\r\n", "a\nc", bom + "a\r\nc\r\n"},
		{"only flips leave nothing", bom + "a\r\nb", "a\nb\n", bom + "a\r\nb"},
		{"empty before", "", "a\n", "a\n"},
		{"empty after", "a\n", "", ""},
		{"binary", "a\x00\r\n", "a\x00\n", "a\x00\n"},
		{"one line without end", "a", "b", "b"},
		{"two newlines at the end", "a\n", "a\n\n", "a\n\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Undo([]byte(tt.before), []byte(tt.after))); got != tt.want {
				t.Errorf("Undo(%q, %q) = %q, want %q", tt.before, tt.after, got, tt.want)
			}
		})
	}
}

// Undoing changes a file only towards what was there, so doing it twice changes nothing more.
func FuzzUndo(f *testing.F) {
	f.Add("a\r\nb\r\n", "a\nc")
	f.Add("\xef\xbb\xbfa", "b\r\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		once := Undo([]byte(before), []byte(after))
		if twice := Undo([]byte(before), once); string(twice) != string(once) {
			t.Errorf("Undo(%q, %q) = %q, again %q", before, after, once, twice)
		}
	})
}
