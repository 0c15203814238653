package publish

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"selffix/internal/ghfake"
)

// A run that is cancelled between its push and its status leaves a commit that nothing can merge: the required status is
// missing, which blocks as much as a pending one.
func TestCancelledAfterThePushBlocksTheMerge(t *testing.T) {
	s := newSituation(t)
	in := s.rechecked()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.scene.Server.Inject(ghfake.Fault{Route: ghfake.RoutePush, Distortion: ghfake.Distortion{Name: "cancelled", After: func(*ghfake.Answer) { cancel() }}})
	if r, err := Publish(ctx, in, s.token(), s.client(), Wait); err == nil || r.StatusID != 0 {
		t.Errorf("got %+v, %v, want an error and no status", r, err)
	}
	if head := s.scene.Pull.Head(); head != in.Result.Commit {
		t.Fatalf("the pull request's head is %s: the push was to happen", head)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, fmt.Sprintf("%s/repos/maintainer/app/pulls/%d/merge", s.scene.Server.URL, s.target.PullRequest), strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+ghfake.AdminToken)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("the merge answered %d, want 405: the status is required and missing", resp.StatusCode)
	}
}
