package okhttp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/okhttp-go/ok/okio"
)

// world is a network in memory with a client on it. Each test of a world runs in a synctest bubble, where time passes only when
// everybody waits. Host names resolve to the addresses that were registered with serve.
type world struct {
	t       *testing.T
	network okio.Network
	client  *Client

	mu      sync.Mutex
	names   map[string][]netip.Addr
	events  []string
	calls   []*callEvents
	lookups int
	peers   sync.WaitGroup
	toClose []io.Closer
}

// inWorld runs a test in a bubble. The world closes its client and its servers at the end, and the bubble fails on what is left
// running.
func inWorld(t *testing.T, test func(t *testing.T, w *world), opts ...Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, names: map[string][]netip.Addr{}}
		dns := DNSFunc(func(_ context.Context, host string) ([]netip.Addr, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.lookups++
			addrs, ok := w.names[host]
			if !ok {
				return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
			}
			return addrs, nil
		})
		w.client = w.watched(New(append([]Option{WithProxySelector(ProxyList(nil)), WithDNS(dns), WithDialer(&w.network)}, opts...)...))
		defer func() {
			w.client.Close()
			for _, c := range w.toClose {
				c.Close()
			}
			w.peers.Wait()
			w.mu.Lock()
			defer w.mu.Unlock()
			for _, g := range w.calls {
				if err := g.end(); err != nil {
					t.Errorf("%s: %v", strings.Join(g.seen, ", "), err)
				}
			}
		}()
		test(t, w)
	})
}

// watched has the world told of the client's calls, before the listener that the client was given.
func (w *world) watched(c *Client) *Client {
	theirs := c.cfg.events
	c.cfg.events = func(call *Call) *EventListener {
		l := w.listen(call)
		if theirs != nil {
			l = TeeEvents(l, theirs(call))
		}
		return l
	}
	return c
}

// with derives a client that may have a listener of its own.
func (w *world) with(opts ...Option) *Client {
	return w.watched(w.client.With(append([]Option{WithEventListener(nil)}, opts...)...))
}

// serve makes a name resolve to an address where the first connection is handled by the first script, the next by the next, and
// further ones are closed at once.
func (w *world) serve(name, addr string, scripts ...func(*peer)) {
	w.t.Helper()
	w.resolve(name, addr)
	for _, port := range []string{"80"} {
		l, err := w.network.Listen(net.JoinHostPort(addr, port))
		if err != nil {
			w.t.Fatal(err)
		}
		w.serveOn(l, scripts...)
	}
}

func (w *world) resolve(name string, addrs ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range addrs {
		w.names[name] = append(w.names[name], netip.MustParseAddr(a))
	}
}

func (w *world) serveOn(l net.Listener, scripts ...func(*peer)) {
	w.toClose = append(w.toClose, l)
	w.peers.Go(func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if n >= len(scripts) {
				c.Close()
				continue
			}
			w.peers.Go(func() {
				defer c.Close()
				scripts[n](&peer{t: w.t, Conn: c, in: bufio.NewReader(c)})
			})
		}
	})
}

// get executes a GET and reads the body.
func (w *world) get(url string, opts ...CallOption) (string, error) {
	return w.do("GET", url, nil, opts...)
}

func (w *world) do(method, url string, body *Body, opts ...CallOption) (string, error) {
	w.t.Helper()
	req, err := NewRequest(method, url, WithBody(body))
	if err != nil {
		w.t.Fatal(err)
	}
	resp, err := w.client.Do(context.Background(), req, opts...)
	if err != nil {
		return "", err
	}
	text, err := resp.Body.Text()
	return fmt.Sprint(resp.Status, " ", text), err
}

// want checks the outcome of get and do.
func (w *world) want(want string) func(got string, err error) {
	return func(got string, err error) {
		w.t.Helper()
		if err != nil {
			w.t.Fatalf("error %v, want %q", err, want)
		}
		if got != want {
			w.t.Errorf("got %q, want %q", got, want)
		}
	}
}

// peer is the server's end of one connection, which tests script.
type peer struct {
	t *testing.T
	net.Conn
	in *bufio.Reader
}

// request reads one request and returns it with its body, which net/http's parser takes off the wire.
func (p *peer) request() (*http.Request, string) {
	r, err := http.ReadRequest(p.in)
	if err != nil {
		return nil, ""
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, ""
	}
	return r, string(body)
}

// head reads the lines of one request head.
func (p *peer) head() string {
	var b strings.Builder
	for {
		line, err := p.in.ReadString('\n')
		b.WriteString(line)
		if err != nil || line == "\r\n" {
			return b.String()
		}
	}
}

func (p *peer) send(text string) { io.WriteString(p.Conn, text) }

// answer handles one request with a response of the given text after each request, for as many requests as there are texts, and
// then waits for the client to close.
func answer(texts ...string) func(*peer) {
	return func(p *peer) {
		for _, text := range texts {
			if r, _ := p.request(); r == nil {
				return
			}
			p.send(text)
		}
		io.Copy(io.Discard, p.in)
	}
}

// answerAndClose is answer, and closes after the last response.
func answerAndClose(texts ...string) func(*peer) {
	return func(p *peer) {
		for _, text := range texts {
			if r, _ := p.request(); r == nil {
				return
			}
			p.send(text)
		}
	}
}

func okText(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

func redirectText(status int, location string) string {
	return fmt.Sprintf("HTTP/1.1 %d Go\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n", status, location)
}

// listen records the events of calls by their names, and checks each call's against the grammar.
func (w *world) listen(c *Call) *EventListener {
	g := new(callEvents)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, g)
	return listenToAll(func(hook string, event any) {
		text := eventText(hook, event)
		w.mu.Lock()
		defer w.mu.Unlock()
		if err := g.add(text); err != nil {
			w.t.Errorf("%s after %s: %v", text, strings.Join(g.seen[:len(g.seen)-1], ", "), err)
		}
		name, _, _ := strings.Cut(text, " ")
		switch e := event.(type) {
		case BodyEnd:
			name = fmt.Sprint(name, " ", e.Bytes)
		case InformationalEvent:
			name = fmt.Sprint(name, " ", e.Status)
		case RetryDecision, FollowUpDecision:
			name = text
		case ConnectEvent:
			if name == "connectEnd" && e.Protocol == "" {
				name += " withoutProtocol"
			}
		}
		w.events = append(w.events, name)
	})
}

// takeCanceled takes the canceled events out of those since the last check, because Cancel tells of them on a goroutine of its own, and counts them.
func (w *world) takeCanceled() (n int) {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = slices.DeleteFunc(w.events, func(e string) bool {
		if e == "canceled" {
			n++
		}
		return e == "canceled"
	})
	return n
}

// wantEvents checks the events since the last check.
func (w *world) wantEvents(want string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if list := strings.Fields(want); !slices.Equal(strings.Fields(strings.Join(w.events, " ")), list) {
		w.t.Errorf("events\n  %s\nwant\n  %s", strings.Join(w.events, " "), strings.Join(list, " "))
	}
	w.events = nil
}
