//go:build example

// An adapter template. Copy it to adapters/<client>.go, drop the build tag, and
// replace the three marked spots. Build with -tags example to try it as it is.
package adapters

import (
	"context"
	"io"
	"net/http"

	"github.com/okhttp-go/ok/tests/bench"
)

func init() { bench.Register("example", exampleA{}) }

// exampleA implements bench.HTTP; the same type may implement bench.WS
// (DialWS) and bench.SSE (ReadSSE) to join those scenarios too.
type exampleA struct{}

func (exampleA) Open(c bench.Config) (bench.Session, error) {
	if c.CacheDir != "" { // say no to what the client cannot do; the row is left out
		return nil, bench.ErrUnsupported
	}
	// (1) build ONE client from c: c.Proto (H1, H1TLS, H2), c.TLS (roots; Clone
	// it), c.MaxConns idle connections at least, c.NewConnPerRequest,
	// c.TLSResume, c.Gzip (decode transparently), c.Stream (do not buffer).
	return exampleS{&http.Client{Transport: tuned(c)}}, nil
}

type exampleS struct{ c *http.Client }

// Get: (2) one GET as an application would write it, body read to the end.
// ctx is cancellable (one context per worker): pass it on if the client can.
func (s exampleS) Get(ctx context.Context, url string) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return 0, err
	}
	resp, err := s.c.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return bench.Drain(resp.Body)
}

// Upload: (3) optional, joins h1-large/post64M.
func (s exampleS) Upload(ctx context.Context, url string, body io.Reader, size int64) error {
	req, err := http.NewRequestWithContext(ctx, "POST", url, body)
	if err != nil {
		return err
	}
	req.ContentLength = size
	resp, err := s.c.Do(req)
	if err != nil {
		return err
	}
	_, err = bench.Drain(resp.Body)
	resp.Body.Close()
	return err
}

func (s exampleS) Close() error { s.c.CloseIdleConnections(); return nil }

// A session with metrics of its own (an external process, a callback engine)
// implements bench.LoadRunner instead and makes the load itself: see okhttp.go.
