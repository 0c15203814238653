package github

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"strings"
	"time"

	"selffix/internal/tokens"
)

// MaxKeyBytes bounds the file with the review app's key.
const MaxKeyBytes = 16 << 10

// The life of a JWT. GitHub allows ten minutes and recommends a minute of slack for clocks.
const (
	jwtSlack = time.Minute
	jwtLife  = 5 * time.Minute
)

// ParseKey reads the private key of a GitHub App: exactly one PEM block, PKCS #1 as GitHub hands it out or PKCS #8, RSA of
// 2,048 bits or more. A sandbox's key begins with "sandbox-" in front of the block, as a sandbox's token does,
// and no other key does, so that neither is ever used in the other's place.
func ParseKey(data []byte, sandbox bool) (*rsa.PrivateKey, error) {
	const where = "review app's key"
	if len(data) > MaxKeyBytes {
		return nil, fail(where, ErrConfig, "expected at most %d bytes", MaxKeyBytes)
	}
	text, marked := strings.CutPrefix(strings.TrimSpace(string(data)), tokens.SandboxPrefix)
	if marked != sandbox {
		return nil, fail(where, ErrConfig, "a key that begins with %q belongs to a sandbox policy, and only there", tokens.SandboxPrefix)
	}
	if !strings.HasPrefix(text, "-----BEGIN ") {
		return nil, fail(where, ErrConfig, "expected one PEM block and nothing before it")
	}
	block, rest := pem.Decode([]byte(text))
	if block == nil || len(block.Headers) > 0 || strings.TrimSpace(string(rest)) != "" {
		return nil, fail(where, ErrConfig, "expected one PEM block without headers and nothing after it")
	}
	key, err := rsaKey(block)
	if err != nil || key.Validate() != nil || key.N.BitLen() < 2048 {
		return nil, fail(where, ErrConfig, "expected an unencrypted RSA private key of 2048 bits or more")
	}
	return key, nil
}

func rsaKey(block *pem.Block) (*rsa.PrivateKey, error) {
	if block.Type == "RSA PRIVATE KEY" {
		return x509.ParsePKCS1PrivateKey(block.Bytes)
	}
	if block.Type != "PRIVATE KEY" {
		return nil, ErrConfig
	}
	any, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, ok := any.(*rsa.PrivateKey)
	if !ok {
		return nil, ErrConfig
	}
	return key, nil
}

// appToken is a JWT of the app, signed by hand: three fixed fields need no library that could be talked into
// another algorithm.
func appToken(app int64, key *rsa.PrivateKey, now time.Time, sandbox bool) (tokens.Token, error) {
	encode := base64.RawURLEncoding.EncodeToString
	head := encode([]byte(`{"alg":"RS256","typ":"JWT"}`))
	claims := encode(fmt.Appendf(nil, `{"iat":%d,"exp":%d,"iss":"%d"}`, now.Add(-jwtSlack).Unix(), now.Add(jwtLife).Unix(), app))
	sum := sha256.Sum256([]byte(head + "." + claims))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		return tokens.Token{}, fail("review app's key", ErrConfig, "the key cannot sign")
	}
	raw := head + "." + claims + "." + encode(signature)
	if sandbox {
		raw = tokens.SandboxPrefix + raw
	}
	return tokens.New(raw)
}

// ReviewApp makes a client that acts as the review app: it proves the app by its key, finds the app's
// installation on the repository and asks for a token of "statuses: write" on that repository alone.
func ReviewApp(ctx context.Context, o Options, key *rsa.PrivateKey) (*Client, error) {
	app := o.Policy.Review.AppID
	if app <= 0 || key == nil {
		return nil, fail("review app", ErrConfig, "the policy names no review app, or its key is missing")
	}
	now := time.Now
	if o.Now != nil {
		now = o.Now
	}
	jwt, err := appToken(app, key, now(), o.Policy.Sandbox)
	if err != nil {
		return nil, err
	}
	o.Token = jwt
	c, err := New(o)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	installation, err := c.installation(ctx, app)
	if err != nil {
		return nil, err
	}
	o.Token, err = c.mint(ctx, installation, now())
	if err != nil {
		return nil, err
	}
	return New(o)
}

func (c *Client) installation(ctx context.Context, app int64) (int64, error) {
	type record struct {
		ID        *int64     `json:"id"`
		AppID     *int64     `json:"app_id"`
		Suspended *time.Time `json:"suspended_at"`
	}
	r, w, err := get[record](ctx, c, c.at("installation"), "", nil)
	if err != nil {
		return 0, err
	}
	if !has(r.ID) || !has(r.AppID) || *r.AppID != app || r.Suspended != nil {
		return 0, fail(w.route, ErrField, "expected an installation of app %d that is not suspended", app)
	}
	return *r.ID, nil
}

func (c *Client) mint(ctx context.Context, installation int64, now time.Time) (tokens.Token, error) {
	body := struct {
		RepositoryIDs []int64           `json:"repository_ids"`
		Permissions   map[string]string `json:"permissions"`
	}{[]int64{c.layer.id}, map[string]string{"statuses": "write"}}
	k := &call{
		method: http.MethodPost, path: fmt.Sprintf("app/installations/%d/access_tokens", installation),
		body: body, want: want{status: http.StatusCreated},
	}
	var r struct {
		Token       *string           `json:"token"`
		ExpiresAt   *time.Time        `json:"expires_at"`
		Permissions map[string]string `json:"permissions"`
	}
	if err := c.do(ctx, k, &r); err != nil {
		return tokens.Token{}, err
	}
	if !filled(r.Token) || !dated(r.ExpiresAt) || !r.ExpiresAt.After(now) {
		return tokens.Token{}, fail(k.want.route, ErrField, "expected a token that has not expired")
	}
	for name, access := range r.Permissions {
		if !(name == "statuses" && access == "write" || name == "metadata" && access == "read") {
			return tokens.Token{}, fail(k.want.route, ErrField, "expected a token for statuses alone")
		}
	}
	if r.Permissions["statuses"] != "write" {
		return tokens.Token{}, fail(k.want.route, ErrField, "expected a token that may write statuses")
	}
	return tokens.New(*r.Token)
}
