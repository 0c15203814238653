package proxy

import (
	"encoding/json"
	"testing"
)

// validJSON must agree with json.Valid on everything.
func FuzzValidJSON(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `""`, `"`, `"\"`, `"\""`, `"\\"`, `"\u00e9"`, `"\u00g9"`, `"\u00e"`, `"\u`, `"\x"`, "\"a\nb\"", "\"\x7f\xff\"", `{"a":"b","c":["d",1,null]}`,
		`{"a" "b"}`, `"a""b"`, `{"":""}`, `"a"x`, `{"a":"b"`, "\"\x00\"", `"\/\b\f\n\r\t"`, `"\"a\":"`, `[1,"2",]`, ` "a" `, `"a`, `\"a"`, `{"a":tr"u"e}`,
	} {
		f.Add([]byte(s))
	}
	var buf []byte
	f.Fuzz(func(t *testing.T, data []byte) {
		var got bool
		got, buf = validJSON(data, buf)
		if want := json.Valid(data); got != want {
			t.Errorf("validJSON(%q) = %v, json.Valid says %v", data, got, want)
		}
	})
}
