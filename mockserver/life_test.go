package mockserver_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

func TestLife(t *testing.T) {
	s := mockserver.NewUnstarted(nil)
	if s.String() != "mockserver{new}" || s.Addr() != nil {
		t.Errorf("a new server is %v at %v", s, s.Addr())
	}
	if _, err := s.DialContext(t.Context(), "tcp", ""); err != mockserver.ErrNotStarted {
		t.Errorf("dialing a new server: %v", err)
	}
	func() {
		defer func() {
			if p := recover(); p != mockserver.ErrNotStarted {
				t.Errorf("URL of a new server: %v", p)
			}
		}()
		s.URL("/")
	}()
	if err := s.Resume(); err != mockserver.ErrNotStarted {
		t.Errorf("resuming a new server: %v", err)
	}
	s.Enqueue(mockserver.Reply(200).Text("scripted before"))
	if err := s.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	at := s.Addr().String()
	if _, port, _ := net.SplitHostPort(at); s.String() != "mockserver{port="+port+"}" {
		t.Errorf("a server at %s is %v", at, s)
	}
	w := dial(t, s)
	w.send(get)
	w.want("HTTP/1.1 200 OK·Content-Length: 15··scripted before")
	for _, again := range []string{"", "127.0.0.1:0", at} {
		if err := s.Start(again); err != nil {
			t.Errorf("starting again at %q: %v", again, err)
		}
	}
	for _, other := range []string{"127.0.0.2:0", "127.0.0.1:1", "nonsense"} {
		if err := s.Start(other); err == nil || !strings.Contains(err.Error(), at) {
			t.Errorf("starting again at %q: %v", other, err)
		}
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	}
	if err := s.Start(""); !errors.Is(err, mockserver.ErrClosed) || s.String() != "mockserver{closed}" {
		t.Errorf("starting %v: %v", s, err)
	}
	if err := s.Resume(); !errors.Is(err, mockserver.ErrClosed) {
		t.Errorf("resuming a closed server: %v", err)
	}
	unused := mockserver.NewUnstarted(t)
	if err := unused.Close(); err != nil || unused.String() != "mockserver{closed}" {
		t.Errorf("closing an unstarted server: %v, %v", err, unused)
	}
}

func TestServersHavePortsOfTheirOwn(t *testing.T) {
	a, b := mockserver.New(t), mockserver.New(t)
	if a.URL("/") == b.URL("/") {
		t.Errorf("two servers at %s", a.URL("/"))
	}
}

// TestRefuse has a server that is down for a while, on both kinds of network.
func TestRefuse(t *testing.T) {
	for name, opts := range map[string][]mockserver.Option{"TCP": nil, "memory": {mockserver.WithNetwork(new(okio.Network))}} {
		s := mockserver.New(t, opts...)
		s.Enqueue(mockserver.Reply(200), mockserver.Reply(200))
		old := dial(t, s)
		old.send(get)
		old.want("HTTP/1.1 200 OK·Content-Length: 0··")
		for range 2 {
			if err := s.Refuse(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := s.DialContext(t.Context(), "tcp", ""); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%s: dialing: %v, want a refusal", name, err)
		}
		for range 2 {
			if err := s.Resume(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		again := dial(t, s)
		again.send(get)
		again.want("HTTP/1.1 200 OK·Content-Length: 0··")
		take(t, s)
		if r := take(t, s); r.ConnIndex != 1 {
			t.Errorf("%s: the second connection has number %d", name, r.ConnIndex)
		}
		old.send(get)
		s.Enqueue(mockserver.Reply(204))
		old.want("HTTP/1.1 204 OK·")
	}
}

func TestShutdown(t *testing.T) {
	for _, version := range []string{"HTTP/1.1", "HTTP/2"} {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := cleartext(t)
				s.Enqueue(mockserver.Reply(200), mockserver.Reply(200).HeadDelay(time.Minute).Text("slow"))
				idle := dial(t, s)
				idle.send(get)
				idle.want("HTTP/1.1 200 OK·Content-Length: 0··")
				var answered func()
				if version == "HTTP/2" {
					c := dial2(t, s)
					st := c.open("GET", "/slow", "")
					st.SetLimits(0, 0, time.Time{})
					answered = func() { c.want(st, []string{":status 200 content-length 4"}, "slow") }
				} else {
					w := dial(t, s)
					w.send(get)
					answered = func() {
						w.conn.SetReadDeadline(time.Time{})
						if all, err := io.ReadAll(w.conn); !strings.HasSuffix(string(all), "slow") || err != nil {
							t.Errorf("got %q, %v", all, err)
						}
					}
				}
				synctest.Wait()
				begun := time.Now()
				done := make(chan error, 1)
				go func() { done <- s.Shutdown(t.Context()) }()
				idle.wantEnd()
				if _, err := s.DialContext(t.Context(), "tcp", ""); !errors.Is(err, syscall.ECONNREFUSED) {
					t.Errorf("dialing: %v, want a refusal", err)
				}
				if err := s.Resume(); err != mockserver.ErrClosed {
					t.Errorf("resuming: %v", err)
				}
				answered()
				if err := <-done; err != nil || time.Since(begun) < time.Minute || time.Since(begun) > time.Minute+3*time.Second {
					t.Errorf("ended after %v: %v", time.Since(begun), err)
				}
			})
		})
	}
}

func TestShutdownGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		w := dial(t, s)
		w.send(get)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ended with %v", err)
		}
		if left := s.Unanswered(); len(left) != 1 || left[0].Target != "/" {
			t.Errorf("unanswered: %v", left)
		}
	})
}

func TestShutdownServer(t *testing.T) {
	for _, version := range []string{"HTTP/1.1", "HTTP/2"} {
		s := mockserver.New(t, mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
		s.Enqueue(mockserver.Reply(200).Text("last").ShutdownServer())
		if version == "HTTP/2" {
			c := dial2(t, s)
			c.want(c.open("GET", "/", ""), []string{":status 200 content-length 4"}, "last")
		} else {
			w := dial(t, s)
			w.send(get)
			w.want("HTTP/1.1 200 OK·Content-Length: 4··last")
			w.wantEnd()
		}
		if _, err := s.DialContext(t.Context(), "tcp", ""); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%s: dialing: %v, want a refusal", version, err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", version, err)
		}
	}
}

func TestClient(t *testing.T) {
	memory := mockserver.WithNetwork(new(okio.Network))
	for name, tt := range map[string]struct {
		opts  []mockserver.Option
		proto string
	}{
		"cleartext":       {nil, "HTTP/1.1"},
		"TLS":             {[]mockserver.Option{mockserver.WithLocalhostTLS("any.test")}, "HTTP/2"},
		"TLS, HTTP/1.1":   {[]mockserver.Option{mockserver.WithLocalhostTLS("any.test"), mockserver.WithProtocols(okhttp.HTTP1Only)}, "HTTP/1.1"},
		"TLS, no ALPN":    {[]mockserver.Option{mockserver.WithLocalhostTLS("any.test"), mockserver.WithoutALPN()}, "HTTP/1.1"},
		"prior knowledge": {[]mockserver.Option{mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge)}, "HTTP/2"},
		"memory":          {[]mockserver.Option{memory, mockserver.WithHost("any.test")}, "HTTP/1.1"},
	} {
		s := mockserver.New(t, tt.opts...)
		s.Enqueue(mockserver.Reply(200).Text("a"), mockserver.Reply(200).Text("b"))
		client := s.Client(okhttp.WithReadTimeout(5 * time.Second))
		for _, url := range []string{s.URL("/"), strings.Replace(s.URL("/"), "127.0.0.1", "any.test", 1)} {
			resp, err := client.Get(t.Context(), url)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			resp.Body.Close()
			if r := take(t, s); r.Proto != tt.proto {
				t.Errorf("%s: the request came over %s", name, r.Proto)
			}
		}
	}
}

func TestClientAuth(t *testing.T) {
	trusted, err := mockserver.ClientCertificate("alice")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		mode  tls.ClientAuthType
		certs []tls.Certificate
		peers int // negative: the handshake fails
	}{
		{"not asked", tls.NoClientCert, []tls.Certificate{trusted}, 0},
		{"asked, given", tls.VerifyClientCertIfGiven, []tls.Certificate{trusted}, 1},
		{"asked, not given", tls.VerifyClientCertIfGiven, nil, 0},
		{"asked, not trusted", tls.VerifyClientCertIfGiven, []tls.Certificate{selfSigned(t)}, -1},
		{"required, given", tls.RequireAndVerifyClientCert, []tls.Certificate{trusted}, 1},
		{"required, not given", tls.RequireAndVerifyClientCert, nil, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := mockserver.New(t, mockserver.WithLocalhostTLS(), mockserver.WithClientAuth(tt.mode, nil))
			s.Enqueue(mockserver.Reply(200))
			config := s.ClientTLSConfig()
			if len(tt.certs) > 0 { // even one that the server does not ask for
				config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &tt.certs[0], nil }
			}
			transport := &http.Transport{TLSClientConfig: config}
			defer transport.CloseIdleConnections()
			resp, err := (&http.Client{Transport: transport}).Get(s.URL("/"))
			if tt.peers < 0 {
				if err == nil {
					t.Error("the server took it")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if got := take(t, s).TLS.PeerCertificates; len(got) != tt.peers || len(got) > 0 && got[0].DNSNames[0] != "alice" {
				t.Errorf("client certificates: %v", got)
			}
		})
	}
}

// TestHTTP2TwoStepGoodbye: a stream that is opened between the two steps is served.
func TestHTTP2TwoStepGoodbye(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := cleartext(t)
		s.Enqueue(mockserver.Reply(200).HeadDelay(time.Minute), mockserver.Reply(200).Text("late"))
		w := dial(t, s)
		io.WriteString(w.conn, http2.ClientPreface)
		w.conn.Write(http2.AppendSettings(nil))
		head := func(id uint32) []byte {
			block, err := http2.NewHeaderEncoder().AppendRequest(nil, http2.RequestHead{Method: "GET", Path: "/", Authority: "a", Scheme: "http"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			return http2.AppendHeaders(nil, id, block, true, 16384)
		}
		w.conn.Write(head(1))
		synctest.Wait()
		go s.Shutdown(t.Context())
		synctest.Wait()
		w.conn.Write(head(3)) // which the server has said nothing against
		synctest.Wait()
		w.conn.Write(http2.AppendPing(nil, true, [8]byte{0, 0, 0, 3}))
		synctest.Wait()
		w.conn.Write(head(5))
		synctest.Wait()
		var log []string
		for len(log) < 9 {
			w.conn.SetReadDeadline(time.Now().Add(3 * time.Minute))
			head := make([]byte, http2.FrameHeaderLen)
			if _, err := io.ReadFull(w.conn, head); err != nil {
				break
			}
			h := http2.ParseFrameHeader(head)
			payload := make([]byte, h.Length)
			io.ReadFull(w.conn, payload)
			switch h.Type {
			case http2.FrameGoAway:
				last, code, _, _ := http2.ParseGoAway(payload)
				log = append(log, strings.Join([]string{"GOAWAY", map[uint32]string{1<<31 - 1: "max", 3: "3"}[last], code.String()}, " "))
			case http2.FrameHeaders:
				log = append(log, "HEADERS "+string(rune('0'+h.Stream)))
			}
		}
		if got, want := strings.Join(log, ", "), "GOAWAY max NO_ERROR, HEADERS 3, GOAWAY 3 NO_ERROR, HEADERS 1, GOAWAY 3 NO_ERROR"; got != want {
			t.Errorf("frames %s\nwant   %s", got, want)
		}
	})
}
