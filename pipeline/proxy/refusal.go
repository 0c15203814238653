package proxy

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Reason names what was refused. The meter counts by it, so a report can name the rule that stopped a request.
type Reason string

// The reasons for refusing a request.
const (
	ReasonKey      Reason = "key"      // this run's key is missing, wrong or doubled
	ReasonMethod   Reason = "method"   // not POST
	ReasonPath     Reason = "path"     // not /v1/messages, or a query other than beta=true
	ReasonHeader   Reason = "header"   // content type or encoding
	ReasonSize     Reason = "size"     // the body is larger than allowed
	ReasonSlow     Reason = "slow"     // the body did not come in time, or was cut
	ReasonBody     Reason = "body"     // no strict message request
	ReasonModel    Reason = "model"    // another model
	ReasonRunning  Reason = "running"  // too many at once
	ReasonRequests Reason = "requests" // all requests of the run were made
	ReasonTokens   Reason = "tokens"   // no tokens left for the worst case
	ReasonMoney    Reason = "money"    // no money left for the worst case
)

// The reasons for not passing on an answer.
const (
	ReasonHost     Reason = "host"     // no connection, no header in time, a redirect, an unknown status
	ReasonAnswer   Reason = "answer"   // another content type, malformed, or out of order
	ReasonAnother  Reason = "another"  // the answer is another model's
	ReasonTooLong  Reason = "too-long" // an event or the answer is larger than allowed
	ReasonSilence  Reason = "silence"  // no byte in time, or no end in time
	ReasonCut      Reason = "cut"      // the host closed before the end
	ReasonLeak     Reason = "leak"     // the answer holds the token
	ReasonHungUp   Reason = "hung-up"  // the client went away
	ReasonInternal Reason = "internal" // the proxy could not encode what it had decoded
)

// refusal is an error for the client, free of untrusted text but for quoted, cut names.
type refusal struct {
	reason  Reason
	message string
}

func refuse(r Reason, format string, args ...any) *refusal {
	return &refusal{reason: r, message: fmt.Sprintf(format, args...)}
}

func (r *refusal) Error() string { return r.message }

// status is the HTTP status and the service's own word for it. The agent's client tries 408, 409, 429 and 5xx
// again and takes the others as final: what cannot get better must be final.
func (r *refusal) status() (int, string) {
	switch r.reason {
	case ReasonKey:
		return http.StatusUnauthorized, "authentication_error"
	case ReasonMethod:
		return http.StatusMethodNotAllowed, "invalid_request_error"
	case ReasonPath:
		return http.StatusNotFound, "not_found_error"
	case ReasonSize:
		return http.StatusRequestEntityTooLarge, "request_too_large"
	case ReasonHeader, ReasonSlow, ReasonBody, ReasonModel:
		return http.StatusBadRequest, "invalid_request_error"
	case ReasonRunning:
		return http.StatusTooManyRequests, "rate_limit_error"
	case ReasonRequests, ReasonTokens, ReasonMoney:
		return http.StatusForbidden, "permission_error"
	}
	return http.StatusBadGateway, "api_error"
}

// body is the service's form of an error.
func (r *refusal) body() []byte {
	_, kind := r.status()
	return errorBody(kind, "self-fix proxy: "+r.message)
}

func errorBody(kind, message string) []byte {
	raw, err := json.Marshal(struct {
		Type  string `json:"type"`
		Error any    `json:"error"`
	}{"error", struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}{kind, message}})
	if err != nil { // strings always encode
		return []byte(`{"type":"error","error":{"type":"api_error","message":"self-fix proxy: error"}}`)
	}
	return raw
}
