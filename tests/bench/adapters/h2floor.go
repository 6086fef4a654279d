package adapters

// floor for HTTP/2: one goroutine keeps Conc streams outstanding on one
// connection, writes pre-encoded HEADERS frames, coalesces them into one write
// per read batch and never decodes a header block.

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"time"

	"github.com/okhttp-go/ok/tests/bench"
)

func init() { bench.Register("floor-h2", h2floorA{}) }

type h2floorA struct{}

func (h2floorA) Open(c bench.Config) (bench.Session, error) {
	if c.Proto != bench.H2 || c.NewConnPerRequest || c.CacheDir != "" {
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
	s := &h2floorS{c: t, br: bufio.NewReaderSize(t, 64<<10), next: 1}
	pre := []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	pre = append(pre, 0, 0, 12, 4, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff)
	pre = append(pre, 0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7f, 0xff, 0, 0)
	s.win = 0x7fff0000
	host := []byte(u.Host)
	s.block = append([]byte{0x82, 0x87, 0x84, 0x41, byte(len(host))}, host...) // first: literal authority, indexed
	s.later = []byte{0x82, 0x87, 0x84, 0xbe}
	_, err = t.Write(pre)
	return s, err
}

type h2floorS struct {
	c            net.Conn
	br           *bufio.Reader
	out          []byte
	block, later []byte
	next         uint32
	win          int64
	start        [8192]time.Time
}

func (s *h2floorS) request(now time.Time) {
	b := s.block
	s.block = s.later
	s.out = append(s.out, 0, 0, byte(len(b)), 1, 5)
	s.out = binary.BigEndian.AppendUint32(s.out, s.next)
	s.out = append(s.out, b...)
	s.start[(s.next>>1)%8192] = now
	s.next += 2
}

func (s *h2floorS) RunLoad(ctx context.Context, l bench.Load) (bench.Sample, error) {
	var sm bench.Sample
	lat := make([]time.Duration, 0, 1<<16)
	t0 := time.Now()
	now := t0
	for i := 0; i < l.Conc; i++ {
		s.request(now)
	}
	live := l.Conc
	var got int64
	for live > 0 {
		if s.br.Buffered() == 0 {
			if len(s.out) > 0 {
				if _, err := s.c.Write(s.out); err != nil {
					return sm, err
				}
				s.out = s.out[:0]
			}
			s.br.Peek(1)
			now = time.Now()
		}
		h, err := s.br.Peek(9)
		if err != nil {
			return sm, err
		}
		n := int64(h[0])<<16 | int64(h[1])<<8 | int64(h[2])
		typ, fl, id := h[3], h[4], binary.BigEndian.Uint32(h[5:])
		s.br.Discard(9)
		if typ == 7 || typ == 3 {
			return sm, fmt.Errorf("h2 floor: frame type %d", typ)
		}
		if n > 0 {
			if _, err := s.br.Discard(int(n)); err != nil {
				return sm, err
			}
		}
		if typ == 4 && fl&1 == 0 {
			s.out = append(s.out, 0, 0, 0, 4, 1, 0, 0, 0, 0)
		}
		if typ == 0 {
			got += n
			s.win -= n
			if s.win < 1<<30 {
				inc := uint32(1 << 29)
				s.out = append(s.out, 0, 0, 4, 8, 0, 0, 0, 0, 0)
				s.out = binary.BigEndian.AppendUint32(s.out, inc)
				s.win += int64(inc)
			}
			if fl&1 != 0 {
				sm.Ops++
				if len(lat) < cap(lat) {
					lat = append(lat, now.Sub(s.start[(id>>1)%8192]))
				}
				if (l.MaxOps > 0 && sm.Ops+int64(live)-1 >= int64(l.MaxOps)) || (l.MaxOps == 0 && now.Sub(t0) >= l.Duration) {
					live--
				} else {
					s.request(now)
				}
			}
		}
	}
	if len(s.out) > 0 {
		s.c.Write(s.out)
		s.out = s.out[:0]
	}
	sm.Elapsed = time.Since(t0)
	sm.BodyLen = got / sm.Ops
	sm.P50, sm.P99 = bench.Quantiles(lat)
	return sm, nil
}

func (s *h2floorS) Get(ctx context.Context, u string) (int64, error) {
	sm, err := s.RunLoad(ctx, bench.Load{Conc: 1, MaxOps: 1})
	return sm.BodyLen, err
}

func (s *h2floorS) Close() error { return s.c.Close() }

var _ io.Closer = (*h2floorS)(nil)
