package strictjson_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"selffix/internal/strictjson"
)

func TestScan(t *testing.T) {
	wide := func(n int, last string) string {
		var b strings.Builder
		b.WriteString("{")
		for i := range n {
			fmt.Fprintf(&b, `"k%d":1,`, i)
		}
		return b.String() + `"` + last + `":1}`
	}
	tests := []struct {
		name, doc string
		kind      strictjson.Kind
		want      error
	}{
		{"object", `{"a":{"b":[1,"x",true,-2.5e3]},"c":null}`, strictjson.Object, nil},
		{"array", " [ {\"a\" : 1 } , {} , [] ] \n", strictjson.Array, nil},
		{"nothing", "", strictjson.Object, strictjson.ErrEmpty},
		{"blank", " \r\n\t", strictjson.Array, strictjson.ErrEmpty},
		{"null", "null", strictjson.Object, strictjson.ErrKind},
		{"object for array", "{}", strictjson.Array, strictjson.ErrKind},
		{"array for object", "[]", strictjson.Object, strictjson.ErrKind},
		{"html", "<html>", strictjson.Object, strictjson.ErrKind},
		{"cut short", `{"a":[1`, strictjson.Object, strictjson.ErrSyntax},
		{"junk after", `[]junk`, strictjson.Array, strictjson.ErrSyntax},
		{"two values", `[] []`, strictjson.Array, strictjson.ErrSyntax},
		{"html after", `{}<html>`, strictjson.Object, strictjson.ErrSyntax},
		{"broken utf-8", "{\"a\":\"\xff\"}", strictjson.Object, strictjson.ErrSyntax},
		{"duplicate", `{"a":1,"b":2,"a":3}`, strictjson.Object, strictjson.ErrDuplicate},
		{"duplicate below", `[{"x":{"a":1,"a":1}}]`, strictjson.Array, strictjson.ErrDuplicate},
		{"duplicate among many", wide(100, "k7"), strictjson.Object, strictjson.ErrDuplicate},
		{"many", wide(100, "last"), strictjson.Object, nil},
		{"duplicate among very many", wide(5000, "k7"), strictjson.Object, strictjson.ErrDuplicate},
		{"late duplicate among very many", wide(5000, "k4999"), strictjson.Object, strictjson.ErrDuplicate},
		{"very many", wide(5000, "last"), strictjson.Object, nil},
		{"the same keys in sisters and children", `[{"a":{"a":{"b":1},"b":1},"b":[{"a":1}]},{"a":1,"b":1}]`, strictjson.Array, nil},
		{"duplicate after a child with it", `{"a":{"b":1},"b":2,"a":3}`, strictjson.Object, strictjson.ErrDuplicate},
		{"other case", `{"Total_Count":1}`, strictjson.Object, strictjson.ErrKey},
		{"long s folds", `{"` + "\u017f" + `tate":1}`, strictjson.Object, strictjson.ErrKey},
		{"escaped key", `{"st\u0061te":1}`, strictjson.Object, strictjson.ErrKey},
		{"null in array", `{"a":[null]}`, strictjson.Object, strictjson.ErrNull},
		{"null later in array", `[1, null]`, strictjson.Array, strictjson.ErrNull},
		{"time as number", `{"created_at":0}`, strictjson.Object, strictjson.ErrTime},
		{"date as number", `{"date":1700000000}`, strictjson.Object, strictjson.ErrTime},
		{"free part", `{"payload":{"Any":[null],"created_at":3}}`, strictjson.Object, nil},
		{"duplicate in free part", `{"payload":{"\u0041":1,"A":1}}`, strictjson.Object, strictjson.ErrDuplicate},
		{"deep", strings.Repeat("[", 100) + strings.Repeat("]", 100), strictjson.Array, strictjson.ErrDepth},
		{"braces in strings", `{"a":"}{][\"\\","b":"null,"}`, strictjson.Object, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := strictjson.Scan([]byte(tt.doc), tt.kind, "payload"); !errors.Is(err, tt.want) {
				t.Errorf("Scan = %v, want %v", err, tt.want)
			}
		})
	}
}

type inner struct {
	N int `json:"n"`
}

type doc struct {
	Name  string    `json:"name"`
	At    time.Time `json:"at"`
	Items []inner   `json:"items"`
	More  *inner    `json:"more,omitempty"`
}

func TestUnmarshal(t *testing.T) {
	const at = `"at":"2026-01-02T03:04:05Z"`
	tests := []struct {
		name, doc string
		want      error
	}{
		{"whole", `{"name":"",` + at + `,"items":[{"n":0}],"more":{"n":1}}`, nil},
		{"without the optional", `{"name":"x",` + at + `,"items":[]}`, nil},
		{"unknown", `{"name":"x",` + at + `,"items":[],"extra":1}`, strictjson.ErrUnknown},
		{"unknown below", `{"name":"x",` + at + `,"items":[{"n":1,"m":1}]}`, strictjson.ErrUnknown},
		{"missing", `{"name":"x","items":[]}`, strictjson.ErrMissing},
		{"missing below", `{"name":"x",` + at + `,"items":[{}]}`, strictjson.ErrMissing},
		{"null", `{"name":null,` + at + `,"items":[]}`, strictjson.ErrMissing},
		{"null optional", `{"name":"x",` + at + `,"items":[],"more":null}`, strictjson.ErrMissing},
		{"duplicate", `{"name":"x","name":"x",` + at + `,"items":[]}`, strictjson.ErrDuplicate},
		{"wrong type", `{"name":1,` + at + `,"items":[]}`, strictjson.ErrKind},
		{"items not an array", `{"name":"x",` + at + `,"items":{}}`, strictjson.ErrKind},
		{"fraction", `{"name":"x",` + at + `,"items":[{"n":1.5}]}`, strictjson.ErrKind},
		{"time of another form", `{"name":"x","at":"yesterday","items":[]}`, strictjson.ErrKind},
		{"trailing", `{"name":"x",` + at + `,"items":[]} {}`, strictjson.ErrSyntax},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d doc
			if err := strictjson.Unmarshal([]byte(tt.doc), &d); !errors.Is(err, tt.want) {
				t.Errorf("Unmarshal = %v, want %v", err, tt.want)
			}
		})
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":null}]}`, `[]`, `{"A":1}`, `[[[[`, `{"a":"\"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = strictjson.Scan(data, strictjson.Object) // must return: no panic, no endless loop
		_ = strictjson.Scan(data, strictjson.Array, "a")
	})
}

func BenchmarkScan(b *testing.B) {
	data := []byte("[" + strings.Repeat(`{"id":12345,"name":"x","created_at":"2026-01-02T03:04:05Z","user":{"id":1,"login":"a"}},`, 5000) + "{}]")
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if err := strictjson.Scan(data, strictjson.Array); err != nil {
			b.Fatal(err)
		}
	}
}
