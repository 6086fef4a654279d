package adapters

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/okhttp-go/ok/tests/bench"

	"crypto/tls"

	"sync"

	kgzip "github.com/klauspost/compress/gzip"
)

func init() {
	bench.Register("nethttp", nethttpA{})
	bench.Register("nethttp-kgzip", nethttpA{kgz: true})
	bench.Register("nethttp-bigwin", nethttpA{bigwin: true})
}

type nethttpA struct{ kgz, bigwin bool }

// tuned returns the transport every net/http based peer here uses.
func tuned(c bench.Config) *http.Transport {
	d := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, Resolver: c.Resolver}
	t := &http.Transport{
		DialContext:         d.DialContext,
		MaxIdleConns:        c.MaxConns + 8,
		MaxIdleConnsPerHost: c.MaxConns + 8,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  !c.Gzip,
		DisableKeepAlives:   c.NewConnPerRequest,
	}
	if c.Stream {
		t.ReadBufferSize, t.WriteBufferSize = 64<<10, 64<<10
	}
	if c.TLS != nil {
		t.TLSClientConfig = c.TLS.Clone()
		if c.TLSResume {
			t.TLSClientConfig.ClientSessionCache = tls.NewLRUClientSessionCache(8)
		}
	}
	p := new(http.Protocols)
	if c.Proto == bench.H2 {
		p.SetHTTP2(true)
	} else {
		p.SetHTTP1(true)
	}
	t.Protocols = p
	return t
}

func (a nethttpA) Open(c bench.Config) (bench.Session, error) {
	if c.CacheDir != "" || (a.kgz && !c.Gzip) || (a.bigwin && !(c.Proto == bench.H2 && c.Stream)) {
		return nil, bench.ErrUnsupported
	}
	if a.kgz {
		c.Gzip = false
	}
	t := tuned(c)
	if a.bigwin {
		t.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: 64 << 20, MaxReceiveBufferPerConnection: 256 << 20, MaxReadFrameSize: 1 << 20}
	}
	return &NetHTTP{C: &http.Client{Transport: t}, T: t, kgz: a.kgz}, nil
}

// NetHTTP drives any http.Client; other adapters reuse it with their own RoundTripper.
type NetHTTP struct {
	C   *http.Client
	T   interface{ CloseIdleConnections() }
	kgz bool
}

var kpool sync.Pool

func (s *NetHTTP) Get(ctx context.Context, u string) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", u, nil)
	if err != nil {
		return 0, err
	}
	if s.kgz {
		req.Header.Set("Accept-Encoding", "gzip")
	}
	resp, err := s.C.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if s.kgz {
		z, _ := kpool.Get().(*kgzip.Reader)
		if z == nil {
			z, err = kgzip.NewReader(resp.Body)
		} else {
			err = z.Reset(resp.Body)
		}
		if err != nil {
			return 0, err
		}
		defer kpool.Put(z)
		n, err := bench.Drain(z)
		if err == nil {
			_, err = bench.Drain(resp.Body)
		}
		return n, err
	}
	return bench.Drain(resp.Body)
}

func (s *NetHTTP) Upload(ctx context.Context, u string, body io.Reader, size int64) error {
	req, err := http.NewRequestWithContext(ctx, "POST", u, io.NopCloser(body))
	if err != nil {
		return err
	}
	req.ContentLength = size
	resp, err := s.C.Do(req)
	if err != nil {
		return err
	}
	_, err = bench.Drain(resp.Body)
	resp.Body.Close()
	return err
}

func (s *NetHTTP) Close() error { s.T.CloseIdleConnections(); return nil }
