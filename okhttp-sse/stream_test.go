package oksse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// What a stream adds to requests, and what it leaves alone.
func TestRequestHeaders(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  Config
		opts []okhttp.RequestOption
		want string
	}{
		"none":     {Config{}, nil, "Accept=text/event-stream Cache-Control=no-store Accept-Encoding=gzip"},
		"own":      {Config{}, []okhttp.RequestOption{okhttp.Header("Accept", "text/plain"), okhttp.Header("Cache-Control", "no-cache")}, "Accept=text/plain Cache-Control=no-cache Accept-Encoding=gzip"},
		"identity": {Config{IdentityEncoding: true, LastEventID: "a b"}, nil, "Accept=text/event-stream Cache-Control=no-store Accept-Encoding=identity Last-Event-Id=a b"},
		"own id":   {Config{}, []okhttp.RequestOption{okhttp.Header("Last-Event-ID", "mine")}, "Accept=text/event-stream Cache-Control=no-store Accept-Encoding=gzip Last-Event-Id=mine"},
		"two ids": {Config{LastEventID: "named"}, []okhttp.RequestOption{okhttp.Header("Last-Event-ID", "mine")},
			"Accept=text/event-stream Cache-Control=no-store Accept-Encoding=gzip Last-Event-Id=named"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			inScene(t, func(t *testing.T, s *scene) {
				s.collect(t.Context(), NewStream(s.client, s.request(c.opts...), &c.cfg), -1)
				if got := strings.Join(got, " "); got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
			}, func(w http.ResponseWriter, r *http.Request) {
				for _, name := range []string{"Accept", "Cache-Control", "Accept-Encoding", "Last-Event-Id"} {
					for _, v := range r.Header[name] {
						got = append(got, name+"="+v)
					}
				}
				w.WriteHeader(204)
			})
		})
	}
}

// A Last-Event-ID of the request is where the stream starts, and no more than that: what the server names, or takes back, counts from then on.
func TestLastEventIDOfRequest(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		stream := NewStream(s.client, s.request(okhttp.Header("Last-Event-ID", "mine")), &Config{NoJitter: true})
		if stream.LastEventID() != "mine" {
			t.Errorf("from %q", stream.LastEventID())
		}
		s.collect(t.Context(), stream, -1)
		s.wantVisits("0s:mine 3s:mine 6s:1 12s:-")
		s.wantLog(`
			0s (mine,message,a) #1
			3s (1,message,b) #2
			12s oksse: expected status 200, got 204`)
	}, sends("data: a\n\n"), sends("id: 1\ndata: b\n\n"), sends("id\n\n"), refuses(204))
}

// The reconnection time belongs to the stream, like the last ID: a loop that is left does not take it along.
func TestReconnectionTimeOutlivesLoop(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		stream := s.stream(&Config{NoJitter: true})
		s.collect(t.Context(), stream, 1)
		time.Sleep(time.Minute)
		s.collect(t.Context(), stream, -1)
		s.wantVisits("0s:- 1m0s:1 1m0.5s:2 1m1.5s:2")
		s.wantLog(`
			0s (1,message,a) #1
			1m0s (2,message,b) #1
			1m1.5s oksse: expected status 200, got 204`)
	}, stays("retry: 500\nid: 1\ndata: a\n\n"), sends("id: 2\ndata: b\n\n"), sends(""), refuses(204))
}

// An ID that the server took back without an event, also on an earlier connection, is marked in the next event.
func TestClearedIDIsMarked(t *testing.T) {
	for name, answers := range map[string][]http.HandlerFunc{
		"same event":          {sends("id: 1\ndata: a\n\nid\ndata: b\n\n")},
		"same connection":     {sends("id: 1\ndata: a\n\nid\n\ndata: b\n\n")},
		"another":             {sends("id: 1\ndata: a\n\nid\n\n"), sends("data: b\n\n")},
		"with one in between": {sends("id: 1\ndata: a\n\nid\n\nid: 2\n\n"), sends("id\n\n: hello\n\n"), sends("data: b\n\n")},
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				var got []string
				for e, err := range s.stream(nil).Events(t.Context()) {
					if err != nil {
						break
					}
					got = append(got, fmt.Sprintf("%s%s %v", e.Data, e.ID, e.ClearID))
				}
				if want := "[a1 false b true c false]"; fmt.Sprint(got) != want {
					t.Errorf("got %v, want %v", got, want)
				}
			}, append(answers, sends("data: c\n\n"), refuses(204))...)
		})
	}
}

// An id that no header can carry is nothing to go on from: the stream goes on from the one before, and the store keeps that.
func TestIDThatCannotBeSent(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		var saved []string
		store := IDFuncs{SaveID: func(id string) error { saved = append(saved, id); return nil }}
		s.collect(t.Context(), s.stream(&Config{Store: store}), -1)
		s.wantVisits("0s:- 3s:1")
		if len(saved) != 1 || saved[0] != "1" {
			t.Errorf("saved %q", saved)
		}
	}, sends("id: 1\ndata: a\n\nid: a\x01\ndata: a\n\n"), refuses(204))
}

// Fact 52: comments keep a stream alive, silence breaks it.
func TestIdleTimeout(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		comments := 0
		stream := s.stream(&Config{IdleTimeout: 3 * time.Second, YieldRetries: true, OnComment: func(text string) {
			if text != " beat" {
				t.Errorf("comment %q", text)
			}
			comments++
		}})
		s.collect(t.Context(), stream, 3)
		if comments != 10 {
			t.Errorf("%d comments", comments)
		}
		s.wantLog(`
			0s (1,message,a) #1
			10s (1,message,b) #1
			13s oksse: connecting again in 3s (attempt 2): oksse: idle timeout: nothing came for 3s
			16s (1,message,c) #2`)
		s.wantVisits("0s:- 16s:1")
	}, func(w http.ResponseWriter, r *http.Request) {
		sends("id: 1\ndata: a\n\n")(w, r)
		flush := http.NewResponseController(w).Flush
		flush()
		for range 10 {
			time.Sleep(time.Second)
			io.WriteString(w, ": beat\n")
			flush()
		}
		io.WriteString(w, "data: b\n\n")
		flush()
		<-r.Context().Done()
	}, sends("data: c\n\n"))
}

// Time that the loop takes is no silence of the server.
func TestIdleTimeoutOfSlowLoop(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		n := 0
		for _, err := range s.stream(&Config{IdleTimeout: 3 * time.Second, YieldRetries: true}).Events(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			if n++; n == 4 {
				break
			}
		}
	}, then("data: a\n\ndata: b\n\n", 2*time.Second, "data: c\n\ndata: d\n\n"))
}

// Without being asked for, no timeout is held against a quiet stream: neither the client's read timeout nor that of the call. Both bound the set-up.
func TestTimeoutsCoverSetUpOnly(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		s.client = s.client.With(okhttp.WithReadTimeout(time.Second), okhttp.WithCallTimeout(5*time.Second))
		s.collect(t.Context(), s.stream(nil), 2)
		s.wantLog("0s (-,message,a) #1\n10h0m0s (-,message,b) #1")
	}, then("data: a\n\n", 10*time.Hour, "data: b\n\n"))
	for want, opt := range map[string]okhttp.Option{
		"read timeout after 1s": okhttp.WithReadTimeout(time.Second),
		"call timeout":          okhttp.WithCallTimeout(time.Second),
	} {
		inScene(t, func(t *testing.T, s *scene) {
			s.client = s.client.With(opt)
			err := s.collect(t.Context(), s.stream(&Config{MaxAttempts: 2}), -1)
			if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) || !strings.Contains(err.Error(), want) {
				t.Error(err)
			}
			s.wantVisits("0s:- 4s:-")
		}, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	}
}

// Fact 54: breaking out of the loop closes the connection, at once. A further loop goes on from there, and Close is for good.
func TestBreak(t *testing.T) {
	gone := make(chan time.Duration, 3)
	inScene(t, func(t *testing.T, s *scene) {
		stream := s.stream(nil)
		for i := range 2 {
			s.collect(t.Context(), stream, 1)
			synctest.Wait()
			if after := <-gone; after != time.Duration(i)*time.Minute {
				t.Errorf("the server saw the end at %v", after)
			}
			if stream.State() != Closed || stream.LastEventID() != "7" {
				t.Errorf("state %v, id %q", stream.State(), stream.LastEventID())
			}
			time.Sleep(time.Minute)
		}
		s.wantVisits("0s:- 1m0s:7")
		stream.Close()
		stream.Close()
		if err := s.collect(t.Context(), stream, -1); !errors.Is(err, ErrCanceled) {
			t.Error(err)
		}
		s.wantVisits("0s:- 1m0s:7")
	}, func(w http.ResponseWriter, r *http.Request) {
		start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
		stays("id: 7\ndata: a\n\nid: 8\ndata: b\n\n")(w, r)
		gone <- time.Since(start)
	})
}

// One loop at a time, and one in a loop of its own.
func TestTwoLoops(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		stream := s.stream(nil)
		for range stream.Events(t.Context()) {
			for _, err := range stream.Events(t.Context()) {
				if err != ErrBusy {
					t.Error(err)
				}
			}
			break
		}
		canceled, cancel := context.WithCancelCause(t.Context())
		cancel(io.ErrNoProgress)
		if err := s.collect(canceled, stream, -1); !errors.Is(err, ErrCanceled) || !errors.Is(err, io.ErrNoProgress) || !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		s.wantVisits("0s:-")
	}, stays("data: a\n\n"))
}

// What the hooks are told, in order, and the states.
func TestHooks(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		var stream *Stream
		stream = s.stream(&Config{
			OnState: func(state State) {
				s.note("state %v", state)
				if state != stream.State() {
					t.Error(stream.State())
				}
			},
			OnOpen: func(resp *okhttp.Response) {
				_, err := resp.Body.Read(make([]byte, 1))
				s.note("open %d %s %v", resp.Status, resp.Headers().Get("X-Name"), err == okhttp.ErrUnreadableBody)
			},
			OnRetry:   func(r *RetryError) { s.note("retry %d in %v from %q: %v", r.Attempt, r.Delay, r.LastEventID, r.Err) },
			OnComment: func(text string) { s.note("comment%s", text) },
		})
		if stream.State() != Closed {
			t.Error(stream.State())
		}
		s.collect(t.Context(), stream, 2)
		s.wantLog(`
			state connecting
			state open
			open 200 value true
			comment hello
			0s (1,message,a) #1
			state connecting
			retry 2 in 3s from "1": oksse: the server ended the stream
			state open
			open 200 value true
			comment hello
			3s (1,message,a) #2
			state closed`)
	}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Name", "value")
		sends(": hello\nid: 1\ndata: a\n\n")(w, r)
	})
}

// Facts 51 to 53: what breaks a connection, and that an event that is too large ends the stream unless that was asked for.
func TestTooLarge(t *testing.T) {
	for again, want := range map[bool]string{
		false: "0s (1,message,a) #1\n0s oksse: an event is larger than the limit of 20 bytes (MaxEventBytes)",
		true: "0s (1,message,a) #1\n0s oksse: connecting again in 3s (attempt 2): oksse: an event is larger than the limit of 20 bytes (MaxEventBytes)\n" +
			"3s oksse: expected status 200, got 204",
	} {
		inScene(t, func(t *testing.T, s *scene) {
			err := s.collect(t.Context(), s.stream(&Config{MaxEventBytes: 20, RetryTooLarge: again, YieldRetries: true}), -1)
			var large *EventTooLargeError
			if errors.As(err, &large) == again {
				t.Error(err)
			}
			s.wantLog(want)
		}, sends("id: 1\ndata: a\n\ndata: 0123456789\ndata: 01234567890\n\n"), refuses(204))
	}
}

// The request of each further attempt can be another.
func TestRebuild(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		stream := s.stream(&Config{Rebuild: func(ctx context.Context, r *RetryError) (*okhttp.Request, error) {
			if r.Attempt == 4 {
				return nil, errors.New("enough")
			}
			s.note("rebuild %d from %q after %v", r.Attempt, r.LastEventID, r.Err)
			return okhttp.NewRequest("GET", fmt.Sprint(s.url, "/", r.Attempt))
		}})
		s.collect(t.Context(), stream, -1)
		s.wantLog(`
			0s (/stream,message,-/stream) #1
			rebuild 2 from "/stream" after oksse: the server ended the stream
			3s (/stream/2,message,/stream/stream/2) #2
			rebuild 3 from "/stream/2" after oksse: the server ended the stream
			6s (/stream/3,message,/stream/2/stream/3) #3
			9s enough`)
	}, func(w http.ResponseWriter, r *http.Request) {
		sends("id: "+r.URL.Path+"\ndata: "+orDash(r.Header.Get("Last-Event-ID"))+r.URL.Path+"\n\n")(w, r)
	})
	inScene(t, func(t *testing.T, s *scene) {
		stream := s.stream(&Config{Rebuild: func(context.Context, *RetryError) (*okhttp.Request, error) { return nil, nil }})
		if err := s.collect(t.Context(), stream, -1); err == nil || err.Error() != "oksse: Rebuild returned neither a request nor an error" {
			t.Error(err)
		}
	}, sends(""))
}

// Requests that are not safe are repeated if the program allows it and the body can be sent again, or if nothing was sent yet.
func TestPost(t *testing.T) {
	text := okhttp.Text("question")
	once := func() *okhttp.Body { return okhttp.OneShot("", -1, strings.NewReader("question")) }
	answers := []http.HandlerFunc{sends("data: a\n\n"), breaks("data: b\n\n"), refuses(503), refuses(204)}
	for name, c := range map[string]struct {
		body     *okhttp.Body
		cfg      Config
		failures int
		want     string
	}{
		"not allowed":              {text, Config{}, 0, "0s (-,message,a) #1"},
		"allowed":                  {text, Config{ReconnectUnsafe: true}, 0, "0s (-,message,a) #1\n3s (-,message,b) #2\n6s oksse: expected status 200, got 503"},
		"only once":                {once(), Config{ReconnectUnsafe: true}, 0, "0s (-,message,a) #1"},
		"nothing was sent":         {text, Config{}, 2, "9s (-,message,a) #3"},
		"no reconnection whatever": {text, Config{ReconnectUnsafe: true, NoReconnect: true}, 0, "0s (-,message,a) #1"},
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				c.cfg.NoJitter = true
				client := s.client.With(okhttp.WithDialer(&noDialer{&s.network, c.failures}))
				s.collect(t.Context(), NewStream(client, s.post(c.body), &c.cfg), -1)
				s.wantLog(c.want)
			}, answers...)
		})
	}
	t.Run("broken", func(t *testing.T) {
		inScene(t, func(t *testing.T, s *scene) {
			var failed *okhttp.Error
			if err := s.collect(t.Context(), NewStream(s.client, s.post(text), nil), -1); !errors.As(err, &failed) || failed.Phase != okhttp.PhaseResponseBody {
				t.Error(err)
			}
			s.wantVisits("0s:-")
		}, breaks("data: b\n\n"))
	})
	t.Run("refused", func(t *testing.T) {
		for _, c := range []struct {
			body   *okhttp.Body
			unsafe bool
			want   string
		}{{text, true, "0s:- 3s:-"}, {text, false, "0s:-"}, {once(), true, "0s:-"}} {
			inScene(t, func(t *testing.T, s *scene) {
				s.collect(t.Context(), NewStream(s.client, s.post(c.body), &Config{RetryStatus: []int{503}, ReconnectUnsafe: c.unsafe}), -1)
				s.wantVisits(c.want)
			}, refuses(503), refuses(204))
		}
	})
}

// Failures that another attempt cannot mend end the stream.
func TestFutile(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		closed := s.client.With()
		closed.Close()
		if err := s.collect(t.Context(), NewStream(closed, s.request(), nil), -1); !errors.Is(err, okhttp.ErrClientClosed) {
			t.Error(err)
		}
		secure := s.client.With(okhttp.WithConnectionSpecs(okhttp.ModernTLS))
		var cleartext *okhttp.CleartextError
		if err := s.collect(t.Context(), NewStream(secure, s.request(), nil), -1); !errors.As(err, &cleartext) {
			t.Error(err)
		}
		s.wantVisits("")
	}, sends(""))
	inScene(t, func(t *testing.T, s *scene) {
		time.AfterFunc(time.Second, func() { s.client.Close() })
		if err := s.collect(t.Context(), s.stream(nil), -1); !errors.Is(err, okhttp.ErrClientClosed) {
			t.Error(err)
		}
		s.wantVisits("0s:-")
	}, stays("data: a\n\n"))
}

// Streams take no place in the dispatcher while they are open, even if Execute is limited.
func TestStreamsHoldNoSlot(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		d := okhttp.NewDispatcher(okhttp.DispatcherConfig{MaxRequestsPerHost: 1, LimitExecute: true})
		s.client = s.client.With(okhttp.WithDispatcher(d))
		for range s.stream(nil).Events(t.Context()) {
			for range s.stream(nil).Events(t.Context()) {
				if got := d.Stats(); got != (okhttp.DispatcherStats{}) {
					t.Errorf("%+v", got)
				}
				break
			}
			break
		}
		s.wantVisits("0s:- 0s:-")
	}, stays("data: a\n\n"))
}

// A panic in the loop passes through, and leaves nothing behind.
func TestPanicInLoop(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		stream := s.stream(nil)
		func() {
			defer func() {
				if v := recover(); v != "mine" {
					t.Error(v)
				}
			}()
			for range stream.Events(t.Context()) {
				panic("mine")
			}
		}()
		if stream.State() != Closed {
			t.Error(stream.State())
		}
	}, stays("data: a\n\n"))
}

// A hook that panics at the end of a loop, as anything that the loop runs may, leaves the stream to the next loop.
func TestPanicsLeaveStream(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		stream := s.stream(&Config{OnState: func(state State) {
			if state == Closed {
				panic("hook")
			}
		}})
		for range 2 {
			func() {
				defer func() { s.note("%v", recover()) }()
				s.collect(t.Context(), stream, 1)
			}()
		}
		s.wantLog("0s (-,message,a) #1\nhook\n0s (-,message,a) #1\nhook")
	}, sends("data: a\n\n"))
}
