package adapters

// floor: the physical limit of Go's net.Conn. Each worker owns one connection,
// writes a pre-serialised request and reads exactly the known number of bytes.
// No pool, no parsing after the first answer, no cancellation.

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"

	stdgzip "compress/gzip"

	"github.com/okhttp-go/ok/tests/bench"

	kgzip "github.com/klauspost/compress/gzip"
)

func init() {
	bench.Register("floor", floorA{})
	bench.Register("floor-stdgzip", floorA{stdgz: true})
}

type floorA struct{ stdgz bool }

func (a floorA) Open(c bench.Config) (bench.Session, error) {
	if c.Proto == bench.H2 || c.CacheDir != "" || c.Resolver != nil || (a.stdgz && !c.Gzip) {
		return nil, bench.ErrUnsupported
	}
	f := &floorS{c: c, stdgz: a.stdgz}
	if c.TLS != nil {
		f.tls = c.TLS.Clone()
		f.tls.NextProtos = []string{"http/1.1"}
		if c.TLSResume {
			f.tls.ClientSessionCache = tls.NewLRUClientSessionCache(8)
		}
	}
	return f, nil
}

type floorS struct {
	c     bench.Config
	tls   *tls.Config
	stdgz bool
	conn  net.Conn
	url   string
	req   []byte
	total int64
	head  int64
	buf   []byte
	kz    *kgzip.Reader
	sz    *stdgzip.Reader
	lr    io.LimitedReader
}

func (f *floorS) Worker() (bench.Session, error) {
	return &floorS{c: f.c, tls: f.tls, stdgz: f.stdgz, buf: make([]byte, 64<<10)}, nil
}

func (f *floorS) dial() error {
	u, err := url.Parse(f.c.BaseURL)
	if err != nil {
		return err
	}
	c, err := net.Dial("tcp", u.Host)
	if err != nil {
		return err
	}
	f.conn = c
	if f.tls != nil {
		t := tls.Client(c, f.tls)
		if err := t.Handshake(); err != nil {
			return err
		}
		f.conn = t
	}
	return nil
}

func (f *floorS) prep(ustr string) {
	u, _ := url.Parse(ustr)
	enc := ""
	if f.c.Gzip {
		enc = "Accept-Encoding: gzip\r\n"
	}
	f.req = []byte("GET " + u.RequestURI() + " HTTP/1.1\r\nHost: " + u.Host + "\r\nUser-Agent: floor\r\n" + enc + "\r\n")
	f.url, f.total = ustr, 0
}

// first reads one header to learn the exact answer length.
func (f *floorS) first() error {
	n := 0
	for {
		m, err := f.conn.Read(f.buf[n:])
		if err != nil {
			return err
		}
		n += m
		i := bytes.Index(f.buf[:n], []byte("\r\n\r\n"))
		if i < 0 {
			continue
		}
		h := string(f.buf[:i])
		k := strings.Index(h, "Content-Length: ")
		if k < 0 {
			return fmt.Errorf("no length in %q", h)
		}
		v := h[k+16:]
		if e := strings.IndexByte(v, '\r'); e >= 0 {
			v = v[:e]
		}
		cl, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return err
		}
		f.head = int64(i) + 4
		f.total = f.head + cl
		return f.discard(f.total - int64(n))
	}
}

func (f *floorS) discard(n int64) error {
	for n > 0 {
		b := f.buf
		if int64(len(b)) > n {
			b = b[:n]
		}
		m, err := f.conn.Read(b)
		n -= int64(m)
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *floorS) Get(ctx context.Context, u string) (int64, error) {
	if f.buf == nil {
		f.buf = make([]byte, 64<<10)
	}
	if f.conn == nil {
		if err := f.dial(); err != nil {
			return 0, err
		}
	}
	if f.url != u {
		f.prep(u)
	}
	if _, err := f.conn.Write(f.req); err != nil {
		return 0, err
	}
	var err error
	var n int64
	switch {
	case f.total == 0:
		err = f.first()
		n = f.total - f.head
		if f.c.Gzip { // learn only; the answer is asked again
			return f.Get(ctx, u)
		}
	case f.c.Gzip:
		if _, err = io.ReadFull(f.conn, f.buf[:f.head]); err != nil {
			return 0, err
		}
		f.lr = io.LimitedReader{R: f.conn, N: f.total - f.head}
		if f.stdgz {
			if f.sz == nil {
				f.sz, err = stdgzip.NewReader(&f.lr)
			} else {
				err = f.sz.Reset(&f.lr)
			}
			if err == nil {
				n, err = bench.Drain(f.sz)
			}
		} else {
			if f.kz == nil {
				f.kz, err = kgzip.NewReader(&f.lr)
			} else {
				err = f.kz.Reset(&f.lr)
			}
			if err == nil {
				n, err = bench.Drain(f.kz)
			}
		}
		if err == nil {
			err = f.discard(f.lr.N)
		}
	default:
		err = f.discard(f.total)
		n = f.total - f.head
	}
	if f.c.NewConnPerRequest {
		f.conn.Close()
		f.conn = nil
	}
	return n, err
}

func (f *floorS) Upload(ctx context.Context, u string, body io.Reader, size int64) error {
	if f.buf == nil {
		f.buf = make([]byte, 64<<10)
	}
	if f.conn == nil {
		if err := f.dial(); err != nil {
			return err
		}
	}
	p, _ := url.Parse(u)
	if _, err := f.conn.Write([]byte("POST " + p.RequestURI() + " HTTP/1.1\r\nHost: " + p.Host + "\r\nContent-Length: " + strconv.FormatInt(size, 10) + "\r\n\r\n")); err != nil {
		return err
	}
	for size > 0 {
		m, err := body.Read(f.buf)
		if m > 0 {
			if _, e := f.conn.Write(f.buf[:m]); e != nil {
				return e
			}
			size -= int64(m)
		}
		if err != nil && size > 0 {
			return err
		}
	}
	return f.first()
}

func (f *floorS) Close() error {
	if f.conn != nil {
		return f.conn.Close()
	}
	return nil
}
