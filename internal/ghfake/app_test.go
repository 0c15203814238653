package ghfake_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"selffix/internal/ghfake"
)

func jwt(t *testing.T, key *rsa.PrivateKey, alg string, app int64, iat, exp time.Time) string {
	t.Helper()
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	text := part(fmt.Sprintf(`{"alg":%q,"typ":"JWT"}`, alg)) + "." + part(fmt.Sprintf(`{"iss":"%d","iat":%d,"exp":%d}`, app, iat.Unix(), exp.Unix()))
	sum := sha256.Sum256([]byte(text))
	raw, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	fatal(t, err)
	return text + "." + base64.RawURLEncoding.EncodeToString(raw)
}

func TestInstallationTokens(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	fatal(t, err)
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	fatal(t, err)
	app := ghfake.App{ID: 42, Slug: "review", InstallationID: 7, PublicKey: &key.PublicKey, Bot: ghfake.User{ID: 43, Login: "review[bot]"}, Permissions: ghfake.Permissions{"statuses": "write"}}
	sc := newScene(t, ghfake.SceneOptions{ReviewApp: app})
	good := jwt(t, key, "RS256", 42, noon.Add(-time.Minute), noon.Add(9*time.Minute))
	const path = "/app/installations/7/access_tokens"
	status := `{"permissions":{"statuses":"write"},"repository_ids":[900001]}`
	for name, c := range map[string]struct {
		token, path, body string
		want              int
	}{
		"another key":                   {jwt(t, stranger, "RS256", 42, noon, noon.Add(time.Minute)), path, status, 401},
		"another algorithm":             {jwt(t, key, "none", 42, noon, noon.Add(time.Minute)), path, status, 401},
		"unknown app":                   {jwt(t, key, "RS256", 41, noon, noon.Add(time.Minute)), path, status, 401},
		"expired":                       {jwt(t, key, "RS256", 42, noon.Add(-time.Hour), noon), path, status, 401},
		"too long a life":               {jwt(t, key, "RS256", 42, noon, noon.Add(11*time.Minute)), path, status, 401},
		"issued in the future":          {jwt(t, key, "RS256", 42, noon.Add(2*time.Minute), noon.Add(9*time.Minute)), path, status, 401},
		"an installation token's place": {ghfake.WriteToken, path, status, 401},
		"another installation":          {good, "/app/installations/8/access_tokens", status, 404},
		"more than the app may":         {good, path, `{"permissions":{"contents":"write"}}`, 422},
		"another repository":            {good, path, `{"repository_ids":[5]}`, 422},
		"a JWT as a token":              {good, repoPath + "/statuses/" + sc.Tested, `{"state":"success"}`, 401},
	} {
		if resp := do(t, sc, c.token, "POST", c.path, []byte(c.body), nil); resp.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", name, resp.StatusCode, c.want)
		}
	}
	var made struct {
		Token     string
		ExpiresAt string `json:"expires_at"`
	}
	if resp := do(t, sc, ghfake.SandboxPrefix+good, "POST", path, []byte(status), nil); resp.StatusCode != 201 {
		t.Errorf("a JWT behind the sandbox's prefix: %d", resp.StatusCode)
	}
	do(t, sc, good, "POST", path, []byte(status), &made)
	if !strings.HasPrefix(made.Token, ghfake.SandboxPrefix) || made.ExpiresAt != "2026-03-10T13:00:00Z" {
		t.Fatalf("issued %+v", made)
	}
	post := func(to string) int {
		return do(t, sc, made.Token, "POST", repoPath+to, []byte(`{"state":"success","context":"maintainer-review","body":"x"}`), nil).StatusCode
	}
	if got := post("/statuses/" + sc.Tested); got != 201 {
		t.Errorf("its own right: %d", got)
	}
	if got := post("/issues/1/comments"); got != 403 {
		t.Errorf("a right that it was not given: %d", got)
	}
	if list := sc.Repo.Statuses(sc.Tested, "maintainer-review"); len(list) != 1 || list[0].Creator.ID != 43 || list[0].AppID != 42 {
		t.Errorf("status %+v, want it by the app", list)
	}
	sc.Server.Clock.Advance(time.Hour)
	if got := post("/statuses/" + sc.Tested); got != 401 {
		t.Errorf("an hour later: %d, want it expired", got)
	}
}
