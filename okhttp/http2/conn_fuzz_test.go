package http2

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// connSeeds are what a peer might send after its settings.
func connSeeds() [][]byte {
	p := &tester{}
	p.init()
	join := func(parts ...[]byte) (all []byte) {
		for _, part := range parts {
			all = append(all, part...)
		}
		return all
	}
	response := AppendHeaders(nil, 3, p.encode(":status", "200", "content-length", "5"), false, 0)
	p.init()
	request := AppendHeaders(nil, 1, p.encode(":method", "POST", ":scheme", "https", ":path", "/", ":authority", "a", "content-length", "5"), false, 0)
	p.init()
	promised := AppendPushPromise(nil, 3, 2, p.encode(promise...), 0)
	hello := func(stream uint32) []byte { return append(AppendDataHeader(nil, stream, 5, true), "hello"...) }
	return [][]byte{
		join(response, hello(3)),
		join(request, hello(1)),
		join(promised, raw(FrameHeaders, FlagEndHeaders, 2, 0x88), hello(2)),
		join(raw(FrameHeaders, 0, 3, 0x88), raw(FrameContinuation, FlagEndHeaders, 3), raw(FrameData, FlagPadded|FlagEndStream, 3, 2, 'x', 0, 0)),
		join(AppendSettings(nil, Setting{SettingInitialWindowSize, 0}, Setting{SettingMaxFrameSize, 1 << 20}), AppendWindowUpdate(nil, 3, 9)),
		join(AppendPing(nil, false, [8]byte{1}), AppendGoAway(nil, 0, NoError, []byte("bye")), AppendRSTStream(nil, 5, RefusedStream)),
		join(AppendWindowUpdate(nil, 0, maxWindow), AppendWindowUpdate(nil, 5, 0), AppendPriority(nil, 3, 3, true, 1), raw(0x42, 1, 2, 3)),
		[]byte("HTTP/1.1 200 OK\r\n\r\n"),
	}
}

// acceptEverything is a handler of pushes that reads some of what it is given.
type acceptEverything struct{}

func (acceptEverything) OnRequest(uint32, []string) bool       { return false }
func (acceptEverything) OnHeaders(uint32, []string, bool) bool { return false }
func (acceptEverything) OnReset(uint32, ErrorCode)             {}
func (acceptEverything) OnData(_ uint32, data *okio.BufferedSource, _ int64, _ bool) bool {
	_, err := data.ReadByte()
	return err != nil
}

// Whatever a peer sends, nothing panics or hangs: the connection goes on or says goodbye with a code, and the accounts are right in the end.
func FuzzConn(f *testing.F) {
	for _, seed := range connSeeds() {
		f.Add(seed, false, uint8(0))
		f.Add(seed, true, uint8(3))
	}
	f.Fuzz(func(t *testing.T, wire []byte, server bool, piece uint8) {
		if len(wire) > 1<<16 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			a, b := okio.ConnPair(1 << 20)
			cfg := Config{Push: acceptEverything{}, MaxUnread: 1 << 16, MaxHeaderBytes: 1 << 14}
			var c *Conn
			if server {
				c = NewServer(a, cfg)
				b.Write([]byte(ClientPreface))
			} else {
				c = NewClient(a, cfg)
			}
			users := usersOf(c)
			b.Write(AppendSettings(nil))
			synctest.Wait()
			for len(wire) > 0 {
				n := len(wire)
				if piece > 0 {
					n = min(n, int(piece))
				}
				if _, err := b.Write(wire[:n]); err != nil {
					break // it has said goodbye
				}
				if wire = wire[n:]; piece > 0 && len(wire) < 1000 {
					synctest.Wait()
				}
			}
			time.Sleep(time.Second)
			checkConn(t, c)
			over := c.Err()
			b.(interface{ CloseWrite() error }).CloseWrite()
			time.Sleep(time.Second) // users give up meanwhile
			c.Close()
			users()
			checkGoodbye(t, b, server, over)
			b.Close()
		})
	})
}

// usersOf starts those who use a connection: of the client three streams, of the server whatever comes. The result waits for them.
func usersOf(c *Conn) (wait func()) {
	done := make(chan bool, 1000)
	n := 0
	use := func(s *Stream, send bool) {
		if n++; n > 500 {
			return
		}
		go func() {
			s.SetLimits(500*time.Millisecond, 500*time.Millisecond, time.Time{})
			if send {
				var b okio.Buffer
				b.WriteString("content")
				_ = s.Sink().WriteBuffer(&b, b.Len())
				_ = s.Sink().Close()
			}
			_, _, _ = s.ReadHead()
			_, _ = text(s)
			_, _ = s.Trailers()
			_ = s.Source().Close()
			done <- true
		}()
	}
	if c.server {
		stop := make(chan bool)
		go func() {
			for {
				s, _, _, err := c.Accept(time.Time{})
				if err != nil {
					close(stop)
					return
				}
				_ = s.SendHead(200, nil, false)
				use(s, true)
			}
		}()
		return func() {
			<-stop
			for range min(n, 500) {
				<-done
			}
		}
	}
	for _, send := range []bool{false, true, true} {
		if s, err := c.Open(getRequest, nil, !send); err == nil {
			use(s, send)
		}
	}
	return func() {
		for range n {
			<-done
		}
	}
}

// checkConn checks that what a connection knows fits together.
func checkConn(t *testing.T, c *Conn) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	opened, served, pushes := 0, 0, 0
	for id, s := range c.streams {
		switch {
		case s.id != id || s.removed:
			t.Errorf("stream %d: number %d, removed %v", id, s.id, s.removed)
		case s.promised:
			pushes++
		case c.ours(id):
			opened++
		default:
			served++
		}
		if sum := s.room + s.uncredited + s.held(); c.received.content == 0 && sum != s.window {
			t.Errorf("stream %d: room %d, %d to be credited, %d held, window %d", id, s.room, s.uncredited, s.held(), s.window)
		}
	}
	if opened != c.opened || served != c.served || pushes != c.pushes {
		t.Errorf("%d, %d and %d streams, counted %d, %d and %d", opened, served, pushes, c.opened, c.served, c.pushes)
	}
	if c.room+int64(c.uncredited) != int64(c.cfg.ConnectionWindow) || c.unread < 0 || c.waiting < 0 {
		t.Errorf("room %d, %d to be credited, %d unread, %d wait", c.room, c.uncredited, c.unread, c.waiting)
	}
}

// checkGoodbye reads what a connection sent, which is to be frames, and in the end a goodbye with the code of its error.
func checkGoodbye(t *testing.T, conn io.Reader, server bool, over error) {
	t.Helper()
	sent, _ := io.ReadAll(conn)
	if !server {
		sent = sent[min(len(ClientPreface), len(sent)):]
	}
	var last FrameHeader
	var payload []byte
	for len(sent) >= FrameHeaderLen {
		last = ParseFrameHeader(sent)
		if err := last.Check(minMaxFrame); err != nil {
			t.Fatalf("sent: %v", err)
		}
		payload = sent[FrameHeaderLen:][:last.Length]
		sent = sent[FrameHeaderLen+last.Length:]
	}
	if len(sent) != 0 || last.Type != FrameGoAway {
		t.Fatalf("the last frame is %v, and %d bytes follow", last.Type, len(sent))
	}
	_, code, _, _ := ParseGoAway(payload)
	want := NoError
	var ce *ConnectionError
	if errors.As(over, &ce) {
		want = ce.Code
	}
	if code != want {
		t.Errorf("goodbye %v, want %v", code, want)
	}
}
