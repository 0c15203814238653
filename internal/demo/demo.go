package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	"selffix/internal/play"
	"selffix/internal/tokens"
	"selffix/pipeline/fence"
)

// Options are what a demo works with.
type Options struct {
	Worker  string       // this program; absolute
	Helper  fence.Helper // for the tests behind the fence
	Files   fs.FS        // testdata.Files: "app", "plays", "policy" and "demo"
	Cache   string       // as agent.CacheDir
	Token   tokens.Token // a real model token: the repair is then made by the policy's real model. Empty: the scripted one
	Offline bool         // bring nothing
	Getenv  func(string) string
	Out     io.Writer // how it goes, line by line
	Now     func() time.Time
}

// Page is all that a demo leaves.
type Page struct {
	Report  Report
	Details []Detail // one for each play of the report
}

// script is one play, by the file that holds it.
type script struct {
	file, title string
	real        bool // with a real model where one is given; a scripted model alone can be made to obey
}

func scripts() []script {
	return []script{
		{file: "plays/repair.json", title: "repair: a real bug, a real test run, a repair that a person reviews", real: true},
		{file: "demo/hijacked.json", title: "hijacked: the report holds instructions, and the model obeys them all"},
	}
}

// Run plays both plays. A play that ends otherwise than it must is an error, with the page as far as it came.
func Run(ctx context.Context, o Options) (Page, error) {
	page := Page{Report: Report{Plays: []Play{}}}
	v := newVoice(o.Out, o.Now)
	modules, err := install(ctx, o, v)
	if err != nil {
		return page, err
	}
	for _, s := range scripts() {
		v.head(s.title)
		e, err := s.play(ctx, o, v, modules)
		if e.play.Name != "" {
			page.Report.Plays, page.Details = append(page.Report.Plays, e.play), append(page.Details, e.detail)
		}
		if err != nil {
			return page, fmt.Errorf("%s: %w", path.Base(s.file), err)
		}
	}
	return page, nil
}

// play plays one file on a stage of its own, and holds it to what it wants.
func (s script) play(ctx context.Context, o Options, v *voice, modules string) (e ended, err error) {
	data, err := fs.ReadFile(o.Files, s.file)
	if err != nil {
		return e, err
	}
	p, err := play.Parse(data)
	if err != nil {
		return e, err
	}
	if !s.real {
		o.Token = tokens.Token{}
	}
	st, err := newStage(ctx, o, v, p, modules)
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	if e, err = st.run(ctx); err != nil {
		return e, err
	}
	return e, st.holds(e)
}
