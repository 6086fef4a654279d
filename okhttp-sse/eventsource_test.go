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

// listener notes what it is told.
func (s *scene) listener() ListenerFuncs {
	return ListenerFuncs{
		Open: func(_ *EventSource, resp *okhttp.Response) {
			s.note("open %d %s", resp.Status, resp.Body.ContentType())
		},
		Event:  func(_ *EventSource, e Event) { s.note("event (%s,%s,%s)", orDash(e.ID), orDash(e.Type), e.Data) },
		Closed: func(*EventSource) { s.note("closed") },
		Failure: func(_ *EventSource, err error, resp *okhttp.Response) {
			status := "no response"
			if resp != nil {
				text, err := resp.Body.Text()
				status = fmt.Sprintf("%d %s %v", resp.Status, text, err)
			}
			text := strings.Replace(fmt.Sprint(err), " (and 1 more)", "", 1) // two clocks of the same limit, one of which is first
			s.note("failure %s, %s", text, status)
		},
	}
}

// hear follows a stream to its end.
func (s *scene) hear(req *okhttp.Request, l Listener) *EventSource {
	source := Factory{Caller: s.client}.NewEventSource(s.t.Context(), req, l)
	<-source.Done()
	return source
}

const unreadable = "okhttp: the body of a prior, network or cache response cannot be read"

func typed(contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, text)
	}
}

// unauthorized wants credentials.
func unauthorized(answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			answer(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(401)
		io.WriteString(w, `{"error":"no"}`)
	}
}

var authenticator = okhttp.WithAuthenticator(okhttp.AuthenticatorFunc(func(_ context.Context, _ *okhttp.Route, resp *okhttp.Response) (*okhttp.Request, error) {
	return resp.Request().With(okhttp.Header("Authorization", "mine"))
}))

// Facts 30, 32 to 37, 41 and 43, and that ProcessResponse tells the same.
func TestEventSource(t *testing.T) {
	late := func(w http.ResponseWriter, r *http.Request) { then("", 500*time.Millisecond, "data: hey\n\n")(w, r) }
	lateHead := func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(500 * time.Millisecond):
			sends("data: hey\n\n")(w, r)
		case <-r.Context().Done():
		}
	}
	const normal = "open 200 text/event-stream\nevent (-,-,hey)\nclosed"
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		opts   []okhttp.Option
		want   string
		dialed bool // ProcessResponse has no part in it
	}{
		"30 normal":        {answer: sends("data: hey\n\n"), want: normal},
		"32 type":          {answer: typed("text/plain", "plain"), want: `failure oksse: invalid content-type: "text/plain", 200 plain <nil>`},
		"33 status":        {answer: refuses(401, "Content-Type", "text/event-stream"), want: `failure <nil>, 401 {"status":401} <nil>`},
		"34 JSON":          {answer: unauthorized(sends("data: hey\n\n")), want: `failure <nil>, 401 {"error":"no"} <nil>`},
		"35 authenticated": {answer: unauthorized(sends("data: hey\n\n")), opts: []okhttp.Option{authenticator}, want: normal},
		"36 late body":     {answer: late, opts: []okhttp.Option{okhttp.WithCallTimeout(250 * time.Millisecond)}, want: normal, dialed: true},
		"37 late head":     {answer: lateHead, opts: []okhttp.Option{okhttp.WithCallTimeout(250 * time.Millisecond)}, want: "failure okhttp: GET http://10.0.0.1/...: response-headers (10.0.0.1:80): call timeout, no response", dialed: true},
		"41 charset":       {answer: typed("text/event-stream; charset=utf-8", "data: hey\n\n"), want: "open 200 text/event-stream; charset=utf-8\nevent (-,-,hey)\nclosed"},
		"43 silence": {answer: late, opts: []okhttp.Option{okhttp.WithReadTimeout(200 * time.Millisecond)},
			want: "open 200 text/event-stream\nfailure okhttp: GET http://10.0.0.1/...: response-body (10.0.0.1:80): okio: read timeout after 200ms, 200  " + unreadable},
		"2xx": {answer: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", eventStream)
			w.WriteHeader(299)
			io.WriteString(w, "data: hey\n\n")
		}, want: "open 299 text/event-stream\nevent (-,-,hey)\nclosed"},
		"204":       {answer: refuses(204), want: "failure oksse: invalid content-type: none, 204  <nil>"},
		"cut off":   {answer: sends("data: a\n\ndata: hey"), want: "open 200 text/event-stream\nevent (-,-,a)\nclosed"},
		"upper":     {answer: typed("TEXT/Event-Stream;", ""), want: "open 200 TEXT/Event-Stream;\nclosed"},
		"too large": {answer: sends("data: " + strings.Repeat("x", DefaultMaxEventBytes)), want: "open 200 text/event-stream\nfailure oksse: an event is larger than the limit of 16777216 bytes (MaxEventBytes), 200  " + unreadable},
	} {
		t.Run(name, func(t *testing.T) {
			inScene(t, func(t *testing.T, s *scene) {
				s.client = s.client.With(c.opts...)
				source := s.hear(s.request(), s.listener())
				s.wantLog(c.want)
				if source.Request().Headers().Get("Accept") != eventStream {
					t.Error("no Accept header")
				}
			}, c.answer)
			if c.dialed {
				return
			}
			inScene(t, func(t *testing.T, s *scene) {
				resp, err := s.client.With(c.opts...).Do(t.Context(), s.request())
				if err != nil {
					t.Fatal(err)
				}
				ProcessResponse(resp, s.listener())
				s.wantLog(c.want)
			}, c.answer)
		})
	}
}

// A factory's limit is for lines and data, of a response that was there already too. The default is tried among the others.
func TestEventSourceLimit(t *testing.T) {
	const large = "failure oksse: an event is larger than the limit of 20 bytes (MaxEventBytes), 200  " + unreadable
	for _, c := range []struct {
		limit int
		want  string
	}{{20, "event (-,-,0123456789)\n" + large}, {-1, "event (-,-,0123456789)\nevent (-,-,0123456789abcdefg)\nclosed"}} {
		for _, process := range []bool{false, true} {
			inScene(t, func(t *testing.T, s *scene) {
				f := Factory{Caller: s.client, MaxEventBytes: c.limit}
				l := s.listener()
				failure := l.Failure
				l.Failure = func(source *EventSource, err error, resp *okhttp.Response) {
					failure(source, err, resp)
					if limit, ok := errors.AsType[*EventTooLargeError](err); !ok || limit.Limit != c.limit {
						t.Errorf("%#v", err)
					}
				}
				if process {
					resp, err := s.client.Do(t.Context(), s.request())
					if err != nil {
						t.Fatal(err)
					}
					f.ProcessResponse(resp, l)
				} else {
					<-f.NewEventSource(t.Context(), s.request(), l).Done()
				}
				s.wantLog("open 200 text/event-stream\n" + c.want)
			}, sends("data: 0123456789\n\ndata: 0123456789abcdefg\n\n"))
		}
	}
}

// A broken stream is a failure with the response, whose body was the stream.
func TestEventSourceBroken(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		s.hear(s.request(), s.listener())
		s.mu.Lock()
		defer s.mu.Unlock()
		if n := len(s.log); n != 3 || s.log[1] != "event (-,-,a)" || !strings.HasPrefix(s.log[2], "failure okhttp: GET") || !strings.HasSuffix(s.log[2], ", 200  "+unreadable) {
			t.Errorf("noted %q", s.log)
		}
	}, breaks("data: a\n\ndata: b\n"))
}

// Fact 31: canceled in a callback, no event follows. So does Cancel from elsewhere, and at any other time.
func TestEventSourceCancel(t *testing.T) {
	const canceled = "failure oksse: canceled, 200  " + unreadable
	for name, c := range map[string]struct {
		in, want string
	}{
		"open":   {"open", "open\n" + canceled},
		"event":  {"event", "open\nevent (-,-,a)\n" + canceled},
		"later":  {"", "open\nevent (-,-,a)\nevent (-,-,b)\n" + canceled},
		"closed": {"closed", "open\nevent (-,-,a)\nevent (-,-,b)\nclosed"},
	} {
		answer := stays("data: a\n\ndata: b\n\n")
		if name == "closed" {
			answer = sends("data: a\n\ndata: b\n\n")
		}
		for _, process := range []bool{false, true} {
			inScene(t, func(t *testing.T, s *scene) {
				l := s.listener()
				opened := make(chan *EventSource, 1)
				cancel := func(source *EventSource, now string) {
					if now == c.in {
						source.Cancel()
						source.Cancel()
					}
				}
				l.Open = func(source *EventSource, _ *okhttp.Response) {
					opened <- source
					s.note("open")
					cancel(source, "open")
				}
				event, closed := l.Event, l.Closed
				l.Event = func(source *EventSource, e Event) { event(source, e); cancel(source, "event") }
				l.Closed = func(source *EventSource) { closed(source); cancel(source, "closed") }
				failure := l.Failure
				l.Failure = func(source *EventSource, err error, resp *okhttp.Response) {
					failure(source, err, resp)
					if !errors.Is(err, ErrCanceled) {
						t.Errorf("error %v", err)
					}
				}
				if c.in == "" {
					go func() {
						source := <-opened
						time.Sleep(time.Second)
						source.Cancel()
					}()
				}
				if process {
					resp, err := s.client.Do(t.Context(), s.request())
					if err != nil {
						t.Fatal(err)
					}
					ProcessResponse(resp, l)
				} else {
					s.hear(s.request(), l)
				}
				s.wantLog(c.want)
				if since := time.Since(s.start); since > time.Second {
					t.Errorf("took %v", since)
				}
			}, answer)
		}
	}
}

// Canceled before anything was there: no OnOpen.
func TestEventSourceCanceledEarly(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		var got error
		source := Factory{Caller: s.client}.NewEventSource(t.Context(), s.request(), ListenerFuncs{
			Open:    func(*EventSource, *okhttp.Response) { t.Error("open") },
			Failure: func(_ *EventSource, err error, resp *okhttp.Response) { got = err },
		})
		synctest.Wait()
		source.Cancel()
		<-source.Done()
		if !errors.Is(got, ErrCanceled) || !errors.Is(got, okhttp.ErrCanceled) {
			t.Error(got)
		}
	}, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
}

// A response made by hand has no call. Canceling it is seen between events.
func TestProcessResponseByHand(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		resp := okhttp.NewResponse(s.request(), 200, okhttp.ResponseBodyFrom("text/event-stream", -1, okioSource("data: a\n\ndata: b\n\n")))
		l := s.listener()
		l.Event = func(source *EventSource, e Event) { s.note("event %s", e.Data); source.Cancel() }
		ProcessResponse(resp, l)
		s.wantLog("open 200 text/event-stream\nevent a\nfailure oksse: canceled, 200  " + unreadable)
	}, sends(""))
}

// Fact 38, and that nothing else is added.
func TestEventSourceHeaders(t *testing.T) {
	for _, accept := range []string{"", "text/plain"} {
		var got http.Header
		inScene(t, func(t *testing.T, s *scene) {
			want, opts := "text/event-stream", []okhttp.RequestOption(nil)
			if accept != "" {
				want, opts = accept, []okhttp.RequestOption{okhttp.Header("Accept", accept)}
			}
			s.hear(s.request(opts...), ListenerFuncs{})
			if fmt.Sprint(got["Accept"]) != "["+want+"]" || got["Cache-Control"] != nil || got["Last-Event-Id"] != nil {
				t.Errorf("headers %v", got)
			}
		}, func(w http.ResponseWriter, r *http.Request) { got = r.Header; sends("data: a\n\n")(w, r) })
	}
}

// Fact 39: the events of a call, in OkHttp's order.
func TestEventSourceEvents(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		say := func(name string) func(*okhttp.Call) { return func(*okhttp.Call) { s.note("%s", name) } }
		s.client = s.client.With(okhttp.WithEventListener(func(*okhttp.Call) *okhttp.EventListener {
			return &okhttp.EventListener{
				CallStart:            func(okhttp.CallStart) { s.note("callStart") },
				ProxySelectStart:     func(okhttp.ProxySelect) { s.note("proxySelectStart") },
				ProxySelectEnd:       func(okhttp.ProxySelect) { s.note("proxySelectEnd") },
				DNSStart:             func(okhttp.DNSEvent) { s.note("dnsStart") },
				DNSEnd:               func(okhttp.DNSEvent) { s.note("dnsEnd") },
				ConnectStart:         func(okhttp.ConnectEvent) { s.note("connectStart") },
				ConnectEnd:           func(okhttp.ConnectEvent) { s.note("connectEnd") },
				ConnectionAcquired:   func(okhttp.ConnectionEvent) { s.note("connectionAcquired") },
				RequestHeadersStart:  say("requestHeadersStart"),
				RequestHeadersEnd:    func(okhttp.RequestHeadersEnd) { s.note("requestHeadersEnd") },
				ResponseHeadersStart: say("responseHeadersStart"),
				ResponseHeadersEnd:   func(okhttp.ResponseHeadersEnd) { s.note("responseHeadersEnd") },
				FollowUpDecision:     func(okhttp.FollowUpDecision) { s.note("followUpDecision") },
				ResponseBodyStart:    say("responseBodyStart"),
				ResponseBodyEnd:      func(okhttp.BodyEnd) { s.note("responseBodyEnd") },
				ConnectionReleased:   func(okhttp.ConnectionEvent) { s.note("connectionReleased") },
				CallEnd:              func(okhttp.CallEnd) { s.note("callEnd") },
				CallFailed:           func(f okhttp.Failure) { s.note("callFailed %v", f.Err) },
				Canceled:             say("canceled"),
			}
		}), okhttp.WithDNS(okhttp.DNSFunc(addresses)))
		req, err := okhttp.NewRequest("GET", "http://server.test/stream")
		if err != nil {
			t.Fatal(err)
		}
		s.hear(req, s.listener())
		s.wantLog(`
			callStart
			proxySelectStart
			proxySelectEnd
			dnsStart
			dnsEnd
			connectStart
			connectEnd
			connectionAcquired
			requestHeadersStart
			requestHeadersEnd
			responseHeadersStart
			responseHeadersEnd
			followUpDecision
			open 200 text/event-stream
			responseBodyStart
			event (-,-,a)
			responseBodyEnd
			connectionReleased
			callEnd
			closed`)
	}, then("data: a\n\n", time.Second, ""))
}

// Fact 40: the answer is looked at first, and handed over.
func TestProcessResponse(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		resp, err := s.client.Do(t.Context(), s.request())
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); resp.Status != 401 || text != `{"error":"no"}` || err != nil {
			t.Errorf("%d, %q, %v", resp.Status, text, err)
		}
		again, err := s.client.Do(t.Context(), s.request(okhttp.Header("Authorization", "mine")))
		if err != nil {
			t.Fatal(err)
		}
		ProcessResponse(again, s.listener())
		s.wantLog("open 200 text/event-stream\nevent (-,-,hey)\nclosed")
	}, unauthorized(sends("data: hey\n\n")))
}

// Fact 42: a listener that panics fails the stream, and the server sees the connection end.
func TestListenerPanics(t *testing.T) {
	for _, in := range []string{"open", "event"} {
		gone := make(chan struct{})
		inScene(t, func(t *testing.T, s *scene) {
			var got error
			l := ListenerFuncs{
				Closed:  func(*EventSource) { t.Error("closed") },
				Failure: func(_ *EventSource, err error, resp *okhttp.Response) { got = err },
			}
			if in == "open" {
				l.Open = func(*EventSource, *okhttp.Response) { panic("mine") }
			} else {
				l.Event = func(*EventSource, Event) { panic("mine") }
			}
			s.hear(s.request(), l)
			var panicked *okhttp.PanicError
			if !errors.As(got, &panicked) || panicked.Value != "mine" {
				t.Errorf("in %s: %v", in, got)
			}
			<-gone
		}, func(w http.ResponseWriter, r *http.Request) { stays("data: a\n\n")(w, r); close(gone) })
	}
}

// Streams give up their place in the dispatcher once they are open, unless they are to keep it.
func TestEventSourceSlots(t *testing.T) {
	for _, hold := range []bool{false, true} {
		inScene(t, func(t *testing.T, s *scene) {
			d := okhttp.NewDispatcher(okhttp.DispatcherConfig{MaxRequestsPerHost: 2})
			f := Factory{Caller: s.client.With(okhttp.WithDispatcher(d)), HoldSlot: hold}
			var sources []*EventSource
			for range 5 {
				sources = append(sources, f.NewEventSource(t.Context(), s.request(), s.listener()))
			}
			synctest.Wait()
			want, stats := 5, okhttp.DispatcherStats{}
			if hold {
				want, stats = 2, okhttp.DispatcherStats{Running: 2, Queued: 3}
			}
			s.mu.Lock()
			opened := strings.Count(strings.Join(s.log, "\n"), "open")
			s.mu.Unlock()
			if got := d.Stats(); opened != want || got != stats {
				t.Errorf("hold %v: %d are open, %+v; want %d, %+v", hold, opened, got, want, stats)
			}
			for _, source := range sources {
				source.Cancel()
			}
			for _, source := range sources {
				<-source.Done()
			}
		}, stays("data: a\n\n"))
	}
}

// The context bounds the stream too.
func TestEventSourceContext(t *testing.T) {
	inScene(t, func(t *testing.T, s *scene) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var got error
		source := Factory{Caller: s.client}.NewEventSource(ctx, s.request(), ListenerFuncs{Failure: func(_ *EventSource, err error, _ *okhttp.Response) { got = err }})
		<-source.Done()
		if !errors.Is(got, os.ErrDeadlineExceeded) {
			t.Error(got)
		}
	}, stays("data: a\n\n"))
}
