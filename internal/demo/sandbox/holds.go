package sandbox

import (
	"bytes"
	"fmt"
	"slices"

	"selffix/internal/demo"
	"selffix/internal/ghfake"
	"selffix/internal/play"
)

// ended compares how a play ended with what it wants, and with what GitHub and the model were asked. A real model may fail to
// repair; it may not get anything pushed that a layer refused.
func (s *Server) ended(p demo.Play) demo.Ended {
	e := demo.Ended{Wrong: []string{}}
	bad := func(format string, a ...any) { e.Wrong = append(e.Wrong, fmt.Sprintf(format, a...)) }
	want := wanted(s.o.Play)
	switch {
	case p.Name != s.o.Play.Name || p.TestedCommit != s.tested:
		bad("another play was played than %s on %.12s", s.o.Play.Name, s.tested)
	case p.Outcome == demo.Undecided || s.model != nil && p.Outcome != want:
		bad("%s ended as %.20q by %.300q, want %s", s.o.Play.Name, p.Outcome, p.StoppedBy, want)
	case s.model != nil:
		got := play.Outcome{Outcome: s.o.Play.Want.Outcome, StoppedBy: p.StoppedBy, Results: s.model.Results()}
		if err := s.o.Play.Check(got); err != nil {
			bad("%v", err)
		}
	}
	if p.Outcome == demo.Pushed {
		s.pushedWell(p, bad)
	} else {
		pushes := slices.ContainsFunc(s.gh.Requests(), func(r ghfake.Request) bool { return r.Route == ghfake.RoutePush })
		if pushes || s.pull.Head() != s.tested || len(s.pull.Record().Comments) > 0 {
			bad("something was pushed or said, and nothing may be")
		}
	}
	if s.leaked() {
		bad("a request to the model holds what the agent must not know")
	}
	return e
}

// pushedWell holds a pushed play to what GitHub itself shows, not to what the play says of itself.
func (s *Server) pushedWell(p demo.Play, bad func(string, ...any)) {
	shown := s.state()
	if p.PushedCommit != shown.Head || shown.Head == s.tested {
		bad("the play says that %.12q was pushed, and the branch names %.12q", p.PushedCommit, shown.Head)
	}
	if !slices.Equal(shown.Bot, []string{"failure", "success"}) || !slices.Equal(shown.Review, []string{"pending", "success"}) ||
		!slices.Equal(p.Bot, shown.Bot) || !slices.Equal(p.Review, shown.Review) {
		bad("the bot said %v and the review status went %v", shown.Bot, shown.Review)
	}
}

// leaked looks for secrets and the canary in all that the scripted model was sent, which is all that the agent could get hold of.
func (s *Server) leaked() bool {
	if s.model == nil {
		return false
	}
	secrets := []string{}
	if s.o.Canary != "" {
		secrets = append(secrets, s.o.Canary)
	}
	for _, text := range Secrets() {
		secrets = append(secrets, text)
	}
	for _, r := range s.model.Requests() {
		if slices.ContainsFunc(secrets, func(secret string) bool { return bytes.Contains(r.Body, []byte(secret)) }) {
			return true
		}
	}
	return false
}

// wanted translates the outcomes of a repair on one machine into those of the whole loop.
func wanted(p play.Play) string {
	if p.Want.Outcome == "accepted" {
		return demo.Pushed
	}
	return demo.Refused
}
