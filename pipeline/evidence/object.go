package evidence

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"selffix/internal/strictjson"
)

// object is one JSON object whose keys are looked up letter for letter: encoding/json would match them in
// any case, so that "targeturl" could stand for "targetUrl".
type object map[string]json.RawMessage

// readObject reads one bounded regular file with one JSON object. Keys beyond those that are looked up are
// allowed, since the bot adds some; duplicates at any depth are not.
func readObject(name string, limit int64) (object, error) {
	data, err := readFile(name, limit)
	if err != nil {
		return nil, err
	}
	var o object
	if err := decode(data, &o); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrReport, base(name), err)
	}
	return o, nil
}

// decode reads any JSON value without duplicate keys. Scan holds keys below a free one to that rule only.
func decode(data []byte, v any) error {
	whole := slices.Concat([]byte(`{"value":`), data, []byte("}"))
	if err := strictjson.Scan(whole, strictjson.Object, "value"); err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

// readFile reads a regular file: no link, no FIFO.
func readFile(name string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %s is not there, or cannot be opened", ErrReport, base(name))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is no regular file", ErrReport, base(name))
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrReport, err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%w: %s has more than %d bytes", ErrTooLarge, base(name), limit)
	}
	return data, nil
}

// text is the string under a key; "" for null, absent, or another type.
func (o object) text(key string) string {
	var s string
	if json.Unmarshal(o[key], &s) != nil {
		return ""
	}
	return s
}

// number is the whole number under a key as text; "" for anything else.
func (o object) number(key string) string {
	var n *int
	if json.Unmarshal(o[key], &n) != nil || n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}

// object is the object under a key; nil for anything else.
func (o object) object(key string) object {
	var inner object
	if json.Unmarshal(o[key], &inner) != nil {
		return nil
	}
	return inner
}
