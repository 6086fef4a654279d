package adapters

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/okhttp-go/ok/tests/bench"
)

func handler(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/stall":
		<-r.Context().Done()
	case "/stallbody":
		w.Write(make([]byte, 1000))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case "/chunked":
		for i := 0; i < 3; i++ {
			io.WriteString(w, "abc")
			w.(http.Flusher).Flush()
		}
	default:
		fmt.Fprint(w, "hello")
	}
}

func open(t *testing.T, name string, h2 bool) (bench.Session, string) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(handler))
	s.EnableHTTP2 = h2
	c := bench.Config{Proto: bench.H1, MaxConns: 8}
	if h2 {
		s.StartTLS()
		p := x509.NewCertPool()
		p.AddCert(s.Certificate())
		c.Proto, c.TLS = bench.H2, &tls.Config{RootCAs: p, ServerName: "example.com"}
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	c.BaseURL = s.URL
	x, err := bench.Lookup(name).(bench.HTTP).Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x, s.URL
}

func TestCancel(t *testing.T) {
	for _, n := range []string{"proto", "proto-peek", "proto-rt", "proto-h2", "proto-h2-reader"} {
		t.Run(n, func(t *testing.T) {
			x, u := open(t, n, n == "proto-h2" || n == "proto-h2-reader")
			for i := 0; i < 20; i++ {
				for _, p := range []string{"/stall", "/stallbody"} {
					ctx, cancel := context.WithCancel(context.Background())
					time.AfterFunc(5*time.Millisecond, cancel)
					t0 := time.Now()
					_, err := x.Get(ctx, u+p)
					if !errors.Is(err, context.Canceled) || time.Since(t0) > time.Second {
						t.Fatalf("%s: %v after %v", p, err, time.Since(t0))
					}
				}
				for p, want := range map[string]int64{"/": 5, "/chunked": 9} {
					if k, err := x.Get(context.Background(), u+p); err != nil || k != want {
						t.Fatalf("%s after cancel: %d %v", p, k, err)
					}
				}
			}
			var wg sync.WaitGroup // cancelled and live requests at the same time
			for i := 0; i < 16; i++ {
				wg.Go(func() {
					for j := 0; j < 30; j++ {
						if i%4 == 0 {
							ctx, cancel := context.WithTimeout(context.Background(), 3*time.Millisecond)
							x.Get(ctx, u+"/stall")
							cancel()
						} else if k, err := x.Get(context.Background(), u+"/"); err != nil || k != 5 {
							t.Errorf("%d %v", k, err)
						}
					}
				})
			}
			wg.Wait()
		})
	}
}
