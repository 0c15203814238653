package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Schema is the JSON Schema (draft-07) of a policy file, for editors. It comes from the same table as the reader; the
// reader is stricter where a schema cannot say it: texts that are checked by code, and keys that must agree.
func Schema() ([]byte, error) {
	root := object("", Keys())
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = "The policy of self-fix (.github/self-fix.yaml)"
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return append(out, '\n'), nil
}

// object is the schema of one mapping.
func object(name string, keys []Key) map[string]any {
	names, groups := grouped(name, keys)
	properties := map[string]any{}
	required := []string{}
	for _, short := range names {
		group := groups[short]
		full := join(name, short)
		if group[0].Path == full {
			properties[short] = value(group[0])
		} else {
			properties[short] = object(full, group)
		}
		if slices.ContainsFunc(group, func(k Key) bool { return !k.Optional }) {
			required = append(required, short)
		}
	}
	out := map[string]any{"type": "object", "properties": properties, "additionalProperties": false, "minProperties": 1}
	if len(required) > 0 {
		out["required"] = required
	}
	if about := Sections()[name]; about != "" {
		out["description"] = about
	}
	return out
}

// value is the schema of one key.
func value(k Key) map[string]any {
	out := map[string]any{}
	switch k.field(new(Policy)).(type) {
	case *bool:
		out["type"] = "boolean"
	case *int, *int64:
		out["type"], out["minimum"], out["maximum"] = "integer", k.Min, k.Max
	case *float64:
		out["type"], out["exclusiveMinimum"], out["maximum"] = "number", 0, k.Max
	case *time.Duration:
		out["type"], out["pattern"] = "string", `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	case *string:
		out = text(k)
	case *[]string:
		out["type"], out["items"], out["minItems"], out["maxItems"], out["uniqueItems"] = "array", text(k), 1, MaxItems, !k.Repeats
	}
	out["description"] = strings.TrimSpace(k.Allows + " " + floorNote(k))
	return out
}

func text(k Key) map[string]any {
	out := map[string]any{"type": "string", "minLength": 1}
	if k.form != nil {
		out["pattern"] = k.form.String()
		if most := k.form.Most(); most > 0 {
			out["maxLength"] = most
		}
	}
	if k.oneOf != nil {
		out["enum"] = k.oneOf
	}
	return out
}

func floorNote(k Key) string {
	if k.Floor == "" {
		return ""
	}
	return "Floor: " + k.Floor
}
