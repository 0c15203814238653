package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"selffix/gates"
	"selffix/gates/github"
	"selffix/internal/tokens"
	"selffix/pipeline/policy"
)

// ErrEvent marks an event that cannot be read, or is not this run's.
var ErrEvent = errors.New("unusable event")

// How long the gates take at most, posts included, whatever GitHub answers.
const (
	gateTime   = 55 * time.Second
	reviewTime = 58 * time.Second
)

// Caller is the run for which the gates are evaluated, as whoever started it says: the step that evaluates them, or a
// command that reads GitHub Actions' environment. Identity comes from here and from the event alone.
type Caller struct {
	Policy       policy.Policy
	Run          gates.Run
	EventName    string
	Event        []byte // GitHub's event file
	Repository   string // owner/name, if the caller knows it beside the event; ""
	RepositoryID int64  // likewise; 0
	// Token is asked for only if GitHub is.
	Token func() (tokens.Token, error)
}

// agrees demands that the event and the caller speak of one repository.
func (c Caller) agrees(name string, id int64) error {
	if c.Repository != "" && name != c.Repository || c.RepositoryID != 0 && id != c.RepositoryID {
		return fmt.Errorf("%w: it is of another repository than this run", ErrEvent)
	}
	return nil
}

func (c Caller) client(repository string, id int64) (*github.Client, error) {
	t, err := c.Token()
	if err != nil {
		return nil, err
	}
	return github.New(github.Options{Policy: c.Policy, Token: t, Repository: repository, RepositoryID: id})
}

// Gate evaluates the four gates on a "status" event. GitHub is asked only if the event may be the bot's failing status; an
// error means that not even that could be judged.
func Gate(ctx context.Context, c Caller) (gates.Verdict, error) {
	if !c.Policy.Enabled {
		return *gates.Prefilter(gates.Event{}, c.Run, c.Policy), nil
	}
	event := gates.Event{Name: c.EventName}
	if c.EventName == "status" {
		var err error
		if event, err = github.StatusEvent(c.Event); err != nil {
			return gates.Verdict{}, fmt.Errorf("%w: %w", ErrEvent, err)
		}
		if err := c.agrees(event.Repository, event.RepositoryID); err != nil {
			return gates.Verdict{}, err
		}
	}
	if v := gates.Prefilter(event, c.Run, c.Policy); v != nil {
		return *v, nil
	}
	gh, err := c.client(event.Repository, event.RepositoryID)
	if err != nil {
		return gates.Verdict{}, err
	}
	defer gh.Close()
	ctx, cancel := context.WithTimeout(ctx, gateTime)
	defer cancel()
	return gh.Gate(ctx, event, c.Run, c.Policy), nil
}

// ErrKey marks a review app's key that is missing, unreadable, or where it must not be.
var ErrKey = errors.New("the review app's key")

// ReviewGate judges the pull request of a "pull_request_target" event, or each one of a "merge_group", and posts the review
// status: as the review app whose private key key reads, or with the run's own token if there is no key (nil) and the policy
// accepts that.
func ReviewGate(ctx context.Context, c Caller, key func() ([]byte, error)) (gates.Verdict, error) {
	if !c.Policy.Enabled {
		return *gates.PrefilterReview(gates.ReviewEvent{}, c.Policy), nil
	}
	event, err := github.ReviewEvent(c.EventName, c.Event)
	if err != nil {
		return gates.Verdict{}, fmt.Errorf("%w: %w", ErrEvent, err)
	}
	if err := c.agrees(event.Repository, event.RepositoryID); err != nil {
		return gates.Verdict{}, err
	}
	if event.Name == "merge_group" && key != nil {
		return gates.Verdict{}, fmt.Errorf("%w: take it out of the merge_group run: pull requests wrote its workflow", ErrKey)
	}
	if v := gates.PrefilterReview(event, c.Policy); v != nil {
		return *v, nil
	}
	own, err := c.client(event.Repository, event.RepositoryID)
	if err != nil {
		return gates.Verdict{}, err
	}
	defer own.Close()
	ctx, cancel := context.WithTimeout(ctx, reviewTime)
	defer cancel()
	r := github.Reviewer{Policy: c.Policy, Read: own, Post: func(ctx context.Context) (*github.Client, error) {
		return c.poster(ctx, event, own, key)
	}}
	if event.Name == "merge_group" {
		return r.MergeGroup(ctx, event), nil
	}
	return r.PullRequest(ctx, event), nil
}

// poster makes the client that posts: the review app's where its key is given, the run's own where the policy accepts that.
func (c Caller) poster(ctx context.Context, e gates.ReviewEvent, own *github.Client, key func() ([]byte, error)) (*github.Client, error) {
	if key == nil && c.Policy.Review.AcceptBranchWriters {
		return own, nil
	}
	if key == nil {
		return nil, fmt.Errorf("%w: the policy wants the status from the review app, and no key was given", ErrKey)
	}
	data, err := key()
	if err != nil {
		return nil, fmt.Errorf("%w: it cannot be read", ErrKey)
	}
	app, err := github.ParseKey(data, c.Policy.Sandbox)
	clear(data)
	if err != nil {
		return nil, err
	}
	return github.ReviewApp(ctx, github.Options{Policy: c.Policy, Repository: e.Repository, RepositoryID: e.RepositoryID}, app)
}
