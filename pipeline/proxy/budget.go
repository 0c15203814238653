package proxy

import (
	"sync"

	"selffix/pipeline/policy"
)

// maxRunning is how many requests may be open at once. The agent makes one; the second leaves it room for
// a request that is still ending.
const maxRunning = 2

// cacheRead is the part of the input price at which the host charges tokens read from its cache: a tenth
// of the base price, which is never above the policy's dearest one.
const cacheRead = 0.1

// Meter is what a proxy has spent, without anything of what was said.
type Meter struct {
	Requests     int            `json:"requests"`      // sent to the model's host
	Running      int            `json:"running"`       // of these, not yet ended
	Settled      int            `json:"settled"`       // ended with a complete usage record
	Kept         int            `json:"kept"`          // ended without one: the reservation counts as spent
	InputTokens  int64          `json:"input_tokens"`  // settled and kept
	OutputTokens int64          `json:"output_tokens"` // settled and kept
	CostUSD      float64        `json:"cost_usd"`      // settled and kept, at the policy's price: an upper bound
	ReservedUSD  float64        `json:"reserved_usd"`  // of running requests
	DroppedBetas int            `json:"dropped_betas"` // betas that clients asked for and the policy does not list
	Statuses     map[int]int    `json:"statuses"`      // the host's error statuses, by how often
	Refusals     map[Reason]int `json:"refusals"`      // what was refused to clients, and answers that were cut
}

// amount is tokens and what they cost.
type amount struct {
	input, output int64
	usd           float64
}

// Usage is one complete record of what an answer took.
type Usage struct {
	Input         int64 // neither written to nor read from the cache
	CacheCreation int64
	CacheRead     int64
	Output        int64
}

// budget counts. Every change is made under its lock.
type budget struct {
	agent policy.Agent

	mu       sync.Mutex
	open     int // requests that are served, from before their bodies are read
	meter    Meter
	reserved amount
}

func newBudget(a policy.Agent) *budget {
	return &budget{agent: a, meter: Meter{Statuses: map[int]int{}, Refusals: map[Reason]int{}}}
}

const million = 1_000_000

// worst is what a request may cost at most.
func (b *budget) worst(input, output int64) amount {
	return amount{input, output, (float64(input)*b.agent.Price.Input + float64(output)*b.agent.Price.Output) / million}
}

// cost is what a request took, each token at the dearest price of its kind.
func (b *budget) cost(u Usage) amount {
	a := b.worst(u.Input+u.CacheCreation, u.Output)
	a.usd += float64(u.CacheRead) * b.agent.Price.Input * cacheRead / million
	a.input += u.CacheRead
	return a
}

// reservation is the worst case of one request that is about to be sent. Exactly one of settle, keep and
// free ends it; later calls do nothing.
type reservation struct {
	b    *budget
	max  amount
	once sync.Once
}

// enter takes one of the places, before anything of a request's body is in memory. Its end gives the place back.
func (b *budget) enter() (leave func(), no *refusal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open >= maxRunning {
		return nil, refuse(ReasonRunning, "%d requests are running, which is all that may at once", maxRunning)
	}
	b.open++
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.open--
	}, nil
}

// reserve takes the worst case out of what is left, or says what is used up.
func (b *budget) reserve(input, output int64) (*reservation, *refusal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m, a := &b.meter, b.worst(input, output)
	switch {
	case m.Requests >= b.agent.MaxRequests:
		return nil, refuse(ReasonRequests, "all %d requests of this run were made", b.agent.MaxRequests)
	case m.InputTokens+b.reserved.input+a.input > b.agent.MaxInputTokens:
		return nil, refuse(ReasonTokens, "the request may take %d input tokens, which is more than is left", a.input)
	case m.OutputTokens+b.reserved.output+a.output > b.agent.MaxOutputTokens:
		return nil, refuse(ReasonTokens, "the answer may take %d output tokens, which is more than is left", a.output)
	case m.CostUSD+b.reserved.usd+a.usd > b.agent.MaxUSD:
		return nil, refuse(ReasonMoney, "the request may cost $%.4f, which is more than is left", a.usd)
	}
	m.Requests++
	m.Running++
	b.reserved.add(a)
	return &reservation{b: b, max: a}, nil
}

// settle replaces the reservation by what the complete record says, even if that is more.
func (r *reservation) settle(u Usage) {
	r.end(r.b.cost(u), func(m *Meter) { m.Settled++ })
}

// keep counts the whole reservation as spent.
func (r *reservation) keep() {
	r.end(r.max, func(m *Meter) { m.Kept++ })
}

// free gives everything back: the host has not worked on the request.
func (r *reservation) free() {
	r.end(amount{}, func(*Meter) {})
}

func (r *reservation) end(spent amount, count func(*Meter)) {
	r.once.Do(func() {
		r.b.mu.Lock()
		defer r.b.mu.Unlock()
		m := &r.b.meter
		m.Running--
		r.b.reserved.sub(r.max)
		m.InputTokens += spent.input
		m.OutputTokens += spent.output
		m.CostUSD += spent.usd
		count(m)
	})
}

func (a *amount) add(o amount) { a.input += o.input; a.output += o.output; a.usd += o.usd }
func (a *amount) sub(o amount) { a.input -= o.input; a.output -= o.output; a.usd -= o.usd }

// count changes the meter's other figures.
func (b *budget) count(change func(*Meter)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.meter)
}

// snapshot copies the meter.
func (b *budget) snapshot() Meter {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.meter
	m.ReservedUSD = max(0, b.reserved.usd) // sums of floats may end a hair below
	m.Statuses, m.Refusals = map[int]int{}, map[Reason]int{}
	for k, v := range b.meter.Statuses {
		m.Statuses[k] = v
	}
	for k, v := range b.meter.Refusals {
		m.Refusals[k] = v
	}
	return m
}
