package mockserver_test

import (
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
)

func TestDelaysAndThrottle(t *testing.T) {
	ok := mockserver.Reply(200).Text("abcdef")
	const post = "POST / HTTP/1.1·Content-Length: 6··abcdef"
	for _, tt := range []struct {
		name       string
		script     mockserver.Response
		request    string
		head, body time.Duration // when they have come
	}{
		{"none", ok, get, 0, 0},
		{"head", ok.HeadDelay(time.Second), get, time.Second, time.Second},
		{"body", ok.BodyDelay(time.Second), get, 0, time.Second},
		{"both", ok.HeadDelay(time.Second).BodyDelay(time.Second), get, time.Second, 2 * time.Second},
		{"throttle by 3", ok.Throttle(3, 500*time.Millisecond), get, 0, 500 * time.Millisecond},
		{"throttle by 4", ok.Throttle(4, 500*time.Millisecond), get, 0, 500 * time.Millisecond},
		{"throttle by 1", ok.Throttle(1, 500*time.Millisecond), get, 0, 2500 * time.Millisecond},
		{"throttle by 6", ok.Throttle(6, 500*time.Millisecond), get, 0, 0},
		{"throttle of the request", mockserver.Reply(200).Throttle(3, 500*time.Millisecond), post, 500 * time.Millisecond, 500 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := memory(t)
				s.Enqueue(tt.script.On(mockserver.ResponseEnd, mockserver.ShutdownConnection{}))
				w := dial(t, s)
				begun := time.Now()
				w.send(tt.request)
				w.want("HTTP/1.1 200 OK·")
				if d := time.Since(begun); d != tt.head {
					t.Errorf("head after %v, want %v", d, tt.head)
				}
				w.conn.SetReadDeadline(time.Time{})
				if _, err := io.ReadAll(w.conn); err != nil {
					t.Error(err)
				}
				if d := time.Since(begun); d != tt.body {
					t.Errorf("body after %v, want %v", d, tt.body)
				}
			})
		})
	}
}

// TestThrottledBytesArriveOneByOne sees each part before the wait for the next one.
func TestThrottledBytesArriveOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		s.Enqueue(mockserver.Reply(200).Text("abcde").Throttle(2, time.Minute))
		w := dial(t, s)
		w.send(get)
		w.want("HTTP/1.1 200 OK·Content-Length: 5··ab")
		w.wantSilence(time.Minute - 1)
		w.want("cd")
		w.wantSilence(time.Minute - 1)
		w.want("e")
	})
}

// TestEffects puts each effect at each moment.
func TestEffects(t *testing.T) {
	const post = "POST / HTTP/1.1·Content-Length: 4··"
	const whole = "HTTP/1.1 200 OK·Content-Length: 5··hello"
	const cut = "HTTP/1.1 200 OK·Content-Length: 5··he"
	effects := map[string]struct {
		effect mockserver.Effect
		end    error // io.EOF, a reset, or nil for silence
	}{
		"close":      {mockserver.CloseSocket{}, io.EOF},
		"shutdown":   {mockserver.ShutdownConnection{}, io.EOF},
		"reset":      {mockserver.Reset{}, syscall.ECONNRESET},
		"stall":      {mockserver.Stall{}, nil},
		"half-close": {mockserver.CloseSocket{NoClose: true, Out: true}, io.EOF},
		"deaf":       {mockserver.CloseSocket{NoClose: true, In: true}, nil},
	}
	moments := []struct {
		moment  mockserver.Moment
		request string
		want    string // may be lost by a reset
		failure bool
	}{
		{mockserver.RequestStart, "", "", false},
		{mockserver.RequestBody, post + "ab", "", true},
		{mockserver.ResponseStart, post + "abcd", "", false},
		{mockserver.ResponseBody, post + "abcd", cut, false},
		{mockserver.ResponseEnd, post + "abcd", whole, false},
	}
	for name, e := range effects {
		for _, m := range moments {
			t.Run(name+" at "+m.moment.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := memory(t)
					s.Enqueue(mockserver.Reply(200).Text("hello").On(m.moment, e.effect), mockserver.Reply(200).Text("next"))
					w := dial(t, s)
					if m.request != "" {
						w.send(m.request)
					}
					if e.end != syscall.ECONNRESET {
						w.want(m.want)
					}
					if e.end == nil {
						w.wantSilence(time.Minute)
					} else {
						w.conn.SetReadDeadline(time.Now().Add(time.Minute))
						if _, err := io.Copy(io.Discard, w.conn); e.end == io.EOF && err != nil || e.end != io.EOF && !errors.Is(err, e.end) {
							t.Errorf("ended with %v, want %v", err, e.end)
						}
					}
					if r := take(t, s); (r.Failure != nil) != m.failure || (m.request == "") != (r.Method == "GET") {
						t.Errorf("recorded %v", r)
					}
					w = dial(t, s) // the response was used up, and the server is well
					w.send(get)
					w.want("HTTP/1.1 200 OK·Content-Length: 4··next")
					if r := take(t, s); r.ConnIndex != 1 || r.Index != 0 {
						t.Errorf("recorded %v", r)
					}
				})
			})
		}
	}
}

func TestEffectsWithinBodies(t *testing.T) {
	ok := mockserver.Reply(200)
	hangUp := mockserver.CloseSocket{}
	at := func(r mockserver.Response, n int64) mockserver.Response {
		return r.OnBytes(mockserver.ResponseBody, n, hangUp)
	}
	for _, tt := range []struct {
		name   string
		script mockserver.Response
		want   string
	}{
		{"half of two", ok.Text("ab").On(mockserver.ResponseBody, hangUp), "Content-Length: 2··a"},
		{"half of one", ok.Text("a").On(mockserver.ResponseBody, hangUp), "Content-Length: 1··"},
		{"half of nothing", ok.On(mockserver.ResponseBody, hangUp), "Content-Length: 0··"},
		{"byte 0", at(ok.Text("abc"), 0), "Content-Length: 3··"},
		{"byte 2", at(ok.Text("abc"), 2), "Content-Length: 3··ab"},
		{"byte 3", at(ok.Text("abc"), 3), "Content-Length: 3··abc"},
		{"byte 9 of 3", at(ok.Text("abc"), 9), "Content-Length: 3··abc"},
		{"half of chunks", ok.Text("abcdef").Chunked(3).On(mockserver.ResponseBody, hangUp), "Transfer-encoding: chunked··3·abc·3"},
		{"byte 4 of chunks", at(ok.Text("abcdef").Chunked(3), 4), "Transfer-encoding: chunked··3·a"},
		{"all of chunks", at(ok.Text("abc").Chunked(), 99), "Transfer-encoding: chunked··3·abc·0·"},
		{"unknown length", stream(-1, strings.NewReader("abc")).On(mockserver.ResponseBody, hangUp), "Transfer-encoding: chunked··"},
		{"byte 4 of an unknown length", at(stream(-1, strings.NewReader("abc")), 4), "Transfer-encoding: chunked··3·a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := memory(t)
				s.Enqueue(tt.script)
				w := dial(t, s)
				w.send(get)
				w.want("HTTP/1.1 200 OK·" + tt.want)
				w.wantEnd()
			})
		})
	}
	t.Run("raw", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := memory(t)
			s.Enqueue(at(ok.Raw([]byte("0123456789")), 4))
			w := dial(t, s)
			w.send(get)
			w.want("0123")
			w.wantEnd()
		})
	})
	t.Run("request without length", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := memory(t)
			s.Enqueue(ok.On(mockserver.RequestBody, hangUp), ok.OnBytes(mockserver.RequestBody, 2, hangUp))
			w := dial(t, s)
			w.send("POST / HTTP/1.1·Transfer-Encoding: chunked··3·abc·0··")
			w.want("HTTP/1.1 200 OK·Content-Length: 0··")
			w.send("POST / HTTP/1.1·Transfer-Encoding: chunked··3·abc")
			w.wantEnd()
			if r := take(t, s); r.Failure != nil {
				t.Errorf("recorded %v", r)
			}
			if r := take(t, s); r.Failure == nil || string(r.Body) != "ab" {
				t.Errorf("recorded %v with %q", r, r.Body)
			}
		})
	})
}

// TestStallEnds lets go of a connection that stalls when the client does.
func TestStallEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		s.Enqueue(mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.Stall{}))
		w := dial(t, s)
		w.send(get)
		w.wantSilence(59 * time.Minute)
		w.conn.SetReadDeadline(time.Time{})
		begun := time.Now()
		if _, err := io.ReadAll(w.conn); err != nil || time.Since(begun) != time.Minute {
			t.Errorf("%v after another %v, want the end after an hour", err, time.Since(begun))
		}
	})
}

func TestSkipRequestBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		s.Enqueue(mockserver.Reply(413).SkipRequestBody())
		w := dial(t, s)
		w.send("POST / HTTP/1.1·Content-Length: 100000··")
		w.want("HTTP/1.1 413 Client Error·Content-Length: 0··")
		w.wantEnd()
		if r := take(t, s); r.Body != nil || r.Failure != nil {
			t.Errorf("recorded %v", r)
		}
	})
}

// TestLargeUploadSeesTheResponse checks on real sockets that an answer which comes early is not destroyed by a reset.
func TestLargeUploadSeesTheResponse(t *testing.T) {
	s := mockserver.New(t)
	s.Enqueue(mockserver.Reply(413).SkipRequestBody())
	w := dial(t, s)
	w.send("POST / HTTP/1.1·Content-Length: 500000··")
	w.send(strings.Repeat("x", 500000))
	w.want("HTTP/1.1 413 Client Error·Content-Length: 0··")
	w.wantEnd()
}

func TestResetOnTCP(t *testing.T) {
	s := mockserver.New(t)
	s.Enqueue(mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.Reset{}))
	w := dial(t, s)
	w.send(get)
	w.conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := w.conn.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("ended with %v, want a reset", err)
	}
}
