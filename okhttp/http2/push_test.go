package http2

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/okhttp-go/ok/okio"
)

// pushLog is a handler that writes down what it is told, and does what act says about it.
type pushLog struct {
	lines []string
	act   func(line string) (cancel bool)
}

func (l *pushLog) add(format string, args ...any) bool {
	line := fmt.Sprintf(format, args...)
	l.lines = append(l.lines, line)
	return l.act != nil && l.act(line)
}

func (l *pushLog) OnRequest(stream uint32, fields []string) bool {
	return l.add("request %d %s", stream, fields[1])
}

func (l *pushLog) OnHeaders(stream uint32, fields []string, last bool) bool {
	return l.add("headers %d %q %v", stream, fields, last)
}

func (l *pushLog) OnData(stream uint32, data *okio.BufferedSource, n int64, last bool) bool {
	b := make([]byte, min(n, 20))
	if _, err := data.Read(b); err != nil && n > 0 {
		return l.add("data %d: %v", stream, err)
	}
	return l.add("data %d %d %q %v", stream, n, b, last)
}

func (l *pushLog) OnReset(stream uint32, code ErrorCode) { l.add("reset %d %v", stream, code) }

func (l *pushLog) want(t *testing.T, lines ...string) {
	t.Helper()
	synctest.Wait()
	if got, want := strings.Join(l.lines, "\n"), strings.Join(lines, "\n"); got != want {
		t.Errorf("told:\n%s\nwant:\n%s", got, want)
	}
	l.lines = nil
}

var promise = []string{":method", "GET", ":scheme", "https", ":authority", "server.test", ":path", "/pushed"}

// promise promises a stream along another one.
func (p *tester) promise(along, stream uint32, fields ...string) {
	p.t.Helper()
	p.send(AppendPushPromise(nil, along, stream, p.encode(fields...), 0))
}

func TestPush(t *testing.T) {
	log := &pushLog{}
	inBubble(t, false, Config{Push: log}, func(t *testing.T, p *tester) {
		p.greetClient()
		p.open(true)
		p.promise(3, 2, promise...)
		p.promise(3, 4, promise...)
		p.headers(3, true, ":status", "200")
		p.headers(2, false, ":status", "103", "a", " b ")
		p.headers(2, false, ":status", "200")
		p.data(2, false, "some")
		p.headers(4, true, ":status", "204")
		p.padded(2, "more", 3)
		p.data(2, false, "")
		p.headers(2, true, "trailer", "x")
		p.settle()
		log.want(t, "request 2 GET", "request 4 GET", `headers 2 [":status" "103" "a" "b"] false`, `headers 2 [":status" "200"] false`,
			`data 2 4 "some" false`, `headers 4 [":status" "204"] true`, `data 2 4 "more" false`, `headers 2 ["trailer" "x"] true`)
		if c := p.conn; c.unread != 0 || c.pushes != 0 || len(c.streams) != 0 {
			t.Errorf("%d bytes unread, %d pushes, %d streams", c.unread, c.pushes, len(c.streams))
		}
	})
}

// The end is told in whatever frame it comes: with content, alone, or with padding behind it.
func TestEndOfPush(t *testing.T) {
	for name, end := range map[string]struct {
		send func(p *tester)
		want []string
	}{
		"with content":    {func(p *tester) { p.data(2, true, "some") }, []string{`data 2 4 "some" true`}},
		"alone":           {func(p *tester) { p.data(2, false, "some"); p.data(2, true, "") }, []string{`data 2 4 "some" false`, `data 2 0 "" true`}},
		"without content": {func(p *tester) { p.data(2, true, "") }, []string{`data 2 0 "" true`}},
		"in a padded frame": {func(p *tester) {
			h := FrameHeader{Length: 1 + 4 + 2, Type: FrameData, Flags: FlagPadded | FlagEndStream, Stream: 2}
			p.send(append(h.Append(nil), "\x02some\x00\x00"...))
		}, []string{`data 2 4 "some" false`, `data 2 0 "" true`}},
	} {
		t.Run(name, func(t *testing.T) {
			log := &pushLog{}
			inBubble(t, false, Config{Push: log}, func(t *testing.T, p *tester) {
				p.greetClient()
				p.open(true)
				p.promise(3, 2, promise...)
				p.headers(2, false, ":status", "200")
				end.send(p)
				p.settle()
				log.want(t, append([]string{"request 2 GET", `headers 2 [":status" "200"] false`}, end.want...)...)
				if c := p.conn; c.unread != 0 || c.pushes != 0 {
					t.Errorf("%d bytes unread, %d pushes", c.unread, c.pushes)
				}
			})
		})
	}
}

// What the handler does not want is reset, once, and what was under way is passed over.
func TestPushIsCancelled(t *testing.T) {
	for _, at := range []string{"request", "headers", "data", "panic"} {
		t.Run(at, func(t *testing.T) {
			log := &pushLog{}
			log.act = func(line string) bool {
				if at == "panic" && strings.HasPrefix(line, "headers") {
					panic("the handler's")
				}
				return strings.HasPrefix(line, at)
			}
			inBubble(t, false, Config{Push: log}, func(t *testing.T, p *tester) {
				p.greetClient()
				p.open(true)
				p.promise(3, 2, promise...)
				p.headers(2, false, ":status", "200")
				p.data(2, false, "some")
				p.want("RST_STREAM 2 CANCEL")
				p.data(2, true, "more")
				p.settle()
				synctest.Wait() // for the handler, who is told on a goroutine of his own
				if c := p.conn; c.unread != 0 || c.pushes != 0 || c.streams[2] != nil {
					t.Errorf("%d bytes unread, %d pushes", c.unread, c.pushes)
				}
			})
		})
	}
}

// Section 8.4 of RFC 9113, fact 77.
func TestPushesThatAreWrong(t *testing.T) {
	for _, test := range []struct {
		name   string
		along  uint32
		stream uint32
		fields []string
		want   string // a reset; none: the end of the connection
	}{
		{"promised twice", 3, 2, promise, ""},
		{"older", 3, 4, promise, ""},
		{"along one that is idle", 41, 8, promise, ""},
		{"along one that is over", 5, 8, promise, ""},
		{"along one whose response is", 7, 8, promise, ""},
		{"along a pushed one", 6, 8, promise, ""},
		{"POST", 3, 8, append([]string{":method", "POST"}, promise[2:]...), "RST_STREAM 8 PROTOCOL_ERROR"},
		{"no method", 3, 8, promise[2:], "RST_STREAM 8 PROTOCOL_ERROR"},
		{"a response", 3, 8, []string{":status", "200"}, "RST_STREAM 8 PROTOCOL_ERROR"},
		{"too many", 3, 8, promise, "RST_STREAM 8 REFUSED_STREAM"},
	} {
		t.Run(test.name, func(t *testing.T) {
			log := &pushLog{}
			cfg := Config{Push: log}
			if test.name == "too many" {
				cfg.MaxConcurrentStreams = 2
			}
			inBubble(t, false, cfg, func(t *testing.T, p *tester) {
				p.greetClient()
				p.open(true)
				p.open(true)
				p.headers(5, true, ":status", "200")
				p.open(false)
				p.headers(7, true, ":status", "200")
				p.promise(3, 2, promise...)
				p.promise(3, 6, promise...)
				p.promise(test.along, test.stream, test.fields...)
				if test.want == "" {
					p.wantEnd(ProtocolErrorCode)
					return
				}
				p.want(test.want)
				p.settle()
				log.want(t, "request 2 GET", "request 6 GET")
			})
		})
	}
}

// The stream along which something is pushed may have been cancelled when that came.
func TestPushAlongCancelled(t *testing.T) {
	log := &pushLog{}
	inBubble(t, false, Config{Push: log}, func(t *testing.T, p *tester) {
		p.greetClient()
		s := p.open(true)
		s.Cancel(Cancel, errClosed)
		p.want("RST_STREAM 3")
		p.promise(3, 2, promise...)
		p.headers(2, false, ":status", "200")
		p.send(AppendRSTStream(nil, 2, InternalError))
		p.settle()
		log.want(t, "request 2 GET", `headers 2 [":status" "200"] false`, "reset 2 INTERNAL_ERROR")
	})
}

// A handler that is slow holds up nobody, and what waits for it is bounded.
func TestSlowPushHandler(t *testing.T) {
	var gate chan struct{}
	log := &pushLog{}
	log.act = func(line string) bool {
		if strings.HasPrefix(line, "request") {
			<-gate
		}
		return false
	}
	inBubble(t, false, Config{Push: log, MaxUnread: 1 << 20}, func(t *testing.T, p *tester) {
		gate = make(chan struct{})
		p.greetClient()
		p.open(true)
		p.promise(3, 2, promise...)
		p.headers(2, false, ":status", "200")
		p.fill(2, 1<<20)
		p.settle()
		p.promise(3, 4, promise...)
		p.headers(4, false, ":status", "200")
		p.fill(4, 512<<10)
		p.want("RST_STREAM 4 ENHANCE_YOUR_CALM")
		p.settle()
		close(gate)
		synctest.Wait()
		if p.conn.unread != 0 {
			t.Errorf("%d bytes unread", p.conn.unread)
		}
	})
}

// A server that promises and resets without end ends the connection, unless most come to a good end.
func TestPushesThatAreReset(t *testing.T) {
	inBubble(t, false, Config{Push: &pushLog{}}, func(t *testing.T, p *tester) {
		p.greetClient()
		p.open(true)
		id := uint32(0)
		reset := func() {
			id += 2
			p.promise(3, id, promise...)
			p.send(AppendRSTStream(nil, id, Cancel))
		}
		for range maxResets + 50 {
			reset()
			id += 2
			p.promise(3, id, promise...)
			p.headers(id, true, ":status", "204")
		}
		p.settle()
		for range maxResets + 1 {
			reset()
		}
		p.wantEnd(EnhanceYourCalm)
	})
}
