package source

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Dialect is the language of a file. The zero value is none.
type Dialect uint8

// The dialects. A .ts file may not hold JSX, and in a .tsx file <T>x is no cast: one text can mean different things.
const (
	TypeScript Dialect = iota + 1
	TSX
)

// DialectOf is the dialect of a file by its name, or 0.
func DialectOf(name string) Dialect {
	switch strings.ToLower(path.Ext(name)) {
	case ".ts":
		return TypeScript
	case ".tsx":
		return TSX
	}
	return 0
}

// What JSX becomes. Files that hold these names themselves are refused.
const (
	jsxCall     = "$jsx__"
	jsxFragment = "$frag__"
)

// form is one of the two normal forms.
type form uint8

const (
	plain  form = iota + 1
	folded      // constants joined, dead code gone, every bound name shortened
)

var errTaken = errors.New("a name that the reader uses itself")

// arrows says what becomes of arrow functions.
type arrows uint8

const (
	kept    arrows = iota + 1
	lowered        // written as functions: the tree parser does not know ({ a } = { a: 1 }) => a
)

// normalise returns the text in one form, with esbuild's source map.
func normalise(text string, d Dialect, f form, a arrows) (code, sourceMap []byte, err error) {
	if strings.Contains(text, jsxCall) || strings.Contains(text, jsxFragment) {
		return nil, nil, errTaken
	}
	o := api.TransformOptions{
		Loader:         api.LoaderTS,
		Target:         api.ESNext,
		Charset:        api.CharsetUTF8,
		LegalComments:  api.LegalCommentsNone,
		LogLevel:       api.LogLevelSilent,
		LogLimit:       1,
		JSX:            api.JSXTransform,
		JSXFactory:     jsxCall,
		JSXFragment:    jsxFragment,
		Sourcemap:      api.SourceMapExternal,
		SourcesContent: api.SourcesContentExclude,
		// An import that is not used vanishes without the first; a pragma cannot choose another JSX runtime.
		TsconfigRaw: `{"compilerOptions":{"verbatimModuleSyntax":true,"experimentalDecorators":true}}`,
	}
	if d == TSX {
		o.Loader = api.LoaderTSX
	}
	if a == lowered {
		o.Supported = map[string]bool{"arrow": false}
	}
	if f == folded {
		o.MinifySyntax, o.MinifyIdentifiers, o.Format = true, true, api.FormatESModule
	}
	// The last line makes every file a module: strict, as the bundler treats it, with all names its own.
	r := api.Transform(text+"\nexport {};\n", o)
	if len(r.Errors) > 0 {
		return nil, nil, firstPlace(r.Errors[0])
	}
	return r.Code, r.Map, nil
}

// firstPlace is esbuild's first error without the text of the line that it quotes.
func firstPlace(m api.Message) error {
	if m.Location == nil {
		return errors.New("esbuild cannot read it")
	}
	return fmt.Errorf("esbuild cannot read line %d, column %d", m.Location.Line, m.Location.Column+1)
}
