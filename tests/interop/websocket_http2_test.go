//go:build unix

package interop

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-ws"
)

// withExtendedConnect goes on in a process whose net/http allows extended CONNECT, which it decides about as it starts. It reports whether this is that process.
func withExtendedConnect(t *testing.T) bool {
	t.Helper()
	const setting = "http2xconnect=1"
	if strings.Contains(os.Getenv("GODEBUG"), setting) {
		return true
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=100s")
	cmd.Env = append(os.Environ(), "GODEBUG="+strings.Trim(os.Getenv("GODEBUG")+","+setting, ","))
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name()+" ")) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// tunnels is a server of net/http that speaks HTTP/2, and a client that opens web sockets as its streams.
func tunnels(t *testing.T, h http.Handler) (url string, client *okhttp.Client) {
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = true
	s.Config.ReadTimeout, s.Config.WriteTimeout = 20*time.Second, 20*time.Second
	s.StartTLS()
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	client = newClient(t, okhttp.WithTLSConfig(&tls.Config{RootCAs: roots}), okhttp.WithHTTP2(okhttp.HTTP2Config{ExtendedConnect: true}))
	return "wss" + strings.TrimPrefix(s.URL, "https"), client
}

// Web sockets are streams of one HTTP/2 connection to net/http's server (RFC 8441).
func TestNetHTTPTunnels(t *testing.T) {
	if !withExtendedConnect(t) {
		return
	}
	ends := make(chan error, 10) // how the server's side ended
	mux := http.NewServeMux()
	accept := func(pattern string, cfg okws.Config, use func(ctx context.Context, c *okws.Conn)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			c, err := okws.Accept(w, r, &okws.AcceptConfig{Config: cfg, Header: http.Header{"X-Proto": {r.Proto}}})
			if err != nil {
				t.Error(err)
				return
			}
			defer c.CloseNow()
			if c.LocalAddr() == nil || c.RemoteAddr() == nil {
				t.Errorf("addresses %v, %v", c.LocalAddr(), c.RemoteAddr())
			}
			use(context.Background(), c)
			ends <- c.Err()
		})
	}
	accept("/echo", okws.Config{Subprotocols: []string{"echo"}, Compression: okws.Compression{Threshold: -1}}, echoMessages)
	accept("CONNECT /leave", okws.Config{}, func(context.Context, *okws.Conn) {})
	accept("/patient", okws.Config{}, func(ctx context.Context, c *okws.Conn) {
		brief, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
		if _, _, err := c.Read(brief); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("read: %v", err)
		}
		if err := c.WriteText(ctx, "now"); err != nil {
			t.Error(err)
		}
		echoMessages(ctx, c)
	})
	accept("/stuck", okws.Config{WriteTimeout: 100 * time.Millisecond, Compression: okws.Compression{Off: true}}, func(ctx context.Context, c *okws.Conn) {
		if err := c.Write(ctx, okws.Binary, make([]byte, 32<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("written with %v", err)
		}
	})
	url, client := tunnels(t, mux)
	dial := func(path string, cfg *okws.Config) *okws.Conn {
		t.Helper()
		c, err := okws.Dial(t.Context(), client, url+path, cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.CloseNow() })
		if c.Response().Protocol != okhttp.HTTP2 || c.Response().Headers().Get("X-Proto") != "HTTP/2.0" {
			t.Errorf("%s is over %v", path, c.Response().Protocol)
		}
		return c
	}

	for _, off := range []bool{true, false} {
		c := dial("/echo", &okws.Config{Subprotocols: []string{"echo"}, Compression: okws.Compression{Off: off, Threshold: -1}})
		if c.Subprotocol() != "echo" || c.Compressed() == off {
			t.Errorf("agreed on %q, %q", c.Subprotocol(), c.Extensions())
		}
		wantEchoes(t, c)
		if err := c.Close(3456, "enough"); err != nil {
			t.Errorf("close: %v", err)
		}
		if closed, ok := errors.AsType[*okws.CloseError](<-ends); !ok || closed.Code != 3456 || closed.Reason != "enough" {
			t.Errorf("the server's end is %v", closed)
		}
	}

	c := dial("/echo", nil)
	if err := c.WriteText(t.Context(), "bye"); err != nil {
		t.Fatal(err)
	}
	_, _, err := c.Read(t.Context())
	if closed, ok := errors.AsType[*okws.CloseError](err); !ok || closed.Code != 4001 || closed.Reason != "as you wish" {
		t.Errorf("ended with %v", err)
	}
	<-ends

	c = dial("/leave", nil)
	if _, _, err := c.Read(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("a handler that leaves without a word: %v", err)
	}
	<-ends

	c = dial("/patient", nil)
	if _, p, err := c.Read(t.Context()); err != nil || string(p) != "now" {
		t.Errorf("read %q, %v", p, err)
	}
	if err := c.WriteText(t.Context(), "echo"); err != nil { // which comes once the server knows that it has written
		t.Error(err)
	}
	if _, p, err := c.Read(t.Context()); err != nil || string(p) != "echo" {
		t.Errorf("read %q, %v", p, err)
	}
	_ = c.CloseNow()
	if err := <-ends; err == nil || errors.Is(err, okws.ErrClosed) {
		t.Errorf("a client that leaves without a word: %v", err)
	}

	c = dial("/stuck", nil)
	<-ends
	if _, _, err := c.Read(t.Context()); err == nil {
		t.Error("a message was read whose end was never sent")
	}
}
