package mockserver_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

// secure connects to a server with TLS.
func secure(t *testing.T, s *mockserver.Server, name string) (*wire, error) {
	t.Helper()
	raw := dial(t, s)
	config := s.ClientTLSConfig()
	config.ServerName = name
	conn := tls.Client(raw.conn, config)
	return wired(t, conn), conn.Handshake()
}

func TestTLSIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t, mockserver.WithLocalhostTLS("example.com"))
		s.Enqueue(mockserver.Reply(200), mockserver.Reply(200))
		for _, tt := range []struct{ name, sni string }{{"example.com", "example.com"}, {"127.0.0.1", ""}} {
			w, err := secure(t, s, tt.name)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(w.conn.(*tls.Conn).ConnectionState().PeerCertificates); n != 1 {
				t.Errorf("the server has %d certificates", n)
			}
			w.send("GET / HTTP/1.1·Host: other··")
			w.want("HTTP/1.1 200 OK·Content-Length: 0··")
			r := take(t, s)
			if r.TLS == nil || r.TLS.ServerName != tt.sni || r.TLS.Version < tls.VersionTLS12 || r.TLS.CipherSuite == 0 || len(r.TLS.PeerCertificates) != 0 {
				t.Fatalf("recorded TLS %+v", r.TLS)
			}
			if u, err := r.URL(); err != nil || u.String() != "https://other/" {
				t.Errorf("URL %v, %v", u, err)
			}
		}
	})
}

func TestCertificateIsGoodForItsNames(t *testing.T) {
	for _, tt := range []struct {
		name string
		good bool
	}{
		{"localhost", true}, {"127.0.0.1", true}, {"::1", true}, {"a_b.com", true}, {"host.test", true}, {"10.1.2.3", true},
		{"example.com", false}, {"127.0.0.2", false},
	} {
		synctest.Test(t, func(t *testing.T) { // whose clock begins in 2000
			s := memory(t, mockserver.WithHost("host.test"), mockserver.WithLocalhostTLS("a_b.com", "10.1.2.3"))
			if _, err := secure(t, s, tt.name); (err == nil) != tt.good {
				t.Errorf("%s: %v", tt.name, err)
			}
		})
	}
	s := mockserver.New(t, mockserver.WithLocalhostTLS())
	if _, err := secure(t, s, "localhost"); err != nil {
		t.Errorf("on the real clock: %v", err)
	}
	if _, err := mockserver.Start(mockserver.WithLocalhostTLS("bücher.example")); err == nil || !strings.Contains(err.Error(), "bücher.example") {
		t.Errorf("a name that no certificate can have: %v", err)
	}
}

func TestClientsTrustThePEM(t *testing.T) {
	s := mockserver.New(t, mockserver.WithLocalhostTLS())
	s.Enqueue(mockserver.Reply(200).Text("hello"))
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(s.CertificatePEM()) {
		t.Fatal("no certificate in PEM")
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	defer client.CloseIdleConnections()
	resp, err := client.Get(s.URL("/"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); string(text) != "hello" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
	if _, err := http.Get(s.URL("/")); err == nil {
		t.Error("a client that does not trust the authority got an answer")
	}
	if plain := mockserver.New(t); plain.RootCAs() != nil || plain.CertificatePEM() != nil || plain.ClientTLSConfig() != nil {
		t.Error("a server without TLS has certificates")
	}
}

// selfSigned makes a certificate that is good for localhost, for servers and clients, on the clock of a bubble.
func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now(), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func TestOwnTLSConfigAndClientCertificates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cert := selfSigned(t)
		config := &tls.Config{Certificates: []tls.Certificate{cert}, ClientAuth: tls.RequestClientCert}
		s := memory(t, mockserver.WithTLS(config))
		s.Enqueue(mockserver.Reply(200))
		trusting := s.ClientTLSConfig()
		trusting.ServerName, trusting.Certificates, trusting.NextProtos = "localhost", []tls.Certificate{cert}, []string{"http/1.1"}
		w := dial(t, s)
		w = wired(t, tls.Client(w.conn, trusting))
		w.send(get)
		w.want("HTTP/1.1 200 OK·Content-Length: 0··")
		if r := take(t, s); len(r.TLS.PeerCertificates) != 1 || r.TLS.NegotiatedProtocol != "http/1.1" {
			t.Errorf("recorded %d client certificates, protocol %q", len(r.TLS.PeerCertificates), r.TLS.NegotiatedProtocol)
		}
		if config.NextProtos != nil {
			t.Error("the configuration was modified")
		}
	})
	if _, err := mockserver.Start(mockserver.WithTLS(&tls.Config{Certificates: []tls.Certificate{{}}})); err == nil {
		t.Error("started with an empty certificate")
	}
}

func TestFailedHandshakeIsNoRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t, mockserver.WithLocalhostTLS())
		w := dial(t, s)
		w.send(get)
		if _, err := io.ReadAll(w.conn); err != nil {
			t.Error(err)
		}
		if s.RequestCount() != 0 {
			t.Errorf("%d requests", s.RequestCount())
		}
	})
}

// records keeps the type of the last TLS record that was read.
type records struct {
	net.Conn
	seen []byte
}

func (r *records) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	r.seen = append(r.seen, p[:n]...)
	return n, err
}

func (r *records) last() (kind byte) {
	for b := r.seen; len(b) >= 5; b = b[min(len(b), 5+int(binary.BigEndian.Uint16(b[3:]))):] {
		kind = b[0]
	}
	return kind
}

// TestTLSFarewell tells a disconnect from a proper end, which has an alert (close_notify).
func TestTLSFarewell(t *testing.T) {
	const alert, data = 21, 23
	for _, tt := range []struct {
		script mockserver.Response
		last   byte
	}{
		{mockserver.Reply(200).Text("x").UntilClose(), alert},
		{mockserver.Reply(200).Text("x").On(mockserver.ResponseEnd, mockserver.ShutdownConnection{}), alert},
		{mockserver.Reply(200).Text("x").On(mockserver.ResponseEnd, mockserver.CloseSocket{}), data},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := memory(t, mockserver.WithLocalhostTLS())
			s.Enqueue(tt.script)
			raw := &records{Conn: dial(t, s).conn}
			config := s.ClientTLSConfig()
			config.ServerName, config.MaxVersion = "localhost", tls.VersionTLS12 // which shows the types of its records
			w := wired(t, tls.Client(raw, config))
			w.send(get)
			if text, err := io.ReadAll(w.conn); !strings.HasSuffix(string(text), "x") || err != nil {
				t.Errorf("got %q, %v", text, err)
			}
			if raw.last() != tt.last {
				t.Errorf("the last record is of type %d, want %d", raw.last(), tt.last)
			}
		})
	}
}

// TestStallBeforeTheRequestComesAfterTheHandshake, while closing comes before it.
func TestStallBeforeTheRequestComesAfterTheHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t, mockserver.WithLocalhostTLS())
		s.Enqueue(mockserver.Reply(200).On(mockserver.RequestStart, mockserver.Stall{}))
		w, err := secure(t, s, "localhost")
		if err != nil {
			t.Fatal(err)
		}
		w.send(get)
		w.wantSilence(time.Minute)
		s.Enqueue(mockserver.Reply(200).On(mockserver.RequestStart, mockserver.CloseSocket{}))
		if _, err := secure(t, s, "localhost"); err == nil {
			t.Error("a handshake succeeded on a connection that was to be closed")
		}
		if r := take(t, s); r.RequestLine() != "GET / HTTP/1.1" || s.RequestCount() != 2 {
			t.Errorf("recorded %v, %d in all", r, s.RequestCount())
		}
	})
}

// anywhere gives every name an address, which the server's own dialer does not look at.
var anywhere = okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil
})

// TestOkHTTP drives the sibling client over memory, with a host name that only its own URL parser takes.
func TestOkHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t, mockserver.WithHost("a_b.com"), mockserver.WithLocalhostTLS())
		client := okhttp.New(okhttp.WithDialer(s), okhttp.WithTLSConfig(s.ClientTLSConfig()), okhttp.WithDNS(anywhere),
			okhttp.WithReadTimeout(time.Second))
		defer client.Close()
		s.Enqueue(
			mockserver.Reply(200).Text("first").Chunked(2),
			mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.Stall{}),
			mockserver.Reply(200).Text("ab").On(mockserver.ResponseBody, mockserver.CloseSocket{}),
		)
		resp, err := client.Get(t.Context(), s.URL("/"))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); text != "first" || err != nil {
			t.Errorf("got %q, %v", text, err)
		}
		if r := take(t, s); r.TLS.ServerName != "a_b.com" {
			t.Errorf("SNI %q", r.TLS.ServerName)
		}
		begun := time.Now()
		if _, err := client.Get(t.Context(), s.URL("/")); err == nil || time.Since(begun) != time.Second {
			t.Errorf("a stalled response: %v after %v", err, time.Since(begun))
		}
		resp, err = client.Get(t.Context(), s.URL("/"))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); err == nil {
			t.Errorf("half a body came as %q", text)
		}
	})
}
