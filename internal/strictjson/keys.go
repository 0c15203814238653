package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// fewKeys is where an object's keys move from a list to a map: GitHub's objects are small, a hostile one is not.
const fewKeys = 24

// keys is the set of keys of one object.
type keys struct {
	few  [fewKeys][]byte
	n    int
	many map[string]struct{}
}

// add reports whether key is new.
func (k *keys) add(key []byte) bool {
	if k.many != nil {
		if _, dup := k.many[string(key)]; dup {
			return false
		}
		k.many[string(key)] = struct{}{}
		return true
	}
	for _, have := range k.few[:k.n] {
		if bytes.Equal(have, key) {
			return false
		}
	}
	if k.n < fewKeys {
		k.few[k.n] = key
		k.n++
		return true
	}
	k.many = make(map[string]struct{}, 2*fewKeys)
	for _, have := range k.few {
		k.many[string(have)] = struct{}{}
	}
	k.many[string(key)] = struct{}{}
	return true
}

// plain reports whether no letter of key folds to another spelling that encoding/json would match:
// ASCII without capitals. Outside ASCII, U+017F folds to "s" and U+212A to "k".
func plain(key []byte) bool {
	for _, c := range key {
		if c >= 0x80 || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

func isTime(key []byte) bool {
	return bytes.HasSuffix(key, []byte("_at")) || string(key) == "date" || string(key) == "timestamp"
}

func number(c byte) bool { return c == '-' || '0' <= c && c <= '9' }

func unescape(raw []byte) []byte {
	quoted := make([]byte, 0, len(raw)+2)
	quoted = append(append(append(quoted, '"'), raw...), '"')
	var out string
	if json.Unmarshal(quoted, &out) != nil {
		return raw
	}
	return []byte(out)
}

// cut shows a key in an error: quoted, and not longer than a name should be.
func cut(key []byte) string {
	const most = 40
	if len(key) > most {
		key = key[:most]
	}
	return fmt.Sprintf("%q", key)
}
