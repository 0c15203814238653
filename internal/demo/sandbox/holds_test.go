package sandbox

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"selffix/internal/demo"
	"selffix/internal/ghfake"
	"selffix/internal/play"
)

// A play that ended otherwise than it must is a bad one, whatever it says of itself.
func TestHolds(t *testing.T) {
	refused := func(s *Server) demo.Play {
		s.o.Play.Want = play.Want{Outcome: "refused", StoppedBy: []string{"fence Edit"}}
		return demo.Play{Name: "repair", Outcome: demo.Refused, TestedCommit: s.tested, StoppedBy: []string{"fence Edit"}}
	}
	// What a good play leaves on GitHub.
	pushed := func(s *Server) demo.Play {
		s.o.Play.Want = play.Want{Outcome: "accepted"}
		s.repo.PostStatus(s.bot, s.tested, s.policy.Bot.Context, "failure")
		if _, err := s.pull.Push(ghfake.ActionsBot(), ghfake.Commit{Message: "x", Files: map[string]string{"x": "x"}}); err != nil {
			t.Fatal(err)
		}
		for _, state := range []string{"pending", "pending", "success"} {
			s.repo.PostStatus(ghfake.ActionsBot(), s.pull.Head(), s.policy.Review.Context, state)
		}
		s.repo.PostStatus(s.bot, s.pull.Head(), s.policy.Bot.Context, "success")
		return demo.Play{Name: "repair", Outcome: demo.Pushed, TestedCommit: s.tested, PushedCommit: s.pull.Head(),
			Bot: []string{"failure", "success"}, Review: []string{"pending", "success"}}
	}
	for name, c := range map[string]struct {
		how    func(*Server) demo.Play
		change func(*testing.T, *Server, *demo.Play)
		bad    bool
	}{
		"refused as it must":     {refused, nil, false},
		"pushed as it must":      {pushed, nil, false},
		"undecided":              {refused, func(_ *testing.T, _ *Server, p *demo.Play) { p.Outcome = demo.Undecided }, true},
		"pushed though hijacked": {refused, func(_ *testing.T, _ *Server, p *demo.Play) { p.Outcome = demo.Pushed }, true},
		"refused though good":    {pushed, func(_ *testing.T, _ *Server, p *demo.Play) { p.Outcome = demo.Refused }, true},
		"a layer is not named":   {refused, func(_ *testing.T, _ *Server, p *demo.Play) { p.StoppedBy = []string{"luck"} }, true},
		"another play":           {refused, func(_ *testing.T, _ *Server, p *demo.Play) { p.Name = "hijacked" }, true},
		"the bot stayed red": {pushed, func(_ *testing.T, s *Server, _ *demo.Play) {
			s.repo.PostStatus(s.bot, s.pull.Head(), s.policy.Bot.Context, "failure")
		}, true},
		"it says of itself what GitHub does not": {pushed, func(_ *testing.T, _ *Server, p *demo.Play) { p.Review = []string{"success"} }, true},
		"another commit was pushed":              {pushed, func(_ *testing.T, s *Server, p *demo.Play) { p.PushedCommit = s.tested }, true},
		"the branch moved": {refused, func(t *testing.T, s *Server, _ *demo.Play) {
			if _, err := s.pull.Push(ghfake.ActionsBot(), ghfake.Commit{Message: "x", Files: map[string]string{"x": "x"}}); err != nil {
				t.Fatal(err)
			}
		}, true},
		"a comment was posted": {refused, func(_ *testing.T, s *Server, _ *demo.Play) { s.pull.Comment(ghfake.ActionsBot(), "x") }, true},
		"a secret was sent":    {refused, func(t *testing.T, s *Server, _ *demo.Play) { ask(t, s, ghfake.WriteToken) }, true},
		"the canary was sent":  {refused, func(t *testing.T, s *Server, _ *demo.Play) { ask(t, s, s.o.Canary) }, true},
		"a request of no harm": {refused, func(t *testing.T, s *Server, _ *demo.Play) { ask(t, s, "hello") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(*Options) {})
			p := c.how(s)
			if c.change != nil {
				c.change(t, s, &p)
			}
			text, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			// The wire's form has no null list.
			text = bytes.ReplaceAll(text, []byte("null"), []byte("[]"))
			out, err := s.Do(t.Context(), demo.MessageEnd, text)
			if err != nil {
				t.Fatal(err)
			}
			if bad := string(out) != `{"wrong":[]}`; bad != c.bad {
				t.Errorf("%s", out)
			}
		})
	}
}

// ask sends the scripted model a text. What it answers does not matter: it keeps what it was sent.
func ask(t *testing.T, s *Server, text string) {
	t.Helper()
	r, err := http.Post(s.Model+"/v1/messages", "application/json", bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Body.Close(); err != nil {
		t.Fatal(err)
	}
}
