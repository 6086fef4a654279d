package okhttp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// ends is how a call of a user ended: with an error, or with a panic on the user's goroutine.
type ends struct{ err, panicked any }

// ended runs a call to the end of its response.
func (w *world) ended(call *Call, enqueue bool, use func(*Response) error) ends {
	done := make(chan ends, 1)
	finish := func(resp *Response, err error) {
		e := ends{}
		defer func() {
			e.panicked = recover()
			done <- e
		}()
		if err == nil {
			defer resp.Body.Close()
			err = use(resp)
		}
		if err != nil {
			e.err = err
		}
	}
	if enqueue {
		call.Enqueue(w.t.Context(), finish)
		return <-done
	}
	func() {
		defer func() {
			if v := recover(); v != nil {
				done <- ends{panicked: v}
			}
		}()
		resp, err := call.Execute(w.t.Context())
		finish(resp, err)
	}()
	return <-done
}

// wantBoom checks how a call ended that something of the user's panicked in: the panic arrives, where Execute or the callback is, or else
// as the failure of an enqueued call, and nothing is left of the call.
func (w *world) wantBoom(e ends, enqueued bool) {
	w.t.Helper()
	err, _ := e.err.(error)
	var p *PanicError
	delivered := enqueued && errors.As(err, &p) && p.Value == "boom" && errors.As(err, new(*Error))
	if e.panicked != "boom" && !delivered {
		w.t.Errorf("ended with %v, panic %v", e.err, e.panicked)
	}
	w.stillWorks()
}

// stillWorks checks that no call is under way, that another one works, and that the client can be shut down.
func (w *world) stillWorks() {
	w.t.Helper()
	time.Sleep(2 * time.Second) // whatever else was in the dispatcher is over then
	w.holdsNothing()
	if got := w.client.cfg.dispatcher.Stats(); got != (DispatcherStats{}) {
		w.t.Errorf("dispatcher %+v", got)
	}
	w.serve("unused", "10.0.0.7", answer(okText("a"), okText("b")))
	plain := New(WithDialer(&w.network), WithPool(w.client.cfg.pool), WithDispatcher(w.client.cfg.dispatcher))
	for range 2 { // the second time over the same connection
		call := plain.NewCall(mustRequest(w.t, "GET", "http://10.0.0.7/"))
		if e := w.ended(call, true, readText); e != (ends{}) {
			w.t.Errorf("another call ended with %v", e)
		}
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	if err := w.client.Shutdown(ctx); err != nil {
		w.t.Errorf("Shutdown: %v", err)
	}
}

// A listener that panics, at any event and once or from then on, costs its call and nothing else.
func TestListenerPanics(t *testing.T) {
	told := map[string]bool{}
	for _, s := range scenes() {
		run := func(t *testing.T, enqueue bool, at func(n int) bool) (events int) {
			var opts []Option
			if s.opts != nil {
				opts = s.opts()
			}
			inWorld(t, func(t *testing.T, w *world) {
				s.serve(w)
				call := w.client.NewCall(s.request(w))
				call.AddEventListener(listenToAll(func(hook string, _ any) {
					told[hook] = true
					events++
					if at(events) {
						panic("boom")
					}
				}))
				use := s.use
				if use == nil {
					use = readText
				}
				e := w.ended(call, enqueue, use)
				if at(events) {
					w.wantBoom(e, enqueue)
				} else {
					w.stillWorks()
				}
			}, opts...)
			return events
		}
		for _, enqueue := range []bool{false, true} {
			how := map[bool]string{false: "Execute ", true: "Enqueue "}[enqueue]
			t.Run(how+s.name, func(t *testing.T) {
				total := run(t, enqueue, func(int) bool { return false })
				for i := 1; i <= total; i++ {
					run(t, enqueue, func(n int) bool { return n == i })
					run(t, enqueue, func(n int) bool { return n >= i })
					if t.Failed() {
						t.Fatalf("at event %d", i)
					}
				}
			})
		}
	}
	for i := range reflect.TypeFor[EventListener]().NumField() {
		if hook := reflect.TypeFor[EventListener]().Field(i).Name; !told[hook] {
			t.Errorf("%s is told in none of the scenes", hook)
		}
	}
}

type panickingJar struct{ http.CookieJar }

func (panickingJar) SetCookies(*url.URL, []*http.Cookie) { panic("boom") }

// closingSource is an empty body that notes its end.
type closingSource struct{ close func() }

func (closingSource) ReadBuffer(*okio.Buffer, int64) (int64, error) { return 0, io.EOF }
func (c closingSource) Close() error                                { c.close(); return nil }

// panickingCode is code of the user's that panics, in every place that has some.
type panickingCode struct {
	opt  Option
	body *Body
	url  string
}

func panickingCodes(t *testing.T, clientTLS *tls.Config, boom func()) map[string]panickingCode {
	before := func(context.Context, Chain) (*Response, error) { boom(); return nil, nil }
	after := func(ctx context.Context, c Chain) (*Response, error) {
		resp, err := onward(ctx, c)
		if err == nil {
			boom()
		}
		return resp, err
	}
	inBody := func(ctx context.Context, c Chain) (*Response, error) {
		resp, err := onward(ctx, c)
		if err == nil {
			resp.Body.Read(make([]byte, 1))
			boom()
		}
		return resp, err
	}
	// A body that is closed because its call was canceled.
	inClose := func(_ context.Context, c Chain) (*Response, error) {
		c.Call().Cancel()
		return NewResponse(c.Request(), 200, ResponseBodyFrom("", -1, closingSource{boom})), nil
	}
	clientTLS = clientTLS.Clone()
	clientTLS.VerifyConnection = func(tls.ConnectionState) error { boom(); return nil }
	authenticator := AuthenticatorFunc(func(context.Context, *Route, *Response) (*Request, error) { boom(); return nil, nil })
	open := func(context.Context) (io.ReadCloser, error) { boom(); return nil, nil }
	read := func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(readerFunc(func([]byte) (int, error) { boom(); return 0, nil })), nil
	}
	write := func(n int) func(context.Context, io.Writer) error {
		return func(_ context.Context, w io.Writer) error { w.Write(make([]byte, n)); boom(); return nil }
	}
	return map[string]panickingCode{
		"interceptor":                                {opt: intercept(before)},
		"interceptor that proceeded":                 {opt: intercept(after)},
		"interceptor that has begun to read":         {opt: intercept(inBody)},
		"network interceptor":                        {opt: interceptNetwork(before)},
		"network interceptor that proceeded":         {opt: interceptNetwork(after)},
		"network interceptor that has begun to read": {opt: interceptNetwork(inBody)},
		"cache":                      {opt: WithCache(InterceptorFunc(before))},
		"cache that proceeded":       {opt: WithCache(InterceptorFunc(after))},
		"resolver":                   {opt: WithDNS(DNSFunc(func(context.Context, string) ([]netip.Addr, error) { boom(); return nil, nil }))},
		"dialer":                     {opt: WithDialer(dialerFunc(func(context.Context, string, string) (net.Conn, error) { boom(); return nil, nil }))},
		"verification of TLS":        {opt: WithTLSConfig(clientTLS), url: "https://server.test/"},
		"cookie jar":                 {opt: WithCookieJar(panickingJar{newJar(t)})},
		"authenticator":              {opt: WithAuthenticator(authenticator)},
		"Open of a body":             {body: mustBody(t, BodyConfig{Len: 1, Open: open})},
		"Read of a body":             {body: mustBody(t, BodyConfig{Len: 1, Open: read})},
		"Write of a body":            {body: Streamed("", write(0))},
		"Write of a body after much": {body: Streamed("", write(1<<20))},
		"progress":                   {body: Progress(Text("x"), func(int64, int64) { boom() })},
		"Close of a response's body": {opt: intercept(inClose)},
	}
}

func (w *world) servePanics(c panickingCode, serverTLS *tls.Config) *Call {
	script := func(p *peer) {
		p.in.Peek(1)
		p.send("HTTP/1.1 401 X\r\nSet-Cookie: a=b\r\nContent-Length: 2\r\n\r\nno")
		io.Copy(io.Discard, p.in)
	}
	w.serve("server.test", "10.0.0.1", script)
	w.serveAt("10.0.0.1:443", serverTLS, script)
	at, method := c.url, "GET"
	if at == "" {
		at = "http://server.test/"
	}
	if c.body != nil {
		method = "PUT"
	}
	return w.client.NewCall(mustRequest(w.t, method, at, WithBody(c.body)))
}

// So does any other code of the user's that runs during a call.
func TestUserCodePanics(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	for name, c := range panickingCodes(t, clientTLS, func() { panic("boom") }) {
		for _, enqueue := range []bool{false, true} {
			t.Run(map[bool]string{false: "Execute ", true: "Enqueue "}[enqueue]+name, func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					call := w.servePanics(c, serverTLS)
					w.wantBoom(w.ended(call, enqueue, readText), enqueue)
				}, c.opt)
			})
		}
	}
	t.Run("idle callback", func(t *testing.T) { // of a call whose response is ready by then
		once := true
		d := NewDispatcher(DispatcherConfig{OnIdle: func() {
			if once {
				once = false
				panic("boom")
			}
		}})
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(okText("x")))
			w.wantBoom(w.ended(w.client.NewCall(plainGET(w)), false, readText), false)
		}, WithDispatcher(d))
	})
}

// Code that ends its goroutine, as t.FailNow does, is no different.
func TestUserCodeEndsTheGoroutine(t *testing.T) {
	serverTLS, clientTLS := tlsFor("server.test")
	for name, c := range panickingCodes(t, clientTLS, runtime.Goexit) {
		if name == "cookie jar" {
			continue // it panics
		}
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				call := w.servePanics(c, serverTLS)
				gone := make(chan struct{})
				go func() {
					defer close(gone)
					_, err := call.Execute(t.Context())
					t.Errorf("Execute returned %v", err)
				}()
				<-gone
				w.stillWorks()
			}, c.opt)
			inWorld(t, func(t *testing.T, w *world) {
				e := w.ended(w.servePanics(c, serverTLS), true, readText)
				err, _ := e.err.(error)
				var p *PanicError
				if !errors.As(err, &p) || p.Value != nil || !strings.Contains(err.Error(), "the goroutine of the call was ended") {
					t.Errorf("ended with %v", e)
				}
				w.stillWorks()
			}, c.opt)
		})
	}
}

// What a server may have seen is not hidden by a panic.
func TestPanicAfterSending(t *testing.T) {
	for name, c := range map[string]struct {
		at   string
		safe bool
	}{
		"before connecting": {"dnsStart", true}, "before sending": {"connectionAcquired", true}, "after sending": {"responseHeadersStart", false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answer(okText("x")))
				call := w.client.NewCall(plainGET(w))
				call.AddEventListener(listenToAll(func(hook string, event any) {
					if eventText(hook, event) == c.at {
						panic("boom")
					}
				}))
				if err, _ := w.ended(call, true, readText).err.(error); err == nil || SafeToRetry(err) != c.safe {
					t.Errorf("error %v, safe to retry %v", err, SafeToRetry(err))
				}
			})
		})
	}
}

// A response of the cache is closed when a panic passes by: its entry may be locked until then.
func TestPanicClosesTheResponseOfTheCache(t *testing.T) {
	closed := 0
	cache := cacheFunc(func(_ context.Context, c Chain, _ *EventListener) (*Response, error) {
		return NewResponse(c.Request(), 200, ResponseBodyFrom("", -1, closingSource{func() { closed++ }})), nil
	})
	inWorld(t, func(t *testing.T, w *world) {
		call := w.client.NewCall(plainGET(w), cache)
		call.AddEventListener(&EventListener{FollowUpDecision: func(FollowUpDecision) { panic("boom") }})
		w.wantBoom(w.ended(call, false, readText), false)
	})
	if closed != 1 {
		t.Errorf("closed %d times", closed)
	}
}

// Close ends every call although a listener panics when its own is canceled.
func TestListenerPanicsInClose(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", repeat(3, answer())...)
		var all []<-chan outcome
		for range 3 {
			call := w.client.NewCall(plainGET(w))
			call.AddEventListener(&EventListener{Canceled: func(*Call) { panic("boom") }})
			all = append(all, w.enqueued(t.Context(), call))
		}
		synctest.Wait()
		func() {
			defer func() {
				if v := recover(); v != "boom" {
					t.Errorf("recovered %v", v)
				}
			}()
			w.client.Close()
		}()
		for _, c := range all {
			if o := <-c; !errors.Is(o.err, ErrCanceled) {
				t.Errorf("outcome %+v", o)
			}
		}
		synctest.Wait()
		w.holdsNothing()
		if got := w.client.cfg.pool.Stats(); got != (PoolStats{}) {
			t.Errorf("pool %+v", got)
		}
	})
}

// The listener of a leaked call panics on somebody else's goroutine, whom it does not concern.
func TestListenerOfALeakPanics(t *testing.T) {
	var lines logLines
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", repeat(2, answer(okText("hello")))...)
		w.serve("other.test", "10.0.0.2", answer(okText("x")))
		for range 2 {
			call := w.client.NewCall(plainGET(w))
			call.AddEventListener(&EventListener{ResponseFailed: func(Failure) { panic("boom") }})
			if _, err := call.Execute(t.Context()); err != nil {
				t.Fatal(err)
			}
			call.exchange.leak.Stop()
			call.exchange.leaked() // as the garbage collector would
		}
		w.want("200 x")(w.get("http://other.test/"))
		if got := strings.Count(lines.String(), "level=ERROR msg=\"okhttp: a listener panicked when its call was leaked\" panic=boom"); got != 2 {
			t.Errorf("logged %s", lines.String())
		}
		w.stillWorks()
	}, WithLogger(slog.New(slog.NewTextHandler(&lines, nil))))
}

// A body that is written panics on a goroutine of ours when it is opened for reading: the reader is told.
func TestOpenedBodyPanics(t *testing.T) {
	r, err := Streamed("", func(_ context.Context, w io.Writer) error { io.WriteString(w, "some"); panic("boom") }).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := io.ReadAll(r)
	var pe *PanicError
	if string(p) != "some" || !errors.As(err, &pe) || pe.Value != "boom" {
		t.Errorf("read %q, %v", p, err)
	}
}

// Fact 18, as Go has it: a panic of the callback is nobody's to handle. It comes to its program's end, once and with what was thrown, and
// nothing of the call is written anywhere.
func TestCallbackPanics(t *testing.T) {
	const inside = "OKHTTP_TEST_CALLBACK_PANICS"
	if os.Getenv(inside) != "" {
		client := New(intercept(func(_ context.Context, c Chain) (*Response, error) { return NewResponse(c.Request(), 204), nil }))
		client.NewCall(mustRequest(t, "GET", "http://server.test/secret")).Enqueue(t.Context(), func(*Response, error) {
			fmt.Fprintln(os.Stderr, "called back")
			panic("boom")
		})
		select {}
	}
	self, err := os.Executable()
	if err != nil {
		t.Skip("the test cannot run itself: ", err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestCallbackPanics$")
	cmd.Env = append(os.Environ(), inside+"=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || strings.Count(string(out), "called back\n") != 1 || !strings.Contains(string(out), "panic: boom\n") || strings.Contains(string(out), "secret") {
		t.Errorf("%v\n%s", err, out)
	}
}
