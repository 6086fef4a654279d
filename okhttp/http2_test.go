package okhttp

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// server2 is a server of net/http that speaks HTTP/2.
func server2(t *testing.T, h http.HandlerFunc) (*httptest.Server, *Client) {
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = true
	s.StartTLS()
	c := New(WithTLSConfig(&tls.Config{RootCAs: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}))
	t.Cleanup(func() { c.Close(); s.Close() })
	return s, c
}

func TestHTTP2(t *testing.T) {
	s, c := server2(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		w.Header().Set("Trailer", "Sum")
		w.Header().Set("X-Proto", r.Proto)
		fmt.Fprintf(w, "%s %s %s %q %v", r.Method, r.Host, r.URL, body, err)
		w.Header().Set("Sum", "1")
	})
	for range 3 {
		req := mustRequest(t, "POST", s.URL+"/a?b", WithBody(Text(strings.Repeat("x", 100))))
		resp, err := c.Do(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := resp.Body.Text()
		if want := fmt.Sprintf("POST %s /a?b %q <nil>", strings.TrimPrefix(s.URL, "https://"), strings.Repeat("x", 100)); text != want || err != nil {
			t.Errorf("%s, %v, want %s", text, err, want)
		}
		if resp.Protocol != HTTP2 || resp.Headers().Get("X-Proto") != "HTTP/2.0" {
			t.Errorf("protocol %s, headers %v", resp.Protocol, resp.Headers())
		}
		if trailers, err := resp.Trailers(); err != nil || trailers.Get("sum") != "1" {
			t.Errorf("trailers %v, %v", trailers, err)
		}
	}
	if got := c.cfg.pool.Stats(); got != (PoolStats{Connections: 1, Idle: 1}) {
		t.Errorf("pool %+v", got)
	}
}

func TestHTTP2Concurrent(t *testing.T) {
	s, c := server2(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n)
		io.CopyN(w, neverEnding{}, 200<<10)
	})
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			for range 20 {
				resp, err := c.Do(t.Context(), mustRequest(t, "PUT", s.URL, WithBody(Bytes("", make([]byte, 100<<10)))))
				if err != nil {
					t.Error(err)
					return
				}
				p, err := resp.Body.Bytes()
				if err != nil || len(p) != 6+200<<10 && len(p) != 200<<10+len("102400") {
					t.Errorf("%d bytes, %v", len(p), err)
				}
			}
		})
	}
	calls.Wait()
	if got := c.cfg.pool.Stats(); got.Connections != 1 {
		t.Errorf("pool %+v", got)
	}
}

type neverEnding struct{}

func (neverEnding) Read(p []byte) (int, error) { return len(p), nil }

// A call that is canceled ends its stream alone.
func TestHTTP2Cancel(t *testing.T) {
	release := make(chan struct{})
	s, c := server2(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-release:
			}
			return
		}
		io.WriteString(w, "x")
	})
	defer close(release)
	call := c.NewCall(mustRequest(t, "GET", s.URL+"/wait"))
	resp, err := call.Execute(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	call.Cancel()
	if _, err := resp.Body.Text(); !errors.Is(err, ErrCanceled) {
		t.Errorf("error %v", err)
	}
	if resp, err = c.Get(t.Context(), s.URL); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := c.cfg.pool.Stats(); got.Connections != 1 {
		t.Errorf("pool %+v", got)
	}
}

func TestPriorKnowledge(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	defer s.Close()
	c := New(WithProtocols(HTTP2PriorKnowledge))
	defer c.Close()
	resp, err := c.Get(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := resp.Body.Text(); text != "HTTP/2.0" {
		t.Errorf("%q", text)
	}
	if _, err := c.Get(t.Context(), "https://127.0.0.1/"); !isA[*ProtocolError](err) {
		t.Errorf("error %v", err)
	}
}
