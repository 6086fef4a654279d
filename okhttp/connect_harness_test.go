package okhttp

import (
	"context"
	"fmt"
	"iter"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// dials is the dialer of a world that tests how connections come about. It notes when each address is dialed and counts what is open. What has no
// script is dialed in the world's network.
type dials struct {
	network *okio.Network
	start   time.Time

	mu      sync.Mutex
	scripts map[string]dialScript // by IP address
	log     []string
	open    int
}

// dialScript is what happens to those who dial an address.
type dialScript func(ctx context.Context, dial func() (net.Conn, error)) (net.Conn, error)

// dead never answers, as where packets are dropped.
func dead(ctx context.Context, _ func() (net.Conn, error)) (net.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// refused refuses after a while.
func refused(after time.Duration) dialScript {
	return func(ctx context.Context, _ func() (net.Conn, error)) (net.Conn, error) {
		if err := sleepIn(ctx, after); err != nil {
			return nil, err
		}
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
}

// far connects after a while.
func far(after time.Duration) dialScript {
	return func(ctx context.Context, dial func() (net.Conn, error)) (net.Conn, error) {
		if err := sleepIn(ctx, after); err != nil {
			return nil, err
		}
		return dial()
	}
}

// stubborn connects after a while, whatever becomes of the context.
func stubborn(after time.Duration) dialScript {
	return func(_ context.Context, dial func() (net.Conn, error)) (net.Conn, error) {
		time.Sleep(after)
		return dial()
	}
}

func sleepIn(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *dials) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	d.mu.Lock()
	d.log = append(d.log, fmt.Sprint(time.Since(d.start), " ", strings.TrimSuffix(addr, ":80")))
	script := d.scripts[netip.MustParseAddrPort(addr).Addr().String()]
	d.mu.Unlock()
	dial := func() (net.Conn, error) {
		c, err := d.network.DialContext(context.WithoutCancel(ctx), network, addr)
		if err != nil {
			return nil, err
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.open++
		return &countedConn{Conn: c, dials: d}, nil
	}
	if script == nil {
		return dial()
	}
	return script(ctx, dial)
}

// countedConn tells its dialer when it is closed.
type countedConn struct {
	net.Conn
	dials *dials
	once  sync.Once
}

func (c *countedConn) Close() error {
	c.once.Do(func() {
		c.dials.mu.Lock()
		defer c.dials.mu.Unlock()
		c.dials.open--
	})
	return c.Conn.Close()
}

// script says what happens to those who dial some addresses from now on.
func (d *dials) script(s dialScript, addrs ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range addrs {
		d.scripts[a] = s
	}
}

// again starts the clock and the log anew.
func (d *dials) again() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.start, d.log = time.Now(), nil
}

// wantDials checks what was dialed, and when.
func (w *world) wantDials(d *dials, want ...string) {
	w.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.Equal(d.log, want) {
		w.t.Errorf("dialed %q\n  want %q", d.log, want)
	}
}

// wantOpen checks how many connections are open.
func (w *world) wantOpen(d *dials, want int) {
	w.t.Helper()
	synctest.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open != want {
		w.t.Errorf("%d connections are open, want %d", d.open, want)
	}
}

// wantSince checks how long it has been.
func (w *world) wantSince(start time.Time, want time.Duration) {
	w.t.Helper()
	if got := time.Since(start); got != want {
		w.t.Errorf("after %v, want %v", got, want)
	}
}

// inDials runs a test of a world with such a dialer. At its end nothing may be open.
func inDials(t *testing.T, test func(t *testing.T, w *world, d *dials), opts ...Option) {
	t.Helper()
	d := &dials{scripts: map[string]dialScript{}}
	inWorld(t, func(t *testing.T, w *world) {
		d.network, d.start = &w.network, time.Now()
		test(t, w, d)
		w.holdsNothing()
		w.client.Close()
		w.wantOpen(d, 0)
	}, append([]Option{WithDialer(d)}, opts...)...)
}

// answers is a resolver whose answers come one by one.
type answers struct {
	steps    []dnsStep
	lookups  int
	canceled time.Duration // when a look-up was given up, since it began
}

type dnsStep struct {
	after time.Duration // the step before
	addrs string
	err   error
	panic any
}

func (a *answers) Lookup(ctx context.Context, _ string) iter.Seq2[DNSAnswer, error] {
	a.lookups++
	return func(yield func(DNSAnswer, error) bool) {
		began := time.Now()
		for _, s := range a.steps {
			if err := sleepIn(ctx, s.after); err != nil {
				a.canceled = time.Since(began)
				yield(DNSAnswer{}, err)
				return
			}
			if s.panic != nil {
				panic(s.panic)
			}
			var answer DNSAnswer
			for _, addr := range strings.Fields(s.addrs) {
				answer.Addrs = append(answer.Addrs, netip.MustParseAddr(addr))
			}
			if !yield(answer, s.err) {
				return
			}
		}
	}
}

// poolLog writes down what a pool's listener is told. Connections are numbered in the order in which they come, and so are calls.
type poolLog struct {
	mu    sync.Mutex
	start time.Time
	lines []string
	conns []*Connection
	calls []*Call
}

func (l *poolLog) listener() *ConnectionListener {
	attempt := func(name string) func(ConnectionAttempt) {
		return func(a ConnectionAttempt) {
			text := a.Route.String()
			if a.Err != nil {
				text += ": " + a.Err.Error()
			}
			l.say(name, a.Connection, a.Call, text)
		}
	}
	event := func(name string) func(PoolEvent) {
		return func(e PoolEvent) { l.say(name, e.Connection, e.Call, e.Reason) }
	}
	return &ConnectionListener{
		ConnectStart: attempt("connectStart"), ConnectFailed: attempt("connectFailed"), ConnectEnd: attempt("connectEnd"),
		Acquired: event("acquired"), Released: event("released"), Idle: event("idle"), NoNewExchanges: event("noNewExchanges"), Closed: event("closed"),
	}
}

func (l *poolLog) say(name string, conn *Connection, call *Call, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.start.IsZero() {
		l.start = time.Now()
	}
	line := fmt.Sprint(time.Since(l.start).Round(time.Millisecond), " ", name)
	if conn != nil {
		line += " #" + place(&l.conns, conn)
	}
	if call != nil {
		line += " call " + place(&l.calls, call)
	}
	if text != "" {
		line += " (" + text + ")"
	}
	l.lines = append(l.lines, line)
}

func place[T comparable](list *[]T, v T) string {
	i := slices.Index(*list, v)
	if i < 0 {
		i = len(*list)
		*list = append(*list, v)
	}
	return fmt.Sprint(i + 1)
}

// all returns the lines since the last check.
func (l *poolLog) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

// want checks the lines since the last check.
func (l *poolLog) want(t *testing.T, want string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []string
	for line := range strings.Lines(want) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if !slices.Equal(l.lines, lines) {
		t.Errorf("the listener was told\n  %s\nwant\n  %s", strings.Join(l.lines, "\n  "), strings.Join(lines, "\n  "))
	}
	l.lines = nil
}

// untimed removes the times, which mean nothing outside of a bubble.
func (l *poolLog) untimed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, line := range l.lines {
		_, l.lines[i], _ = strings.Cut(line, " ")
	}
}
