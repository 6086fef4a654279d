package okhttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// Section 14.4: the orders that the tests of calls, redirects, bodies, interceptors and TLS do not show already.
func TestEventOrders(t *testing.T) {
	const sent = "requestHeadersStart requestHeadersEnd "
	const failedHead = newConnection80 + sent + "responseFailed retryDecision false connectionReleased callFailed"
	for name, c := range map[string]struct {
		script func(*peer)
		want   string
	}{
		"the head is malformed": {answer("HTTP/1.1 20 OK\r\n\r\n"), failedHead},
		"the head is cut short": {answerAndClose("HTTP/1.1 200 OK\r\nContent-"), failedHead},
		"no head comes":         {answer(), failedHead},
		"the head comes late, after others": {answer("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\n\r\n" + okText("")),
			newConnection80 + sent + "responseHeadersStart informational 100 informational 103 responseHeadersEnd responseBodyStart responseBodyEnd 0 " +
				"followUpDecision false connectionReleased callEnd"},
		"only others come": {answer("HTTP/1.1 100 Continue\r\n\r\n"),
			newConnection80 + sent + "responseHeadersStart informational 100 responseFailed retryDecision false connectionReleased callFailed"},
		"the head promises what it must not": {answer("HTTP/1.1 204 X\r\nContent-Length: 1\r\n\r\n"), failedHead},
		"the first read fails": {answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
			newConnection80 + exchanged + "followUpDecision false responseFailed connectionReleased callFailed"},
		"a later read fails": {answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\nzz\r\n"),
			newConnection80 + exchanged + "followUpDecision false responseBodyStart responseFailed connectionReleased callFailed"},
		"an empty body in chunks": {answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
			newConnection80 + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 0 connectionReleased callEnd"},
		"a body to the end": {answerAndClose("HTTP/1.1 200 OK\r\n\r\nhello"),
			newConnection80 + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 5 connectionReleased callEnd"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", c.script)
				w.get("http://server.test/")
				w.wantEvents(c.want)
				w.holdsNothing()
			})
		})
	}
}

// The end of a body is told with the read that delivers its last byte, not with the one after it.
func TestEventsOfTheLastByte(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("hello")))
		resp := w.executed()
		if _, err := io.ReadFull(resp.Body, make([]byte, 5)); err != nil {
			t.Fatal(err)
		}
		w.wantEvents(newConnection80 + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 5 connectionReleased callEnd")
		resp.Body.Close()
		w.wantEvents("")
	})
}

// A request that fails is told of once, wherever its writing broke.
func TestEventsOfAFailedRequest(t *testing.T) {
	const head = newConnection80 + "requestHeadersStart requestHeadersEnd "
	const failed = "responseFailed retryDecision false connectionReleased callFailed"
	broken := func(w *world) Dialer {
		return dialerFunc(func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := w.network.DialContext(ctx, network, address)
			return brokenConn{conn}, err
		})
	}
	stubborn := Streamed("", func(_ context.Context, w io.Writer) error {
		for range 10 {
			w.Write(make([]byte, 100_000)) // and does not look at what comes of it
		}
		return nil
	})
	for name, c := range map[string]struct {
		opt  func(*world) CallOption
		body *Body
		want string
	}{
		"a head that cannot be sent": {func(*world) CallOption { return WithCookieJar(new(spyJar).with("a", "\r\n")) }, Text("x"),
			newConnection80 + "requestHeadersStart requestFailed retryDecision false connectionReleased callFailed"},
		"in the last flush": {func(w *world) CallOption { return WithDialer(broken(w)) }, Text("x"),
			head + "requestBodyStart requestBodyEnd 1 requestFailed " + failed},
		"in several writes": {func(w *world) CallOption { return WithDialer(broken(w)) }, stubborn,
			head + "requestBodyStart requestFailed " + failed},
		"not at all": {func(*world) CallOption { return nil }, Streamed("", func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, "hello") // the bytes of the body count, not those of its chunks
			return err
		}), head + "requestBodyStart requestBodyEnd 5 " + failed},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", func(p *peer) { p.request() })
				if _, err := w.do("POST", "http://server.test/", c.body, c.opt(w)); err == nil {
					t.Error("no error")
				}
				w.wantEvents(c.want)
				w.holdsNothing()
			})
		})
	}
}

// What an interceptor began to read and then dropped has an end, before the connection is released.
func TestEventsOfADroppedResponse(t *testing.T) {
	why := errors.New("not good enough")
	begin := func(resp *Response, err error) (*Response, error) {
		if err == nil {
			resp.Body.Read(make([]byte, 2))
			err = why
		}
		return nil, err
	}
	drop := func(ctx context.Context, c Chain) (*Response, error) { return begin(onward(ctx, c)) }
	for name, c := range map[string]struct {
		opt  Option
		want string
	}{
		"by an application interceptor": {intercept(drop), "followUpDecision false responseBodyStart responseBodyEnd 2 connectionReleased callFailed"},
		"by a network interceptor":      {interceptNetwork(drop), "responseBodyStart responseBodyEnd 2 retryDecision false connectionReleased callFailed"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answer(okText("hello")))
				if _, err := w.get("http://server.test/"); !errors.Is(err, why) {
					t.Errorf("error %v", err)
				}
				w.wantEvents(newConnection80 + exchanged + c.want)
				w.holdsNothing()
			}, c.opt)
		})
	}
	t.Run("for another in its place, which redirects", func(t *testing.T) {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer("HTTP/1.1 302 X\r\nLocation: /b\r\nContent-Length: 4\r\n\r\nbody"), answer(okText("")))
			w.want("200 ")(w.get("http://server.test/"))
			w.wantEvents(newConnection80 + exchanged + "responseBodyStart responseBodyEnd 2 followUpDecision true connectionReleased proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd " +
				"connectionAcquired " + exchanged + "responseBodyStart responseBodyEnd 0 followUpDecision false connectionReleased callEnd")
		}, interceptNetwork(func(ctx context.Context, c Chain) (*Response, error) {
			resp, err := onward(ctx, c)
			if err == nil && resp.Status == 302 {
				resp.Body.Read(make([]byte, 2))
				resp = resp.With(ResponseBodyFrom("", 0, new(okio.Buffer)))
			}
			return resp, err
		}))
	})
	t.Run("after an upgrade", func(t *testing.T) {
		var socket okio.Socket
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", switchAnd("welcome", echoLines))
			if _, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/", Upgrade("echo"))); !errors.Is(err, why) {
				t.Errorf("error %v", err)
			}
			w.wantEvents(upgradeAccepted + "responseBodyStart responseBodyEnd 7 connectionReleased callFailed")
			var b okio.Buffer
			if _, err := socket.Source().ReadBuffer(&b, 1); !errors.Is(err, okio.ErrClosed) {
				t.Errorf("read %v", err)
			}
			if err := socket.Sink().WriteBuffer(&b, 0); !errors.Is(err, okio.ErrClosed) {
				t.Errorf("write %v", err)
			}
			socket.Sink().Close()
			w.wantEvents("")
			w.holdsNothing()
		}, intercept(func(ctx context.Context, c Chain) (*Response, error) {
			resp, err := onward(ctx, c)
			if err == nil {
				socket, _ = resp.Socket()
				hear(t, socket, "welcome")
				err = why
			}
			return nil, err
		}))
	})
}

// What the events carry.
func TestEventContents(t *testing.T) {
	var log []string
	say := func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
	inWorld(t, func(t *testing.T, w *world) {
		serverTLS, _ := tlsFor("server.test")
		w.resolve("server.test", "10.0.0.9")
		w.serveTLS("server.test", "10.0.0.1", serverTLS, func(p *peer) {
			p.request()
			p.send("HTTP/1.1 103 Hints\r\nLink: x\r\n\r\n" + redirectText(302, "/b"))
			p.request() // and closes
		}, answer(okText("hello")))
		var call *Call
		_, clientTLS := tlsFor()
		client := w.with(WithTLSConfig(clientTLS), WithEventListener(func(c *Call) *EventListener {
			call = c
			is := func(name string, got *Call) {
				if got != c {
					t.Errorf("%s of another call", name)
				}
			}
			return &EventListener{
				CallStart: func(e CallStart) { is("CallStart", e.Call) },
				DNSStart:  func(e DNSEvent) { is("DNSStart", e.Call); say("dns %s %v", e.Host, e.Addrs) },
				DNSEnd:    func(e DNSEvent) { is("DNSEnd", e.Call); say("dns %s %v", e.Host, e.Addrs) },
				ConnectStart: func(e ConnectEvent) {
					is("ConnectStart", e.Call)
					say("connect %s %s %q %v %v", e.Route.Host(), e.Route, e.Protocol, e.Handshake != nil, e.Err)
				},
				SecureConnectStart: func(e ConnectEvent) { is("SecureConnectStart", e.Call); say("tls %s", e.Route) },
				SecureConnectEnd:   func(e ConnectEvent) { is("SecureConnectEnd", e.Call); say("tls %s %s", e.Route, e.Handshake.Version) },
				ConnectEnd: func(e ConnectEvent) {
					is("ConnectEnd", e.Call)
					say("connected %s %s %v", e.Route, e.Protocol, e.Handshake != nil)
				},
				ConnectFailed: func(e ConnectEvent) {
					is("ConnectFailed", e.Call)
					say("failed %s %q %v", e.Route, e.Protocol, e.Err != nil)
				},
				ConnectionAcquired: func(e ConnectionEvent) {
					is("ConnectionAcquired", e.Call)
					say("acquired %s %s %v %v", e.Connection.RemoteAddr(), e.Connection.Protocol(), e.Connection.TLS() != nil, e.Connection.LocalAddr() != nil)
				},
				ConnectionReleased:  func(e ConnectionEvent) { is("ConnectionReleased", e.Call); say("released %s", e.Connection.Route()) },
				RequestHeadersStart: func(c *Call) { is("RequestHeadersStart", c) },
				RequestHeadersEnd: func(e RequestHeadersEnd) {
					is("RequestHeadersEnd", e.Call)
					say("sent %s %s", e.Request.URL(), e.Request.Headers().Get("Host"))
				},
				ResponseHeadersStart: func(c *Call) { is("ResponseHeadersStart", c) },
				Informational: func(e InformationalEvent) {
					is("Informational", e.Call)
					say("informational %d %s", e.Status, e.Headers.Get("Link"))
				},
				ResponseHeadersEnd: func(e ResponseHeadersEnd) {
					is("ResponseHeadersEnd", e.Call)
					_, err := e.Response.Body.Bytes()
					say("head %d %v", e.Response.Status, errors.Is(err, ErrUnreadableBody))
				},
				ResponseBodyStart: func(c *Call) { is("ResponseBodyStart", c) },
				ResponseBodyEnd:   func(e BodyEnd) { is("ResponseBodyEnd", e.Call); say("body %d", e.Bytes) },
				ResponseFailed: func(e Failure) {
					is("ResponseFailed", e.Call)
					say("response failed %v", errors.Is(e.Err, io.ErrUnexpectedEOF))
				},
				RetryDecision: func(e RetryDecision) {
					is("RetryDecision", e.Call)
					say("retry %v %v", e.Retry, errors.Is(e.Err, io.ErrUnexpectedEOF))
				},
				FollowUpDecision: func(e FollowUpDecision) {
					is("FollowUpDecision", e.Call)
					if e.Next != nil {
						say("next %s after %d", e.Next.URL(), e.Response.Status)
					}
				},
				CallEnd:    func(e CallEnd) { is("CallEnd", e.Call); say("end") },
				CallFailed: func(e Failure) { is("CallFailed", e.Call); say("failed: %v", e.Err) },
			}
		}))
		req := mustRequest(t, "GET", "https://server.test/a")
		resp, err := client.Do(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); text != "hello" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		if call == nil || call.Request() != req {
			t.Error("the factory got another call")
		}
	})
	const route = "server.test at 10.0.0.1:443"
	const connecting = "connect server.test " + route + " \"\" false <nil>|tls " + route + "|tls " + route + " TLSv1.3|connected " + route + " http/1.1 true|acquired 10.0.0.1:443 http/1.1 true true"
	const looking = "dns server.test []|dns server.test [10.0.0.9 10.0.0.1]"
	const dead = "connect server.test server.test at 10.0.0.9:443 \"\" false <nil>|failed server.test at 10.0.0.9:443 \"\" true"
	want := strings.Join([]string{looking, dead, connecting,
		"sent https://server.test/a server.test", "informational 103 x", "head 302 true", "body 0", "next https://server.test/b after 302",
		"sent https://server.test/b server.test", "response failed true", "retry true true", "released " + route,
		looking, connecting, // the address that failed is tried after the other now
		"sent https://server.test/b server.test", "head 200 true", "body 5", "released " + route, "end"}, "|")
	if got := strings.Join(log, "|"); got != want {
		t.Errorf("events\n  %s\nwant\n  %s", strings.ReplaceAll(got, "|", "\n  "), strings.ReplaceAll(want, "|", "\n  "))
	}
}

// fillListener sets every hook of a listener to a function that notes its name.
func fillListener(note func(string)) *EventListener {
	return listenToAll(func(hook string, _ any) { note(hook) })
}

func callHook(l *EventListener, i int) {
	hook := reflect.ValueOf(l).Elem().Field(i)
	if !hook.IsNil() {
		hook.Call([]reflect.Value{reflect.Zero(hook.Type().In(0))})
	}
}

func TestTeeEvents(t *testing.T) {
	var log []string
	note := func(who string) func(string) { return func(name string) { log = append(log, who+name) } }
	a, b, c := fillListener(note("a")), fillListener(note("b")), fillListener(note("c"))
	all := TeeEvents(a, nil, b, c)
	kind := reflect.TypeFor[EventListener]()
	for i := range kind.NumField() {
		log = nil
		callHook(all, i)
		name := kind.Field(i).Name
		if want := []string{"a" + name, "b" + name, "c" + name}; !slices.Equal(log, want) {
			t.Errorf("%s told %q, want %q", name, log, want)
		}
		for _, half := range []*EventListener{TeeEvents(a, &EventListener{}), TeeEvents(&EventListener{}, a)} {
			log = nil
			callHook(half, i)
			if want := []string{"a" + name}; !slices.Equal(log, want) {
				t.Errorf("%s told %q, want %q", name, log, want)
			}
		}
		none := TeeEvents(&EventListener{}, &EventListener{})
		if !reflect.ValueOf(none).Elem().Field(i).IsNil() {
			t.Errorf("%s has a hook of nothing", name)
		}
	}
	if TeeEvents() != nil || TeeEvents(nil, nil) != nil || TeeEvents(nil, a, nil) != a {
		t.Error("nothing is not left out")
	}
}

// A factory runs once a call; listeners that are added hear what follows, and are not inherited.
func TestListenersOfACall(t *testing.T) {
	made := 0
	factory := WithEventListener(func(*Call) *EventListener {
		made++
		return nil
	})
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText("x"), okText("x")))
		call := w.client.NewCall(mustRequest(t, "GET", "http://server.test/"))
		var log []string
		call.AddEventListener(&EventListener{
			CallStart: func(e CallStart) {
				log = append(log, "a start")
				e.Call.AddEventListener(&EventListener{
					CallStart: func(CallStart) { log = append(log, "late start") },
					CallEnd:   func(CallEnd) { log = append(log, "late end") },
				})
			},
			CallEnd: func(CallEnd) { log = append(log, "a end") },
		})
		call.AddEventListener(nil)
		call.AddEventListener(&EventListener{CallStart: func(CallStart) { log = append(log, "b start") }, CallEnd: func(CallEnd) { log = append(log, "b end") }})
		resp, err := call.Execute(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if want := []string{"a start", "b start", "a end", "b end", "late end"}; !slices.Equal(log, want) {
			t.Errorf("told %q, want %q", log, want)
		}
		log = nil
		if resp, err = call.Clone().Execute(t.Context()); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if len(log) != 0 || made != 2 {
			t.Errorf("the clone told %q, %d listeners were made", log, made)
		}
	}, factory)
}

func TestLogEvents(t *testing.T) {
	var out bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", func(p *peer) {
			p.request()
			time.Sleep(time.Second)
			p.send(redirectText(302, "/secret-b"))
			p.request()
			p.send(okText("hello"))
			io.Copy(io.Discard, p.in)
		})
		req := mustRequest(t, "GET", "http://user:secret-c@server.test/secret-a?secret-d", Header("Authorization", "secret-e"))
		resp, err := w.client.Do(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		for i, want := range []string{
			`"okhttp: call start" method=GET url=http://server.test/... after=0s`, `"okhttp: proxy select start"`, `"okhttp: proxy select end" proxies=[direct]`, `"okhttp: dns start" host=server.test`, `"okhttp: dns end" addresses=[10.0.0.1]`,
			`"okhttp: connect start" route="server.test at 10.0.0.1:80"`, `"okhttp: connect end" protocol=http/1.1`, `"okhttp: connection acquired" route="server.test at 10.0.0.1:80"`,
			`"okhttp: request headers start"`, `"okhttp: request headers end"`, `"okhttp: response headers start" after=1s`, `"okhttp: response headers end" status=302`,
			`"okhttp: response body start"`, `"okhttp: response body end" bytes=0`, `okhttp: follow-up" method=GET url=http://server.test/...`,
			`"okhttp: request headers start"`, `"okhttp: request headers end"`, `"okhttp: response headers start"`, `"okhttp: response headers end" status=200`,
			`"okhttp: response body start"`, `"okhttp: response body end" bytes=5`, `"okhttp: connection released"`, `"okhttp: call end" after=1s`,
		} {
			want = strings.Replace(want, `okhttp: follow-up"`, `okhttp: follow-up`, 1)
			if i >= len(lines) || !strings.Contains(strings.Replace(lines[i], `"okhttp: follow-up"`, `okhttp: follow-up`, 1), want) || !strings.HasPrefix(lines[i], "level=DEBUG ") {
				t.Fatalf("line %d of\n%s\nwant %s", i, &out, want)
			}
		}
		out.Reset()
		if _, err := w.get("http://nowhere.test/secret-f"); err == nil {
			t.Error("no error")
		}
		if got := out.String(); !strings.Contains(got, `level=WARN msg="okhttp: call failed" error="okhttp: GET http://nowhere.test/...: dns:`) {
			t.Errorf("logged\n%s", got)
		}
		if strings.Contains(strings.Join(lines, " ")+out.String(), "secret") {
			t.Errorf("logged a secret:\n%s\n%s", lines, &out)
		}
	}, WithEventListener(LogEvents(logger)))
}

// The log of everything that can happen does not fail, on whatever values.
func TestLogEventsTakesEveryEvent(t *testing.T) {
	logger := slog.New(slog.DiscardHandler)
	client := New()
	defer client.Close()
	call := client.NewCall(mustRequest(t, "GET", "http://server.test/"))
	l := LogEvents(logger)(call)
	v := reflect.ValueOf(l).Elem()
	for i := range v.NumField() {
		if v.Field(i).IsNil() {
			t.Errorf("%s is not logged", v.Type().Field(i).Name)
		}
	}
	route := &Route{address: address{host: "server.test", port: 80}, socket: netip.MustParseAddrPort("10.0.0.1:80")}
	l.ConnectFailed(ConnectEvent{Route: route, Err: io.EOF})
	l.SecureConnectEnd(ConnectEvent{Route: route, Handshake: &Handshake{}})
	l.FollowUpDecision(FollowUpDecision{})
	l.RequestFailed(Failure{})
	l.Canceled(call)
}

// Without a logger the default one is used that there is when the call is made.
func TestLogEventsByDefault(t *testing.T) {
	factory := LogEvents(nil)
	var log strings.Builder
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	client := New()
	defer client.Close()
	call := client.NewCall(mustRequest(t, "GET", "http://server.test/"))
	factory(call).Canceled(call)
	if !strings.Contains(log.String(), "okhttp: ") {
		t.Errorf("logged %q", log.String())
	}
}

// Fact 16: canceling from inside a hook neither blocks nor harms later calls.
func TestCancelInsideAHook(t *testing.T) {
	kind := reflect.TypeFor[EventListener]()
	for i := range kind.NumField() {
		name := kind.Field(i).Name
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				serve := func(p *peer) {
					for r, _ := p.request(); r != nil; r, _ = p.request() {
						if r.Method == "POST" && r.RequestURI == "/" {
							p.send(redirectText(307, "/b"))
						} else {
							p.send("HTTP/1.1 103 Hints\r\n\r\n" + okText("y"))
						}
					}
				}
				w.serve("server.test", "10.0.0.1", serve, serve, serve)
				call := w.client.NewCall(mustRequest(t, "POST", "http://server.test/", WithBody(Text("x"))))
				l := new(EventListener)
				hook := reflect.ValueOf(l).Elem().Field(i)
				hook.Set(reflect.MakeFunc(hook.Type(), func([]reflect.Value) []reflect.Value {
					call.Cancel()
					return nil
				}))
				call.AddEventListener(l)
				resp, err := call.Execute(t.Context())
				if err == nil {
					resp.Body.Close()
				} else if !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
				w.holdsNothing()
				w.want("200 y")(w.get("http://server.test/y"))
			})
		})
	}
}
