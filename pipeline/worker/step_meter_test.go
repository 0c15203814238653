package worker

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"selffix/pipeline"
	"selffix/pipeline/proxy"
)

func TestAskMeter(t *testing.T) {
	key := "run-key-" + strings.Repeat("k", 32)
	meter, err := json.Marshal(proxy.Meter{Requests: 3, CostUSD: 0.25, Statuses: map[int]int{}, Refusals: map[proxy.Reason]int{}})
	if err != nil {
		t.Fatal(err)
	}
	answer := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		good   bool
	}{
		{"a meter", func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet || r.RequestURI != "/meter" || r.Header.Get("X-Api-Key") != key {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			_, _ = w.Write(meter)
		}, true},
		{"a refusal", answer(http.StatusUnauthorized, string(meter)), false},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
		}, false},
		{"another schema", answer(http.StatusOK, `{"cost_usd":0}`), false},
		{"an endless answer", answer(http.StatusOK, string(meter)+strings.Repeat(" ", 2*meterBytes)+"x"), true}, // what counts was whole
		{"an endless meter", answer(http.StatusOK, strings.Repeat(" ", 2*meterBytes)+string(meter)), false},
		{"nothing", answer(http.StatusOK, ""), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(tt.answer)
			defer s.Close()
			w := ground(t, "model-proxy-meter")
			w.Layout.Relay = strings.TrimPrefix(s.URL, "http://")
			w.give(t, "/run/step/run-key", []byte(key+"\n"))
			o, err := askMeter(t.Context(), w)
			if !tt.good {
				if !errors.Is(err, ErrMeter) {
					t.Errorf("%+v, %v, want ErrMeter", o, err)
				}
				return
			}
			if err != nil || o.Decision != pipeline.Continue {
				t.Fatalf("%+v, %v", o, err)
			}
			var got proxy.Meter
			data, err := os.ReadFile(w.in("/out/meter.json"))
			if err == nil {
				err = json.Unmarshal(data, &got)
			}
			if err != nil || got.Requests != 3 || got.CostUSD != 0.25 {
				t.Errorf("meter %+v, %v", got, err)
			}
		})
	}
}
