package mockserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// hammer has many goroutines call everything that a server has, while others are its clients.
type hammer struct {
	t      *testing.T
	server *mockserver.Server

	mu    sync.Mutex
	taken map[*mockserver.Request]bool
	whole int // responses that clients got
}

// hammerHand is one goroutine.
type hammerHand struct {
	*hammer
	*rand.Rand
}

// took notes a request, which nobody else may have taken.
func (h *hammerHand) took(r *mockserver.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.taken[r] {
		h.t.Errorf("%v was taken twice", r)
	}
	h.taken[r] = true
}

// response is one of many, with a body that says how long it is.
func (h *hammerHand) response() mockserver.Response {
	r := mockserver.Reply(200).Text(hammered(h.IntN(30_000)))
	skips := false
	switch h.IntN(10) {
	case 0:
		r = r.Throttle(500, time.Millisecond)
	case 1:
		r = r.HeadDelay(20 * time.Millisecond).Chunked(100)
	case 2:
		r = r.BodyDelay(20 * time.Millisecond).TrailersDelay(20 * time.Millisecond)
	case 3:
		r = r.Socket(mockserver.SocketHandlerFunc(func(_ context.Context, _ *mockserver.Request, s okio.Socket) {
			var b okio.Buffer
			for {
				if _, err := s.Source().ReadBuffer(&b, 1000); err != nil {
					return
				}
				b.Clear()
			}
		})).UntilClose()
	case 4:
		r, skips = r.Continue().SkipRequestBody(), true
	case 5:
		r = r.Push("GET", "/pushed", mockserver.Reply(200).BodyDelay(time.Millisecond).Text("pushed"))
	}
	if h.IntN(3) == 0 {
		effects := []mockserver.Effect{
			mockserver.CloseSocket{}, mockserver.Reset{}, mockserver.Stall{}, mockserver.ShutdownConnection{}, mockserver.CloseStream{Code: http2.RefusedStream}, mockserver.GoAway{Refuse: true},
			mockserver.Wait{For: 10 * time.Millisecond}, mockserver.RefuseConnections{For: 30 * time.Millisecond}, mockserver.IgnoreConnections{For: 30 * time.Millisecond}, mockserver.FailHandshake{},
			mockserver.SendSettings{Settings: []http2.Setting{{ID: http2.SettingInitialWindowSize, Value: 5000}}},
		}
		m := mockserver.Moment(h.IntN(6))
		e := effects[h.IntN(len(effects))]
		if _, only := e.(mockserver.FailHandshake); only {
			m = mockserver.RequestStart
		}
		m = possible(m, e, skips)
		r = r.On(m, mockserver.Sometimes{Probability: 0.5, Effect: e})
	}
	return r
}

// possible is a moment at which an effect can strike: m if it can then.
func possible(m mockserver.Moment, e mockserver.Effect, skipsBody bool) mockserver.Moment {
	switch e.(type) {
	case mockserver.GoAway, mockserver.SendSettings:
		m = max(m, mockserver.RequestHead)
	}
	if m == mockserver.RequestBody && skipsBody {
		return mockserver.ResponseStart
	}
	return m
}

func hammered(size int) string {
	return fmt.Sprintf("%d:%s", size, strings.Repeat("b", size))
}

// get makes a request and checks that a response which is said to be whole is.
func (h *hammerHand) get(ctx context.Context, client *okhttp.Client) {
	resp, err := client.Post(ctx, h.server.URL("/hammer"), okhttp.Bytes("", make([]byte, h.IntN(20_000))))
	var text string
	if err == nil {
		text, err = resp.Body.Text()
	}
	if err != nil {
		var failed *okhttp.Error
		if !errors.As(err, &failed) && ctx.Err() == nil {
			h.t.Errorf("a failure of type %T: %v", err, err)
		}
		return
	}
	if resp.Status == 200 {
		h.mu.Lock()
		h.whole++
		h.mu.Unlock()
	}
	var size int
	if _, err := fmt.Sscanf(text, "%d:", &size); resp.Status == 200 && text != "" && (err != nil || text != hammered(size)) {
		h.t.Errorf("a response of %d bytes that is not as it was scripted: %.40q", len(text), text)
	}
}

var anyRequest = mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response {
	return mockserver.Reply(200).Text(hammered(10))
})

// looking are the methods that change nothing.
var looking = map[string]func(h *hammerHand, ctx context.Context){
	"Addr": func(h *hammerHand, _ context.Context) {
		if h.server.Addr() == nil {
			h.t.Error("a server that was started has no address")
		}
	},
	"AwaitRequests": func(h *hammerHand, ctx context.Context) {
		if list, err := h.server.AwaitRequests(ctx, everything{}, 1+h.IntN(5)); err == nil && len(list) == 0 {
			h.t.Error("requests were awaited, and are not there")
		}
	},
	"CertificatePEM": func(h *hammerHand, _ context.Context) { h.server.CertificatePEM() },
	"Check": func(h *hammerHand, _ context.Context) {
		_ = h.server.Check(everything{}, mockserver.AtLeast(h.IntN(5)))
	},
	"ClientTLSConfig": func(h *hammerHand, _ context.Context) { h.server.ClientTLSConfig() },
	"FindRequests": func(h *hammerHand, _ context.Context) {
		for _, r := range h.server.FindRequests(everything{}) {
			_ = r.String()
		}
	},
	"ProxyURL":     func(h *hammerHand, _ context.Context) { h.server.ProxyURL() },
	"RequestCount": func(h *hammerHand, _ context.Context) { h.server.RequestCount() },
	"Requests": func(h *hammerHand, _ context.Context) {
		for _, r := range h.server.Requests() {
			_, _ = r.String(), r.Headers.Len()
		}
	},
	"RootCAs": func(h *hammerHand, _ context.Context) { h.server.RootCAs() },
	"Start": func(h *hammerHand, _ context.Context) {
		if err := h.server.Start(""); err != nil && !errors.Is(err, mockserver.ErrClosed) {
			h.t.Errorf("starting again: %v", err)
		}
	},
	"String": func(h *hammerHand, _ context.Context) { _ = h.server.String() },
	"URL":    func(h *hammerHand, _ context.Context) { h.server.URL("/") },
	"Unanswered": func(h *hammerHand, _ context.Context) {
		for _, r := range h.server.Unanswered() {
			_ = r.String()
		}
	},
	"Verify": func(h *hammerHand, _ context.Context) { _ = h.server.Verify(everything{}, mockserver.AtLeast(0)) },
}

// changing are those that do.
var changing = map[string]func(h *hammerHand, ctx context.Context){
	"Client": func(h *hammerHand, ctx context.Context) {
		client := h.server.Client(okhttp.WithReadTimeout(100 * time.Millisecond))
		defer client.Close()
		for range 3 {
			h.get(ctx, client)
		}
	},
	"DialContext": func(h *hammerHand, ctx context.Context) {
		conn, err := h.server.DialContext(ctx, "tcp", "")
		if err != nil {
			return
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(50 * time.Millisecond))
		_, _ = io.WriteString(conn, []string{"GET / HT", "GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01", "CONNECT a:1 HTTP/1.1\r\n\r\n", "\x05\x01\x00"}[h.IntN(5)])
		_, _ = io.CopyN(io.Discard, conn, 10)
	},
	"Enqueue":        func(h *hammerHand, _ context.Context) { h.server.Enqueue(h.response(), h.response()) },
	"ForgetRequests": func(h *hammerHand, _ context.Context) { h.server.ForgetRequests() },
	"Ignore":         func(h *hammerHand, ctx context.Context) { h.absent(ctx, h.server.Ignore()) },
	"Queue": func(h *hammerHand, _ context.Context) {
		q := h.server.Queue()
		switch h.IntN(4) {
		case 0:
			q.Clear()
		case 1:
			q.SetFailFast(nil)
		default:
			r := h.response()
			q.SetFailFast(&r)
		}
		if q.Len() < 0 {
			h.t.Error("less than nothing is in the queue")
		}
	},
	"Refuse": func(h *hammerHand, ctx context.Context) { h.absent(ctx, h.server.Refuse()) },
	"Resume": func(h *hammerHand, _ context.Context) {
		if err := h.server.Resume(); err != nil && !errors.Is(err, mockserver.ErrClosed) {
			h.t.Errorf("resuming: %v", err)
		}
	},
	"SetDispatcher": func(h *hammerHand, _ context.Context) {
		h.server.SetDispatcher([]mockserver.Dispatcher{nil, nil, anyRequest, h.server.Queue()}[h.IntN(4)])
	},
	"TakeRequest": func(h *hammerHand, ctx context.Context) {
		if r, err := h.server.TakeRequest(ctx); err == nil {
			h.took(r)
		}
	},
	"TryTakeRequest": func(h *hammerHand, _ context.Context) {
		if r, ok := h.server.TryTakeRequest(); ok {
			h.took(r)
		}
	},
}

// absent is a server that took itself away for a while.
func (h *hammerHand) absent(ctx context.Context, err error) {
	if err != nil && !errors.Is(err, mockserver.ErrClosed) {
		h.t.Errorf("taking it away: %v", err)
	}
	select {
	case <-time.After(time.Duration(h.IntN(5)) * time.Millisecond):
	case <-ctx.Done():
	}
	_ = h.server.Resume()
}

// closing are the ends of a server, each of which waits for all of it.
var closing = map[string]func(h *hammerHand, ctx context.Context){
	"Close": func(h *hammerHand, _ context.Context) {
		if err := h.server.Close(); err != nil {
			h.t.Errorf("closing: %v", err)
		}
	},
	"Shutdown": func(h *hammerHand, ctx context.Context) {
		if err := h.server.Shutdown(ctx); err != nil && ctx.Err() == nil {
			h.t.Errorf("shutting down: %v", err)
		}
	},
}

type hammerOps = map[string]func(*hammerHand, context.Context)

// use does n things at random.
func (h *hammerHand) use(n int, ops ...hammerOps) {
	all := hammerOps{}
	for _, some := range ops {
		maps.Copy(all, some)
	}
	names := slices.Sorted(maps.Keys(all))
	for range n {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(h.IntN(200))*time.Millisecond)
		all[names[h.IntN(len(names))]](h, ctx)
		cancel()
		if h.IntN(2) == 0 {
			time.Sleep(time.Duration(h.IntN(10)) * time.Millisecond)
		}
	}
}

// Nothing that a program can call is missing above.
func TestHammerHasAllMethods(t *testing.T) {
	for m := range reflect.TypeFor[*mockserver.Server]().Methods() {
		found := false
		for _, ops := range []hammerOps{looking, changing, closing} {
			found = found || ops[m.Name] != nil
		}
		if !found {
			t.Errorf("nobody calls Server.%s", m.Name)
		}
	}
}

// TestHammer calls all methods of servers by many goroutines in a random order, with contexts that end at random, while clients speak each version; then ends the
// server amidst it, twice at once. The bubble fails if a goroutine is left.
func TestHammer(t *testing.T) {
	prior := mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge)
	for name, opts := range map[string][]mockserver.Option{
		"HTTP/1.1":          nil,
		"HTTP/2":            {prior},
		"HTTP/1.1 over TLS": {mockserver.WithLocalhostTLS(), mockserver.WithProtocols(okhttp.HTTP1Only)},
		"HTTP/2 over TLS":   {mockserver.WithLocalhostTLS()},
		"proxy":             {prior, mockserver.WithHTTPProxy("", ""), mockserver.WithSOCKS5(mockserver.SOCKS5{})},
		"few are kept":      {prior, mockserver.WithJournalLimit(3), mockserver.WithBodyLimit(100)},
	} {
		t.Run(name, func(t *testing.T) {
			whole := 0
			for seed := range uint64(hammerSeeds) {
				synctest.Test(t, func(t *testing.T) { whole += hammerServer(t, seed, opts) })
			}
			if whole == 0 {
				t.Error("no client got a response")
			}
		})
	}
}

const hammerSeeds = 2

func hammerServer(t *testing.T, seed uint64, opts []mockserver.Option) (whole int) {
	s, err := mockserver.Start(append(opts, mockserver.WithNetwork(new(okio.Network)), mockserver.WithSeed(seed))...)
	if err != nil {
		t.Fatal(err)
	}
	h := &hammer{t: t, server: s, taken: map[*mockserver.Request]bool{}}
	hand := func(n uint64) *hammerHand { return &hammerHand{h, rand.New(rand.NewPCG(seed, n))} }
	var work sync.WaitGroup
	for i := range uint64(8) {
		some := hand(i)
		work.Go(func() { some.use(15, looking, changing, changing) })
	}
	for i := range uint64(4) {
		caller := hand(100 + i)
		client := s.Client(okhttp.WithReadTimeout(100*time.Millisecond), okhttp.WithWriteTimeout(100*time.Millisecond), okhttp.WithConnectTimeout(100*time.Millisecond))
		work.Go(func() {
			defer client.Close()
			for range 15 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(caller.IntN(400))*time.Millisecond)
				caller.get(ctx, client)
				cancel()
			}
		})
	}
	for i := range uint64(2) {
		last := hand(200 + i)
		work.Go(func() {
			time.Sleep(time.Duration(last.IntN(400)) * time.Millisecond)
			last.use(1, closing)
		})
	}
	work.Wait()
	if err := s.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	if err := s.Start(""); !errors.Is(err, mockserver.ErrClosed) {
		t.Errorf("starting a closed server: %v", err)
	}
	if conn, err := s.DialContext(context.Background(), "tcp", ""); err == nil {
		conn.Close()
		t.Error("connected to a closed server")
	}
	for {
		if _, err := s.TakeRequest(context.Background()); err != nil {
			if err != mockserver.ErrClosed {
				t.Errorf("after the last request of a closed server: %v", err)
			}
			return h.whole
		}
	}
}

// everything matches each request.
type everything struct{}

func (everything) Match(*mockserver.Request) []mockserver.Mismatch { return nil }
func (everything) String() string                                  { return "everything" }

// TestStartWhileShuttingDown: a server is not started any more whose end has begun.
func TestStartWhileShuttingDown(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			s := mockserver.NewUnstarted(nil, mockserver.WithNetwork(new(okio.Network)))
			var both sync.WaitGroup
			both.Go(func() {
				if err := s.Start(""); err != nil && !errors.Is(err, mockserver.ErrClosed) {
					t.Error(err)
				}
			})
			both.Go(func() {
				if err := s.Shutdown(context.Background()); err != nil {
					t.Error(err)
				}
			})
			both.Wait()
			if conn, err := s.DialContext(context.Background(), "tcp", ""); err == nil {
				conn.Close()
				t.Error("connected to a server that was shut down")
			} else if errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
		})
	}
}
