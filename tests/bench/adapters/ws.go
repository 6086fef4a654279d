package adapters

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"

	"github.com/okhttp-go/ok/tests/bench"

	stdflate "compress/flate"

	coder "github.com/coder/websocket"
	gws_ "github.com/gobwas/ws"
	"github.com/gobwas/ws/wsflate"
	"github.com/gobwas/ws/wsutil"
	"github.com/gorilla/websocket"
	kflate "github.com/klauspost/compress/flate"
	"github.com/lxzan/gws"
)

func init() {
	bench.Register("floor-ws", floorWS{})
	bench.Register("gorilla", gorillaWS{})
	bench.Register("coder", coderWS{})
	bench.Register("gws", lxzanWS{})
	bench.Register("gobwas", gobwasWS{})
}

func check(got, want int) error {
	if got != want {
		return fmt.Errorf("echo length %d, want %d", got, want)
	}
	return nil
}

// ---- floor: masks in place with 8-byte words, one Write, one exact read ----

type floorWS struct{}

func (floorWS) DialWS(ctx context.Context, c bench.WSConfig) (bench.WSConn, error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, err
	}
	n, err := net.Dial("tcp", u.Host)
	if err != nil {
		return nil, err
	}
	ext := ""
	if c.Deflate {
		ext = "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n"
	}
	fmt.Fprintf(n, "GET /ws HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n", u.Host, ext)
	br := bufio.NewReaderSize(n, 32<<10)
	for {
		l, err := br.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if l == "\r\n" {
			break
		}
	}
	w := &floorWSC{c: n, br: br, deflate: c.Deflate}
	if c.Deflate {
		w.fw, _ = kflate.NewWriter(&w.z, 1)
		w.fr = kflate.NewReader(strings.NewReader(""))
	}
	return w, nil
}

type floorWSC struct {
	c       net.Conn
	br      *bufio.Reader
	deflate bool
	z       bytes.Buffer
	in      bytes.Reader
	fw      *kflate.Writer
	fr      io.ReadCloser
	out, rd []byte
	hdr     [10]byte
}

func (w *floorWSC) Echo(msg []byte, n int) error {
	for ; n > 0; n-- {
		p := msg
		b0 := byte(0x81)
		if w.deflate {
			w.z.Reset()
			w.fw.Reset(&w.z)
			w.fw.Write(msg)
			w.fw.Flush()
			p = w.z.Bytes()[:w.z.Len()-4]
			b0 = 0xc1
		}
		o := append(w.out[:0], b0)
		switch l := len(p); {
		case l < 126:
			o = append(o, 0x80|byte(l))
		case l < 65536:
			o = append(o, 0x80|126, byte(l>>8), byte(l))
		default:
			o = append(o, 0x80|127)
			o = binary.BigEndian.AppendUint64(o, uint64(l))
		}
		const mk = uint32(0x9d7a31c5)
		o = binary.LittleEndian.AppendUint32(o, mk)
		h := len(o)
		o = append(o, p...)
		q := o[h:]
		m64 := uint64(mk)<<32 | uint64(mk)
		i := 0
		for ; i+8 <= len(q); i += 8 {
			binary.LittleEndian.PutUint64(q[i:], binary.LittleEndian.Uint64(q[i:])^m64)
		}
		for ; i < len(q); i++ {
			q[i] ^= byte(mk >> (8 * (i & 3)))
		}
		w.out = o
		if _, err := w.c.Write(o); err != nil {
			return err
		}
		if _, err := io.ReadFull(w.br, w.hdr[:2]); err != nil {
			return err
		}
		l := int(w.hdr[1])
		if l == 126 {
			io.ReadFull(w.br, w.hdr[:2])
			l = int(binary.BigEndian.Uint16(w.hdr[:]))
		} else if l == 127 {
			io.ReadFull(w.br, w.hdr[:8])
			l = int(binary.BigEndian.Uint64(w.hdr[:]))
		}
		if cap(w.rd) < l+9 {
			w.rd = make([]byte, l+9)
		}
		if _, err := io.ReadFull(w.br, w.rd[:l]); err != nil {
			return err
		}
		if w.deflate {
			r := append(w.rd[:l], 0, 0, 0xff, 0xff, 1, 0, 0, 0xff, 0xff)
			w.in.Reset(r)
			w.fr.(kflate.Resetter).Reset(&w.in, nil)
			k, err := bench.Drain(w.fr)
			if err != nil {
				return err
			}
			l = int(k)
		}
		if err := check(l, len(msg)); err != nil {
			return err
		}
	}
	return nil
}
func (w *floorWSC) Close() error { return w.c.Close() }

// ---- gorilla ----

type gorillaWS struct{}

func (gorillaWS) DialWS(ctx context.Context, c bench.WSConfig) (bench.WSConn, error) {
	d := websocket.Dialer{EnableCompression: c.Deflate, ReadBufferSize: 4096, WriteBufferSize: 4096}
	w, _, err := d.DialContext(ctx, c.URL, nil)
	if err != nil {
		return nil, err
	}
	w.EnableWriteCompression(c.Deflate)
	return gorillaC{w}, nil
}

type gorillaC struct{ *websocket.Conn }

func (g gorillaC) Echo(msg []byte, n int) error {
	for ; n > 0; n-- {
		if err := g.WriteMessage(websocket.TextMessage, msg); err != nil {
			return err
		}
		_, p, err := g.ReadMessage()
		if err != nil {
			return err
		}
		if err := check(len(p), len(msg)); err != nil {
			return err
		}
	}
	return nil
}

// ---- coder ----

type coderWS struct{}

func (coderWS) DialWS(ctx context.Context, c bench.WSConfig) (bench.WSConn, error) {
	o := &coder.DialOptions{}
	if c.Deflate {
		o.CompressionMode = coder.CompressionNoContextTakeover
		o.CompressionThreshold = 1
	}
	w, _, err := coder.Dial(ctx, c.URL, o)
	if err != nil {
		return nil, err
	}
	w.SetReadLimit(-1)
	return coderC{w}, nil
}

type coderC struct{ c *coder.Conn }

func (g coderC) Echo(msg []byte, n int) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for ; n > 0; n-- {
		if err := g.c.Write(ctx, coder.MessageText, msg); err != nil {
			return err
		}
		_, p, err := g.c.Read(ctx)
		if err != nil {
			return err
		}
		if err := check(len(p), len(msg)); err != nil {
			return err
		}
	}
	return nil
}
func (g coderC) Close() error { return g.c.CloseNow() }

// ---- lxzan/gws: callback style, the next message is written from OnMessage ----

type lxzanWS struct{}

func (lxzanWS) DialWS(ctx context.Context, c bench.WSConfig) (bench.WSConn, error) {
	h := &lxzanC{done: make(chan error, 1)}
	o := &gws.ClientOption{Addr: c.URL, ReadMaxPayloadSize: 64 << 20, WriteMaxPayloadSize: 64 << 20, CheckUtf8Enabled: true}
	if c.Deflate {
		o.PermessageDeflate = gws.PermessageDeflate{Enabled: true, Threshold: 1, Level: 1}
	}
	w, _, err := gws.NewClient(h, o)
	if err != nil {
		return nil, err
	}
	h.c = w
	go w.ReadLoop()
	return h, nil
}

type lxzanC struct {
	gws.BuiltinEventHandler
	c    *gws.Conn
	msg  []byte
	n    int
	done chan error
}

func (h *lxzanC) OnMessage(c *gws.Conn, m *gws.Message) {
	err := check(m.Data.Len(), len(h.msg))
	m.Close()
	if h.n--; err == nil && h.n > 0 {
		if err = c.WriteMessage(gws.OpcodeText, h.msg); err == nil {
			return
		}
	}
	h.done <- err
}
func (h *lxzanC) OnClose(c *gws.Conn, err error) {
	select {
	case h.done <- errors.Join(errors.New("closed"), err):
	default:
	}
}
func (h *lxzanC) Echo(msg []byte, n int) error {
	h.msg, h.n = msg, n
	if err := h.c.WriteMessage(gws.OpcodeText, msg); err != nil {
		return err
	}
	return <-h.done
}
func (h *lxzanC) Close() error { return h.c.NetConn().Close() }

// ---- gobwas/ws: low level, by its documented helpers ----

type gobwasWS struct{}

func (gobwasWS) DialWS(ctx context.Context, c bench.WSConfig) (bench.WSConn, error) {
	d := gws_.Dialer{}
	if c.Deflate {
		e := wsflate.DefaultParameters
		d.Extensions = append(d.Extensions, e.Option())
	}
	n, br, _, err := d.Dial(ctx, c.URL)
	if err != nil {
		return nil, err
	}
	if br != nil {
		gws_.PutReader(br)
	}
	g := &gobwasC{c: n, br: bufio.NewReaderSize(n, 4096), deflate: c.Deflate}
	g.h = wsflate.Helper{
		Compressor:   func(w io.Writer) wsflate.Compressor { f, _ := stdflate.NewWriter(w, 1); return f },
		Decompressor: func(r io.Reader) wsflate.Decompressor { return stdflate.NewReader(r) },
	}
	return g, nil
}

type gobwasC struct {
	c       net.Conn
	br      *bufio.Reader
	deflate bool
	h       wsflate.Helper
}

type rw struct {
	io.Reader
	io.Writer
}

func (g *gobwasC) Echo(msg []byte, n int) error {
	for ; n > 0; n-- {
		var l int
		if g.deflate {
			f, err := g.h.CompressFrame(gws_.NewTextFrame(msg))
			if err != nil {
				return err
			}
			if err := gws_.WriteFrame(g.c, gws_.MaskFrameInPlace(f)); err != nil {
				return err
			}
			r, err := gws_.ReadFrame(g.br)
			if err != nil {
				return err
			}
			if r, err = g.h.DecompressFrame(r); err != nil {
				return err
			}
			l = len(r.Payload)
		} else {
			if err := wsutil.WriteClientText(g.c, msg); err != nil {
				return err
			}
			p, err := wsutil.ReadServerText(rw{g.br, g.c})
			if err != nil {
				return err
			}
			l = len(p)
		}
		if err := check(l, len(msg)); err != nil {
			return err
		}
	}
	return nil
}
func (g *gobwasC) Close() error { return g.c.Close() }
