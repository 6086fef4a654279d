package adapters

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"time"

	"github.com/okhttp-go/ok/tests/bench"

	"github.com/valyala/fasthttp"
)

func init() { bench.Register("fasthttp", fastA{}) }

type fastA struct{}

func (fastA) Open(c bench.Config) (bench.Session, error) {
	if c.Proto == bench.H2 || c.CacheDir != "" {
		return nil, bench.ErrUnsupported
	}
	cl := &fasthttp.Client{MaxConnsPerHost: c.MaxConns + 8, StreamResponseBody: c.Stream}
	if c.TLS != nil {
		cl.TLSConfig = c.TLS.Clone()
		if c.TLSResume {
			cl.TLSConfig.ClientSessionCache = tls.NewLRUClientSessionCache(8)
		}
	}
	if c.Resolver != nil {
		d := &fasthttp.TCPDialer{Resolver: c.Resolver}
		cl.Dial = func(a string) (net.Conn, error) { return d.DialDualStackTimeout(a, 3*time.Second) }
	}
	if c.Stream {
		cl.ReadBufferSize, cl.WriteBufferSize = 64<<10, 64<<10
	}
	return &fastS{c: c, cl: cl}, nil
}

type fastS struct {
	c  bench.Config
	cl *fasthttp.Client
}

func (s *fastS) Get(ctx context.Context, u string) (int64, error) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(u)
	if s.c.Gzip {
		req.Header.Set("Accept-Encoding", "gzip")
	}
	if s.c.NewConnPerRequest {
		req.SetConnectionClose()
	}
	var err error
	if d, ok := ctx.Deadline(); ok {
		err = s.cl.DoDeadline(req, resp, d)
	} else {
		err = s.cl.Do(req, resp) // fasthttp has no cancellation
	}
	if err != nil {
		return 0, err
	}
	if s.c.Stream {
		if r := resp.BodyStream(); r != nil {
			n, err := bench.Drain(r)
			resp.CloseBodyStream()
			return n, err
		}
	}
	if s.c.Gzip {
		b, err := resp.BodyGunzip()
		return int64(len(b)), err
	}
	return int64(len(resp.Body())), nil
}

func (s *fastS) Upload(ctx context.Context, u string, body io.Reader, size int64) error {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(u)
	req.Header.SetMethod("POST")
	req.SetBodyStream(body, int(size))
	err := s.cl.Do(req, resp)
	if r := resp.BodyStream(); err == nil && r != nil {
		_, err = bench.Drain(r)
		resp.CloseBodyStream()
	}
	return err
}

func (s *fastS) Close() error { s.cl.CloseIdleConnections(); return nil }
