package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"selffix/internal/lazyregexp"
)

// place is where a key or value stands in the file.
type place struct{ line, column int }

// reader walks the nodes of one policy. It collects all faults and never stops at the first.
type reader struct {
	policy Policy
	faults Faults
	places map[string]place // of every key's value and every list item that was read
}

func (r *reader) fault(at place, key string, reason error, format string, args ...any) {
	r.faults = append(r.faults, &Fault{
		Line: at.line, Column: at.column, Key: key, Reason: reason, Message: fmt.Sprintf(format, args...),
	})
}

func placeOf(n *yaml.Node) place { return place{n.Line, n.Column} }

// plain refuses the parts of YAML by which a file can say something else than it seems to: anchors, aliases
// and tags, wherever they stand.
func (r *reader) plain(n *yaml.Node) {
	if n.Anchor != "" || n.Kind == yaml.AliasNode {
		r.fault(placeOf(n), "", ErrSyntax, "anchors and aliases are not taken; write the value out")
	}
	if n.Style&yaml.TaggedStyle != 0 {
		r.fault(placeOf(n), "", ErrSyntax, "tags such as %s are not taken; write the plain value", quote(n.Tag))
	}
	for _, c := range n.Content {
		r.plain(c)
	}
}

// section reads the mapping called name ("" is the whole file) with all keys below it.
func (r *reader) section(n *yaml.Node, name string, keys []Key) {
	names, groups := grouped(name, keys)
	values, ok := r.mapping(n, name, names)
	if !ok {
		return
	}
	for _, short := range names {
		group := groups[short]
		full := join(name, short)
		single := group[0].Path == full
		value, given := values[short]
		switch {
		case given && single:
			r.value(value, group[0])
		case given:
			r.section(value, full, group)
		case single && !group[0].Optional:
			r.fault(r.placeOr(name), full, ErrMissing, "want %s", group[0].Want)
		case slices.ContainsFunc(group, func(k Key) bool { return !k.Optional }):
			_, inner := grouped(full, group)
			r.fault(r.placeOr(name), full, ErrMissing, "want a mapping with the keys %s", required(full, group, inner))
		}
	}
}

// grouped sorts keys by the next part of their path below the section called name.
func grouped(name string, keys []Key) (names []string, groups map[string][]Key) {
	groups = map[string][]Key{}
	for _, k := range keys {
		short, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(k.Path, name), "."), ".")
		if groups[short] == nil {
			names = append(names, short)
		}
		groups[short] = append(groups[short], k)
	}
	return names, groups
}

// required names the parts of a section that may not be left out.
func required(name string, keys []Key, groups map[string][]Key) string {
	names, _ := grouped(name, keys)
	must := slices.DeleteFunc(names, func(short string) bool {
		return !slices.ContainsFunc(groups[short], func(k Key) bool { return !k.Optional })
	})
	return strings.Join(must, ", ")
}

func join(parent, name string) string { return strings.TrimPrefix(parent+"."+name, ".") }

// placeOr is where a key stands, or the start of the file.
func (r *reader) placeOr(name string) place {
	if at, ok := r.places[name]; ok {
		return at
	}
	return place{1, 1}
}

// mapping returns the values of a mapping by key, and reports every key that is not in names or stands twice.
func (r *reader) mapping(n *yaml.Node, parent string, names []string) (map[string]*yaml.Node, bool) {
	if n.Kind == yaml.AliasNode {
		return nil, false // reported by plain
	}
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		reason := ErrType
		if n.Tag == "!!null" {
			reason = ErrMissing
		}
		r.fault(placeOf(n), parent, reason, "want a mapping with the keys %s, got %s", strings.Join(names, ", "), kindOf(n))
		return nil, false
	}
	values := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		full := join(parent, key.Value)
		switch {
		case key.Kind != yaml.ScalarNode || !slices.Contains(names, key.Value):
			r.fault(placeOf(key), parent, ErrUnknownKey, "want one of %s, got %s", strings.Join(names, ", "), keyText(key))
		case values[key.Value] != nil:
			r.fault(placeOf(key), full, ErrDuplicate, "it stands on line %d already; take one out", r.places[full].line)
		default:
			values[key.Value] = value
			r.places[full] = placeOf(key)
		}
	}
	return values, true
}

func keyText(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return quote(n.Value)
	}
	return kindOf(n)
}

// value reads the value of one key into its field.
func (r *reader) value(n *yaml.Node, k Key) {
	if n.Kind == yaml.AliasNode {
		return
	}
	at := placeOf(n)
	r.places[k.Path] = at
	if list, ok := k.field(&r.policy).(*[]string); ok {
		*list = r.list(n, k)
		return
	}
	if n.Kind != yaml.ScalarNode {
		r.fault(at, k.Path, ErrType, "want %s, got %s", k.Want, kindOf(n))
		return
	}
	switch field := k.field(&r.policy).(type) {
	case *string:
		*field = r.text(n, k, k.Path)
	case *bool:
		*field = r.boolean(n, k)
	case *int:
		*field = int(r.whole(n, k))
	case *int64:
		*field = r.whole(n, k)
	case *float64:
		*field = r.amount(n, k)
	case *time.Duration:
		*field = r.duration(n, k)
	}
}

// list reads a list of texts: at least one, and none twice when compared without case unless the key says so.
func (r *reader) list(n *yaml.Node, k Key) []string {
	if n.Kind != yaml.SequenceNode {
		r.fault(placeOf(n), k.Path, ErrType, "want a list, each item %s, got %s", k.Want, kindOf(n))
		return nil
	}
	if len(n.Content) == 0 {
		r.fault(placeOf(n), k.Path, ErrValue, "want at least one item, got an empty list%s", orLeaveOut(k))
		return nil
	}
	if len(n.Content) > MaxItems {
		r.fault(placeOf(n), k.Path, ErrFloor, "want at most %d items, got %d", MaxItems, len(n.Content))
		return nil
	}
	var out []string
	seen := map[string]int{}
	for i, item := range n.Content {
		if item.Kind == yaml.AliasNode {
			continue
		}
		name := fmt.Sprintf("%s[%d]", k.Path, i)
		r.places[name] = placeOf(item)
		text := r.text(item, k, name)
		if text == "" {
			continue // a fault already
		}
		if line, ok := seen[strings.ToLower(text)]; ok && !k.Repeats {
			r.fault(placeOf(item), name, ErrDuplicate, "%s stands on line %d already; take one out", quote(text), line)
			continue
		}
		seen[strings.ToLower(text)] = item.Line
		out = append(out, text)
	}
	return out
}

func orLeaveOut(k Key) string {
	if k.Optional {
		return "; leave the key out for none"
	}
	return ""
}

// text reads one text and holds it to the key's form.
func (r *reader) text(n *yaml.Node, k Key, name string) string {
	at := placeOf(n)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
		r.fault(at, name, ErrType, "want %s, as text, got %s%s", k.Want, kindOf(n), quoteHint(n))
		return ""
	}
	if reason, err := k.judge(n.Value); err != nil {
		r.fault(at, name, err, "want %s, got %s%s", k.Want, quote(n.Value), reason)
		return ""
	}
	return n.Value
}

func quoteHint(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		return "; put it in double quotes"
	}
	return ""
}

// boolean takes "true" and "false" only: other spellings mean different things to different YAML readers.
func (r *reader) boolean(n *yaml.Node, k Key) bool {
	if n.Tag != "!!bool" || n.Value != "true" && n.Value != "false" {
		r.fault(placeOf(n), k.Path, ErrType, "want true or false, got %s", kindOf(n))
		return false
	}
	return n.Value == "true"
}

var (
	wholeForm  = lazyregexp.New(`^-?(0|[1-9][0-9]{0,17})$`)
	amountForm = lazyregexp.New(`^-?(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?$`)
)

// whole takes plain decimal numbers only: 010 is eight to one YAML reader and ten to another.
func (r *reader) whole(n *yaml.Node, k Key) int64 {
	if n.Tag != "!!int" || !wholeForm.MatchString(n.Value) {
		r.fault(placeOf(n), k.Path, ErrType, "want %s, in plain decimal digits, got %s", k.Want, kindOf(n))
		return 0
	}
	v, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil {
		r.fault(placeOf(n), k.Path, ErrValue, "want %s, got %s", k.Want, quote(n.Value))
		return 0
	}
	r.bounds(n, k, v, k.Min, k.Max)
	return v
}

func (r *reader) amount(n *yaml.Node, k Key) float64 {
	if n.Tag != "!!int" && n.Tag != "!!float" || !amountForm.MatchString(n.Value) {
		r.fault(placeOf(n), k.Path, ErrType, "want %s, in plain decimal digits, got %s", k.Want, kindOf(n))
		return 0
	}
	v, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || v <= 0 {
		r.fault(placeOf(n), k.Path, ErrValue, "want %s, got %s", k.Want, quote(n.Value))
		return 0
	}
	if v > float64(k.Max) {
		r.fault(placeOf(n), k.Path, ErrFloor, "want %s, got %s; the cap is code", k.Want, quote(n.Value))
	}
	return v
}

func (r *reader) duration(n *yaml.Node, k Key) time.Duration {
	v, err := time.ParseDuration(n.Value)
	if n.Tag != "!!str" || err != nil {
		r.fault(placeOf(n), k.Path, ErrType, "want %s, got %s", k.Want, kindOf(n))
		return 0
	}
	r.bounds(n, k, int64(v), k.Min, k.Max)
	return v
}

// bounds tells a value that means nothing (ErrValue) from one that is more than code allows (ErrFloor).
func (r *reader) bounds(n *yaml.Node, k Key, v, lo, hi int64) {
	if v < lo {
		r.fault(placeOf(n), k.Path, ErrValue, "want %s, got %s", k.Want, quote(n.Value))
	}
	if v > hi {
		r.fault(placeOf(n), k.Path, ErrFloor, "want %s, got %s; the cap is code", k.Want, quote(n.Value))
	}
}

// kindOf names a node for an error, with its text when it is a scalar.
func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode && len(n.Content) == 0:
		return "an empty mapping"
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "nothing"
	case n.Tag == "!!str":
		return "the text " + quote(n.Value)
	case n.Tag == "!!bool":
		return "the truth value " + quote(n.Value)
	case n.Tag == "!!int" || n.Tag == "!!float":
		return "the number " + quote(n.Value)
	}
	return quote(n.Value)
}
