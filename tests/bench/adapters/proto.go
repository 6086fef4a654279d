package adapters

// proto: a blocking HTTP/1.1 client on the caller's goroutine with context
// cancellation. No goroutine per connection or request: the caller writes,
// reads and parses; context.AfterFunc only runs when the context ends, and then
// it sets a past deadline on the connection, which wakes the blocked call.
//
//	proto     own light types: header = one string + name/value substrings
//	proto-rt  the same core behind http.RoundTripper (http.Header, *http.Response)

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/okhttp-go/ok/tests/bench"
)

func init() {
	bench.Register("proto", protoA{})
	bench.Register("proto-peek", protoA{peek: true})
	bench.Register("proto-rt", protoA{rt: true})
}

type protoA struct{ rt, peek bool }

func (a protoA) Open(c bench.Config) (bench.Session, error) {
	if c.Proto == bench.H2 || c.Gzip || c.CacheDir != "" || c.Resolver != nil {
		return nil, bench.ErrUnsupported
	}
	p := &proto{c: c, peek: a.peek, idle: map[string][]*pconn{}}
	if c.TLS != nil {
		p.tls = c.TLS.Clone()
		p.tls.NextProtos = []string{"http/1.1"}
		if c.TLSResume {
			p.tls.ClientSessionCache = tls.NewLRUClientSessionCache(8)
		}
	}
	if a.rt {
		return &NetHTTP{C: &http.Client{Transport: protoRT{p}}, T: p}, nil
	}
	return p, nil
}

type proto struct {
	c    bench.Config
	tls  *tls.Config
	peek bool
	mu   sync.Mutex
	idle map[string][]*pconn
}

type pconn struct {
	net.Conn
	raw   *net.TCPConn
	br    *bufio.Reader
	wbuf  []byte
	key   string
	since time.Time
	fn    func() // cancel, made once per connection: no closure per request
}

var past = time.Unix(1, 0)

func (p *proto) get(ctx context.Context, scheme, host string) (*pconn, bool, error) {
	for {
		p.mu.Lock()
		s := p.idle[host]
		if len(s) == 0 {
			p.mu.Unlock()
			break
		}
		c := s[len(s)-1]
		p.idle[host] = s[:len(s)-1]
		p.mu.Unlock()
		if p.peek || time.Since(c.since) > time.Second { // OkHttp: extensive check only after idling
			if !alive(c.raw) {
				c.Close()
				continue
			}
		}
		return c, true, nil
	}
	var d net.Dialer
	n, err := d.DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, false, err
	}
	c := &pconn{Conn: n, raw: n.(*net.TCPConn), key: host, wbuf: make([]byte, 0, 1024)}
	if p.tls != nil {
		t := tls.Client(n, p.tls)
		if err := t.HandshakeContext(ctx); err != nil {
			n.Close()
			return nil, false, err
		}
		c.Conn = t
	}
	size := 4096
	if p.c.Stream {
		size = 64 << 10
	}
	c.br = bufio.NewReaderSize(c.Conn, size)
	c.fn = func() { c.raw.SetDeadline(past) }
	return c, false, nil
}

func alive(c *net.TCPConn) bool {
	rc, err := c.SyscallConn()
	if err != nil {
		return false
	}
	ok := false
	rc.Read(func(fd uintptr) bool {
		var b [1]byte
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		ok = err == syscall.EAGAIN
		return true
	})
	return ok
}

func (p *proto) put(c *pconn) {
	c.since = time.Now()
	p.mu.Lock()
	p.idle[c.key] = append(p.idle[c.key], c)
	p.mu.Unlock()
}

// Response of the light API. kv is name, value, name, value …, all substrings of one string.
type presp struct {
	Status int
	kv     []string
	kvBuf  [24]string
	Body   pbody
}

func (r *presp) Header(name string) string {
	for i := 0; i < len(r.kv); i += 2 {
		if len(r.kv[i]) == len(name) && strings.EqualFold(r.kv[i], name) {
			return r.kv[i+1]
		}
	}
	return ""
}

type pbody struct {
	p     *proto
	c     *pconn
	ctx   context.Context
	stop  func() bool
	left  int64 // -1 = until chunked EOF
	chunk io.Reader
	keep  bool
	done  bool
}

func (b *pbody) Read(q []byte) (n int, err error) {
	if b.done {
		return 0, io.EOF
	}
	if b.chunk != nil {
		n, err = b.chunk.Read(q)
		if err == io.EOF {
			b.c.br.ReadSlice('\n') // final CRLF of the (empty) trailer
		}
	} else if b.left == 0 {
		err = io.EOF
	} else {
		if int64(len(q)) > b.left {
			q = q[:b.left]
		}
		n, err = b.c.br.Read(q)
		if b.left -= int64(n); err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if b.left == 0 && err == nil {
			err = io.EOF
		}
	}
	if err != nil {
		if err != io.EOF && b.ctx.Err() != nil {
			err = b.ctx.Err()
		}
		b.finish(err == io.EOF)
	}
	return n, err
}

func (b *pbody) finish(ok bool) {
	if b.done {
		return
	}
	b.done = true
	if !b.stop() { // the cancel function ran or runs: the deadline is poisoned
		ok = false
	}
	if ok && b.keep {
		b.p.put(b.c)
	} else {
		b.c.Close()
	}
}

func (b *pbody) Close() error { b.finish(b.left == 0 && b.chunk == nil); return nil }

func nostop() bool { return true }

var errHeader = errors.New("malformed response header")

// do sends the serialised head (and body) and parses the response head.
func (p *proto) do(ctx context.Context, r *presp, scheme, host string, head func([]byte) []byte, body io.Reader, replay bool) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for try := 0; ; try++ {
		c, reused, err := p.get(ctx, scheme, host)
		if err != nil {
			return err
		}
		stop := nostop
		if ctx.Done() != nil {
			stop = context.AfterFunc(ctx, c.fn)
		}
		c.wbuf = head(c.wbuf[:0])
		_, err = c.Write(c.wbuf)
		if err == nil && body != nil {
			bp := bbuf.Get().(*[]byte)
			_, err = io.CopyBuffer(struct{ io.Writer }{c.Conn}, struct{ io.Reader }{body}, *bp)
			bbuf.Put(bp)
		}
		if err == nil {
			err = r.parse(c.br)
		}
		if err != nil {
			stop()
			c.Close()
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if reused && replay && try == 0 {
				continue // stale pooled connection
			}
			return err
		}
		r.Body = pbody{p: p, c: c, ctx: ctx, stop: stop, keep: !p.c.NewConnPerRequest && !strings.EqualFold(r.Header("Connection"), "close")}
		if strings.EqualFold(r.Header("Transfer-Encoding"), "chunked") {
			r.Body.left, r.Body.chunk = -1, httputil.NewChunkedReader(c.br)
		} else if v := r.Header("Content-Length"); v != "" {
			if r.Body.left, err = strconv.ParseInt(v, 10, 64); err != nil || r.Body.left < 0 {
				r.Body.finish(false)
				return errHeader
			}
		} else {
			r.Body.left, r.Body.keep = 1<<62, false
		}
		return nil
	}
}

var bbuf = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// parse reads status line and fields; one string holds the whole head.
func (r *presp) parse(br *bufio.Reader) error {
	n := 0
	var h []byte
	for {
		b, err := br.Peek(max(n+1, br.Buffered()))
		if err != nil {
			return err
		}
		if i := bytes.Index(b[max(0, n-3):], []byte("\r\n\r\n")); i >= 0 {
			h = b[:max(0, n-3)+i+2]
			break
		}
		if n = len(b); n == br.Size() {
			return errHeader
		}
	}
	s := string(h)
	br.Discard(len(h) + 2)
	if len(s) < 14 || !strings.HasPrefix(s, "HTTP/1.") {
		return errHeader
	}
	st, err := strconv.Atoi(s[9:12])
	if err != nil {
		return errHeader
	}
	r.Status = st
	r.kv = r.kvBuf[:0]
	i := strings.IndexByte(s, '\n') + 1
	for i < len(s) {
		e := strings.IndexByte(s[i:], '\r')
		if e < 0 {
			return errHeader
		}
		l := s[i : i+e]
		i += e + 2
		k := strings.IndexByte(l, ':')
		if k <= 0 {
			return errHeader
		}
		r.kv = append(r.kv, l[:k], strings.Trim(l[k+1:], " \t"))
	}
	return nil
}

func (p *proto) Get(ctx context.Context, u string) (int64, error) {
	pu, err := url.Parse(u)
	if err != nil {
		return 0, err
	}
	r := new(presp)
	err = p.do(ctx, r, pu.Scheme, pu.Host, func(b []byte) []byte {
		b = append(b, "GET "...)
		b = append(b, pu.RequestURI()...)
		b = append(b, " HTTP/1.1\r\nHost: "...)
		b = append(b, pu.Host...)
		return append(b, "\r\nUser-Agent: proto\r\nAccept-Encoding: gzip\r\n\r\n"...)
	}, nil, true)
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	return bench.Drain(&r.Body)
}

func (p *proto) Upload(ctx context.Context, u string, body io.Reader, size int64) error {
	pu, err := url.Parse(u)
	if err != nil {
		return err
	}
	r := new(presp)
	err = p.do(ctx, r, pu.Scheme, pu.Host, func(b []byte) []byte {
		return append(b, "POST "+pu.RequestURI()+" HTTP/1.1\r\nHost: "+pu.Host+"\r\nContent-Length: "+strconv.FormatInt(size, 10)+"\r\n\r\n"...)
	}, body, false)
	if err != nil {
		return err
	}
	_, err = bench.Drain(&r.Body)
	return err
}

func (p *proto) CloseIdleConnections() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, s := range p.idle {
		for _, c := range s {
			c.Close()
		}
		delete(p.idle, k)
	}
}
func (p *proto) Close() error { p.CloseIdleConnections(); return nil }

// protoRT: the same core for *http.Request / *http.Response.
type protoRT struct{ p *proto }

func (t protoRT) RoundTrip(req *http.Request) (*http.Response, error) {
	type both struct {
		r    presp
		resp http.Response
	}
	x := new(both)
	var body io.Reader
	if req.Body != nil && req.Body != http.NoBody {
		body = req.Body
	}
	err := t.p.do(req.Context(), &x.r, req.URL.Scheme, req.URL.Host, func(b []byte) []byte {
		b = append(b, req.Method...)
		b = append(b, ' ')
		b = append(b, req.URL.RequestURI()...)
		b = append(b, " HTTP/1.1\r\nHost: "...)
		b = append(b, req.URL.Host...)
		b = append(b, "\r\nUser-Agent: proto\r\nAccept-Encoding: gzip\r\n"...)
		for k, vs := range req.Header {
			for _, v := range vs {
				b = append(append(append(append(b, k...), ": "...), v...), "\r\n"...)
			}
		}
		if body != nil {
			b = append(strconv.AppendInt(append(b, "Content-Length: "...), req.ContentLength, 10), "\r\n"...)
		}
		return append(b, "\r\n"...)
	}, body, body == nil)
	if body != nil {
		req.Body.Close()
	}
	if err != nil {
		return nil, err
	}
	h := make(http.Header, len(x.r.kv)/2)
	vals := make([]string, len(x.r.kv)/2)
	for i := 0; i < len(x.r.kv); i += 2 {
		k := http.CanonicalHeaderKey(x.r.kv[i])
		vals[i/2] = x.r.kv[i+1]
		if h[k] == nil {
			h[k] = vals[i/2 : i/2+1 : i/2+1]
		} else {
			h[k] = append(h[k], x.r.kv[i+1])
		}
	}
	x.resp = http.Response{Status: strconv.Itoa(x.r.Status), StatusCode: x.r.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h, Body: &x.r.Body, ContentLength: x.r.Body.left, Request: req}
	return &x.resp, nil
}
func (t protoRT) CloseIdleConnections() { t.p.CloseIdleConnections() }
