package adapters

import (
	"context"
	"io"
	"net/http"

	"github.com/okhttp-go/ok/tests/bench"

	"github.com/go-resty/resty/v2"
)

func init() { bench.Register("resty", restyA{}) }

type restyA struct{}

func (restyA) Open(c bench.Config) (bench.Session, error) {
	if c.CacheDir != "" {
		return nil, bench.ErrUnsupported
	}
	t := tuned(c)
	return &restyS{c, resty.NewWithClient(&http.Client{Transport: t}), t}, nil
}

type restyS struct {
	c  bench.Config
	cl *resty.Client
	t  *http.Transport
}

func (s *restyS) Get(ctx context.Context, u string) (int64, error) {
	r := s.cl.R().SetContext(ctx)
	if s.c.Stream {
		r.SetDoNotParseResponse(true)
	}
	resp, err := r.Get(u)
	if err != nil {
		return 0, err
	}
	if s.c.Stream {
		defer resp.RawBody().Close()
		return bench.Drain(resp.RawBody())
	}
	return int64(len(resp.Body())), nil
}

func (s *restyS) Upload(ctx context.Context, u string, body io.Reader, size int64) error {
	// resty has no length for streams: it sends chunked, so give it the length header only via a sized body
	return bench.ErrUnsupported
}

func (s *restyS) Close() error { s.t.CloseIdleConnections(); return nil }
