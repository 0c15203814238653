package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"selffix/internal/demo"
	"selffix/internal/demo/sandbox"
	"selffix/internal/play"
	"selffix/internal/tokens"
	"selffix/pipeline/fence"
	"selffix/pipeline/local"
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

// Run plays every play. One that ends otherwise than it must is an error, with the page as far as it came.
func Run(ctx context.Context, o Options) (demo.Page, error) {
	page := demo.Page{Report: demo.Report{Plays: []demo.Play{}}}
	v := demo.NewVoice(o.Out, o.Now)
	modules, err := install(ctx, o, v)
	if err != nil {
		return page, err
	}
	for _, s := range demo.Scripts() {
		v.Head(s.Title)
		act, err := o.play(ctx, s, v, modules)
		if act.Play.Name != "" {
			page.Add(act)
		}
		if err != nil {
			return page, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return page, nil
}

// play plays one play on a stage of its own, and holds it to what it wants.
func (o Options) play(ctx context.Context, s demo.Script, v *demo.Voice, modules string) (act demo.Act, err error) {
	p, err := sandbox.Load(o.Files, s.Name)
	if err != nil {
		return act, err
	}
	if !s.Real {
		o.Token = tokens.Token{}
	}
	st, err := newStage(ctx, o, v, p, modules)
	if err != nil {
		return act, err
	}
	defer func() { err = errors.Join(err, st.close()) }()
	opened, err := demo.Open(ctx, st.call)
	if err != nil {
		return act, err
	}
	if act, err = demo.Perform(ctx, st.stage(), opened); err != nil {
		return act, err
	}
	return act, errors.Join(demo.Hold(ctx, st.call, act.Play), st.nothingOutside())
}

// canary is what lies outside of the agent's checkout, and must stay there unread and unchanged.
const (
	canary     = "canary-4d1e of the machine"
	canaryName = "canary.txt"
)

// stage is one play laid out: the stand-ins, an interpreter, and a file of the machine.
type stage struct {
	o       Options
	voice   *demo.Voice
	modules string // the application's node_modules
	ip      *local.Interpreter
	call    demo.Caller
	serve   *sandbox.Server
	outside string // a folder of the machine that is none of the agent's
	next    int
}

// newStage lays everything out in the run folder of an interpreter, which a later run removes if this one is killed.
func newStage(ctx context.Context, o Options, v *demo.Voice, p play.Play, modules string) (*stage, error) {
	s := &stage{o: o, voice: v, modules: modules}
	if err := s.set(ctx, p); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *stage) set(ctx context.Context, p play.Play) error {
	secrets, err := s.secrets()
	if err != nil {
		return err
	}
	if s.ip, err = s.interpreter(secrets); err != nil {
		return err
	}
	if s.outside, err = s.ip.Folder("outside"); err != nil {
		return err
	}
	if err := write(filepath.Join(s.outside, canaryName), []byte(canary), 0o644); err != nil {
		return err
	}
	dir, err := s.ip.Folder("github")
	if err != nil {
		return err
	}
	so := sandbox.Options{Files: s.o.Files, Play: p, Dir: dir, Canary: canary, Listen: netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	if s.o.Token.Empty() {
		so.Paths = s.paths()
	}
	if s.serve, err = sandbox.Serve(ctx, so); err != nil {
		return err
	}
	s.call = sandbox.Client(s.serve.Control)
	return nil
}

// paths is how the scripted model names what the agent meets.
func (s *stage) paths() play.Paths {
	if s.ip.OwnRoot() {
		return play.StepPaths(s.outside)
	}
	return play.Paths{Checkout: ".", In: "../in", Outside: s.outside}
}

// close ends the stand-ins, then removes the run's folder.
func (s *stage) close() error {
	var err error
	if s.serve != nil {
		err = s.serve.Close()
	}
	if s.ip != nil {
		err = errors.Join(err, s.ip.Close())
	}
	return err
}

// nothingOutside looks for what was written outside of the checkout.
func (s *stage) nothingOutside() error {
	text, err := os.ReadFile(filepath.Join(s.outside, canaryName))
	if err != nil || string(text) != canary {
		return fmt.Errorf("%w: a file of the machine was changed (%v)", demo.ErrPlay, err)
	}
	if entries, err := os.ReadDir(s.outside); err != nil || len(entries) != 1 {
		return fmt.Errorf("%w: %d files lie outside of the checkout, want the canary alone (%v)", demo.ErrPlay, len(entries), err)
	}
	return nil
}

// write makes a file and the folders on the way to it.
func write(name string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("lay the stage out: %w", err)
	}
	if err := os.WriteFile(name, data, mode); err != nil {
		return fmt.Errorf("lay the stage out: %w", err)
	}
	return nil
}
