package oksse

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// scene is a server in memory and a client of it, in a synctest bubble, where time passes only when everybody waits.
type scene struct {
	t       *testing.T
	network okio.Network
	client  *okhttp.Client
	url     string
	start   time.Time
	served  sync.WaitGroup
	made    atomic.Int32 // connections

	mu     sync.Mutex
	visits []string // of requests: when, with which Last-Event-ID
	log    []string // what the test notes
}

// inScene runs a test whose server answers the n-th request, from 1, with answers[n-1], and further ones with the last.
func inScene(t *testing.T, test func(t *testing.T, s *scene), answers ...http.HandlerFunc) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &scene{t: t, url: "http://10.0.0.1/stream", start: time.Now()}
		server := &http.Server{Handler: s.answering(answers)}
		l := s.listen("10.0.0.1:80")
		s.served.Go(func() { server.Serve(l) })
		defer s.served.Wait()
		defer server.Close()
		s.client = s.newClient()
		defer s.client.Close()
		test(t, s)
	})
}

// inHTTP2Scene is inScene over HTTP/2 and TLS.
func inHTTP2Scene(t *testing.T, test func(t *testing.T, s *scene), answers ...http.HandlerFunc) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &scene{t: t, url: "https://example.com/stream", start: time.Now()}
		server := &httptest.Server{Listener: s.listen("10.0.0.1:443"), Config: &http.Server{Handler: s.answering(answers)}, EnableHTTP2: true}
		server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				s.made.Add(1)
			}
		}
		server.StartTLS()
		defer s.served.Wait()
		defer server.Close()
		roots := x509.NewCertPool()
		roots.AddCert(server.Certificate())
		s.client = s.newClient(okhttp.WithTLSConfig(&tls.Config{RootCAs: roots}), okhttp.WithDNS(okhttp.DNSFunc(addresses)))
		defer s.client.Close()
		test(t, s)
	})
}

func (s *scene) listen(at string) net.Listener {
	s.t.Helper()
	l, err := s.network.Listen(at)
	if err != nil {
		s.t.Fatal(err)
	}
	return l
}

func (s *scene) newClient(opts ...okhttp.Option) *okhttp.Client {
	return okhttp.New(append(opts, okhttp.WithDialer(&s.network), okhttp.WithProxySelector(okhttp.ProxyList(nil)))...)
}

func (s *scene) answering(answers []http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.served.Add(1)
		defer s.served.Done()
		if r.ProtoMajor == 1 {
			w.Header().Set("Connection", "close") // else the client looks at a connection for 1 ms before it uses it again
		}
		answers[min(s.visit(r), len(answers))-1](w, r)
	}
}

func (s *scene) visit(r *http.Request) int {
	id := "-"
	if values, ok := r.Header["Last-Event-Id"]; ok {
		id = strings.Join(values, ",")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visits = append(s.visits, fmt.Sprintf("%v:%s", time.Since(s.start), id))
	return len(s.visits)
}

// wantVisits checks when requests came, and with which Last-Event-ID.
func (s *scene) wantVisits(want string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if got := strings.Join(s.visits, " "); got != want {
		s.t.Errorf("requests at\n     %s\nwant %s", got, want)
	}
}

func (s *scene) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

// wantLog checks what was noted, one line each.
func (s *scene) wantLog(want string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for line := range strings.Lines(want) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if got, want := strings.Join(s.log, "\n"), strings.Join(lines, "\n"); got != want {
		s.t.Errorf("noted\n%s\nwant\n%s", got, want)
	}
}

func (s *scene) request(opts ...okhttp.RequestOption) *okhttp.Request {
	s.t.Helper()
	req, err := okhttp.NewRequest("GET", s.url, opts...)
	if err != nil {
		s.t.Fatal(err)
	}
	return req
}

func (s *scene) post(b *okhttp.Body) *okhttp.Request {
	s.t.Helper()
	req, err := okhttp.NewRequest("POST", s.url, okhttp.WithBody(b))
	if err != nil {
		s.t.Fatal(err)
	}
	return req
}

func (s *scene) stream(cfg *Config) *Stream { return NewStream(s.client, s.request(), cfg) }

// collect notes the events of a loop and its error, until enough events came.
func (s *scene) collect(ctx context.Context, stream *Stream, enough int) (last error) {
	for e, err := range stream.Events(ctx) {
		if err != nil {
			s.note("%v %v", time.Since(s.start), err)
			last = err
			continue
		}
		s.note("%v (%s,%s,%s) #%d", time.Since(s.start), orDash(e.ID), e.Type, e.Data, e.Attempt)
		if enough--; enough == 0 {
			break
		}
	}
	return last
}

// sends answers with a stream that ends.
func sends(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, text)
	}
}

// then flushes a text, waits and goes on with another one.
func then(text string, wait time.Duration, more string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		sends(text)(w, r)
		http.NewResponseController(w).Flush()
		select {
		case <-time.After(wait):
			io.WriteString(w, more)
		case <-r.Context().Done():
		}
	}
}

// stays flushes a text and then nothing, until the client goes.
func stays(text string) http.HandlerFunc { return then(text, 1000*time.Hour, "") }

// refuses answers with a status.
func refuses(status int, nameValue ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < len(nameValue); i += 2 {
			w.Header().Set(nameValue[i], nameValue[i+1])
		}
		w.WriteHeader(status)
		if status != 204 {
			fmt.Fprintf(w, `{"status":%d}`, status)
		}
	}
}

// breaks sends a text as a part of a response that it cuts off.
func breaks(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		sends(text)(w, r)
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// noDialer fails to connect a number of times.
type noDialer struct {
	*okio.Network
	left int
}

func (d *noDialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if d.left != 0 {
		d.left--
		return nil, &net.OpError{Op: "dial", Err: fmt.Errorf("refused")}
	}
	return d.Network.DialContext(ctx, network, addr)
}

// addresses resolves every name to that of the server.
func addresses(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
}

func okioSource(text string) okio.Source { return okio.NewBufferString(text) }
