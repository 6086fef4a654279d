package okws

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// told counts what a listener is told, and checks the order of that.
type told struct {
	t       *testing.T
	opened  bool // the harness tells of OnOpen by itself where there is no handshake
	hand    *hammerHand
	mu      sync.Mutex
	running int // of OnOpen, OnMessage and OnClosing
	closing int
	ended   int
	failure error
	late    int // calls that began after that of the end
}

// call notes that one of the listener's functions has begun, and returns what notes that it is over.
func (l *told) call(closing bool) (done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running++; l.running > 1 {
		l.t.Error("two functions of the listener run at once")
	}
	if l.closing > 0 {
		l.t.Error("the listener was told something after the peer's close frame")
	}
	if closing {
		l.closing++
	}
	if l.ended > 0 {
		l.late++
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.running--
	}
}

func (l *told) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended++; l.ended > 1 {
		l.t.Errorf("the listener was told of the end %d times: %v, %v", l.ended, l.failure, err)
	}
	if err == nil && l.closing != 1 {
		l.t.Error("OnClosed without OnClosing")
	}
	l.failure = err
}

// listener is one that checks messages, and answers the peer's close frame.
func (l *told) listener() Listener {
	return Listener{
		OnOpen: func(*WebSocket, *okhttp.Response) {
			defer l.call(false)()
			if l.opened {
				l.t.Error("opened twice")
			}
			l.opened = true
		},
		OnMessage: func(_ *WebSocket, _ Type, p []byte) {
			defer l.call(false)()
			if !l.opened {
				l.t.Error("a message before OnOpen")
			}
			l.hand.got(p)
		},
		OnClosing: func(ws *WebSocket, code Code, _ string) {
			defer l.call(true)()
			_ = ws.Close(CodeNormal, "")
		},
		OnClosed:  func(*WebSocket, Code, string) { l.end(nil) },
		OnFailure: func(_ *WebSocket, err error, _ *okhttp.Response) { l.end(err) },
	}
}

// over checks what was told once nothing more can come.
func (l *told) over() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != 1 {
		l.t.Errorf("the listener was told of the end %d times", l.ended)
	}
	if l.late > 1 { // one may have been about to begin
		l.t.Errorf("%d calls of the listener began after the end", l.late)
	}
}

// sender is one goroutine that uses a WebSocket.
type sender struct {
	*hammerHand
	*rand.Rand
	ws      *WebSocket
	taken   *atomic.Int64 // messages that SendContext took with a function
	written *atomic.Int64 // calls of these functions
}

type senderOps = map[string]func(s *sender, ctx context.Context)

// took notes a message that was taken.
func (s *sender) took(id uint64, ok bool) {
	if ok {
		s.wrote(id, nil)
	}
}

var queueing = senderOps{
	"Send":     func(s *sender, _ context.Context) { id, p := s.message(); s.took(id, s.ws.Send(s.kind(), p)) },
	"SendText": func(s *sender, _ context.Context) { id, p := s.message(); s.took(id, s.ws.SendText(string(p))) },
	"SendWith": func(s *sender, _ context.Context) {
		id, p := s.message()
		s.took(id, s.ws.SendWith(s.kind(), p, s.Rand.IntN(2) == 0))
	},
	"SendContext": func(s *sender, ctx context.Context) {
		id, p := s.message()
		err := s.ws.SendContext(ctx, s.kind(), p, func(error) { s.written.Add(1) })
		if s.took(id, err == nil); err == nil {
			s.taken.Add(1)
		}
	},
}

var looking = senderOps{
	"Flush": func(s *sender, ctx context.Context) { _ = s.ws.Flush(ctx) },
	"QueueSize": func(s *sender, _ context.Context) {
		if n := s.ws.QueueSize(); n < 0 || n > s.ws.cfg.QueueLimit {
			s.t.Errorf("%d bytes are queued", n)
		}
	},
	"Request": func(s *sender, _ context.Context) { _ = s.ws.Request() },
	"Done": func(s *sender, ctx context.Context) {
		select {
		case <-s.ws.Done():
		case <-ctx.Done():
		}
	},
}

var finishing = senderOps{
	"Close":  func(s *sender, _ context.Context) { _ = s.ws.Close(CodeNormal, "enough") },
	"Cancel": func(s *sender, _ context.Context) { s.ws.Cancel() },
}

// Nothing of a WebSocket that a program can call is missing above.
func TestListenerHammerHasAllMethods(t *testing.T) {
	for m := range reflect.TypeFor[*WebSocket]().Methods() {
		if queueing[m.Name] == nil && looking[m.Name] == nil && finishing[m.Name] == nil {
			t.Errorf("nobody calls WebSocket.%s", m.Name)
		}
	}
	for f := range reflect.TypeFor[Listener]().Fields() {
		if reflect.ValueOf(new(told).listener()).FieldByIndex(f.Index).IsNil() {
			t.Errorf("nobody hears of Listener.%s", f.Name)
		}
	}
}

// webSockets has a web socket with a listener at each end of a connection in memory.
type webSockets struct {
	*hammer
	ws             []*WebSocket
	told           []*told
	taken, written atomic.Int64
}

func (w *webSockets) add(ws *WebSocket, l *told) {
	w.ws, w.told = append(w.ws, ws), append(w.told, l)
}

func hammerListeners(t *testing.T, seed uint64, cfg *Config) *webSockets {
	w := &webSockets{hammer: newHammer(t, seed)}
	c, s := pair(t, cfg, cfg)
	for _, conn := range []*Conn{c, s} {
		l := &told{t: t}
		l.hand = w.hand(conn)
		ws := &WebSocket{cfg: conn.cfg, listener: l.listener(), done: make(chan struct{}), decided: make(chan struct{}), conn: conn, unbind: func() bool { return true }}
		close(ws.decided)
		tell(conn, ws)
		w.add(ws, l)
		go ws.run(conn, nil)
	}
	return w
}

func (w *webSockets) sender(ws *WebSocket) *sender {
	h := w.hand(nil)
	return &sender{hammerHand: h, Rand: h.Rand, ws: ws, taken: &w.taken, written: &w.written}
}

// use does n things at random.
func (s *sender) use(n int, ops ...senderOps) {
	all := senderOps{}
	for _, some := range ops {
		maps.Copy(all, some)
	}
	names := slices.Sorted(maps.Keys(all))
	for range n {
		ctx, cancel := s.context()
		all[names[s.Rand.IntN(len(names))]](s, ctx)
		cancel()
		if s.Rand.IntN(3) == 0 {
			time.Sleep(time.Duration(s.Rand.IntN(500)) * time.Microsecond)
		}
	}
}

// gentle sends in all ways and then closes: everything that was taken arrives, and the end is in order.
func (w *webSockets) gentle() {
	var work sync.WaitGroup
	for _, ws := range w.ws {
		for range 5 {
			s := w.sender(ws)
			work.Go(func() { s.use(30, queueing, looking) })
		}
	}
	work.Wait()
	for _, ws := range w.ws {
		if err := ws.Flush(background()); err != nil || ws.QueueSize() != 0 {
			w.t.Errorf("flushed with %v, %d bytes are left", err, ws.QueueSize())
		}
	}
	for _, ws := range w.ws {
		work.Go(func() { _ = ws.Close(CodeNormal, "enough") })
	}
	w.over(true)
	work.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !maps.Equal(w.sent, w.arrived) || len(w.sent) == 0 {
		w.t.Errorf("%d messages arrived of %d", len(w.arrived), len(w.sent))
	}
}

// wild does all that can be done.
func (w *webSockets) wild() {
	var work sync.WaitGroup
	for _, ws := range w.ws {
		for i := range 6 {
			s := w.sender(ws)
			work.Go(func() {
				for range 8 {
					s.use(4, queueing, looking)
					if i == 0 && s.Rand.IntN(3) == 0 || s.Rand.IntN(25) == 0 {
						s.use(1, finishing)
					}
				}
			})
		}
	}
	work.Wait()
	for _, ws := range w.ws {
		ws.Cancel()
	}
	w.over(false)
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.arrived {
		if !w.sent[id] {
			w.t.Errorf("message %#x arrived, which was not taken", id)
		}
	}
}

// over waits for the end, and for what may come after it.
func (w *webSockets) over(inOrder bool) {
	for i, ws := range w.ws {
		<-ws.Done()
		ws.Cancel()
		if ws.SendText("late") || ws.Close(CodeNormal, "") == nil || ws.SendContext(background(), Text, nil, nil) == nil {
			w.t.Error("it can be used after the end")
		}
		if l := w.told[i]; inOrder && l.failure != nil {
			w.t.Errorf("failed with %v", l.failure)
		}
	}
	synctest.Wait()
	for _, l := range w.told {
		l.over()
	}
	if took, heard := w.taken.Load(), w.written.Load(); took != heard {
		w.t.Errorf("SendContext took %d messages and told of %d", took, heard)
	}
}

// queueLimits has small queues be full in all ways.
func queueLimits(cfg *Config, policy QueuePolicy) *Config {
	limited := *cfg
	limited.QueueLimit, limited.QueueFull = 120_000, policy
	return &limited
}

// All methods of a WebSocket at both ends, called by many goroutines in a random order. Each listener is told of the end once, and of nothing afterwards.
func TestListenerHammer(t *testing.T) {
	for name, cfg := range hammerConfigs {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(hammerSeeds) {
				for _, policy := range []QueuePolicy{QueueBlocks, QueueRefuses} {
					bubble(t, func(t *testing.T) { hammerListeners(t, seed, queueLimits(cfg, policy)).gentle() })
				}
				for _, policy := range []QueuePolicy{QueueBlocks, QueueRefuses, QueueCloses} {
					bubble(t, func(t *testing.T) { hammerListeners(t, seed, queueLimits(cfg, policy)).wild() })
				}
			}
		})
	}
}

// The same through the handshake, which may be slow, or refused, or canceled, while messages are queued already.
func TestListenerHammerSite(t *testing.T) {
	for _, fate := range []string{"accepted", "refused", "canceled"} {
		t.Run(fate, func(t *testing.T) {
			inSite(t, func(t *testing.T, site *site) {
				accept := site.accepting(&AcceptConfig{}, func(c *Conn) { _ = c.Discard(background()) })
				site.serve(func(rw http.ResponseWriter, r *http.Request) {
					time.Sleep(3 * ms)
					if fate == "refused" {
						rw.WriteHeader(503)
						return
					}
					if r.Context().Err() == nil {
						accept(rw, r)
					}
				})
				w := &webSockets{hammer: newHammer(t, 1)}
				var ended context.CancelCauseFunc
				for range 6 {
					l := &told{t: t}
					l.hand = w.hand(nil)
					var ctx context.Context
					ctx, ended = context.WithCancelCause(background())
					defer ended(nil)
					req, err := NewRequest("ws://server.test/")
					must(t, err)
					ws, err := NewWebSocket(ctx, site.client, req, l.listener(), queueLimits(hammerConfigs["plain"], QueueBlocks))
					must(t, err)
					w.add(ws, l)
					if fate == "canceled" {
						time.AfterFunc(time.Duration(len(w.ws))*ms, func() { ended(errors.New("enough")) })
					}
				}
				w.wild()
			})
		})
	}
}
