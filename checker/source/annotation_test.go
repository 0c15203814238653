package source

import (
	"maps"
	"slices"
	"testing"
)

func TestNumbersIn(t *testing.T) {
	for text, want := range map[string][]string{
		"f(i: number, j?: number)":         {"i", "j"},
		"const n : number = 1;":            {"n"},
		"xs: number[], ys: number | null":  nil,
		"a: numbers, phonenumber: string":  nil,
		"number":                           nil,
		": number":                         nil,
		"(é: number)":                      {"é"},
		"x:\n  number;":                    {"x"},
		"type A = { [key: string]: number": nil,
	} {
		got := slices.Sorted(maps.Keys(numbersIn(text)))
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
