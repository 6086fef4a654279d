package okhttp

import (
	"crypto/tls"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okio"
)

// pushes notes what is pushed, and cancels it or not.
type pushes struct {
	cancel bool
	log    chan string
}

func (p *pushes) OnRequest(c *Connection, _ uint32, h Headers) bool {
	p.log <- "request " + h.Get(":path") + " over " + string(c.Protocol())
	return p.cancel
}

func (p *pushes) OnHeaders(_ *Connection, _ uint32, h Headers, last bool) bool {
	p.log <- "headers " + h.Get(":status")
	return false
}

func (p *pushes) OnData(_ *Connection, _ uint32, data *okio.BufferedSource, n int64, last bool) bool {
	text, _ := data.ReadText(n)
	p.log <- "data " + text
	return false
}

func (p *pushes) OnReset(_ *Connection, _, code uint32) { p.log <- "reset" }

// An observer is told of what is pushed; without one push is refused from the beginning.
func TestHTTP2Push(t *testing.T) {
	for _, cancel := range []bool{false, true} {
		p := &pushes{cancel, make(chan string, 10)}
		inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
			p.log = make(chan string, 10)
			w.serve2("server.test", "10.0.0.1", nil, func(peer *peer2) {
				s := peer.accept(0)
				enc := http2.NewHeaderEncoder()
				frames := http2.AppendPushPromise(nil, s.ID(), 2, enc.Append(nil, nil, ":method", "GET", ":path", "/index.html", ":scheme", "http", ":authority", ""), 16384)
				frames = http2.AppendHeaders(frames, 2, enc.Append(nil, nil, ":status", "200"), false, 16384)
				frames = append(http2.AppendDataHeader(frames, 2, 2, true), "hi"...)
				peer.put(frames)
				which(s)
				streams(which)(peer)
			})
			w.want("200 0.0")(w.get("http://server.test/"))
			want := []string{"request /index.html over h2", "headers 200", "data hi"}
			if cancel {
				want = want[:1]
			}
			for _, line := range want {
				if got := <-p.log; got != line {
					t.Errorf("told %s, want %s", got, line)
				}
			}
			w.want("200 0.0")(w.get("http://server.test/"))
			w.wantPool(1, 1, 0)
		}, WithHTTP2(HTTP2Config{Push: p}))
	}
}

// Each frame is a line of a log, the preface first.
func TestHTTP2Frames(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
		w.serve2("server.test", "10.0.0.1", nil, inTurn(reply(200, "hello")))
		w.want("200 hello")(w.do("PUT", "http://server.test/", Text("body")))
		time.Sleep(time.Second)
	}, WithHTTP2(HTTP2Config{Frames: func(line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	}}))
	mu.Lock()
	defer mu.Unlock()
	text := strings.Join(lines, "\n")
	for _, want := range []string{">> CONNECTION 505249", ">> 0x00000000", "SETTINGS", ">> 0x00000003     4 DATA", "<< 0x00000003     5 DATA", "END_STREAM"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "hello") || strings.Contains(text, "server.test") {
		t.Errorf("the log shows content:\n%s", text)
	}
}

// Section 8.8: connections that are open beforehand count with the streams that the server allows on them.
func TestHTTP2Prewarm(t *testing.T) {
	for policy, want := range map[int]int{5: 1, 6: 2} {
		bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
			w.resolve("server.test", "10.0.0.1")
			port := ":80"
			if config != nil {
				port = ":443"
			}
			var first *peer2
			script := streams(which)
			w.serve2At("10.0.0.1"+port, config, http2.Config{MaxConcurrentStreams: 5}, func(p *peer2) { first = p; script(p) }, script, script)
			if err := w.client.Prewarm(mustURL(t, url), AddressPolicy{MinConcurrentCalls: policy}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			w.wantPool(want, want, 0)
			w.want("200 0.0")(w.get(url))
			if policy == 5 { // and the server allows less
				first.limit(3)
				time.Sleep(time.Second)
				w.wantPool(2, 2, 0)
			}
		})
	}
}

// Close and Shutdown find all the calls that share a connection.
func TestHTTP2CloseAndShutdown(t *testing.T) {
	for _, shutdown := range []bool{false, true} {
		bothWays(t, func(t *testing.T, w *world, config *tls.Config, url string) {
			w.serve2("server.test", "10.0.0.1", config, streams(func(s *stream2) {
				if s.n > 0 {
					time.Sleep(time.Duration(s.n) * time.Second)
				}
				which(s)
			}))
			w.want("200 0.0")(w.get(url))
			var calls []<-chan outcome
			for range 3 {
				_, done := w.enqueue(t.Context(), w.client, url)
				calls = append(calls, done)
				time.Sleep(time.Millisecond)
			}
			w.wantPool(1, 0, 3)
			if shutdown {
				if err := w.client.Shutdown(t.Context()); err != nil {
					t.Error(err)
				}
			} else {
				w.client.Close()
			}
			for i, done := range calls {
				switch o := <-done; {
				case shutdown && (o.err != nil || o.text != fmt.Sprint("0.", i+1)):
					t.Errorf("call %d: %+v", i, o)
				case !shutdown && !isA[*Error](o.err):
					t.Errorf("call %d: %+v", i, o)
				}
			}
			w.wantPool(0, 0, 0)
		})
	}
}

// The listener of a pool hears of each call, and of the connection once.
func TestHTTP2ConnectionListener(t *testing.T) {
	log := new(poolLog)
	inWorld2(t, "", func(t *testing.T, w *world, _ *tls.Config) {
		w.client.cfg.pool.listener = log.listener()
		w.serve2("server.test", "10.0.0.1", nil, streams(func(s *stream2) {
			time.Sleep(time.Second)
			which(s)
		}))
		_, first := w.enqueue(t.Context(), w.client, "http://server.test/")
		time.Sleep(500 * time.Millisecond)
		_, second := w.enqueue(t.Context(), w.client, "http://server.test/")
		<-first
		<-second
		w.wantPool(1, 1, 0)
		w.client.cfg.pool.EvictAll()
		log.want(t, `
			0s connectStart call 1 (server.test at 10.0.0.1:80)
			0s connectEnd #1 call 1 (server.test at 10.0.0.1:80)
			0s acquired #1 call 1
			500ms acquired #1 call 2
			1s released #1 call 1
			1.5s released #1 call 2
			1.5s idle #1
			1.5s closed #1 (evicted)`)
	})
}
