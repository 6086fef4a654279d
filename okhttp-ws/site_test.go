package okws

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// site is http://server.test in memory, and a client for it.
type site struct {
	t       *testing.T
	client  *okhttp.Client
	network okio.Network
	toClose []interface{ Close() error }
	work    sync.WaitGroup
}

// inSite runs a test in a bubble.
func inSite(t *testing.T, test func(t *testing.T, w *site), opts ...okhttp.Option) {
	t.Helper()
	bubble(t, func(t *testing.T) {
		w := &site{t: t}
		dns := okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
		})
		w.client = okhttp.New(append([]okhttp.Option{okhttp.WithProxySelector(okhttp.ProxyList(nil)), okhttp.WithDNS(dns), okhttp.WithDialer(&w.network)}, opts...)...)
		defer func() {
			_ = w.client.Close()
			for _, c := range w.toClose {
				_ = c.Close()
			}
			w.work.Wait()
		}()
		test(t, w)
	})
}

func (w *site) listen() net.Listener {
	w.t.Helper()
	l, err := w.network.Listen("10.0.0.1:80")
	if err != nil {
		w.t.Fatal(err)
	}
	w.toClose = append(w.toClose, l)
	return l
}

// serve has net/http answer.
func (w *site) serve(h http.HandlerFunc) {
	w.t.Helper()
	server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.work.Add(1)
		defer w.work.Done()
		h(rw, r)
	})}
	l := w.listen()
	w.toClose = append(w.toClose, server)
	w.work.Go(func() { _ = server.Serve(l) })
}

// accepting is a handler that accepts and hands the connection on.
func (w *site) accepting(cfg *AcceptConfig, use func(*Conn)) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		c, err := Accept(rw, r, cfg)
		if err != nil {
			w.t.Errorf("accept: %v", err)
			return
		}
		defer c.CloseNow()
		use(c)
	}
}

// echo sends back what comes.
func echo(c *Conn) {
	for m, err := range c.Messages(background()) {
		if err != nil || c.Write(background(), m.Type, m.Data) != nil {
			return
		}
	}
}

// A rawPeer is a connection of which the test writes every byte.
type rawPeer struct {
	net.Conn
	in *bufio.Reader
	t  *testing.T
}

// serveRaw runs scripts, one for each connection in turn.
func (w *site) serveRaw(scripts ...func(p *rawPeer)) {
	w.t.Helper()
	l := w.listen()
	w.work.Go(func() {
		for _, script := range scripts {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			w.work.Go(func() {
				defer conn.Close()
				script(&rawPeer{conn, bufio.NewReader(conn), w.t})
			})
		}
	})
}

// request reads the head of a request.
func (p *rawPeer) request() *http.Request {
	r, err := http.ReadRequest(p.in)
	if err != nil {
		return nil
	}
	return r
}

func (p *rawPeer) send(s string) {
	if _, err := p.Write([]byte(s)); err != nil {
		p.t.Logf("the raw peer: %v", err)
	}
}

// upgrade answers a request with the headers of an upgrade, some of which are replaced, or left out where there is nothing to replace them with.
func (p *rawPeer) upgrade(replace ...string) {
	r := p.request()
	if r == nil {
		return
	}
	fields := []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Accept", acceptOf(r.Header.Get("Sec-WebSocket-Key"))}
	head := "HTTP/1.1 101 Switching Protocols\r\n"
	for i := 0; i < len(fields); i += 2 {
		name, value := fields[i], fields[i+1]
		for j := 0; j < len(replace); j += 2 {
			if replace[j] == name {
				value = replace[j+1]
			}
		}
		if value != "" {
			head += name + ": " + value + "\r\n"
		}
	}
	for j := 0; j < len(replace); j += 2 {
		if !strings.Contains(head, "\n"+replace[j]+":") && replace[j+1] != "" {
			head += replace[j] + ": " + replace[j+1] + "\r\n"
		}
	}
	p.send(head + "\r\n")
}

// recorder is a listener that notes what it is told.
type recorder struct {
	err    error // of the failure that was told last
	t      *testing.T
	events chan string
	do     Listener // called first
}

func newRecorder(t *testing.T) *recorder { return &recorder{t: t, events: make(chan string, 1000)} }

func (r *recorder) listener() Listener {
	return Listener{
		OnOpen: func(ws *WebSocket, resp *okhttp.Response) {
			r.events <- "open"
			if r.do.OnOpen != nil {
				r.do.OnOpen(ws, resp)
			}
		},
		OnMessage: func(ws *WebSocket, t Type, data []byte) {
			r.events <- t.String() + " " + string(data)
			if r.do.OnMessage != nil {
				r.do.OnMessage(ws, t, data)
			}
		},
		OnClosing: func(ws *WebSocket, code Code, reason string) {
			r.events <- strings.TrimSpace("closing " + codeText(code) + " " + reason)
			if r.do.OnClosing != nil {
				r.do.OnClosing(ws, code, reason)
			}
		},
		OnClosed: func(ws *WebSocket, code Code, reason string) {
			r.events <- strings.TrimSpace("closed " + codeText(code) + " " + reason)
			if r.do.OnClosed != nil {
				r.do.OnClosed(ws, code, reason)
			}
		},
		OnFailure: func(ws *WebSocket, err error, resp *okhttp.Response) {
			r.err = err
			r.events <- "failure " + err.Error()
			if r.do.OnFailure != nil {
				r.do.OnFailure(ws, err, resp)
			}
		},
	}
}

// want wants the next events; one that ends in … is the beginning of an event.
func (r *recorder) want(events ...string) {
	r.t.Helper()
	for _, want := range events {
		got := <-r.events
		if prefix, cut := strings.CutSuffix(want, "…"); cut && strings.HasPrefix(got, prefix) {
			continue
		}
		if got != want {
			r.t.Errorf("event %q, want %q", got, want)
		}
	}
}

// wantNone wants that there was no event.
func (r *recorder) wantNone() {
	r.t.Helper()
	select {
	case got := <-r.events:
		r.t.Errorf("event %q", got)
	default:
	}
}

// open makes a web socket.
func (w *site) open(l Listener, cfg *Config, opts ...okhttp.RequestOption) *WebSocket {
	w.t.Helper()
	req, err := NewRequest("ws://server.test/", opts...)
	if err != nil {
		w.t.Fatal(err)
	}
	ws, err := NewWebSocket(background(), w.client, req, l, cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	return ws
}
