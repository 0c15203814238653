package ghfake

import (
	"crypto/rsa"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// SandboxPrefix begins every token that a fake accepts or issues, so that a real one is never sent here
// and a made-up one never leaves.
const SandboxPrefix = "sandbox-"

// Ids that GitHub gives to the account and the app behind every workflow's own token.
const (
	ActionsBotID int64 = 41898282
	ActionsAppID int64 = 15368
)

// User is an account. The zero value is a deleted account, which GitHub renders as null.
type User struct {
	ID    int64
	Login string
	Type  string // "User", "Bot" or "Organization"
}

// ActionsBot is the account that a workflow's own token acts as.
func ActionsBot() User { return User{ID: ActionsBotID, Login: "github-actions[bot]", Type: "Bot"} }

// App is a GitHub App. Its installation tokens are asked for with a JWT signed by the key that PublicKey belongs to.
type App struct {
	ID             int64
	Slug           string
	InstallationID int64
	Bot            User
	Permissions    Permissions // the most that a token of its installation may hold
	PublicKey      *rsa.PublicKey
}

// Permissions maps a permission of GitHub's ("contents", "statuses", …) to "read" or "write".
type Permissions map[string]string

// Common sets of permissions, as a workflow's job would declare them.
func ReadPermissions() Permissions {
	return Permissions{"contents": "read", "pull_requests": "read", "issues": "read", "statuses": "read",
		"actions": "read", "deployments": "read", "metadata": "read"}
}

// WritePermissions is what a publisher's job declares beside reading.
func WritePermissions() Permissions {
	p := ReadPermissions()
	p["contents"], p["pull_requests"], p["statuses"] = "write", "write", "write"
	return p
}

// AllPermissions is what an administrator's own token holds.
func AllPermissions() Permissions {
	p := Permissions{}
	for _, name := range []string{"contents", "pull_requests", "issues", "statuses", "actions", "deployments",
		"metadata", "administration", "environments", "secrets"} {
		p[name] = "write"
	}
	return p
}

// allows reports whether p holds need, which is written "name:read" or "name:write"; alternatives are
// separated by "|".
func (p Permissions) allows(need string) bool {
	for _, one := range strings.Split(need, "|") {
		name, access, _ := strings.Cut(one, ":")
		if p[name] == "write" || (access == "read" && p[name] == "read") {
			return true
		}
	}
	return false
}

// Token is a credential: who acts, through which app, with which rights.
type Token struct {
	User         User
	AppID        int64 // 0: a person's own token
	Permissions  Permissions
	Repositories []int64   // ids that it is limited to; none: every one
	Expires      time.Time // zero: never
}

// reaches reports whether the token may see the repository at all.
func (t Token) reaches(id int64) bool {
	return len(t.Repositories) == 0 || slices.Contains(t.Repositories, id)
}

// AddToken makes secret act as t. A secret that does not begin with [SandboxPrefix] is refused.
func (s *Server) AddToken(secret string, t Token) error {
	if !strings.HasPrefix(secret, SandboxPrefix) || len(secret) == len(SandboxPrefix) {
		return fmt.Errorf("ghfake: a token must begin with %q and go on after it", SandboxPrefix)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[secret] = t
	return nil
}

// AddActionsToken makes secret a workflow's own token: github-actions[bot] with the given rights.
func (s *Server) AddActionsToken(secret string, p Permissions) error {
	return s.AddToken(secret, Token{User: ActionsBot(), AppID: ActionsAppID, Permissions: p})
}

// AddUser registers an account, so that users/{login} and commit identities resolve. Type "" is "User".
func (s *Server) AddUser(u User) User {
	if u.Type == "" {
		u.Type = "User"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change()
	s.st.Users[u.ID] = u
	return u
}

// RenameUser gives the account id another login, as its owner may at any time.
func (s *Server) RenameUser(id int64, login string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change()
	u := s.st.Users[id]
	u.Login = login
	s.st.Users[id] = u
}

// AddApp registers an app and its bot account.
func (s *Server) AddApp(a App) App {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.Bot.Type == "" {
		a.Bot.Type = "Bot"
	}
	s.change()
	s.apps[a.ID] = a
	s.st.Users[a.Bot.ID] = a.Bot
	return a
}

// bearer finds the token of a REST request. ok is false for a credential that is present and unknown or expired.
func (s *Server) bearer(r *http.Request) (t Token, secret string, ok bool) {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch {
	case scheme == "":
		return Token{}, "", true
	case !strings.EqualFold(scheme, "bearer") && !strings.EqualFold(scheme, "token"):
		return Token{}, secret, false
	}
	t, ok = s.lookup(secret)
	return t, secret, ok
}

func (s *Server) lookup(secret string) (Token, bool) {
	t, ok := s.tokens[secret]
	if !ok || (!t.Expires.IsZero() && !s.Clock.Now().Before(t.Expires)) {
		return Token{}, false
	}
	return t, true
}
