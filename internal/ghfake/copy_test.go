package ghfake

import (
	"reflect"
	"testing"
	"time"
)

// TestCopySharesNothing fills every field of the state and looks for memory that original and copy share, so that a
// field added later is not forgotten.
func TestCopySharesNothing(t *testing.T) {
	original := new(state)
	fill(reflect.ValueOf(original).Elem())
	copied := copyState(original)
	if !reflect.DeepEqual(original, copied) {
		t.Error("the copy differs from the original")
	}
	shared(t, "state", reflect.ValueOf(original).Elem(), reflect.ValueOf(copied).Elem())
}

// fill puts one element into every list, map and pointer.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key)
		fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	}
}

func shared(t *testing.T, path string, a, b reflect.Value) {
	t.Helper()
	switch a.Kind() {
	case reflect.Pointer:
		if a.Pointer() == b.Pointer() {
			t.Errorf("%s is shared", path)
			return
		}
		shared(t, path, a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Pointer() == b.Pointer() {
			t.Errorf("%s is shared", path)
			return
		}
		shared(t, path+"[]", a.Index(0), b.Index(0))
	case reflect.Map:
		if a.Pointer() == b.Pointer() {
			t.Errorf("%s is shared", path)
			return
		}
		for _, key := range a.MapKeys() {
			shared(t, path+"[]", a.MapIndex(key), b.MapIndex(key))
		}
	case reflect.Struct:
		if a.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range a.NumField() {
			shared(t, path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))
		}
	}
}
