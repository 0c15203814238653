package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"selffix/internal/demo"
	"selffix/internal/ghfake"
	"selffix/internal/play"
	"selffix/internal/strictjson"
	"selffix/pipeline"
)

// Do carries one message of the control API. It is a demo.Caller.
func (s *Server) Do(_ context.Context, name demo.Message, in []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out, err := s.do(name, in)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", demo.ErrControl, name, err)
	}
	if len(text) > demo.MaxMessageBytes {
		return nil, fmt.Errorf("%w: %s: the answer has %d bytes", demo.ErrControl, name, len(text))
	}
	return text, nil
}

func (s *Server) do(name demo.Message, in []byte) (any, error) {
	switch name {
	case demo.MessageVerdict:
		run, err := demo.ReadTestRun(in)
		if err != nil {
			return nil, err
		}
		return s.verdict(run)
	case demo.MessageEnd:
		var p demo.Play
		if err := strictjson.Unmarshal(in, &p); err != nil {
			return nil, fmt.Errorf("%w: %w", demo.ErrControl, err)
		}
		return s.ended(p), nil
	}
	if strings.TrimSpace(string(in)) != "{}" {
		return nil, fmt.Errorf("%w: %.20q takes nothing but {}", demo.ErrControl, name)
	}
	switch name {
	case demo.MessageOpen:
		return s.open(), nil
	case demo.MessageRun:
		return s.startRun()
	case demo.MessageFix:
		return struct{}{}, s.startFix()
	case demo.MessageLabel:
		return s.label()
	case demo.MessageState:
		return s.state(), nil
	}
	return nil, fmt.Errorf("%w: no message %.20q", demo.ErrControl, name)
}

func (s *Server) open() demo.Opened {
	secrets := Secrets()
	if s.model == nil {
		delete(secrets, pipeline.SecretModel)
	}
	return demo.Opened{Play: s.o.Play.Name, Doc: s.o.Play.Doc, Policy: s.policyText, Head: s.pull.Head(), Pull: s.pull.Number,
		Context: s.policy.Review.Context, Label: s.policy.Review.Label, Secrets: secrets}
}

// verdict posts the bot's status on the commit that its tests ran on, which must be what the pull request ends in.
func (s *Server) verdict(run demo.TestRun) (demo.Judged, error) {
	if run.Commit != s.pull.Head() {
		return demo.Judged{}, fmt.Errorf("%w: the tests ran on %.12q, and the pull request ends in %.12q", demo.ErrControl, run.Commit, s.pull.Head())
	}
	status := s.repo.PostStatus(s.bot, run.Commit, s.policy.Bot.Context, run.State)
	j := demo.Judged{Event: string(s.repo.StatusEvent(status)), Tools: []demo.File{}}
	if run.State == "success" {
		return j, nil
	}
	var err error
	j.Tools, err = s.tools(run)
	return j, err
}

// startRun records the workflow's run that the status starts. The gates demand to find their own.
func (s *Server) startRun() (demo.Started, error) {
	s.runID = s.repo.AddRun(ghfake.Run{Path: workflow, Event: "status", Status: "in_progress", Actor: s.bot,
		Jobs: []ghfake.Job{{Name: pipeline.JobGate, Status: "in_progress", Runner: "GitHub Actions 1"}}})
	run, err := pipeline.WriteRun(pipeline.ThisRun{RunID: s.runID, Attempt: 1, EventName: "status"})
	return demo.Started{Run: string(run)}, err
}

var errNoRun = errors.New("no run was started")

func (s *Server) startFix() error {
	if s.runID == 0 {
		return fmt.Errorf("%w: %w", demo.ErrControl, errNoRun)
	}
	s.repo.EditRun(s.runID, func(r *ghfake.Run) {
		r.Jobs = append(r.Jobs, ghfake.Job{Name: ghfake.FixJob(s.pull.Number), Status: "in_progress", Runner: "GitHub Actions 2"})
	})
	return nil
}

// label lets the maintainer read the change, for a minute, and set the label.
func (s *Server) label() (demo.Started, error) {
	s.gh.Clock.Advance(time.Minute)
	s.pull.Label(s.maintainer, s.policy.Review.Label)
	// The review gate counts no runs, so any id is one.
	run, err := pipeline.WriteRun(pipeline.ThisRun{RunID: s.runID + 1, Attempt: 1, EventName: "pull_request_target"})
	return demo.Started{Event: string(s.pull.Event("labeled", s.maintainer)), Run: string(run)}, err
}

// maxStopped bounds how many stopped calls are listed. No play has nearly as many.
const maxStopped = 1000

func (s *Server) state() demo.State {
	out := demo.State{Head: s.pull.Head(), Bot: []string{}, Review: []string{}, Stopped: []demo.Stopped{}}
	for _, sha := range slices.Compact([]string{s.tested, out.Head}) {
		if states := s.repo.Statuses(sha, s.policy.Bot.Context); len(states) > 0 {
			out.Bot = append(out.Bot, states[len(states)-1].State)
		}
	}
	if out.Head != s.tested {
		for _, x := range s.repo.Statuses(out.Head, s.policy.Review.Context) {
			out.Review = append(out.Review, x.State)
		}
		out.Review = slices.Compact(out.Review)
	}
	if s.model == nil {
		return out
	}
	for _, r := range s.model.Results() {
		if layer := play.LayerOf(r); layer != play.LayerNone && len(out.Stopped) < maxStopped {
			out.Stopped = append(out.Stopped, demo.Stopped{Layer: string(layer), Tool: r.Tool, Text: strings.ToValidUTF8(r.Text[:min(len(r.Text), 300)], "")})
		}
	}
	return out
}

// controlAPI serves Do as POST /MESSAGE.
func (s *Server) controlAPI() http.Handler {
	mux := http.NewServeMux()
	for _, name := range demo.Messages() {
		mux.HandleFunc("POST /"+string(name), func(w http.ResponseWriter, r *http.Request) {
			in, err := io.ReadAll(http.MaxBytesReader(w, r.Body, demo.MaxMessageBytes))
			if err == nil {
				in, err = s.Do(r.Context(), name, in)
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(in) // the client may be gone: nobody is left to tell
		})
	}
	return mux
}

// controlTime bounds one message.
const controlTime = time.Minute

// Client speaks to the control API at base.
func Client(base string) demo.Caller {
	// No proxy: a variable must not choose who answers.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: controlTime}
	return func(ctx context.Context, name demo.Message, in []byte) ([]byte, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/"+string(name), bytes.NewReader(in))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", demo.ErrControl, err)
		}
		a, err := client.Do(r)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", demo.ErrControl, err)
		}
		defer a.Body.Close()
		data, err := io.ReadAll(io.LimitReader(a.Body, demo.MaxMessageBytes+1))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", demo.ErrControl, err)
		}
		if a.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%w: %s: status %d: %.300q", demo.ErrControl, name, a.StatusCode, data)
		}
		return data, nil
	}
}
