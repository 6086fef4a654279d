package okcache

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
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// site is a server in memory that says what a test tells it to, a cache, and a client with both. It lives in a bubble, whose clock begins at the year 2000.
type site struct {
	t       *testing.T
	network okio.Network
	cache   *Cache
	client  *okhttp.Client
	running sync.WaitGroup

	mu      sync.Mutex
	answers []string        // raw, in turn
	asked   []*http.Request // what the server was asked since the last look
	events  []string
	slow    time.Duration // between two bytes of a body
}

const origin = "http://site.test"

// atSite runs a test at a site.
func atSite(t *testing.T, c Config, test func(s *site), opts ...okhttp.Option) {
	atSiteOver(t, NewMemoryStore(1<<30), c, test, opts...)
}

func atSiteOver(t *testing.T, store Store, c Config, test func(s *site), opts ...okhttp.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &site{t: t}
		l, err := s.network.Listen("10.0.0.1:80")
		if err != nil {
			t.Fatal(err)
		}
		s.running.Go(func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				s.running.Go(func() { s.serve(conn) })
			}
		})
		s.cache = New(store, c)
		s.client = okhttp.New(append([]okhttp.Option{okhttp.WithCache(s.cache), okhttp.WithDialer(&s.network), okhttp.WithProxySelector(okhttp.ProxyList(nil)), okhttp.WithDNS(siteDNS),
			okhttp.WithEventListener(s.listen)}, opts...)...)
		defer func() {
			s.client.Close()
			if err := s.cache.Close(); err != nil {
				t.Error(err)
			}
			l.Close()
			s.running.Wait()
		}()
		test(s)
		if len(s.answers) > 0 {
			t.Errorf("answers that nobody wanted: %q", s.answers)
		}
	})
}

// siteDNS knows one host, whose address every name has that stands for it.
var siteDNS = okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
})

// serve answers the requests of a connection.
func (s *site) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		io.Copy(io.Discard, r.Body)
		s.mu.Lock()
		s.asked = append(s.asked, r)
		answer := "HTTP/1.1 599 Nothing to say\r\nContent-Length: 0\r\n\r\n"
		if len(s.answers) > 0 {
			answer, s.answers = s.answers[0], s.answers[1:]
		}
		s.mu.Unlock()
		if !s.say(conn, answer) {
			return
		}
	}
}

// say sends an answer, the body slowly if it is to be slow, and reports whether another may follow.
func (s *site) say(conn net.Conn, answer string) bool {
	if answer == hangUp {
		time.Sleep(s.slow)
		return false
	}
	head, body, _ := strings.Cut(answer, "\r\n\r\n")
	if s.slow == 0 {
		io.WriteString(conn, answer)
	} else {
		io.WriteString(conn, head+"\r\n\r\n")
		for i := range len(body) {
			time.Sleep(s.slow)
			if _, err := io.WriteString(conn, body[i:i+1]); err != nil {
				return false
			}
		}
	}
	return !strings.Contains(head, "Connection: close")
}

// hangUp is the answer that does not come.
const hangUp = "hang up"

// reply makes an answer: "200 OK", the body, and header lines. A length is added unless something else tells it.
func reply(status, body string, headers ...string) string {
	b := "HTTP/1.1 " + status + "\r\n"
	framed := strings.HasPrefix(status, "304") || strings.HasPrefix(status, "204") || strings.HasPrefix(status, "1")
	for _, h := range headers {
		b += h + "\r\n"
		framed = framed || strings.HasPrefix(h, "Content-Length:") || strings.HasPrefix(h, "Transfer-Encoding:") || h == "Connection: close"
	}
	if !framed {
		b += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	return b + "\r\n" + body
}

// at returns a date that far from now.
func at(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }

// will tells the server its next answers.
func (s *site) will(answers ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(s.answers, answers...)
}

// wasAsked returns what the server was asked since the last look.
func (s *site) wasAsked() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// request makes a request; "A: b" options are headers.
func (s *site) request(method, path string, headers ...string) *okhttp.Request {
	s.t.Helper()
	var opts []okhttp.RequestOption
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		opts = append(opts, okhttp.AddHeader(name, value))
	}
	if slices.Contains([]string{"POST", "PUT", "PATCH", "QUERY"}, method) {
		opts = append(opts, okhttp.WithBody(okhttp.Text("body")))
	}
	req, err := okhttp.NewRequest(method, origin+path, opts...)
	if err != nil {
		s.t.Fatal(err)
	}
	return req
}

// do executes a request and reads the response whole.
func (s *site) do(req *okhttp.Request, opts ...okhttp.CallOption) (*okhttp.Response, string) {
	s.t.Helper()
	resp, err := s.client.Do(s.t.Context(), req, opts...)
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := resp.Body.Text()
	if err != nil {
		s.t.Fatal(err)
	}
	return resp, text
}

// get gets a path and wants a status and body.
func (s *site) get(path, want string, headers ...string) *okhttp.Response {
	s.t.Helper()
	resp, text := s.do(s.request("GET", path, headers...))
	if got := fmt.Sprintf("%d %s", resp.Status, text); got != want {
		s.t.Errorf("GET %s: %q, want %q", path, got, want)
	}
	return resp
}

// wantAsked wants the server to have been asked that often since the last look.
func (s *site) wantAsked(n int) {
	s.t.Helper()
	if asked := s.wasAsked(); len(asked) != n {
		s.t.Errorf("the server was asked %d times, want %d", len(asked), n)
	}
}

func (s *site) wantStats(requests, network, hits int64) {
	s.t.Helper()
	if got := s.cache.Stats(); got.Requests != requests || got.Network != network || got.Hits != hits {
		s.t.Errorf("%+v, want %d requests, %d to the network, %d hits", got, requests, network, hits)
	}
}

func (s *site) tell(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, name)
}

func (s *site) wantEvents(want string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if got := strings.Join(s.events, " "); got != want {
		s.t.Errorf("events %s\nwant   %s", got, want)
	}
	s.events = nil
}

func (s *site) listen(*okhttp.Call) *okhttp.EventListener {
	return &okhttp.EventListener{
		CallStart:           func(okhttp.CallStart) { s.tell("callStart") },
		ConnectionAcquired:  func(okhttp.ConnectionEvent) { s.tell("acquired") },
		ConnectionReleased:  func(okhttp.ConnectionEvent) { s.tell("released") },
		RequestHeadersStart: func(*okhttp.Call) { s.tell("request") },
		ResponseHeadersEnd:  func(okhttp.ResponseHeadersEnd) { s.tell("response") },
		ResponseBodyStart:   func(*okhttp.Call) { s.tell("bodyStart") },
		ResponseBodyEnd:     func(okhttp.BodyEnd) { s.tell("bodyEnd") },
		FollowUpDecision:    func(okhttp.FollowUpDecision) { s.tell("followUp") },
		CacheHit:            func(e okhttp.CacheEvent) { s.tell(fmt.Sprintf("hit:%d", e.Response.Status)) },
		CacheMiss:           func(e okhttp.CacheEvent) { s.tell(fmt.Sprintf("miss:%v", e.Response != nil)) },
		CacheConditionalHit: func(e okhttp.CacheEvent) { s.tell(fmt.Sprintf("conditional:%d", e.Response.Status)) },
		SatisfactionFailure: func(e okhttp.CacheEvent) { s.tell(fmt.Sprintf("unsatisfiable:%d", e.Response.Status)) },
		CallEnd:             func(okhttp.CallEnd) { s.tell("callEnd") },
		CallFailed:          func(okhttp.Failure) { s.tell("callFailed") },
	}
}

// recordConditions is a network interceptor that notes the validators that go by.
func recordConditions(seen *[]string) okhttp.Interceptor {
	return okhttp.InterceptorFunc(func(ctx context.Context, c okhttp.Chain) (*okhttp.Response, error) {
		*seen = append(*seen, c.Request().Headers().Get("If-None-Match"))
		return c.Proceed(ctx, c.Request())
	})
}
