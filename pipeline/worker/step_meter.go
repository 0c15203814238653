package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"selffix/internal/strictjson"
	"selffix/internal/tokens"
	"selffix/pipeline"
	"selffix/pipeline/proxy"
)

// ErrMeter marks a model proxy that did not say what it counted.
var ErrMeter = errors.New("the model proxy did not say what it counted")

const (
	meterTime  = 20 * time.Second
	meterBytes = 64 << 10
)

// askMeter is the collector of the model proxy: it asks the running service, with this run's key, and keeps what is a meter.
func askMeter(ctx context.Context, w work) (pipeline.Outcome, error) {
	key, err := tokens.ReadFile(w.in(pipeline.SupervisorDir + "/run-key"))
	if err != nil {
		return pipeline.Outcome{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, meterTime)
	defer cancel()
	m, err := readMeter(ctx, "http://"+w.relay()+"/meter", key)
	if err != nil {
		return pipeline.Outcome{}, err
	}
	if err := w.writeJSON("meter.json", m); err != nil {
		return pipeline.Outcome{}, err
	}
	return goOn()
}

// readMeter makes one request, through no proxy and to no other address.
func readMeter(ctx context.Context, address string, key tokens.Token) (proxy.Meter, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return proxy.Meter{}, fmt.Errorf("%w: %w", ErrMeter, err)
	}
	r.Header.Set("X-Api-Key", key.Reveal())
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(r)
	if err != nil {
		return proxy.Meter{}, fmt.Errorf("%w: %w", ErrMeter, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return proxy.Meter{}, fmt.Errorf("%w: status %d", ErrMeter, answer.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, meterBytes))
	if err != nil {
		return proxy.Meter{}, fmt.Errorf("%w: %w", ErrMeter, err)
	}
	var m proxy.Meter
	if err := strictjson.Unmarshal(data, &m); err != nil {
		return proxy.Meter{}, fmt.Errorf("%w: %w", ErrMeter, err)
	}
	return m, nil
}

// relay is where the service answers that the step relays to.
func (w work) relay() string {
	if w.Layout.Relay != "" {
		return w.Layout.Relay
	}
	return fmt.Sprintf("%s:%d", w.step.Net.Relay, pipeline.ModelProxyPort)
}
