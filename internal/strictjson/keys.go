package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// manyKeys is where an object's keys move from a list to a map: GitHub's objects have under 100, a hostile one may
// have as many as fit.
const manyKeys = 256

// hashed is a key with a hash, so that comparing it with all others of its object is cheap.
type hashed struct {
	hash uint64
	key  []byte
}

// keys are the keys of the objects that are open, one after the other on one stack, so that an answer of many
// small objects allocates nothing for each.
type keys struct{ stack []hashed }

// object is the set of keys of one object: the stack from base on.
type object struct {
	base int
	many map[string]struct{}
}

func (k *keys) open() object { return object{base: len(k.stack)} }

func (k *keys) close(o object) { k.stack = k.stack[:o.base] }

// add reports whether key is new in o.
func (k *keys) add(o *object, key []byte) bool {
	if o.many != nil {
		if _, dup := o.many[string(key)]; dup {
			return false
		}
		o.many[string(key)] = struct{}{}
		return true
	}
	h := hash(key)
	own := k.stack[o.base:]
	for i := range own {
		if own[i].hash == h && bytes.Equal(own[i].key, key) {
			return false
		}
	}
	k.stack = append(k.stack, hashed{h, key})
	if len(own) < manyKeys {
		return true
	}
	o.many = make(map[string]struct{}, 2*manyKeys)
	for _, have := range k.stack[o.base:] {
		o.many[string(have.key)] = struct{}{}
	}
	return true
}

// hash is FNV-1a. Equal hashes are compared by their keys, so a collision costs time alone, and at most manyKeys
// comparisons.
func hash(key []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range key {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
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
