package demo

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the template
	"encoding/base64"
	"fmt"
	"html/template"

	"selffix/internal/visible"
	"selffix/pipeline"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

// sheet is what the template sees.
type sheet struct {
	Policy  string // the content policy
	Style   template.CSS
	Report  Report
	Plays   []playSheet
	Picture Picture
}

type playSheet struct {
	Play
	Detail
}

// HTML returns the page as one file. Nothing in it runs and nothing is loaded: the content policy allows one style
// sheet, by its hash. Every text is escaped by html/template for the place where it stands, file names and rule messages
// above all, which a pull request and a model choose.
func (p Page) HTML() ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{"visible": visible.String, "list": list}).Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("make the page: %w", err)
	}
	sum := sha256.Sum256([]byte(pageStyle))
	s := sheet{
		Policy: "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
		Style:  template.CSS(pageStyle), // the file beside this one
		Report: p.Report, Picture: Draw(pipeline.Loop(pipeline.ReviewByToken)),
	}
	for i, play := range p.Report.Plays {
		s.Plays = append(s.Plays, playSheet{Play: play, Detail: p.detail(i)})
	}
	var out bytes.Buffer
	if err := t.Execute(&out, s); err != nil {
		return nil, fmt.Errorf("make the page: %w", err)
	}
	return out.Bytes(), nil
}

func (p Page) detail(i int) Detail {
	if i < len(p.Details) {
		return p.Details[i]
	}
	return Detail{}
}
