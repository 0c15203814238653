package policy_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"selffix/pipeline/policy"
)

func TestSchemaFile(t *testing.T) {
	schema, err := policy.Schema()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "../../docs/policy.schema.json", string(schema))
}

func TestReferencePage(t *testing.T) {
	page := policy.Reference()
	golden(t, "../../docs/policy.md", page)
	for _, k := range policy.Keys() {
		if !strings.Contains(page, "`"+k.Path+"`") {
			t.Errorf("%s is not described", k.Path)
		}
	}
}

func TestExplainSeed(t *testing.T) {
	p, err := policy.Load(seedFile)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/explain.txt", policy.Bound(p)+"\n"+strings.Join(policy.Warnings(p), "\n")+"\n"+policy.Explain(p))
	if text := policy.Explain(p); slices.ContainsFunc(policy.Keys(), func(k policy.Key) bool { return !strings.Contains(text, k.Allows[:10]) }) {
		t.Error("a key is not explained")
	}
}

func TestWarnings(t *testing.T) {
	for _, tt := range []struct{ old, with, want string }{
		{"enabled: true", "enabled: false", "enabled: the policy is disabled"},
		{"sandbox: false", "sandbox: true", "sandbox: loopback hosts"},
		{"accept_branch_writers: true", "accept_branch_writers: true", "can forge the review status"},
		{"- packages/web/src/lib/env.ts", "- package/web/src/lib/env.ts", `"package/web/src/lib/env.ts" lies below no root`},
		{"- packages/web/src/db", "- packages/db", `paths.security_folders: "packages/db" lies below no root`},
		{"    - packages/web/src/pages", "    - pages", `paths.app_folders: "pages" lies below no root`},
		{"per_day: 6", "per_day: 1", "attempts.per_pull_request: more than"},
	} {
		p, err := policy.Parse([]byte(edited(t, tt.old, tt.with)))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(policy.Warnings(p), func(w string) bool { return strings.Contains(w, tt.want) }) {
			t.Errorf("%s: got %q, want %q", tt.with, policy.Warnings(p), tt.want)
		}
	}
	p, err := policy.Parse([]byte(edited(t, "accept_branch_writers: true", "app_id: 7")))
	if err != nil || len(policy.Warnings(p)) != 0 {
		t.Errorf("a policy with an app: got %v, %q", err, policy.Warnings(p))
	}
}

// TestSchemaAgrees judges the seed's policy, and some that are not valid, by the schema as an editor would.
func TestSchemaAgrees(t *testing.T) {
	text, err := policy.Schema()
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		policy string
		valid  bool
	}{
		{seedText(t), true},
		{edited(t, "enabled: true", "Enabled: true"), false},
		{edited(t, "  id: 1001\n", ""), false},
		{edited(t, "changed_lines: 200", "changed_lines: 0"), false},
		{edited(t, "changed_lines: 200", "changed_lines: 2001"), false},
		{edited(t, "[.ts, .tsx, .css]", "[]"), false},
		{edited(t, "[.ts, .tsx, .css]", "[.js]"), false},
		{edited(t, "window: 2h", "window: two hours"), false},
		{edited(t, "input: 6", "input: 0"), false},
		{edited(t, "words: [serverEnv,", "words: [-process,"), false},
	} {
		var value any
		if err := yaml.Unmarshal([]byte(tt.policy), &value); err != nil {
			t.Fatal(err)
		}
		if got := fits(schema, value); got != tt.valid {
			t.Errorf("fits = %v, want %v:\n%s", got, tt.valid, tt.policy[:200])
		}
	}
}

// fits reports whether a value fits the parts of JSON Schema that policy.Schema uses.
func fits(schema map[string]any, value any) bool {
	switch schema["type"] {
	case "object":
		return fitsObject(schema, value)
	case "array":
		list, ok := value.([]any)
		return ok && len(list) >= int(schema["minItems"].(float64)) && len(list) <= int(schema["maxItems"].(float64)) &&
			!slices.ContainsFunc(list, func(v any) bool { return !fits(schema["items"].(map[string]any), v) })
	case "string":
		text, ok := value.(string)
		pattern, _ := schema["pattern"].(string)
		enum, limited := schema["enum"].([]any)
		return ok && text != "" && regexp.MustCompile(pattern).MatchString(text) && (!limited || slices.Contains(enum, any(text)))
	case "boolean":
		_, ok := value.(bool)
		return ok
	case "integer":
		n, ok := value.(int)
		return ok && float64(n) >= schema["minimum"].(float64) && float64(n) <= schema["maximum"].(float64)
	case "number":
		n, ok := value.(float64)
		if i, whole := value.(int); whole {
			n, ok = float64(i), true
		}
		return ok && n > schema["exclusiveMinimum"].(float64) && n <= schema["maximum"].(float64)
	}
	return false
}

func fitsObject(schema map[string]any, value any) bool {
	object, ok := value.(map[string]any)
	properties := schema["properties"].(map[string]any)
	if !ok || schema["additionalProperties"] != false {
		return false
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := object[name.(string)]; !ok {
			return false
		}
	}
	for name, v := range object {
		property, known := properties[name].(map[string]any)
		if !known || !fits(property, v) {
			return false
		}
	}
	return true
}

// TestHeadings holds the reference page to one heading a key.
func TestHeadings(t *testing.T) {
	page, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(page), "\n### "); n != len(policy.Keys()) {
		t.Errorf("%d headings for %d keys", n, len(policy.Keys()))
	}
}
