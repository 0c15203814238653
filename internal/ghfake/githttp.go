package ghfake

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// findBackend finds git's own server side, which is part of every full installation of git.
func findBackend(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "git", "--exec-path").Output()
	if err != nil {
		return "", fmt.Errorf("ghfake: git is needed: %w", err)
	}
	path := filepath.Join(strings.TrimSpace(string(out)), "git-http-backend")
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("ghfake: git's HTTP backend is needed: %w", err)
	}
	return path, nil
}

// recorder keeps an answer for faults to work on.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) { r.status = status }

func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

// credential finds the token of a request of the API (Bearer) or of git (Basic, any name).
func (s *Server) credential(r *http.Request) (Token, string, bool) {
	if _, password, ok := r.BasicAuth(); ok {
		t, known := s.lookup(password)
		return t, password, known
	}
	return s.bearer(r)
}

// git answers one request of git's smart protocol. Git runs outside the lock, so pushes race as they do
// on GitHub; what they changed is taken over after it.
func (s *Server) git(r *http.Request, route string, body []byte) Answer {
	s.mu.Lock()
	token, secret, known := s.credential(r)
	owner, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	name, service, _ := strings.Cut(rest, "/")
	repo, _ := s.st.repo(owner + "/" + strings.TrimSuffix(name, ".git"))
	var dir *gitDir
	private, full, id := false, "", int64(0)
	if repo != nil {
		dir, private, full, id = s.gits[repo.ID], repo.Private, repo.fullName(), repo.ID
	}
	s.mu.Unlock()

	writes := route == RoutePush || r.URL.Query().Get("service") == "git-receive-pack"
	need := "contents:read"
	if writes {
		need = "contents:write"
	}
	switch {
	case !known, secret == "" && (writes || private || repo == nil):
		a := plain(http.StatusUnauthorized, "Invalid username or token.")
		a.Header.Set("WWW-Authenticate", `Basic realm="GitHub"`)
		return a
	case repo == nil:
		return plain(http.StatusNotFound, "Repository not found.")
	case (writes || private) && (!token.reaches(id) || !token.Permissions.allows(need)):
		return plain(http.StatusForbidden, fmt.Sprintf("Permission to %s denied to %s.", full, token.User.Login))
	}
	a := s.runBackend(r, dir, service, body)
	a.Header.Set("Date", s.Clock.Now().Format(http.TimeFormat))
	if route == RoutePush {
		s.received(id, dir, token.User, body)
	}
	return a
}

func plain(status int, text string) Answer {
	return Answer{Status: status, Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte(text)}
}

// runBackend runs git http-backend. The body is whole: git sends pushes above 1 MiB in chunks, which
// net/http/cgi does not take.
func (s *Server) runBackend(r *http.Request, dir *gitDir, service string, body []byte) Answer {
	req := r.Clone(r.Context())
	req.URL.Path = "/" + filepath.Base(dir.path) + "/" + service
	req.URL.RawPath = ""
	req.ContentLength = int64(len(body))
	req.TransferEncoding = nil
	req.Header.Del("Authorization")
	out := &recorder{header: http.Header{}, status: http.StatusOK}
	(&cgi.Handler{
		Path: s.backend,
		Dir:  filepath.Dir(dir.path),
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(dir.path), "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=x-access-token",
			"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "HOME=" + filepath.Dir(dir.path), "LC_ALL=C", "PATH=" + os.Getenv("PATH")},
		Stderr: &bytes.Buffer{},
	}).ServeHTTP(out, req)
	return Answer{Status: out.status, Header: out.header, Body: out.body.Bytes()}
}

// received takes over what a push changed, as GitHub does after it: only the refs that this push named.
func (s *Server) received(id int64, dir *gitDir, by User, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &Repository{srv: s, id: id, git: dir}
	_ = r.moved(by, pushedRefs(body)...) // git failing here leaves the record behind its ref, which GitHub does too
}

// pushedRefs reads the commands of a push: pkt-lines "old new ref" up to the flush.
func pushedRefs(body []byte) []string {
	var refs []string
	for len(body) >= 4 {
		n, err := strconv.ParseInt(string(body[:4]), 16, 32)
		if err != nil || n < 4 || int(n) > len(body) {
			return refs
		}
		line, _, _ := strings.Cut(string(body[4:n]), "\x00")
		if f := strings.Fields(line); len(f) == 3 && len(f[0]) == len(zeroID) {
			refs = append(refs, f[2])
		}
		body = body[n:]
	}
	return refs
}
