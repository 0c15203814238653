package proxy

import (
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"selffix/internal/tokens"
	"selffix/pipeline/policy"
)

// ErrOptions is wrapped by every reason for which New makes no proxy.
var ErrOptions = errors.New("unusable options for the model proxy")

// keyPrefix begins a run's key, so that a person who sees one in a file knows that it opens nothing but a proxy.
const keyPrefix = "self-fix-run-"

// NewKey makes the random key that a proxy demands, good for one run. random is crypto/rand.Reader outside of tests;
// nil takes that.
func NewKey(random io.Reader) (tokens.Token, error) {
	if random == nil {
		random = rand.Reader
	}
	raw := make([]byte, 32)
	if _, err := io.ReadFull(random, raw); err != nil {
		return tokens.Token{}, fmt.Errorf("make the key of this run: %w", err)
	}
	return tokens.New(keyPrefix + base64.RawURLEncoding.EncodeToString(raw))
}

// minKeyBytes is the least length of a key: shorter ones can be guessed over a loopback port.
const minKeyBytes = 24

// Limits bound one request. A zero field takes the value of DefaultLimits; a negative one is refused.
type Limits struct {
	BodyBytes   int64         // of a request
	AnswerBytes int64         // of an answer
	EventBytes  int           // of one event of a stream
	MaxTokens   int64         // max_tokens is cut to it
	BodyTime    time.Duration // until a request was read
	HeaderTime  time.Duration // from sending until the host's first header
	IdleTime    time.Duration // between two reads of an answer
	TotalTime   time.Duration // of one request and its answer
}

// DefaultLimits are what the agent needs: its requests reach some hundred kilobytes, or several
// megabytes with pictures; the host sends a ping at least every 30 seconds.
func DefaultLimits() Limits {
	return Limits{
		BodyBytes:   16 << 20,
		AnswerBytes: 32 << 20,
		EventBytes:  4 << 20,
		MaxTokens:   32000,
		BodyTime:    30 * time.Second,
		HeaderTime:  2 * time.Minute,
		IdleTime:    90 * time.Second,
		TotalTime:   10 * time.Minute,
	}
}

func (l Limits) orDefault() (Limits, error) {
	d := DefaultLimits()
	for _, f := range []struct {
		value *int64
		def   int64
	}{{&l.BodyBytes, d.BodyBytes}, {&l.AnswerBytes, d.AnswerBytes}, {&l.MaxTokens, d.MaxTokens}} {
		if *f.value == 0 {
			*f.value = f.def
		}
	}
	for _, f := range []struct {
		value *time.Duration
		def   time.Duration
	}{{&l.BodyTime, d.BodyTime}, {&l.HeaderTime, d.HeaderTime}, {&l.IdleTime, d.IdleTime}, {&l.TotalTime, d.TotalTime}} {
		if *f.value == 0 {
			*f.value = f.def
		}
		if *f.value < 0 {
			return l, fmt.Errorf("%w: a limit is negative", ErrOptions)
		}
	}
	if l.EventBytes == 0 {
		l.EventBytes = d.EventBytes
	}
	if l.BodyBytes < 0 || l.AnswerBytes < 0 || l.MaxTokens < 0 || l.EventBytes < 0 {
		return l, fmt.Errorf("%w: a limit is negative", ErrOptions)
	}
	return l, nil
}

// Options are what a proxy is made of. Policy, Token and Key are mandatory.
type Options struct {
	Policy policy.Policy
	Token  tokens.Token // the model token
	Key    tokens.Token // demanded of every client; see NewKey
	Limits Limits
	Roots  *x509.CertPool // nil: those of the system
}

// check refuses a policy under which nothing could be bounded, and a token that is not for its host.
func (o Options) check() error {
	if err := tokens.Check(o.Policy.Sandbox, o.Policy.Hosts.Model, o.Token); err != nil {
		return fmt.Errorf("model token: %w", err)
	}
	a := o.Policy.Agent
	switch {
	case !o.Policy.Enabled:
		return fmt.Errorf("%w: the policy does not say enabled: true", ErrOptions)
	case len(o.Key.Reveal()) < minKeyBytes:
		return fmt.Errorf("%w: the run's key has fewer than %d characters", ErrOptions, minKeyBytes)
	case o.Key.Equal(o.Token.Reveal()):
		return fmt.Errorf("%w: the run's key is the model token itself, which the agent must never hold", ErrOptions)
	case a.Model == "":
		return fmt.Errorf("%w: the policy names no agent.model", ErrOptions)
	case a.MaxRequests <= 0 || a.MaxInputTokens <= 0 || a.MaxOutputTokens <= 0:
		return fmt.Errorf("%w: agent.max_requests, agent.max_input_tokens and agent.max_output_tokens must be above 0", ErrOptions)
	case !positive(a.MaxUSD) || !positive(a.Price.Input) || !positive(a.Price.Output):
		return fmt.Errorf("%w: agent.max_usd, agent.price.input and agent.price.output must be above 0", ErrOptions)
	}
	return nil
}

func positive(f float64) bool { return f > 0 && !math.IsInf(f, 0) && !math.IsNaN(f) }
