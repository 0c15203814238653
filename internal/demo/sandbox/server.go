package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"selffix/internal/demo"
	"selffix/internal/ghfake"
	"selffix/internal/modelfake"
	"selffix/internal/play"
	"selffix/pipeline/policy"
)

// Repository is the one repository there is.
const Repository = "maintainer/app"

// The ports of stand-ins in a container of their own.
const (
	GitHubPort  = demo.GitHubPort
	ModelPort   = demo.ModelPort
	ControlPort = demo.ControlPort
)

// The names under which a step's container is bound to them.
const (
	GitHubAlias = demo.GitHubAlias
	ModelAlias  = demo.ModelAlias
)

// Ports says where to serve. Zero is a free port, which only a loopback address may have.
type Ports struct{ GitHub, Model, Control uint16 }

// FixedPorts are those of a container.
func FixedPorts() Ports { return Ports{GitHubPort, ModelPort, ControlPort} }

// Options are what stand-ins work with.
type Options struct {
	Files fs.FS     // testdata.Files: "app", "plays", "policy" and "demo"
	Play  play.Play //
	Dir   string    // for the repositories; empty
	// Paths is how the scripted model names paths of the agent's step. The zero value is a model that is not scripted: none
	// is served, and the policy keeps the real one's host.
	Paths  play.Paths
	Canary string // a text that the model must never be sent; "" is none
	Listen netip.Addr
	Ports  Ports
}

// Server is the stand-ins of one play.
type Server struct {
	GitHub  string // base URL as the policy names it
	Model   string // likewise; "" is the real one
	Control string // base URL of the control API, for a client on this machine

	o      Options
	gh     *ghfake.Server
	model  *modelfake.Server
	https  []*http.Server
	served sync.WaitGroup

	mu         sync.Mutex // one message at a time
	repo       *ghfake.Repository
	maintainer ghfake.User
	bot        ghfake.User
	pull       *ghfake.PullRequest
	tested     string
	runID      int64
	policy     policy.Policy
	policyText string
}

// Load reads the play of a demo called name.
func Load(files fs.FS, name string) (play.Play, error) {
	file := map[string]string{"repair": "plays/repair.json", "hijacked": "demo/hijacked.json"}[name]
	if file == "" {
		return play.Play{}, fmt.Errorf("no play %.40q: want repair or hijacked", name)
	}
	data, err := fs.ReadFile(files, file)
	if err != nil {
		return play.Play{}, err
	}
	return play.Parse(data)
}

// Serve starts the stand-ins. They end by Close.
func Serve(ctx context.Context, o Options) (*Server, error) {
	if !o.Listen.IsValid() || !o.Listen.IsLoopback() && (o.Ports.GitHub == 0 || o.Ports.Model == 0 || o.Ports.Control == 0) {
		return nil, errors.New("want an address to listen on, and fixed ports on any but a loopback one")
	}
	s := &Server{o: o}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) start(ctx context.Context) error {
	github, base, err := s.listen(ctx, s.o.Ports.GitHub, GitHubAlias)
	if err != nil {
		return err
	}
	s.GitHub = base
	if err := s.startGitHub(ctx, base); err != nil {
		return errors.Join(err, github.Close())
	}
	s.serve(github, sandboxOnly(s.gh))
	if s.o.Paths != (play.Paths{}) {
		if err := s.startModel(ctx); err != nil {
			return err
		}
	}
	if err := s.writePolicy(); err != nil {
		return err
	}
	if err := s.openPull(); err != nil {
		return err
	}
	control, base, err := s.listen(ctx, s.o.Ports.Control, GitHubAlias)
	if err != nil {
		return err
	}
	s.Control = base
	if !s.o.Listen.IsLoopback() {
		s.Control = fmt.Sprintf("http://127.0.0.1:%d", s.o.Ports.Control)
	}
	s.serve(control, sandboxOnly(s.controlAPI()))
	return nil
}

func (s *Server) startModel(ctx context.Context) error {
	script, err := s.o.Play.Script(s.o.Paths)
	if err != nil {
		return err
	}
	model, err := modelfake.New(modelfake.Options{Key: play.Token, Script: script})
	if err != nil {
		return err
	}
	l, base, err := s.listen(ctx, s.o.Ports.Model, ModelAlias)
	if err != nil {
		return err
	}
	s.model, s.Model = model, base
	s.serve(l, sandboxOnly(model))
	return nil
}

// listen opens a port, and says how the policy names it.
func (s *Server) listen(ctx context.Context, port uint16, alias string) (net.Listener, string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", netip.AddrPortFrom(s.o.Listen, port).String())
	if err != nil {
		return nil, "", fmt.Errorf("serve the stand-ins: %w", err)
	}
	if s.o.Listen.IsLoopback() {
		return l, "http://" + l.Addr().String(), nil
	}
	return l, fmt.Sprintf("http://%s:%d", alias, port), nil
}

func (s *Server) serve(l net.Listener, h http.Handler) {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	s.https = append(s.https, server)
	s.served.Add(1)
	go func() {
		defer s.served.Done()
		_ = server.Serve(l) // it ends by Close, and whoever asks sees what else ends it
	}()
}

// Close ends all of them.
func (s *Server) Close() error {
	var err error
	for _, h := range s.https {
		err = errors.Join(err, h.Close())
	}
	s.served.Wait()
	if s.gh != nil {
		err = errors.Join(err, s.gh.Close())
	}
	return err
}

// sandboxOnly refuses a request with a credential that is no sandbox's, so that none of it is kept or logged.
func sandboxOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if carriesOther(r) {
			http.Error(w, `a stand-in takes only a token that begins with "sandbox-"`, http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// carriesOther reports whether a request has a credential that does not begin as a sandbox's does.
func carriesOther(r *http.Request) bool {
	sandbox := func(secret string) bool { return strings.HasPrefix(secret, ghfake.SandboxPrefix) }
	for name, values := range r.Header {
		for _, v := range values {
			switch name {
			case "Authorization":
				if _, password, ok := r.BasicAuth(); ok && len(values) == 1 {
					if !sandbox(password) {
						return true
					}
					continue
				}
				kind, secret, _ := strings.Cut(v, " ")
				if !strings.EqualFold(kind, "bearer") && !strings.EqualFold(kind, "token") || !sandbox(secret) {
					return true
				}
			case "X-Api-Key":
				if !sandbox(v) {
					return true
				}
			case "Cookie", "Proxy-Authorization":
				return true
			}
		}
	}
	return r.URL.User != nil
}
