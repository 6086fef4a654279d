package okhttp

import (
	"context"
	"errors"
	"io"
	"iter"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Answers join in as they arrive. IPv4 addresses that came first wait 50 ms for IPv6 ones (RFC 8305 section 3).
func TestAnswersOneByOne(t *testing.T) {
	const ms = time.Millisecond
	for name, tt := range map[string]struct {
		steps   []dnsStep
		dead    string
		live    string
		dials   string
		given   time.Duration // when the look-up was given up
		dnsEnds string
		opts    []CallOption
	}{
		"IPv6 first":               {[]dnsStep{{addrs: v6a}, {after: 20 * ms, addrs: v4a}}, "", v6a, "0s [fd00::1]", 0, v6a, nil},
		"IPv4 20 ms before IPv6":   {[]dnsStep{{addrs: v4a}, {after: 20 * ms, addrs: v6a}}, "", v6a, "20ms [fd00::1]", 0, v4a + " " + v6a, nil},
		"IPv4 50 ms before IPv6":   {[]dnsStep{{addrs: v4a}, {after: 51 * ms, addrs: v6a}}, "", v4a, "50ms 10.0.0.1", 50 * ms, v4a, nil},
		"IPv4 and then nothing":    {[]dnsStep{{addrs: v4a}, {after: 10 * time.Second}}, "", v4a, "50ms 10.0.0.1", 50 * ms, v4a, nil},
		"IPv4 and then the end":    {[]dnsStep{{addrs: v4a}, {after: 10 * ms}}, "", v4a, "10ms 10.0.0.1", 0, v4a, nil},
		"IPv4 and then a failure":  {[]dnsStep{{addrs: v4a}, {after: 10 * ms, err: errors.New("no AAAA")}}, "", v4a, "10ms 10.0.0.1", 0, v4a, nil},
		"IPv6 and then a failure":  {[]dnsStep{{addrs: v6a}, {after: 10 * ms, err: errors.New("no A")}}, v6a + "!", "", "0s [fd00::1]", 0, v6a, nil},
		"nothing and then IPv4":    {[]dnsStep{{}, {after: 30 * ms, addrs: v4a}, {after: time.Second}}, "", v4a, "80ms 10.0.0.1", 80 * ms, v4a, nil},
		"a slow one":               {[]dnsStep{{after: 3 * time.Second, addrs: v6a}}, "", v6a, "3s [fd00::1]", 0, v6a, nil},
		"IPv4 comes in between":    {[]dnsStep{{addrs: v6a + " " + v6b}, {after: 100 * ms, addrs: v4a}}, v6a, v4a, "0s [fd00::1], 250ms 10.0.0.1", 0, v6a + " " + v6b, nil},
		"IPv6 comes in between":    {[]dnsStep{{addrs: v4a + " " + v4b}, {after: 100 * ms, addrs: v6a}}, v4a, v6a, "50ms 10.0.0.1, 300ms [fd00::1]", 0, v4a + " " + v4b, nil},
		"more while nothing flies": {[]dnsStep{{addrs: v6a}, {after: 400 * ms, addrs: v6b}}, v6a + "!", v6b, "0s [fd00::1], 400ms [fd00::2]", 0, v6a, nil},
		"more while one flies":     {[]dnsStep{{addrs: v6a}, {after: 400 * ms, addrs: v6b}, {after: 5 * time.Second}}, v6a, v6b, "0s [fd00::1], 400ms [fd00::2]", 400 * ms, v6a, nil},
		"sequentially":             {[]dnsStep{{addrs: v4a}, {after: 20 * ms, addrs: v6a}}, v4a + "!", v6a, "0s 10.0.0.1, 20ms [fd00::1]", 0, v4a, []CallOption{WithFastFallback(false)}},
		"mapped IPv4":              {[]dnsStep{{addrs: "::ffff:10.0.0.1"}, {after: 20 * ms, addrs: v6a}}, "", v6a, "20ms [fd00::1]", 0, v4a + " " + v6a, nil},
		"the same address again":   {[]dnsStep{{addrs: v6a}, {after: 20 * ms, addrs: v6a + " " + v6b}}, v6a + "!", v6b, "0s [fd00::1], 20ms [fd00::2]", 0, v6a, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dns := &answers{steps: tt.steps}
			inDials(t, func(t *testing.T, w *world, d *dials) {
				if addr, refuses := strings.CutSuffix(tt.dead, "!"); refuses {
					d.script(refused(0), addr)
				} else if addr != "" {
					d.script(dead, addr)
				}
				if tt.live != "" {
					w.serve("live.test", tt.live, answer(okText("live")))
				}
				ends := ""
				call := w.client.NewCall(mustRequest(t, "GET", "http://server.test/"), tt.opts...)
				call.AddEventListener(&EventListener{DNSEnd: func(e DNSEvent) {
					ends += strings.Trim(strings.Join(addrTexts(e.Addrs), " "), " ") + ";"
				}})
				resp, err := call.Execute(t.Context())
				if tt.live == "" {
					var e *Error
					if !errors.As(err, &e) || e.Phase != PhaseConnect || !errors.Is(err, syscall.ECONNREFUSED) || len(e.Attempts) > 0 {
						t.Errorf("error %v", err)
					}
				} else if err != nil {
					t.Fatal(err)
				} else {
					resp.Body.Close()
				}
				w.wantDials(d, strings.Split(tt.dials, ", ")...)
				if ends != tt.dnsEnds+";" {
					t.Errorf("DNSEnd told of %q, want %q", ends, tt.dnsEnds)
				}
				synctest.Wait()
				if dns.canceled != tt.given {
					t.Errorf("the look-up was given up after %v, want %v", dns.canceled, tt.given)
				}
			}, WithDNS(dns))
		})
	}
}

func addrTexts(addrs []netip.Addr) (list []string) {
	for _, a := range addrs {
		list = append(list, a.String())
	}
	return list
}

// What fails before there is an address is the failure of the call.
func TestLookupFails(t *testing.T) {
	refusing := &net.DNSError{Err: "server misbehaving", Name: "server.test", Server: "10.9.9.9:53"}
	broken := errors.New("broken")
	for name, tt := range map[string]struct {
		steps []dnsStep
		took  time.Duration
		text  string
		is    error
	}{
		"at once":            {[]dnsStep{{err: refusing}}, 0, "unknown host server.test: server misbehaving", nil},
		"after a while":      {[]dnsStep{{after: time.Second, err: broken}}, time.Second, "unknown host server.test: broken", broken},
		"no addresses":       {[]dnsStep{{}}, 0, "unknown host server.test: no addresses", nil},
		"no answers":         {nil, 0, "unknown host server.test: no addresses", nil},
		"nothing, a failure": {[]dnsStep{{}, {after: time.Second, err: broken}}, time.Second, "unknown host server.test: broken", broken},
		"panic":              {[]dnsStep{{after: time.Second, panic: "resolver"}}, time.Second, "unknown host server.test: ", nil},
	} {
		t.Run(name, func(t *testing.T) {
			inDials(t, func(t *testing.T, w *world, d *dials) {
				_, err := w.get("http://server.test/")
				var e *Error
				var uh *UnknownHostError
				if !errors.As(err, &e) || e.Phase != PhaseDNS || !SafeToRetry(err) || !errors.As(err, &uh) || uh.Host != "server.test" || !strings.HasPrefix(e.Err.Error(), tt.text) {
					t.Errorf("error %v, want %s", err, tt.text)
				}
				if tt.is != nil && !errors.Is(err, tt.is) {
					t.Errorf("error %v is not %v", err, tt.is)
				}
				if name == "panic" {
					var pe *PanicError
					if !errors.As(err, &pe) || pe.Value != "resolver" {
						t.Errorf("error %v", err)
					}
				}
				w.wantSince(d.start, tt.took)
				w.wantEvents("callStart proxySelectStart proxySelectEnd dnsStart retryDecision false callFailed")
			}, WithDNS(&answers{steps: tt.steps}))
		})
	}
}

// A resolver that panics after it answered does not undo its answers.
func TestLookupPanicsLater(t *testing.T) {
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.serve("live.test", v4a, answer(okText("live")))
		w.want("200 live")(w.get("http://server.test/"))
		w.wantDials(d, "10ms 10.0.0.1")
	}, WithDNS(&answers{steps: []dnsStep{{addrs: v4a}, {after: 10 * time.Millisecond, panic: "resolver"}}}))
}

// A function that resolves runs on the goroutine of the call, where its panics belong.
func TestDNSFuncPanics(t *testing.T) {
	inDials(t, func(t *testing.T, w *world, d *dials) {
		defer func() {
			if v := recover(); v != "resolver" {
				t.Errorf("recovered %v", v)
			}
		}()
		w.get("http://server.test/")
	}, WithDNS(DNSFunc(func(context.Context, string) ([]netip.Addr, error) { panic("resolver") })))
}

// deafDNS does not care about its context.
type deafDNS time.Duration

func (d deafDNS) Lookup(context.Context, string) iter.Seq2[DNSAnswer, error] {
	return func(yield func(DNSAnswer, error) bool) {
		time.Sleep(time.Duration(d))
		yield(DNSAnswer{Addrs: []netip.Addr{netip.MustParseAddr(v4a)}}, nil)
	}
}

// The call ends at once, but Close waits for the resolver.
func TestLookupIgnoresItsContext(t *testing.T) {
	inDials(t, func(t *testing.T, w *world, d *dials) {
		call, done := w.enqueue(t.Context(), w.client, "http://server.test/")
		time.Sleep(time.Second)
		call.Cancel()
		var e *Error
		if o := <-done; !errors.Is(o.err, ErrCanceled) || !errors.As(o.err, &e) || e.Phase != PhaseDNS || o.at != time.Second {
			t.Errorf("outcome %+v", o)
		}
		_, err := w.get("http://server.test/", WithCallTimeout(time.Second))
		if !errors.Is(err, ErrCallTimeout) {
			t.Errorf("error %v", err)
		}
		w.wantSince(d.start, 2*time.Second)
		w.client.Close()
		w.wantSince(d.start, 8*time.Second) // the second look-up began at 1 s
		w.wantDials(d)
		if n := w.takeCanceled(); n != 1 {
			t.Errorf("%d canceled events", n)
		}
		w.wantEvents("callStart proxySelectStart proxySelectEnd dnsStart retryDecision false callFailed callStart proxySelectStart proxySelectEnd dnsStart retryDecision false callFailed")
	}, WithDNS(deafDNS(7*time.Second)))
}

// While a name is being resolved, another call gives a connection back: the next answer leads to it. The look-up has its end before the
// connection is acquired.
func TestPooledConnectionDuringLookup(t *testing.T) {
	for name, tt := range map[string]struct {
		steps []dnsStep
		took  time.Duration
	}{
		"address":              {[]dnsStep{{after: 100 * time.Millisecond, addrs: v6a}}, 100 * time.Millisecond},
		"of the second family": {[]dnsStep{{after: 100 * time.Millisecond, addrs: v4a}, {after: 20 * time.Millisecond}}, 100 * time.Millisecond},
		"no address":           {[]dnsStep{{after: 100 * time.Millisecond}, {after: time.Second, addrs: v4a}}, 100 * time.Millisecond},
		"failure":              {[]dnsStep{{after: 100 * time.Millisecond, err: errors.New("broken")}}, 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			dns := &answers{steps: []dnsStep{{addrs: v4a}}}
			inDials(t, func(t *testing.T, w *world, d *dials) {
				w.serve("live.test", v4a, answer(okText("first"), okText("second")))
				held := w.executed()
				dns.steps = tt.steps
				d.again()
				time.AfterFunc(50*time.Millisecond, func() {
					held.Body.Close()
					w.mu.Lock()
					w.events = nil
					w.mu.Unlock()
				})
				w.want("200 second")(w.get("http://server.test/"))
				w.wantDials(d)
				w.wantSince(d.start, tt.took)
				w.wantEvents("dnsEnd connectionAcquired " + exchanged + "followUpDecision false responseBodyStart responseBodyEnd 6 connectionReleased callEnd")
			}, WithDNS(dns))
		})
	}
}

// The first exchange over a connection fails while the name was still being resolved: the addresses that had not come are looked up anew,
// those that were tried are not tried again.
func TestRetryAfterLookupWasGivenUp(t *testing.T) {
	dns := &answers{steps: []dnsStep{{addrs: v6a}, {after: 50 * time.Millisecond, addrs: v6a + " " + v4a}}}
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.serve("bad.test", v6a, func(p *peer) { p.request() })
		w.serve("good.test", v4a, answer(okText("good")))
		w.want("200 good")(w.get("http://server.test/"))
		w.wantDials(d, "0s [fd00::1]", "50ms 10.0.0.1")
		if dns.lookups != 2 {
			t.Errorf("%d look-ups, want 2", dns.lookups)
		}
	}, WithDNS(dns))
}

// There is none: the call fails with what went wrong first.
func TestRetryWithoutAnotherAddress(t *testing.T) {
	dns := &answers{steps: []dnsStep{{addrs: v4a}, {after: time.Second, addrs: v4a}}}
	inDials(t, func(t *testing.T, w *world, d *dials) {
		w.serve("bad.test", v4a, repeat(2, func(p *peer) { p.request() })...)
		_, err := w.get("http://server.test/")
		var e *Error
		if !errors.As(err, &e) || e.Phase != PhaseResponseHeaders || !errors.Is(err, io.ErrUnexpectedEOF) || !e.Sent {
			t.Fatalf("error %v", err)
		}
		if len(e.Attempts) != 1 || e.Attempts[0].Error() != "no other address of server.test" {
			t.Errorf("attempts %v", e.Attempts)
		}
		w.wantDials(d, "50ms 10.0.0.1")
		w.wantEvents("callStart proxySelectStart proxySelectEnd dnsStart dnsEnd connectStart connectEnd connectionAcquired requestHeadersStart requestHeadersEnd responseFailed retryDecision true " +
			"connectionReleased dnsStart retryDecision false callFailed")
	}, WithDNS(dns))
}
