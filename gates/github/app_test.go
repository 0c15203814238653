package github

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"selffix/gates"
)

func testKey(t testing.TB, bits int) *rsa.PrivateKey {
	t.Helper()
	if bits < 2048 {
		t.Setenv("GODEBUG", "rsa1024min=0")
	}
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func TestParseKey(t *testing.T) {
	key := testKey(t, 2048)
	pkcs1 := pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key))
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	curveDER, err := x509.MarshalPKCS8PrivateKey(curve)
	if err != nil {
		t.Fatal(err)
	}
	weak := pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(testKey(t, 1024)))
	header := strings.Replace(pkcs1, "-----\n", "-----\nProc-Type: 4,ENCRYPTED\n\n", 1)
	tests := []struct {
		name    string
		text    string
		sandbox bool
		good    bool
	}{
		{"PKCS #1", pkcs1, false, true},
		{"PKCS #8", pemOf("PRIVATE KEY", der), false, true},
		{"white space around", "\n" + pkcs1 + "\n\n", false, true},
		{"sandbox", "sandbox-" + pkcs1, true, true},
		{"sandbox's outside", "sandbox-" + pkcs1, false, false},
		{"real one in a sandbox", pkcs1, true, false},
		{"empty", "", false, false},
		{"text before", "key:\n" + pkcs1, false, false},
		{"text after", pkcs1 + "x", false, false},
		{"two", pkcs1 + pkcs1, false, false},
		{"encrypted", header, false, false},
		{"public", pemOf("PUBLIC KEY", x509.MarshalPKCS1PublicKey(&key.PublicKey)), false, false},
		{"elliptic", pemOf("PRIVATE KEY", curveDER), false, false},
		{"1024 bits", weak, false, false},
		{"broken", pemOf("RSA PRIVATE KEY", []byte("x")), false, false},
		{"too long", pkcs1 + strings.Repeat("\n", MaxKeyBytes), false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseKey([]byte(tt.text), tt.sandbox)
			if (err == nil) != tt.good || tt.good && !got.Equal(key) {
				t.Fatalf("%v, want good %v", err, tt.good)
			}
			if err != nil && (!errors.Is(err, ErrConfig) || len(tt.text) > 60 && strings.Contains(err.Error(), tt.text[40:60])) {
				t.Errorf("the error shows the key or wraps nothing: %v", err)
			}
		})
	}
}

// appServer answers as GitHub does to an app; every part of the answer can be replaced.
func appServer(installation, token string) *server {
	return paths(map[string]answer{
		"/repos/o/r/installation":            ok(installation),
		"/app/installations/7/access_tokens": {status: 201, body: token},
		"/repos/o/r/statuses/" + shaA:        {status: 201, body: status(3, "maintainer-review", "pending", "null")},
	})
}

func TestReviewApp(t *testing.T) {
	key := testKey(t, 2048)
	const installation = `{"id":7,"app_id":42,"suspended_at":null}`
	token := func(permissions string) string {
		return `{"token":"sandbox-minted","expires_at":"2026-03-10T13:00:00Z","permissions":` + permissions + `}`
	}
	good := token(`{"statuses":"write","metadata":"read"}`)
	tests := []struct {
		name, installation, token string
		good                      bool
	}{
		{"good", installation, good, true},
		{"another app", `{"id":7,"app_id":43}`, good, false},
		{"suspended", `{"id":7,"app_id":42,"suspended_at":"2026-03-10T11:00:00Z"}`, good, false},
		{"no installation id", `{"id":0,"app_id":42}`, good, false},
		{"more rights", installation, token(`{"statuses":"write","contents":"write"}`), false},
		{"no right", installation, token(`{"metadata":"read"}`), false},
		{"right to read", installation, token(`{"statuses":"read"}`), false},
		{"no rights named", installation, `{"token":"sandbox-minted","expires_at":"2026-03-10T13:00:00Z"}`, false},
		{"expired", installation, strings.Replace(good, "13:00", "12:00", 1), false},
		{"no expiry", installation, `{"token":"sandbox-minted","permissions":{"statuses":"write"}}`, false},
		{"no token", installation, strings.Replace(good, "sandbox-minted", "", 1), false},
		{"a token that is not the sandbox's", installation, strings.Replace(good, "sandbox-minted", "ghs_x", 1), false},
		{"a token with a line end", installation, strings.Replace(good, "sandbox-minted", `sandbox-a\nb`, 1), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := appServer(tt.installation, tt.token)
			o := testOptions(t, s)
			o.Policy.Review.AcceptBranchWriters, o.Policy.Review.AppID = false, 42
			c, err := ReviewApp(t.Context(), o, key)
			if (err == nil) != tt.good {
				t.Fatalf("%v, want good %v", err, tt.good)
			}
			if !tt.good {
				return
			}
			if _, err := c.PostReview(t.Context(), shaA, Pending, o.Policy); err != nil {
				t.Error(err)
			}
			if s.auth[2] != "Bearer sandbox-minted" || s.bodies[1] != `{"repository_ids":[77],"permissions":{"statuses":"write"}}`+"\n" {
				t.Errorf("posted with %q, asked for %s", s.auth[2], s.bodies[1])
			}
			checkJWT(t, strings.TrimPrefix(s.auth[0], "Bearer sandbox-"), &key.PublicKey)
		})
	}
	if _, err := ReviewApp(t.Context(), testOptions(t, appServer(installation, good)), key); !errors.Is(err, ErrConfig) {
		t.Errorf("no app in the policy: %v", err)
	}
}

func checkJWT(t *testing.T, raw string, key *rsa.PublicKey) {
	t.Helper()
	parts := strings.Split(raw, ".")
	if len(parts) != 3 {
		t.Fatalf("a JWT has three parts, got %d", len(parts))
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], signature); err != nil {
		t.Error(err)
	}
	var head, claims map[string]any
	for i, v := range []*map[string]any{&head, &claims} {
		data, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil || json.Unmarshal(data, v) != nil {
			t.Fatalf("part %d: %v", i, err)
		}
	}
	iat, exp := int64(claims["iat"].(float64)), int64(claims["exp"].(float64))
	if head["alg"] != "RS256" || claims["iss"] != "42" || iat != testNow.Add(-time.Minute).Unix() || exp-iat > 600 {
		t.Errorf("head %v, claims %v", head, claims)
	}
}

func TestPostReview(t *testing.T) {
	good := status(3, "maintainer-review", "success", "null")
	for name, tt := range map[string]struct {
		body string
		err  error
	}{
		"good":            {good, nil},
		"another state":   {strings.Replace(good, "success", "pending", 1), ErrField},
		"another context": {strings.Replace(good, "maintainer-review", "ci", 1), ErrField},
		"no id":           {strings.Replace(good, `"id":3,`, "", 1), ErrField},
		"no time":         {strings.Replace(good, `,"created_at":"2026-03-10T11:00:00Z"`, "", 1), ErrField},
	} {
		s := always(answer{status: 201, body: tt.body})
		c := testClient(t, s)
		got, err := c.PostReview(t.Context(), shaA, Success, c.policyForTest(t))
		if !errors.Is(err, tt.err) || err == nil && (got.ID != 3 || got.Commit != shaA) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if want := `{"context":"maintainer-review","description":"self-fix: nothing here waits for a review","state":"success"}` + "\n"; s.bodies[0] != want {
			t.Errorf("posted %s", s.bodies[0])
		}
	}
	s := always(answer{status: 201, body: good})
	c := testClient(t, s)
	for _, sha := range []string{"", "main", shaA[:39], shaA + "/../x"} {
		if _, err := c.PostReview(t.Context(), sha, Pending, c.policyForTest(t)); !errors.Is(err, ErrConfig) {
			t.Errorf("%q: %v", sha, err)
		}
	}
	if _, err := c.PostReview(t.Context(), shaA, "failure", c.policyForTest(t)); !errors.Is(err, ErrConfig) || len(s.asked) > 0 {
		t.Errorf("another state: %v, %v", err, s.asked)
	}
}

func TestPostComment(t *testing.T) {
	s := always(answer{status: 201, body: `{"id":5,"created_at":"2026-03-10T12:00:00Z"}`})
	c := testClient(t, s)
	id, err := c.PostComment(t.Context(), 7, gates.CommentMark+"\ndone")
	if err != nil || id != 5 || s.asked[0] != "POST /repos/o/r/issues/7/comments" {
		t.Errorf("%d, %v, %v", id, err, s.asked)
	}
	for _, body := range []string{"", "done", gates.CommentMark} {
		if _, err := c.PostComment(t.Context(), 7, body); !errors.Is(err, ErrConfig) {
			t.Errorf("%q: %v", body, err)
		}
	}
	if _, err := testClient(t, always(answer{status: 201, body: `{"id":0}`})).PostComment(t.Context(), 7, gates.CommentMark+"x"); !errors.Is(err, ErrField) {
		t.Errorf("no id: %v", err)
	}
}

func TestEvents(t *testing.T) {
	repo := `"repository":{"id":77,"full_name":"o/r","default_branch":"main","custom_properties":{"Team":"x"}}`
	st := fmt.Sprintf(`{"id":5,"sha":"%s","context":"TestSprite V3","state":"failure","sender":{"id":258111874},%s}`, shaA, repo)
	if e, err := StatusEvent([]byte(st)); err != nil || e.StatusID != 5 || e.SHA != shaA || e.SenderID != 258111874 || e.Repository != "o/r" || e.RepositoryID != 77 || e.DefaultBranch != "main" {
		t.Errorf("%+v, %v", e, err)
	}
	pr := fmt.Sprintf(`{"action":"labeled","number":7,"pull_request":{"number":7,"head":{"sha":"%s"},"labels":[{"name":"reviewed"}]},%s}`, shaA, repo)
	if e, err := ReviewEvent("pull_request_target", []byte(pr)); err != nil || e.PullRequest != 7 || e.Head != shaA {
		t.Errorf("%+v, %v", e, err)
	}
	mg := fmt.Sprintf(`{"action":"checks_requested","merge_group":{"head_sha":"%s","head_ref":"refs/heads/gh-readonly-queue/main/pr-7-%s","base_sha":"%s","base_ref":"refs/heads/main"},%s}`, shaA, shaB, shaB, repo)
	if e, err := ReviewEvent("merge_group", []byte(mg)); err != nil || e.Head != shaA || e.GroupBase != shaB || e.GroupBaseRef != "refs/heads/main" {
		t.Errorf("%+v, %v", e, err)
	}
	for name, doc := range map[string]string{
		"empty": "", "array": "[]", "null": "null", "cut": st[:40], "twice": st + st,
		"duplicate key": strings.Replace(st, `"id":5`, `"id":5,"id":6`, 1), "other case": strings.Replace(st, `"id":5`, `"Id":5`, 1),
		"no id": strings.Replace(st, `"id":5,`, "", 1), "id as text": strings.Replace(st, `"id":5`, `"id":"5"`, 1), "id 0": strings.Replace(st, `"id":5`, `"id":0`, 1),
		"short commit": strings.Replace(st, shaA, shaA[:39], 1), "no sender": strings.Replace(st, `"sender":{"id":258111874},`, "", 1),
		"sender 0": strings.Replace(st, "258111874", "0", 1), "no repository": strings.Replace(st, ","+repo, "", 1),
		"repository with a path": strings.Replace(st, "o/r", "o/r/x", 1), "repository of dots": strings.Replace(st, "o/r", "o/..", 1),
		"no default branch": strings.Replace(st, `"default_branch":"main",`, "", 1),
	} {
		if e, err := StatusEvent([]byte(doc)); err == nil || e.StatusID > 0 && e.SenderID > 0 && e.RepositoryID > 0 {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
	for name, tt := range map[string]struct{ event, doc string }{
		"another event":      {"pull_request", pr},
		"two numbers":        {"pull_request_target", strings.Replace(pr, `"number":7,"pull`, `"number":8,"pull`, 1)},
		"no head":            {"pull_request_target", strings.Replace(pr, `"head":{"sha":"`+shaA+`"},`, "", 1)},
		"short head":         {"pull_request_target", strings.Replace(pr, shaA, "a1", 1)},
		"group for a pull":   {"pull_request_target", mg},
		"pull for a group":   {"merge_group", pr},
		"group without head": {"merge_group", strings.Replace(mg, `"head_sha":"`+shaA+`",`, "", 1)},
	} {
		if _, err := ReviewEvent(tt.event, []byte(tt.doc)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
