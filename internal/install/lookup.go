package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"selffix/internal/strictjson"
)

// ErrLookup marks a login whose id could not be had.
var ErrLookup = errors.New("the account could not be looked up")

// API is GitHub's API, the one host that a lookup asks.
const API = "https://api.github.com"

// Lookup asks for the id of a login, in one request. token may be empty; api is [API] but in tests.
func Lookup(ctx context.Context, client *http.Client, api, login, token string) (Account, error) {
	bad := func(what string) (Account, error) {
		return Account{}, fmt.Errorf("%w: %.60q: %s; --maintainer-id gives it by hand", ErrLookup, login, what)
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, api+"/users/"+url.PathEscape(login), nil)
	if err != nil {
		return bad("no request can be made of it")
	}
	req.Header.Set("Accept", "application/vnd.github+json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	c := *client
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := c.Do(req)
	if err != nil {
		return bad("no answer")
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil || resp.StatusCode != http.StatusOK {
		return bad(fmt.Sprintf("expected status 200, got %d", resp.StatusCode))
	}
	if err := strictjson.Scan(body, strictjson.Object); err != nil {
		return bad("the answer is not one JSON object")
	}
	var u struct {
		Login string `json:"login"`
		ID    int64  `json:"id"`
		Type  string `json:"type"`
	}
	if err := json.Unmarshal(body, &u); err != nil || u.ID <= 0 || !strings.EqualFold(u.Login, login) {
		return bad("the answer is about another account, or about none")
	}
	if u.Type != "User" {
		return bad("it is no person's account")
	}
	return Account{Login: u.Login, ID: u.ID}, nil
}
