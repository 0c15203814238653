package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Unmarshal decodes data, one JSON object, into the struct that v points to. Beyond [Scan] it refuses a
// key that v has no field for, and a missing or null key for every field without "omitempty": a zero value in
// v is then a value that the document states.
func Unmarshal(data []byte, v any) error {
	if err := Scan(data, Object); err != nil {
		return err
	}
	t := reflect.TypeOf(v)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("%w: the target must point to a struct", ErrKind)
	}
	if err := present(data, t.Elem(), "", 0); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return decodeError(err)
	}
	return nil
}

// decodeError keeps the document's own text out of the message.
func decodeError(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Errorf("%w: %q holds a %s", ErrKind, kind.Field, strings.Fields(kind.Value + " value")[0])
	}
	return fmt.Errorf("%w: a field has an unexpected value", ErrKind)
}

var timeType = reflect.TypeFor[time.Time]()

// present walks t beside data: every key must have a field, every field without omitempty a key.
func present(data []byte, t reflect.Type, at string, depth int) error {
	if depth > MaxDepth {
		return fmt.Errorf("%w: more than %d levels", ErrDepth, MaxDepth)
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == timeType:
		return nil
	case t.Kind() == reflect.Struct:
		return presentObject(data, t, at, depth)
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		var items []json.RawMessage
		if json.Unmarshal(data, &items) != nil {
			return fmt.Errorf("%w: %s is not an array", ErrKind, at)
		}
		for _, item := range items {
			if err := present(item, t.Elem(), at+"[]", depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func presentObject(data []byte, t reflect.Type, at string, depth int) error {
	var have map[string]json.RawMessage
	if json.Unmarshal(data, &have) != nil || have == nil {
		return fmt.Errorf("%w: %s is not an object", ErrKind, name(at))
	}
	known := 0
	for i := range t.NumField() {
		key, optional := fieldKey(t.Field(i))
		if key == "" {
			continue
		}
		raw, ok := have[key]
		if !ok && optional {
			continue
		}
		if !ok || string(bytes.TrimSpace(raw)) == "null" {
			return fmt.Errorf("%w: %s", ErrMissing, strings.TrimPrefix(at+"."+key, "."))
		}
		known++
		if err := present(raw, t.Field(i).Type, at+"."+key, depth+1); err != nil {
			return err
		}
	}
	if known != len(have) {
		return fmt.Errorf("%w: in %s", ErrUnknown, name(at))
	}
	return nil
}

func fieldKey(f reflect.StructField) (key string, optional bool) {
	key, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
	if key == "-" || !f.IsExported() {
		return "", false
	}
	if key == "" {
		key = f.Name
	}
	return key, strings.Contains(rest, "omitempty") || strings.Contains(rest, "omitzero")
}

func name(at string) string {
	if at == "" {
		return "the document"
	}
	return strings.TrimPrefix(at, ".")
}
