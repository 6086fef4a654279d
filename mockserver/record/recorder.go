package record

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/mockserver/stub"
	"github.com/okhttp-go/ok/okhttp"
)

// A Mode says what becomes of a request.
type Mode int

const (
	// Once answers with what was recorded, and asks the origin, and records, where nothing was.
	Once Mode = iota
	// Always asks the origin and records what it says, also where it said something else before.
	Always
	// PassThrough asks the origin and records nothing.
	PassThrough
	// Replay never asks the origin. What was not recorded gets 404 with a report of what is closest.
	Replay
)

// String returns the name of the constant.
func (m Mode) String() string {
	if m < Once || m > Replay {
		return fmt.Sprintf("Mode(%d)", int(m))
	}
	return [...]string{"Once", "Always", "PassThrough", "Replay"}[m]
}

// Config configures a [Recorder].
type Config struct {
	// Origin is the base URL that requests are forwarded to, such as "https://api.example.com" or "http://127.0.0.1:8080/v1": the path of a request is
	// appended to its path. It is not needed for [Replay].
	Origin string
	// Mode is [Once] by default.
	Mode Mode
	// Client asks the origin. nil is one of the recorder's own, which [Recorder.Close] closes.
	Client *okhttp.Client
	// Stubs are what was recorded before, and Dir the folder of their files.
	Stubs []stub.Stub
	Dir   string
	// Latency makes recorded responses take the time that the origin took.
	Latency bool
	// MatchHeaders names request headers that have to be the same for a recorded response, besides method, target and body. A sensitive one has only to be
	// there.
	MatchHeaders []string
	// RedactHeaders names headers whose values are not kept, besides Authorization, Proxy-Authorization, Cookie, Set-Cookie, Api-Key, X-Api-Key,
	// X-Auth-Token, X-Csrf-Token and X-Xsrf-Token.
	RedactHeaders []string
	// RedactFields names query parameters, form fields and members of JSON whose values are not kept, besides those that are usual for secrets, such as token,
	// access_token, api_key, client_secret, password, session_id and signature. Neither case nor _ and - count, and user[password] is a password.
	RedactFields []string
	// MaxBody is how long the body of a response may be that is recorded, in bytes; longer ones are only sent on, see [Recorder.Skipped]. 0 and less:
	// 8 MiB.
	MaxBody int64
	// MaxStubs bounds how many requests are recorded. 0 and less: 10,000; further ones are only sent on, see [Recorder.Skipped].
	MaxStubs int
}

// A Recorder is a [mockserver.Dispatcher] that asks another server. Make one with [New] and close it. It is safe for concurrent use.
type Recorder struct {
	cfg    Config
	origin okhttp.URL
	client *okhttp.Client
	own    bool
	redact redactor
	routes *route.Routes // of the stubs that were given
	fresh  *route.Routes // of those that were recorded since

	mu      sync.Mutex
	stubs   []*kept
	byKey   map[string]*kept
	last    int // number in the name of a stub
	skipped []string
}

// kept is what was recorded for a request.
type kept struct {
	stub.Stub
	given bool // by Config, and it has not changed since
}

// New returns a recorder. It fails if the mode is none of the four, if the origin is no base URL (not looked at by [Replay]), and if one of the stubs cannot be
// answered with.
func New(c Config) (*Recorder, error) {
	if c.Mode < Once || c.Mode > Replay {
		return nil, fmt.Errorf("record: %v: expected Once, Always, PassThrough or Replay", c.Mode)
	}
	if c.MaxBody <= 0 {
		c.MaxBody = 8 << 20
	}
	if c.MaxStubs <= 0 {
		c.MaxStubs = 10_000
	}
	r := &Recorder{cfg: c, client: c.Client, redact: newRedactor(c), routes: new(route.Routes), fresh: new(route.Routes), byKey: map[string]*kept{}}
	if c.Mode != Replay {
		origin, err := okhttp.ParseURL(c.Origin)
		if err != nil {
			return nil, fmt.Errorf("record: origin: %w", err)
		}
		if _, query := origin.EncodedQuery(); query {
			return nil, errors.New("record: origin: expected no query")
		}
		r.origin = origin
		if r.client == nil {
			r.client, r.own = okhttp.New(), true
		}
		if c.Mode == Once {
			r.routes.SetFallback(mockserver.DispatcherFunc(r.fresh.Dispatch))
			r.fresh.SetFallback(mockserver.DispatcherFunc(r.forward))
		}
	}
	known, err := stub.Routes(&stub.Options{Dir: c.Dir, Latency: c.Latency}, c.Stubs...)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("record: %w", err), r.Close())
	}
	if err := r.routes.Add(known...); err != nil {
		return nil, errors.Join(fmt.Errorf("record: %w", err), r.Close())
	}
	for i := range c.Stubs {
		s := &kept{c.Stubs[i], true}
		if key, err := keyOf(s.Stub); err == nil {
			r.stubs, r.byKey[key] = append(r.stubs, s), s
			r.last = max(r.last, numberOf(s.Name))
		}
	}
	return r, nil
}

// Close closes the recorder's own client, and not one that it was given. What was recorded stays for [Recorder.Save].
func (r *Recorder) Close() error {
	if r.own {
		return r.client.Close()
	}
	return nil
}

// Decide implements [mockserver.Decider] and decides nothing: it is there for "Expect: 100-continue".
func (r *Recorder) Decide(*mockserver.Request) (mockserver.Response, bool) {
	return mockserver.Response{}, false
}

// Dispatch implements [mockserver.Dispatcher].
func (r *Recorder) Dispatch(ctx context.Context, req *mockserver.Request) mockserver.Response {
	if r.cfg.Mode == Once || r.cfg.Mode == Replay {
		return r.routes.Dispatch(ctx, req)
	}
	return r.forward(ctx, req)
}

// Unmatched returns the requests that nothing recorded matched, in mode [Replay].
func (r *Recorder) Unmatched() []*route.Miss { return r.routes.Unmatched() }

// Unused describes the stubs of [Config] that no request was answered with, for [mockserver.AllRoutesUsed]: none in the modes that do not answer with stubs.
func (r *Recorder) Unused() []string {
	if r.cfg.Mode == Once || r.cfg.Mode == Replay {
		return r.routes.Unused()
	}
	return nil
}

// Stubs returns what was recorded, and what [New] was given, in the order in which it came.
func (r *Recorder) Stubs() []stub.Stub {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]stub.Stub, len(r.stubs))
	for i, s := range r.stubs {
		list[i] = s.Stub
		list[i].Responses = slices.Clone(s.Responses)
	}
	return list
}

// Skipped says what was not recorded, and why: the last 100.
func (r *Recorder) Skipped() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.skipped)
}

func (r *Recorder) skip(req *mockserver.Request, why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.skipLocked(req, why)
}

// skipLocked is skip with the lock held.
func (r *Recorder) skipLocked(req *mockserver.Request, why string) {
	path, _, _ := strings.Cut(req.Target, "?") // a query may have secrets
	if r.skipped = append(r.skipped, req.Method+" "+path+": "+why); len(r.skipped) > 100 {
		r.skipped = slices.Delete(r.skipped, 0, 1)
	}
}

// keep records an exchange.
func (r *Recorder) keep(req *mockserver.Request, resp stub.Response, latency time.Duration) {
	s := &kept{Stub: stub.Stub{
		Request:  r.redact.request(req, r.cfg.MatchHeaders),
		Recorded: &stub.Recorded{Origin: originOf(r.origin), At: time.Now().UTC().Truncate(time.Millisecond), Latency: stub.Duration(latency.Round(time.Microsecond))},
	}}
	s.Responses = []stub.Response{r.redact.response(resp)}
	key, err := keyOf(s.Stub)
	if err != nil {
		r.skip(req, err.Error())
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.byKey[key]
	switch {
	case known != nil && r.cfg.Mode == Once: // by a request at the same time
		return
	case known != nil:
		last := known.Responses[len(known.Responses)-1]
		switch {
		case alike(last, s.Responses[0]):
		case len(known.Responses) >= r.cfg.MaxStubs:
			r.skipLocked(req, tooMany(r.cfg.MaxStubs, "responses to it"))
		default:
			known.Responses, known.given = append(known.Responses, s.Responses[0]), false
		}
		return
	case len(r.stubs) >= r.cfg.MaxStubs:
		r.skipLocked(req, tooMany(r.cfg.MaxStubs, "requests"))
		return
	}
	r.last++
	s.Name = fmt.Sprintf("%03d %s %s", r.last, req.Method, r.redact.target(req.Target))
	r.stubs, r.byKey[key] = append(r.stubs, s), s
	if list, err := stub.Routes(&stub.Options{Dir: r.cfg.Dir, Latency: r.cfg.Latency}, s.Stub); err == nil {
		_ = r.fresh.Add(list...) // it was made by Routes, which checks
	}
}

func tooMany(most int, of string) string {
	return fmt.Sprintf("as many %s were recorded as may be: %d", of, most)
}

// numberOf is the number that the name of a recorded stub begins with, 0 for none.
func numberOf(name string) int {
	number, _, _ := strings.Cut(name, " ")
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}

// keyOf tells requests apart.
func keyOf(s stub.Stub) (string, error) {
	text, err := stub.Marshal(stub.Stub{Request: s.Request, Scenario: s.Scenario})
	return string(text), err
}

// alike reports whether two responses say the same.
func alike(a, b stub.Response) bool {
	x, err := stub.Marshal(stub.Stub{Responses: []stub.Response{a}})
	y, err2 := stub.Marshal(stub.Stub{Responses: []stub.Response{b}})
	return err == nil && err2 == nil && string(x) == string(y)
}

func originOf(u okhttp.URL) string { return u.Redacted() }

// unreachable is the answer where the origin gave none.
func unreachable(err error) mockserver.Response {
	return mockserver.Reply(http.StatusBadGateway).Reason("Bad Gateway").Header("Content-Type", "text/plain; charset=utf-8").Text("the origin did not answer: " + err.Error() + "\n")
}
