package http2

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
	"golang.org/x/net/http2/hpack"
)

// tester is the other side of a connection, frame by frame. Tests run in a synctest bubble, where time passes only when everybody waits.
type tester struct {
	t    *testing.T
	conn *Conn
	net.Conn
	enc   *hpack.Encoder
	block bytes.Buffer
	dec   *HeaderDecoder
}

// inBubble runs a test against a connection in the role of the client or of the server.
func inBubble(t *testing.T, server bool, cfg Config, test func(t *testing.T, p *tester)) {
	t.Helper()
	inTightBubble(t, server, cfg, 1<<20, test)
}

// inTightBubble is inBubble with a socket that holds so many bytes.
func inTightBubble(t *testing.T, server bool, cfg Config, room int, test func(t *testing.T, p *tester)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a, b := okio.ConnPair(room)
		p := &tester{t: t, Conn: b}
		p.init()
		if server {
			p.conn = NewServer(a, cfg)
		} else {
			p.conn = NewClient(a, cfg)
		}
		defer func() {
			p.conn.Close()
			b.Close()
		}()
		test(t, p)
	})
}

func (p *tester) init() {
	p.enc = hpack.NewEncoder(&p.block)
	p.dec = NewHeaderDecoder(HeaderLimits{})
}

// greetClient takes the client's preface and settings and sends those of a server.
func (p *tester) greetClient(settings ...Setting) {
	p.t.Helper()
	p.conn.Flush()
	preface := make([]byte, len(ClientPreface))
	if _, err := io.ReadFull(p.Conn, preface); err != nil || string(preface) != ClientPreface {
		p.t.Fatalf("preface %q, %v", preface, err)
	}
	p.want("SETTINGS 0")
	p.want("WINDOW_UPDATE 0")
	p.send(AppendSettings(nil, settings...))
	p.send(AppendSettingsAck(nil))
	p.want("SETTINGS 0 ACK")
	synctest.Wait() // the acknowledgement may be under way before the settings have had their effect
}

func (p *tester) send(frames []byte) {
	p.t.Helper()
	if _, err := p.Write(frames); err != nil {
		p.t.Errorf("sending: %v", err)
	}
}

// headers sends a block of headers.
func (p *tester) headers(stream uint32, last bool, fields ...string) {
	p.t.Helper()
	p.send(AppendHeaders(nil, stream, p.encode(fields...), last, minMaxFrame))
}

func (p *tester) encode(fields ...string) []byte {
	p.block.Reset()
	for i := 0; i < len(fields); i += 2 {
		p.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return bytes.Clone(p.block.Bytes())
}

// data sends content.
func (p *tester) data(stream uint32, last bool, text string) {
	p.t.Helper()
	p.send(append(AppendDataHeader(nil, stream, len(text), last), text...))
}

// frame reads the next frame.
func (p *tester) frame() (FrameHeader, []byte, error) {
	var head [FrameHeaderLen]byte
	p.SetReadDeadline(time.Now().Add(time.Hour))
	if _, err := io.ReadFull(p.Conn, head[:]); err != nil {
		return FrameHeader{}, nil, err
	}
	h := ParseFrameHeader(head[:])
	payload := make([]byte, h.Length)
	_, err := io.ReadFull(p.Conn, payload)
	return h, payload, err
}

// describe names a frame in one line: type, stream, flags, and what it says.
func (p *tester) describe(h FrameHeader, payload []byte) string {
	text := fmt.Sprintf("%v %d", h.Type, h.Stream)
	switch {
	case h.Flags&FlagAck != 0 && (h.Type == FrameSettings || h.Type == FramePing):
		text += " ACK"
	case h.Flags&FlagEndStream != 0 && (h.Type == FrameHeaders || h.Type == FrameData):
		text += " END"
	}
	switch h.Type {
	case FrameData:
		text += fmt.Sprintf(" %q", payload)
	case FrameHeaders:
		err := p.dec.Decode(payload)
		fields, failed := p.dec.Close()
		if err != nil || failed != nil {
			p.t.Errorf("headers: %v, %v", err, failed)
		}
		text += fmt.Sprintf(" %q", fields)
	case FramePushPromise:
		promised, block, _ := ParsePushPromise(h, payload)
		err := p.dec.Decode(block)
		fields, failed := p.dec.Close()
		if err != nil || failed != nil {
			p.t.Errorf("headers: %v, %v", err, failed)
		}
		text += fmt.Sprintf(" %d %q", promised, fields)
	case FrameRSTStream:
		code, _ := ParseRSTStream(payload)
		text += " " + code.String()
	case FrameGoAway:
		last, code, _, _ := ParseGoAway(payload)
		text += fmt.Sprintf(" %d %v", last, code)
	case FrameWindowUpdate:
		n, _ := ParseWindowUpdate(h, payload)
		text += fmt.Sprintf(" %d", n)
	case FramePing:
		text += fmt.Sprintf(" %d", payload)
	}
	return text
}

// want reads the next frame, which is to be one that begins so.
func (p *tester) want(prefix string) string {
	p.t.Helper()
	h, payload, err := p.frame()
	if err != nil {
		p.t.Fatalf("%v, want %s", err, prefix)
	}
	got := p.describe(h, payload)
	if len(got) < len(prefix) || got[:len(prefix)] != prefix {
		p.t.Fatalf("frame %s, want %s", got, prefix)
	}
	return got
}

// wantEnd checks that the connection says goodbye with a code, and closes.
func (p *tester) wantEnd(code ErrorCode) {
	p.t.Helper()
	for {
		h, payload, err := p.frame()
		if err != nil {
			p.t.Fatalf("%v, want a GOAWAY", err)
		}
		if h.Type == FrameGoAway {
			if _, got, debug, _ := ParseGoAway(payload); got != code {
				p.t.Errorf("GOAWAY %v (%s), want %v", got, debug, code)
			}
			break
		}
	}
	if _, _, err := p.frame(); err == nil {
		p.t.Error("frames after the goodbye")
	}
}

// wantNothing checks that no frame comes for now.
func (p *tester) wantNothing() {
	p.t.Helper()
	p.SetReadDeadline(time.Now().Add(time.Millisecond))
	var one [1]byte
	if n, err := p.Read(one[:]); n > 0 || err == io.EOF {
		p.t.Errorf("%d bytes, %v, want none", n, err)
	}
}

var getRequest = RequestHead{Method: "GET", Path: "/", Authority: "server.test", Scheme: "https"}

// open opens a stream in the role of the client, and takes its headers off the wire.
func (p *tester) open(last bool, more ...string) *Stream {
	p.t.Helper()
	head := getRequest
	if !last {
		head.Method = "POST"
	}
	s, err := p.conn.Open(head, more, last)
	if err != nil {
		p.t.Fatal(err)
	}
	p.conn.Flush()
	p.want(fmt.Sprintf("HEADERS %d", s.ID()))
	return s
}

// text reads all content.
func text(s *Stream) (string, error) {
	var all okio.Buffer
	for {
		_, err := s.Source().ReadBuffer(&all, 1<<20)
		if err != nil {
			got, _ := all.ReadText(all.Len())
			if err == io.EOF {
				err = nil
			}
			return got, err
		}
	}
}

func isReset(err error, code ErrorCode, remote bool) bool {
	var e *StreamResetError
	return errors.As(err, &e) && e.Code == code && e.Remote == remote
}
