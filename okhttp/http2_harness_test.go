package okhttp

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// peer2 is the server's end of one connection over HTTP/2. Tests script its streams.
type peer2 struct {
	t *testing.T
	*http2.Conn
	raw net.Conn // on which frames can be put between those of Conn, while that is silent
	n   int      // of the connection, from 0
}

// stream2 is the server's end of one exchange.
type stream2 struct {
	*http2.Stream
	t      *testing.T
	peer   *peer2
	n      int // of the stream on its connection, from 0
	fields []string
	last   bool // the request has no content
}

// tls2For is tlsFor for a server that speaks HTTP/2.
func tls2For(names ...string) (server, client *tls.Config) {
	server, client = tlsFor(names...)
	server.NextProtos = []string{"h2", "http/1.1"}
	return server, client
}

// serve2 handles the connections to a name as servers of HTTP/2 do, under TLS at port 443 if there is a configuration.
func (w *world) serve2(name, addr string, config *tls.Config, scripts ...func(*peer2)) {
	w.t.Helper()
	w.resolve(name, addr)
	port := ":80"
	if config != nil {
		port = ":443"
	}
	w.serve2At(addr+port, config, http2.Config{}, scripts...)
}

// serve2At is serve2 for an address and port, with a configuration of HTTP/2.
func (w *world) serve2At(addrPort string, config *tls.Config, cfg http2.Config, scripts ...func(*peer2)) {
	w.t.Helper()
	raw := make([]func(*peer), len(scripts))
	for i, script := range scripts {
		raw[i] = func(p *peer) {
			if c, ok := p.Conn.(*tls.Conn); ok {
				if err := c.Handshake(); err != nil {
					return
				}
			}
			c := http2.NewServer(p.Conn, cfg)
			defer c.Close()
			script(&peer2{t: p.t, Conn: c, raw: p.Conn, n: i})
		}
	}
	w.serveAt(addrPort, config, raw...)
}

// streams runs a script for each stream of a connection, all at the same time.
func streams(script func(*stream2)) func(*peer2) {
	return func(p *peer2) {
		var open sync.WaitGroup
		defer open.Wait()
		for n := 0; ; n++ {
			s := p.accept(n)
			if s == nil {
				return
			}
			open.Go(func() { script(s) })
		}
	}
}

// inTurn runs one script for each stream, in their order, and then waits for the client to close.
func inTurn(scripts ...func(*stream2)) func(*peer2) {
	return streams(func(s *stream2) {
		if s.n < len(scripts) {
			scripts[s.n](s)
			return
		}
		s.t.Errorf("stream %d of connection %d was not expected", s.n, s.peer.n)
		s.Cancel(http2.InternalError, errors.New("unexpected"))
	})
}

// accept takes the next stream, nil at the end of the connection.
func (p *peer2) accept(n int) *stream2 {
	s, fields, last, err := p.Accept(time.Time{})
	if err != nil {
		return nil
	}
	return &stream2{Stream: s, t: p.t, peer: p, n: n, fields: fields, last: last}
}

// put writes frames between those of the connection.
func (p *peer2) put(frames []byte) {
	time.Sleep(time.Nanosecond) // until nothing moves
	if _, err := p.raw.Write(frames); err != nil {
		p.t.Errorf("frames could not be sent: %v", err)
	}
}

// limit allows the client another number of streams.
func (p *peer2) limit(n uint32) {
	p.put(http2.AppendSettings(nil, http2.Setting{ID: http2.SettingMaxConcurrentStreams, Value: n}))
}

// goAway says goodbye: streams above the last are not acted on.
func (p *peer2) goAway(last uint32) {
	p.put(http2.AppendGoAway(nil, last, http2.NoError, nil))
}

// field returns a field of the request's head, of several the last.
func (s *stream2) field(name string) (value string) {
	for i := 0; i < len(s.fields); i += 2 {
		if s.fields[i] == name {
			value = s.fields[i+1]
		}
	}
	return value
}

// text reads the content of the request.
func (s *stream2) text() string {
	p, err := io.ReadAll(okio.NewBufferedSource(s.Source()))
	if err != nil {
		return fmt.Sprintf("%s, and then: %v", p, err)
	}
	return string(p)
}

// head sends the head of a response.
func (s *stream2) head(status int, last bool, fields ...string) {
	_ = s.SendHead(status, fields, last) // the stream may have been canceled
}

// write sends content.
func (s *stream2) write(text string) {
	var b okio.Buffer
	b.WriteString(text)
	if s.Sink().WriteBuffer(&b, b.Len()) == nil {
		s.Sink().Flush()
	}
}

// answer reads the request and answers it.
func (s *stream2) answer(status int, text string, fields ...string) {
	s.text()
	s.head(status, text == "", fields...)
	if text != "" {
		s.write(text)
		s.Sink().Close()
	}
}

// gone waits until the client has ended the stream, and returns how.
func (s *stream2) gone() error {
	for range 36000 {
		if err := s.Err(); err != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.t.Error("the stream goes on")
	return nil
}

// wantReset waits for the client to reset the stream.
func (s *stream2) wantReset(code http2.ErrorCode) {
	var reset *http2.StreamResetError
	if err := s.gone(); !errors.As(err, &reset) || !reset.Remote || reset.Code != code {
		s.t.Errorf("the stream ended with %v, want a reset with %v", err, code)
	}
}

// answer2 answers every request with the same text.
func answer2(text string) func(*peer2) {
	return streams(func(s *stream2) { s.answer(200, text) })
}

// reply returns a script that answers.
func reply(status int, text string, fields ...string) func(*stream2) {
	return func(s *stream2) { s.answer(status, text, fields...) }
}

// reset returns a script that resets the stream.
func reset(code http2.ErrorCode) func(*stream2) {
	return func(s *stream2) { s.Cancel(code, errors.New("the script says so")) }
}

// wantPool checks what the pool holds, once nothing moves.
func (w *world) wantPool(connections, idle, streams int) {
	w.t.Helper()
	synctest.Wait()
	if got, want := w.client.cfg.pool.Stats(), (PoolStats{connections, idle, streams}); got != want {
		w.t.Errorf("pool %+v, want %+v", got, want)
	}
}

// inWorld2 runs a test in a world whose client trusts the server's certificates for some names. In cleartext it knows that servers speak HTTP/2.
func inWorld2(t *testing.T, names string, test func(t *testing.T, w *world, config *tls.Config), opts ...Option) {
	t.Helper()
	var server *tls.Config
	all := []Option{WithProtocols(HTTP2PriorKnowledge)}
	if names != "" {
		var client *tls.Config
		server, client = tls2For(strings.Fields(names)...)
		all = []Option{WithTLSConfig(client)}
	}
	inWorld(t, func(t *testing.T, w *world) { test(t, w, server) }, append(all, opts...)...)
}

// bothWays runs a test in cleartext and under TLS. The URL is that of the server.
func bothWays(t *testing.T, test func(t *testing.T, w *world, config *tls.Config, url string), opts ...Option) {
	t.Run("cleartext", func(t *testing.T) {
		inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) { test(t, w, nil, "http://server.test") }, opts...)
	})
	t.Run("tls", func(t *testing.T) {
		inWorld2(t, "server.test", func(t *testing.T, w *world, config *tls.Config) { test(t, w, config, "https://server.test") }, opts...)
	})
}
