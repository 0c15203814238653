package ghfake

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Bounds of an app's JWT: GitHub refuses one that is issued later than a minute from now or lives above ten minutes.
const (
	jwtDrift = time.Minute
	jwtLife  = 10 * time.Minute
	tokenTTL = time.Hour
)

// byJWT accepts a JWT in a token's place on the routes of apps. Everywhere else it is no credential.
func (c *call) byJWT() bool {
	path := c.req.URL.Path
	if strings.Count(c.secret, ".") != 2 || !strings.HasPrefix(path, "/app") && !strings.HasSuffix(path, "/installation") {
		return false
	}
	// A client of a sandbox gives a loopback host only what begins with its prefix, a JWT too.
	a, valid := c.srv.verifyJWT(strings.TrimPrefix(c.secret, SandboxPrefix))
	if !valid {
		return false
	}
	c.jwt, c.token = a, Token{User: a.Bot, AppID: a.ID, Permissions: Permissions{"metadata": "read"}}
	return true
}

// verifyJWT checks the signature with the app's public key, and the times with the server's clock.
func (s *Server) verifyJWT(raw string) (App, bool) {
	parts := strings.Split(raw, ".")
	var head struct {
		Alg string `json:"alg"`
		Typ string `json:"typ"`
	}
	var claims struct {
		Iss json.RawMessage `json:"iss"`
		Iat int64           `json:"iat"`
		Exp int64           `json:"exp"`
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || !decodePart(parts[0], &head) || !decodePart(parts[1], &claims) || head.Alg != "RS256" {
		return App{}, false
	}
	id, err := strconv.ParseInt(strings.Trim(string(claims.Iss), `"`), 10, 64)
	a, known := s.apps[id]
	if err != nil || !known || a.PublicKey == nil {
		return App{}, false
	}
	now, issued, ends := s.Clock.Now(), time.Unix(claims.Iat, 0), time.Unix(claims.Exp, 0)
	if issued.After(now.Add(jwtDrift)) || !ends.After(now) || ends.Sub(now) > jwtLife {
		return App{}, false
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	return a, rsa.VerifyPKCS1v15(a.PublicKey, crypto.SHA256, sum[:], signature) == nil
}

func decodePart(part string, into any) bool {
	raw, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(raw, into) == nil
}

func noJWT() reply {
	return failure(http.StatusUnauthorized, "A JSON web token could not be decoded")
}

func getApp(c *call) reply {
	if c.jwt.ID == 0 {
		return noJWT()
	}
	return ok(c.srv.integration(c.jwt))
}

func getInstallation(c *call) reply {
	a := c.jwt
	if a.ID == 0 {
		return noJWT()
	}
	if a.InstallationID == 0 {
		return notFound()
	}
	api := installationURL(c.srv.public, a.InstallationID)
	return ok(obj{"id": a.InstallationID, "app_id": a.ID, "app_slug": a.Slug, "target_id": c.srv.owner(c.repo).ID, "target_type": "User", "single_file_name": nil,
		"repository_selection": "selected", "access_tokens_url": api + "/access_tokens", "html_url": api, "repositories_url": c.srv.public + "/installation/repositories",
		"events": []any{}, "account": c.srv.user(c.srv.owner(c.repo)), "permissions": a.Permissions, "created_at": "2020-01-01T00:00:00Z",
		"updated_at": "2020-01-01T00:00:00Z", "suspended_by": nil, "suspended_at": nil})
}

// createInstallationToken issues a token of the installation with the rights that were asked for, none beyond the app's.
func createInstallationToken(c *call) reply {
	a := c.jwt
	if a.ID == 0 {
		return noJWT()
	}
	if a.InstallationID == 0 || a.InstallationID != c.number("installation") {
		return notFound()
	}
	var in struct {
		Permissions   Permissions `json:"permissions"`
		RepositoryIDs []int64     `json:"repository_ids"`
		Repositories  []string    `json:"repositories"`
	}
	if len(c.body) > 0 && !c.decode(&in) {
		return c.out
	}
	granted := maps.Clone(a.Permissions)
	if in.Permissions != nil {
		for name, access := range in.Permissions {
			if !a.Permissions.allows(name + ":" + access) {
				return failure(http.StatusUnprocessableEntity, "The permissions requested are not granted to this installation.")
			}
		}
		granted = maps.Clone(in.Permissions)
	}
	for _, name := range in.Repositories {
		for _, r := range c.srv.st.Repos {
			if strings.EqualFold(r.Name, name) {
				in.RepositoryIDs = append(in.RepositoryIDs, r.ID)
			}
		}
	}
	for _, id := range in.RepositoryIDs {
		if c.srv.st.repoByID(id) == nil {
			return failure(http.StatusUnprocessableEntity, "There is at least one repository that does not exist or is not accessible to the parent installation.")
		}
	}
	granted["metadata"] = "read"
	expires := c.srv.Clock.Now().Add(tokenTTL)
	c.srv.issued++
	secret := fmt.Sprintf("%sapp-%d-%d", SandboxPrefix, a.ID, c.srv.issued)
	c.srv.tokens[secret] = Token{User: a.Bot, AppID: a.ID, Permissions: granted, Expires: expires, Repositories: in.RepositoryIDs}
	selection := "all"
	if len(in.RepositoryIDs) > 0 {
		selection = "selected"
	}
	return reply{status: http.StatusCreated, body: obj{"token": secret, "expires_at": stamp(expires), "permissions": granted, "repository_selection": selection}}
}
