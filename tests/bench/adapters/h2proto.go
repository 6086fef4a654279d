package adapters

// proto-h2: HTTP/2 without a goroutine per request. The caller encodes and
// writes its own HEADERS (writes of concurrent callers are combined), and the
// responses are read by one of the waiting callers (leader/follower): at
// concurrency 1 nobody is woken at all. proto-h2-reader is the same with a
// dedicated reader goroutine per connection, to see what leader/follower buys.
// Limits of the prototype: one connection, GET only, nobody reads while no
// request is outstanding (a real client needs an idle reader for PING/GOAWAY).

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/okhttp-go/ok/tests/bench"

	"golang.org/x/net/http2/hpack"
)

func init() {
	bench.Register("proto-h2", h2protoA{})
	bench.Register("proto-h2-reader", h2protoA{reader: true})
}

type h2protoA struct{ reader bool }

const (
	h2ConnWin   = 1 << 30
	h2StreamWin = 16 << 20
)

func (a h2protoA) Open(c bench.Config) (bench.Session, error) {
	if c.Proto != bench.H2 || c.CacheDir != "" || c.NewConnPerRequest {
		return nil, bench.ErrUnsupported
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil {
		return nil, err
	}
	raw, err := net.Dial("tcp", u.Host)
	if err != nil {
		return nil, err
	}
	tc := c.TLS.Clone()
	tc.NextProtos = []string{"h2"}
	t := tls.Client(raw, tc)
	if err := t.Handshake(); err != nil {
		return nil, err
	}
	h := &h2c{c: t, br: bufio.NewReaderSize(t, 64<<10), next: 1, streams: map[uint32]*h2s{}}
	h.enc = hpack.NewEncoder(&h.eb)
	h.dec = hpack.NewDecoder(4096, func(f hpack.HeaderField) { h.fields = append(h.fields, f) })
	h.wake = func() { t.SetReadDeadline(past) }
	b := []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	b = append(b, 0, 0, 12, 4, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 4)
	b = binary.BigEndian.AppendUint32(b, h2StreamWin)
	b = winUpdate(b, 0, h2ConnWin-65535)
	if _, err = t.Write(b); err != nil {
		return nil, err
	}
	if a.reader {
		h.reading = true
		h.dedicated = true
		go func() {
			for {
				if err := h.readFrame(); err != nil {
					h.fail(err)
					return
				}
			}
		}()
	}
	return h, nil
}

func winUpdate(b []byte, id, n uint32) []byte {
	b = append(b, 0, 0, 4, 8, 0)
	b = binary.BigEndian.AppendUint32(b, id)
	return binary.BigEndian.AppendUint32(b, n)
}

type h2c struct {
	c    net.Conn
	wake func()

	wmu     sync.Mutex // write side
	out     []byte
	spare   []byte
	writing bool
	eb      bytes.Buffer
	enc     *hpack.Encoder
	next    uint32

	mu        sync.Mutex // streams and the read baton
	streams   map[uint32]*h2s
	reading   bool
	dedicated bool
	err       error

	br     *bufio.Reader // owned by the reader
	dec    *hpack.Decoder
	fields []hpack.HeaderField
	used   uint32
}

type h2s struct {
	id      uint32
	ch      chan struct{} // cap 1: something changed, or "you are the reader now"
	fields  []hpack.HeaderField
	gotHead bool
	buf     []byte
	off     int
	end     bool
	err     error
	unacked uint32
	waiting bool
}

var h2pool = sync.Pool{New: func() any { return &h2s{ch: make(chan struct{}, 1)} }}

// send appends with f and writes; while another caller is writing its Write
// carries our bytes too.
func (h *h2c) send(f func()) error {
	h.wmu.Lock()
	f()
	if h.writing {
		h.wmu.Unlock()
		return nil
	}
	h.writing = true
	var err error
	for len(h.out) > 0 && err == nil {
		b := h.out
		h.out, h.spare = h.spare[:0], nil
		h.wmu.Unlock()
		_, err = h.c.Write(b)
		h.wmu.Lock()
		h.spare = b
	}
	h.writing = false
	h.wmu.Unlock()
	return err
}

func (h *h2c) start(u *url.URL, s *h2s) error {
	return h.send(func() {
		h.eb.Reset()
		p := u.EscapedPath()
		if p == "" {
			p = "/"
		}
		h.enc.WriteField(hpack.HeaderField{Name: ":method", Value: "GET"})
		h.enc.WriteField(hpack.HeaderField{Name: ":scheme", Value: "https"})
		h.enc.WriteField(hpack.HeaderField{Name: ":authority", Value: u.Host})
		h.enc.WriteField(hpack.HeaderField{Name: ":path", Value: p})
		h.enc.WriteField(hpack.HeaderField{Name: "user-agent", Value: "proto"})
		h.enc.WriteField(hpack.HeaderField{Name: "accept-encoding", Value: "gzip"})
		s.id = h.next
		h.next += 2
		h.mu.Lock()
		h.streams[s.id] = s
		h.mu.Unlock()
		n := h.eb.Len()
		h.out = append(h.out, byte(n>>16), byte(n>>8), byte(n), 1, 5)
		h.out = binary.BigEndian.AppendUint32(h.out, s.id)
		h.out = append(h.out, h.eb.Bytes()...)
	})
}

// await returns once s changed: it reads frames itself when nobody else does.
func (h *h2c) await(ctx context.Context, s *h2s) error {
	for {
		h.mu.Lock()
		if s.err != nil || h.err != nil {
			err := errors.Join(s.err, h.err)
			h.mu.Unlock()
			return err
		}
		if s.end || s.off < len(s.buf) {
			h.mu.Unlock()
			return nil
		}
		if h.reading {
			s.waiting = true
			h.mu.Unlock()
			select {
			case <-s.ch:
				continue
			case <-ctx.Done():
				h.mu.Lock()
				s.waiting = false
				h.mu.Unlock()
				return ctx.Err()
			}
		}
		h.reading = true
		h.mu.Unlock()
		stop := nostop
		if ctx.Done() != nil {
			stop = context.AfterFunc(ctx, h.wake)
		}
		var err error
		for err == nil && !(s.end || s.off < len(s.buf) || s.err != nil) {
			err = h.readFrame()
		}
		for err == nil && h.br.Buffered() >= 9 && h.whole() { // deliver what is here anyway
			err = h.readFrame()
		}
		if !stop() {
			h.c.SetReadDeadline(time.Time{})
			err = ctx.Err()
		} else if err != nil {
			h.fail(err)
		}
		h.mu.Lock()
		h.reading = false
		for _, o := range h.streams { // pass the baton
			if o != s && o.waiting {
				o.waiting = false
				signal(o)
				break
			}
		}
		h.mu.Unlock()
		if err != nil {
			return err
		}
	}
}

func signal(s *h2s) {
	select {
	case s.ch <- struct{}{}:
	default:
	}
}

func (h *h2c) whole() bool {
	p, _ := h.br.Peek(3)
	return h.br.Buffered() >= 9+(int(p[0])<<16|int(p[1])<<8|int(p[2]))
}

func (h *h2c) fail(err error) {
	h.mu.Lock()
	if h.err == nil {
		h.err = err
	}
	for _, s := range h.streams {
		signal(s)
	}
	h.mu.Unlock()
}

// readFrame consumes exactly one frame; it never leaves a frame half read when
// a deadline wakes it, because it Peeks the whole frame before discarding.
func (h *h2c) readFrame() error {
	p, err := h.br.Peek(9)
	if err != nil {
		return err
	}
	n := int(p[0])<<16 | int(p[1])<<8 | int(p[2])
	if n > 32<<10 {
		return errors.New("h2: frame too large")
	}
	if p, err = h.br.Peek(9 + n); err != nil {
		return err
	}
	typ, fl, id := p[3], p[4], binary.BigEndian.Uint32(p[5:])&0x7fffffff
	p = p[9:]
	switch typ {
	case 0:
		h.mu.Lock()
		if s := h.streams[id]; s != nil {
			if s.off == len(s.buf) {
				s.buf, s.off = s.buf[:0], 0
			}
			s.buf = append(s.buf, p...)
			if fl&1 != 0 {
				s.end = true
				delete(h.streams, id)
			}
			if s.waiting {
				s.waiting = false
				signal(s)
			}
		}
		h.used += uint32(n)
		ack := uint32(0)
		if h.used > h2ConnWin/2 {
			ack, h.used = h.used, 0
		}
		h.mu.Unlock()
		if ack > 0 {
			h.send(func() { h.out = winUpdate(h.out, 0, ack) })
		}
	case 1:
		if fl&4 == 0 {
			return errors.New("h2: CONTINUATION not in the prototype")
		}
		h.fields = h.fields[:0]
		if _, err := h.dec.Write(p); err != nil {
			return err
		}
		if err := h.dec.Close(); err != nil {
			return err
		}
		h.mu.Lock()
		if s := h.streams[id]; s != nil {
			s.fields = append(s.fields[:0], h.fields...)
			s.gotHead = true
			if fl&1 != 0 {
				s.end = true
				delete(h.streams, id)
				if s.waiting {
					s.waiting = false
					signal(s)
				}
			}
		}
		h.mu.Unlock()
	case 3:
		h.mu.Lock()
		if s := h.streams[id]; s != nil {
			s.err = fmt.Errorf("h2: stream reset %x", p)
			delete(h.streams, id)
			signal(s)
		}
		h.mu.Unlock()
	case 4:
		if fl&1 == 0 {
			h.send(func() { h.out = append(h.out, 0, 0, 0, 4, 1, 0, 0, 0, 0) })
		}
	case 6:
		if fl&1 == 0 {
			q := append([]byte{0, 0, 8, 6, 1, 0, 0, 0, 0}, p...)
			h.send(func() { h.out = append(h.out, q...) })
		}
	case 7:
		return errors.New("h2: GOAWAY")
	}
	h.br.Discard(9 + n)
	return nil
}

func (h *h2c) Get(ctx context.Context, us string) (int64, error) {
	u, err := url.Parse(us)
	if err != nil {
		return 0, err
	}
	s := h2pool.Get().(*h2s)
	s.gotHead, s.buf, s.off, s.end, s.err, s.unacked, s.waiting = false, s.buf[:0], 0, false, nil, 0, false
	select {
	case <-s.ch:
	default:
	}
	if err := h.start(u, s); err != nil {
		return 0, err
	}
	var total int64
	bp := bbuf.Get().(*[]byte)
	defer bbuf.Put(bp)
	for {
		n, err := h.read(ctx, s, *bp)
		total += int64(n)
		if err == io.EOF {
			break
		}
		if err != nil {
			h.cancel(s)
			return total, err
		}
	}
	if len(s.fields) == 0 || s.fields[0].Value != "200" {
		return 0, errors.New("h2: bad status")
	}
	if cap(s.buf) <= 64<<10 {
		h2pool.Put(s)
	}
	return total, nil
}

func (h *h2c) read(ctx context.Context, s *h2s, p []byte) (int, error) {
	if err := h.await(ctx, s); err != nil {
		return 0, err
	}
	h.mu.Lock()
	n := copy(p, s.buf[s.off:])
	s.off += n
	s.unacked += uint32(n)
	ack := uint32(0)
	if !s.end && s.unacked > h2StreamWin/2 {
		ack, s.unacked = s.unacked, 0
	}
	eof := n == 0 && s.end
	h.mu.Unlock()
	if ack > 0 {
		h.send(func() { h.out = winUpdate(h.out, s.id, ack) })
	}
	if eof {
		return 0, io.EOF
	}
	return n, nil
}

func (h *h2c) cancel(s *h2s) {
	h.mu.Lock()
	_, live := h.streams[s.id]
	delete(h.streams, s.id)
	h.mu.Unlock()
	if live {
		h.send(func() {
			h.out = append(h.out, 0, 0, 4, 3, 0)
			h.out = binary.BigEndian.AppendUint32(h.out, s.id)
			h.out = append(h.out, 0, 0, 0, 8)
		})
	}
}

func (h *h2c) Close() error { return h.c.Close() }
