package contract

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// description is GitHub's, cut down, with a matcher for its paths: its {ref} and {path} hold slashes, which common routers
// do not match.
type description struct {
	doc   *openapi3.T
	paths []pathMatcher
}

type pathMatcher struct {
	path  string
	re    *regexp.Regexp
	names []string
}

func loadDescription(t testing.TB) *description {
	t.Helper()
	raw, err := os.ReadFile("testdata/github.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		t.Fatal(err)
	}
	d := &description{doc: doc}
	parameter := regexp.MustCompile(`\{(\w+)\}`)
	for path := range doc.Paths.Map() {
		m := pathMatcher{path: path}
		expr := regexp.QuoteMeta(path)
		expr = strings.NewReplacer(`\{`, "{", `\}`, "}").Replace(expr)
		expr = parameter.ReplaceAllStringFunc(expr, func(s string) string {
			name := strings.Trim(s, "{}")
			m.names = append(m.names, name)
			if name == "path" || (name == "ref" && strings.Contains(path, "/git/")) {
				return "(.+)"
			}
			return "([^/]+)"
		})
		m.re = regexp.MustCompile("^" + expr + "$")
		d.paths = append(d.paths, m)
	}
	return d
}

// find gives the operation of a request and the values of its path.
func (d *description) find(r *http.Request) (*routers.Route, map[string]string, error) {
	for _, m := range d.paths {
		found := m.re.FindStringSubmatch(r.URL.Path)
		if found == nil {
			continue
		}
		item := d.doc.Paths.Value(m.path)
		op := item.GetOperation(r.Method)
		if op == nil {
			continue
		}
		values := map[string]string{}
		for i, name := range m.names {
			values[name] = found[i+1]
		}
		return &routers.Route{Spec: d.doc, Path: m.path, PathItem: item, Method: r.Method, Operation: op}, values, nil
	}
	return nil, nil, fmt.Errorf("GitHub's description has no operation for %s %s", r.Method, r.URL.Path)
}

// check validates a request and its answer.
func (d *description) check(req *http.Request, body []byte, resp *http.Response, answer []byte) error {
	route, values, err := d.find(req)
	if err != nil {
		return err
	}
	asked := req.Clone(req.Context())
	asked.Body = io.NopCloser(bytes.NewReader(body))
	// The description declares "created" a date-time; the documentation allows ">=" and ranges in it.
	query := asked.URL.Query()
	query.Del("created")
	asked.URL.RawQuery = query.Encode()
	options := &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}
	in := &openapi3filter.RequestValidationInput{Request: asked, PathParams: values, Route: route, Options: options}
	if err := openapi3filter.ValidateRequest(req.Context(), in); err != nil {
		return fmt.Errorf("request of %s %s: %w", req.Method, route.Path, err)
	}
	out := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: resp.StatusCode, Header: resp.Header, Options: options}
	out.SetBodyBytes(answer)
	if err := openapi3filter.ValidateResponse(req.Context(), out); err != nil {
		return fmt.Errorf("answer of %s %s (%d): %w", req.Method, route.Path, resp.StatusCode, err)
	}
	return nil
}
