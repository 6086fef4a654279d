package adapters

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/tests/bench"
)

func init() {
	bench.Register("ok", okAdapter{})
	bench.Register("ok-rt", okAdapter{roundTripper: true})
}

// okAdapter is this project: through its own API, and behind http.Client as a RoundTripper.
type okAdapter struct{ roundTripper bool }

func (a okAdapter) Open(c bench.Config) (bench.Session, error) {
	if c.CacheDir != "" || c.Resolver != nil {
		return nil, bench.ErrUnsupported
	}
	idle := c.MaxConns + 8
	if c.NewConnPerRequest {
		idle = -1
	}
	pool := okhttp.NewConnectionPool(okhttp.PoolConfig{MaxIdle: idle})
	opts := []okhttp.Option{okhttp.WithPool(pool)}
	if c.Proto != bench.H2 {
		opts = append(opts, okhttp.WithProtocols(okhttp.HTTP1Only))
	}
	if c.TLS != nil {
		t := c.TLS.Clone()
		if c.TLSResume {
			t.ClientSessionCache = tls.NewLRUClientSessionCache(8)
		}
		opts = append(opts, okhttp.WithTLSConfig(t))
	}
	client := okhttp.New(opts...)
	if a.roundTripper {
		return &NetHTTP{C: &http.Client{Transport: client.RoundTripper()}, T: poolCloser{pool}}, nil
	}
	return &okSession{client, pool}, nil
}

type poolCloser struct{ pool *okhttp.ConnectionPool }

func (p poolCloser) CloseIdleConnections() { p.pool.EvictAll() }

type okSession struct {
	client *okhttp.Client
	pool   *okhttp.ConnectionPool
}

func (s *okSession) Get(ctx context.Context, url string) (int64, error) {
	resp, err := s.client.Get(ctx, url)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return bench.Drain(resp.Body)
}

func (s *okSession) Upload(ctx context.Context, url string, body io.Reader, size int64) error {
	resp, err := s.client.Post(ctx, url, okhttp.OneShot("application/octet-stream", size, body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = bench.Drain(resp.Body)
	return err
}

func (s *okSession) Close() error {
	s.pool.EvictAll()
	return s.client.Close()
}
