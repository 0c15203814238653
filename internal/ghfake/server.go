package ghfake

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Options sets a server up. The zero value is useful: a folder of its own below the temporary one, and the system's clock.
type Options struct {
	Dir  string    // holds the bare repositories; "" makes one, which Close removes
	Now  time.Time // where the clock stands still; zero: it follows the system's
	Rate int       // requests an hour and token; 0 is 5,000
	// Public is the address that answers and Link headers name, for a client that reaches the server by another name
	// ([Server.Transport]). "" is URL.
	Public string
}

// Server is a GitHub on loopback. Its methods may be called from several goroutines.
type Server struct {
	Clock Clock
	URL   string // base of the API and of git alike, without a slash at the end

	public   string
	mu       sync.Mutex
	st       *state
	mark     *state
	version  int // of st: another number after every change
	versions int
	tokens   map[string]Token
	apps     map[int64]App
	gits     map[int64]*gitDir
	faults   []*armed
	log      []Request
	used     map[string]int
	issued   int
	rate     int
	dir      string
	ownDir   string
	backend  string
	mux      *http.ServeMux
	http     *http.Server
	finished chan struct{}
	stop     func() bool
	busy     sync.WaitGroup
	closed   bool
}

// Serve starts a GitHub on a free port of 127.0.0.1. It ends with ctx or with Close.
func Serve(ctx context.Context, o Options) (*Server, error) {
	backend, err := findBackend(ctx)
	if err != nil {
		return nil, err
	}
	s := &Server{
		st:     &state{LastID: 1000, Users: map[int64]User{}},
		tokens: map[string]Token{}, apps: map[int64]App{}, gits: map[int64]*gitDir{}, used: map[string]int{},
		rate: o.Rate, dir: o.Dir, public: o.Public, backend: backend, finished: make(chan struct{}),
	}
	if s.rate == 0 {
		s.rate = 5000
	}
	s.Clock.Set(o.Now)
	if s.dir == "" {
		s.dir, err = os.MkdirTemp("", "ghfake-")
		if err != nil {
			return nil, fmt.Errorf("ghfake: no folder for its repositories: %w", err)
		}
		s.ownDir = s.dir
	}
	s.dir, err = filepath.Abs(s.dir)
	if err != nil {
		return nil, fmt.Errorf("ghfake: folder of its repositories: %w", err)
	}
	bot := ActionsBot()
	s.st.Users[bot.ID] = bot
	s.apps[ActionsAppID] = App{ID: ActionsAppID, Slug: "github-actions", Bot: bot, Permissions: AllPermissions()}
	s.mux = s.routes()
	if err := s.listen(ctx); err != nil {
		return nil, errors.Join(err, s.removeDir())
	}
	return s, nil
}

func (s *Server) listen(ctx context.Context) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("ghfake: listen on loopback: %w", err)
	}
	s.URL = "http://" + l.Addr().String()
	if s.public == "" {
		s.public = s.URL
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() {
		defer close(s.finished)
		_ = s.http.Serve(l) // always ends with ErrServerClosed: nothing is lost
	}()
	s.stop = context.AfterFunc(ctx, func() { _ = s.http.Close() })
	return nil
}

// Close ends the server, its git processes, and removes the folder if Serve made it.
func (s *Server) Close() error {
	s.stop()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	err := s.http.Close()
	<-s.finished
	s.busy.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.gits {
		err = errors.Join(err, g.close())
	}
	return errors.Join(err, s.removeDir())
}

func (s *Server) removeDir() error {
	if s.ownDir == "" {
		return nil
	}
	return os.RemoveAll(s.ownDir)
}

// Checkpoint is the server's memory at one moment: everything but git objects, which are never lost.
type Checkpoint struct {
	st      *state
	version int
}

// Checkpoint copies the server's memory.
func (s *Server) Checkpoint() Checkpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Checkpoint{copyState(s.st), s.version}
}

// Restore brings the memory and the refs back to c, forgets injected faults and the request log, and stops serving an older copy.
func (s *Server) Restore(c Checkpoint) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, repo := range c.st.Repos {
		if now := s.st.repoByID(repo.ID); now != nil && maps.Equal(now.Refs, repo.Refs) {
			continue
		}
		if err := s.gits[repo.ID].setRefs(repo.Refs); err != nil {
			return err
		}
	}
	if s.version != c.version {
		s.st, s.version = copyState(c.st), c.version
	}
	s.faults, s.log = nil, nil
	s.used = map[string]int{}
	return nil
}

// change notes that the memory is about to be another one. The lock is held.
func (s *Server) change() {
	s.versions++
	s.version = s.versions
}

// Mark remembers the present as the copy that the [Stale] distortion answers from: what a lagging
// replica, a cache or a slow index would still say.
func (s *Server) Mark() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mark = copyState(s.st)
}

// repo finds a repository by "owner/name"; moved says that the name is an old one.
func (st *state) repo(full string) (found *repoState, moved bool) {
	for _, r := range st.Repos {
		if strings.EqualFold(r.fullName(), full) {
			return r, false
		}
		for _, old := range r.OldNames {
			if strings.EqualFold(old, full) {
				return r, true
			}
		}
	}
	return nil, false
}
