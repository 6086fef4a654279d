package okdoh

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http/cookiejar"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okdns"
)

func TestAnswersAsTheyArrive(t *testing.T) {
	h2 := https(300, 1, ".", alpnKey, "\x02h2")
	after := func(d time.Duration, records ...dnsmessage.Resource) answer {
		return answer{wait: d * time.Second, records: records}
	}
	servfail := answer{rcode: dnsmessage.RCodeServerFailure}
	for _, tt := range []struct {
		name string
		zone map[string]answer
		want string
	}{
		{"A, AAAA, HTTPS", map[string]answer{"A h.example": after(1, a(60, "192.0.2.1")), "AAAA h.example": after(2, aaaa(70, "2001:db8::1")), "HTTPS h.example": after(3, h2)},
			"1s [192.0.2.1] ttl 1m0s; 2s [2001:db8::1] ttl 1m10s; 3s alpn [h2 http/1.1] ttl 5m0s"},
		{"HTTPS, AAAA, A", map[string]answer{"A h.example": after(3, a(60, "192.0.2.1")), "AAAA h.example": after(2, aaaa(70, "2001:db8::1")), "HTTPS h.example": after(1, h2)},
			"1s alpn [h2 http/1.1] ttl 5m0s; 2s [2001:db8::1] ttl 1m10s; 3s [192.0.2.1] ttl 1m0s"},
		{"several", map[string]answer{"A h.example": after(1, a(60, "192.0.2.1"), a(50, "192.0.2.2")), "AAAA h.example": after(2), "HTTPS h.example": after(3)},
			"1s [192.0.2.1 192.0.2.2] ttl 50s"},
		{"A, and the other fails", map[string]answer{"A h.example": after(1, a(60, "192.0.2.1")), "AAAA h.example": servfail, "HTTPS h.example": after(0)},
			"1s [192.0.2.1] ttl 1m0s; 1s ttl 10s"},
		{"A, and HTTPS fails", map[string]answer{"A h.example": after(1, a(60, "192.0.2.1")), "AAAA h.example": after(0), "HTTPS h.example": servfail},
			"1s [192.0.2.1] ttl 1m0s"},
		{"both fail", map[string]answer{"A h.example": servfail, "AAAA h.example": servfail, "HTTPS h.example": after(1, h2)},
			"1s alpn [h2 http/1.1] ttl 5m0s; 1s unknown host h.example: A over https: lookup h.example on dns.example: DNS server failure (and 1 more)"},
		{"no addresses", map[string]answer{"A h.example": after(1), "AAAA h.example": after(0), "HTTPS h.example": after(0)},
			"1s unknown host h.example: no addresses"},
		{"no such name", nil,
			"0s unknown host h.example: A over https: lookup h.example on dns.example: no such host (and 1 more)"},
		{"nobody knows", map[string]answer{"AAAA h.example": servfail},
			"0s unknown host h.example: AAAA over https: lookup h.example on dns.example: DNS server failure (and 1 more)"},
		{"refused", map[string]answer{"A h.example": {rcode: dnsmessage.RCodeRefused}, "AAAA h.example": after(0), "HTTPS h.example": after(0)},
			"0s unknown host h.example: A over https: lookup h.example on dns.example: DNS server answered with code 5"},
		{"TTL 0", map[string]answer{"A h.example": after(1, a(0, "192.0.2.1")), "AAAA h.example": after(0), "HTTPS h.example": after(0)},
			"1s [192.0.2.1] ttl 1ns"},
		{"aliases", map[string]answer{"A h.example": after(1, cname(20, "c.example."), named("c.example.", cname(30, "d.example.")), named("d.example.", a(60, "192.0.2.1"))),
			"AAAA h.example": after(2, cname(90, "c.example."), named("c.example.", aaaa(60, "2001:db8::1"))), "HTTPS h.example": after(3, cname(5, "c.example."), named("c.example.", h2))},
			"1s [192.0.2.1] ttl 20s; 2s [2001:db8::1] ttl 1m0s; 3s alpn [h2 http/1.1] ttl 5s"},
		{"from a cache", map[string]answer{"A h.example": {header: []string{"Age", "25"}, records: []dnsmessage.Resource{a(60, "192.0.2.1")}},
			"AAAA h.example": {wait: 1, header: []string{"Age", "250"}, records: []dnsmessage.Resource{aaaa(60, "2001:db8::1")}}, "HTTPS h.example": {wait: 2, header: []string{"Age", "-1"}, records: []dnsmessage.Resource{h2}}},
			"0s [192.0.2.1] ttl 35s; 1ns [2001:db8::1] ttl 1ns; 2ns alpn [h2 http/1.1] ttl 5m0s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, tt.zone, func(t *testing.T, w *world) { want(t, w.resolver(), "h.example", tt.want) })
		})
	}
}

// TestHints are addresses where there is nothing else.
func TestHints(t *testing.T) {
	hints := answer{wait: time.Second, records: []dnsmessage.Resource{https(300, 1, ".", ipv4hint, "\xc0\x00\x02\x07\xc0\x00\x02\x08", ipv6hint, "\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07")}}
	servfail := answer{rcode: dnsmessage.RCodeServerFailure}
	for _, tt := range []struct {
		name    string
		a, aaaa answer
		want    string
	}{
		{"both fail", servfail, servfail, "1s [192.0.2.7 192.0.2.8 2001:db8::7] ttl 10s"},
		{"one fails and the other has none", servfail, answer{}, "1s [192.0.2.7 192.0.2.8] ttl 10s"},
		{"the other fails", answer{}, servfail, "1s [2001:db8::7] ttl 10s"},
		{"one fails and the other has one", servfail, answer{records: []dnsmessage.Resource{aaaa(60, "2001:db8::1")}}, "0s [2001:db8::1] ttl 1m0s; 1s ttl 10s"},
		{"neither has any", answer{}, answer{}, "1s unknown host h.example: no addresses"},
		{"the name does not exist", answer{rcode: dnsmessage.RCodeNameError}, answer{},
			"1s unknown host h.example: A over https: lookup h.example on dns.example: no such host"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, map[string]answer{"A h.example": tt.a, "AAAA h.example": tt.aaaa, "HTTPS h.example": hints}, func(t *testing.T, w *world) {
				want(t, w.resolver(), "h.example", tt.want)
			})
		})
	}
	inWorld(t, map[string]answer{"A h.example": servfail, "HTTPS h.example": hints}, func(t *testing.T, w *world) {
		want(t, w.resolver(func(c *Config) { c.NoIPv6 = true }), "h.example", "1s [192.0.2.7 192.0.2.8] ttl 10s")
	})
}

func TestWhatIsAsked(t *testing.T) {
	zone := map[string]answer{"A h.example": {records: []dnsmessage.Resource{a(60, "192.0.2.1")}}}
	for _, tt := range []struct {
		name   string
		change func(*Config)
		want   []string
	}{
		{"by default", func(*Config) {}, []string{"GET A h.example", "GET AAAA h.example", "GET HTTPS h.example"}},
		{"no IPv6", func(c *Config) { c.NoIPv6 = true }, []string{"GET A h.example", "GET HTTPS h.example"}},
		{"no HTTPS records", func(c *Config) { c.NoHTTPSRecords = true }, []string{"GET A h.example", "GET AAAA h.example"}},
		{"neither", func(c *Config) { c.NoIPv6, c.NoHTTPSRecords = true, true }, []string{"GET A h.example"}},
		{"POST", func(c *Config) { c.POST = true }, []string{"POST A h.example", "POST AAAA h.example", "POST HTTPS h.example"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, zone, func(t *testing.T, w *world) {
				report(t.Context(), w.resolver(tt.change), "h.example.") // the dot at the end makes no other name
				if got := questions(w); !slices.Equal(got, tt.want) {
					t.Errorf("asked %q, want %q", got, tt.want)
				}
				for _, h := range w.heads {
					if accept := h["Accept"]; !slices.Equal(accept, []string{contentType}) {
						t.Errorf("Accept %q", accept)
					}
					if kind := h.Get("Content-Type"); (kind == contentType) != strings.HasPrefix(w.asked[0], "POST") {
						t.Errorf("Content-Type %q", kind)
					}
				}
			})
		})
	}
}

func TestPolicy(t *testing.T) {
	const public, private = "public", "private"
	for _, tt := range []struct{ host, kind string }{
		{"h.example", public}, {"www.h.example", public}, {"example.co.uk", public}, {"EXAMPLE.CO.UK", public}, {"example.com.", public}, {"a_b.example.com", public}, {"someone.github.io", public},
		{"xn--bcher-kva.example", public}, {"notlocal.h-local", public}, {"home.example", public},
		{"printer", private}, {"co.uk", private}, {"com", private}, {"com.", private}, {"github.io", private}, {"localhost", private}, {"app.localhost", private}, {"printer.local", private},
		{"PRINTER.LOCAL.", private}, {"wiki.internal", private}, {"nas.home.arpa", private}, {"home.arpa", private}, {"abc.onion", private}, {"192.0.2.1", private}, {"2001:db8::1", private}, {"", private}, {".", private},
	} {
		for _, opts := range []struct{ private, noPublic bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
			r := &Resolver{private: opts.private, public: !opts.noPublic}
			var want error
			if tt.kind == private && !opts.private {
				want = ErrPrivateHost
			} else if tt.kind == public && opts.noPublic {
				want = ErrPublicHost
			}
			if got := r.allowed(tt.host); got != want {
				t.Errorf("%q, private %v, no public %v: %v, want %v", tt.host, opts.private, opts.noPublic, got, want)
			}
		}
	}
}

func TestPolicySendsNothing(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		err := failure(t, w.resolver(), "printer")
		if !errors.Is(err, ErrPrivateHost) || err.Error() != "unknown host printer: private hosts not resolved" || okdns.NotFound(err) {
			t.Errorf("error %v", err)
		}
		err = failure(t, w.resolver(func(c *Config) { c.NoPublic = true }), "h.example")
		if !errors.Is(err, ErrPublicHost) || err.Error() != "unknown host h.example: public hosts not resolved" {
			t.Errorf("error %v", err)
		}
		if got := questions(w); len(got) > 0 {
			t.Errorf("asked %q, want silence", got)
		}
		report(t.Context(), w.resolver(func(c *Config) { c.ResolvePrivate = true }), "printer")
		if got := questions(w); len(got) != 3 || got[0] != "GET A printer" {
			t.Errorf("asked %q", got)
		}
	})
}

func TestNamesThatCannotBe(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		for _, host := range []string{"a..example", strings.Repeat("a", 64) + ".example", strings.Repeat("a.", 130) + "example", ".example"} {
			failure(t, w.resolver(func(c *Config) { c.ResolvePrivate = true }), host)
		}
		if got := questions(w); len(got) > 0 {
			t.Errorf("asked %q, want silence", got)
		}
	})
}

func TestErrors(t *testing.T) {
	only := func(a answer) map[string]answer { return map[string]answer{"A h.example": a} }
	for _, tt := range []struct {
		name  string
		zone  map[string]answer
		check func(error) bool
		text  string
	}{
		{"status", only(answer{status: 503, raw: []byte{}}), func(err error) bool { e, ok := errors.AsType[*StatusError](err); return ok && e.Status == 503 }, "response: 503 Service Unavailable"},
		{"status without an own error", only(answer{status: 404, raw: []byte{}}), func(err error) bool { return !okdns.NotFound(err) }, "response: 404 Not Found"},
		{"content type", only(answer{header: []string{"Content-Type", "text/html"}}), isProtocol, `content type "text/html", expected application/dns-message`},
		{"no content type", only(answer{header: []string{"Content-Type", ""}}), isProtocol, `content type "", expected application/dns-message`},
		{"too large", only(answer{raw: make([]byte, maxReply+1)}), isTooLarge, "dns message is larger than the limit of 65536 bytes"},
		{"too large by its length", only(answer{raw: []byte{}, header: []string{"Content-Length", "65537"}}), isTooLarge, "dns message is larger than the limit of 65536 bytes"},
		{"empty", only(answer{raw: []byte{}}), isProtocol, "malformed dns message"},
		{"not a message", only(answer{raw: []byte("<html>not a message, not at all</html>")}), isProtocol, "dns message"},
		{"server failure", only(answer{rcode: dnsmessage.RCodeServerFailure}), func(err error) bool {
			d, ok := errors.AsType[*net.DNSError](err)
			e, ok2 := errors.AsType[*RCodeError](err)
			return ok && ok2 && d.IsTemporary && !d.IsNotFound && d.Name == "h.example" && d.Server == serverHost && e.RCode == 2 && !okdns.NotFound(err)
		}, "DNS server failure"},
		{"no such host", only(answer{rcode: dnsmessage.RCodeNameError}), okdns.NotFound, "no such host"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, tt.zone, func(t *testing.T, w *world) {
				err := failure(t, w.resolver(func(c *Config) { c.NoIPv6, c.NoHTTPSRecords = true, true }), "h.example")
				q, ok := errors.AsType[*QueryError](err)
				if !ok || q.Type != "A" || len(q.Others) != 0 || !tt.check(err) || !strings.Contains(err.Error(), tt.text) {
					t.Errorf("error %v, want one with %q", err, tt.text)
				}
			})
		})
	}
}

func isProtocol(err error) bool { _, ok := errors.AsType[*okhttp.ProtocolError](err); return ok }
func isTooLarge(err error) bool {
	e, ok := errors.AsType[*okhttp.TooLargeError](err)
	return ok && e.Limit == 65536
}

// TestErrorsOfBoth keeps the second failure as data.
func TestErrorsOfBoth(t *testing.T) {
	servfail := answer{rcode: dnsmessage.RCodeServerFailure}
	inWorld(t, map[string]answer{"A h.example": servfail, "AAAA h.example": {status: 500, raw: []byte{}}}, func(t *testing.T, w *world) {
		err := failure(t, w.resolver(), "h.example")
		q, ok := errors.AsType[*QueryError](err)
		if !ok || q.Type != "A" || len(q.Others) != 1 {
			t.Fatalf("error %v, want that of A with one other", err)
		}
		if other, ok := errors.AsType[*QueryError](q.Others[0]); !ok || other.Type != "AAAA" {
			t.Errorf("the other is %v", q.Others[0])
		}
		if _, ok := errors.AsType[*StatusError](err); ok {
			t.Error("the other failure is found in the first")
		}
	})
}

func TestResolverCannotBeReached(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		r := w.resolver(func(c *Config) { c.Bootstrap = []netip.Addr{netip.MustParseAddr("192.0.2.99")} })
		err := failure(t, r, "h.example")
		if e, ok := errors.AsType[*okhttp.Error](err); !ok || e.Phase != okhttp.PhaseConnect || okdns.NotFound(err) {
			t.Errorf("error %v, want that of the call", err)
		}
		if strings.Contains(err.Error(), "dns=") {
			t.Errorf("the error tells the question: %v", err)
		}
	})
}

func TestBootstrap(t *testing.T) {
	zone := map[string]answer{"A h.example": {records: []dnsmessage.Resource{a(60, "192.0.2.1")}}}
	inWorld(t, zone, func(t *testing.T, w *world) {
		var asked []string
		dns := okhttp.DNSFunc(func(_ context.Context, host string) ([]netip.Addr, error) {
			asked = append(asked, host)
			return []netip.Addr{netip.MustParseAddr(serverAddr)}, nil
		})
		onlyA := func(c *Config) { c.NoIPv6, c.NoHTTPSRecords = true, true }
		const ok = "0s [192.0.2.1] ttl 1m0s"

		// Bootstrap addresses are all that it needs, whatever the client resolves names by.
		w.client = w.client.With(okhttp.WithDNS(dns))
		want(t, w.resolver(onlyA), "h.example", ok)
		if len(asked) > 0 {
			t.Errorf("looked up %q in spite of the addresses", asked)
		}
		// Otherwise the given DNS looks the resolver up, and nothing else.
		want(t, w.resolver(onlyA, func(c *Config) { c.Bootstrap, c.DNS = nil, dns }), "h.example", ok)
		if !slices.Equal(asked, []string{serverHost}) {
			t.Errorf("looked up %q, want %q", asked, serverHost)
		}
		// An address needs none.
		asked = nil
		want(t, w.resolver(onlyA, func(c *Config) { c.Bootstrap, c.DNS, c.URL = nil, dns, "https://"+serverAddr+"/" }), "h.example", ok)
		if len(asked) > 0 {
			t.Errorf("looked up %q for an address", asked)
		}
	})
}

// TestBootstrapKnowsNothingElse has the server lead to another host, which is not looked up.
func TestBootstrapKnowsNothingElse(t *testing.T) {
	zone := map[string]answer{"A h.example": {status: 307, header: []string{"Location", "https://elsewhere.example/"}, raw: []byte{}}}
	inWorld(t, zone, func(t *testing.T, w *world) {
		err := failure(t, w.resolver(func(c *Config) { c.NoIPv6, c.NoHTTPSRecords = true, true }), "h.example")
		if !strings.Contains(err.Error(), "unknown host elsewhere.example: ") || !strings.Contains(err.Error(), "not the resolver's host") || okdns.NotFound(err) {
			t.Errorf("error %v", err)
		}
	})
}

// TestItNeverAsksItself has the DNS for the resolver's own host lead back to the resolver.
func TestItNeverAsksItself(t *testing.T) {
	inWorld(t, nil, func(t *testing.T, w *world) {
		var r *Resolver
		back := okhttp.DNSFunc(func(ctx context.Context, host string) ([]netip.Addr, error) {
			for a, err := range r.Lookup(ctx, host) {
				return a.Addrs, err
			}
			return nil, nil
		})
		r = w.resolver(func(c *Config) { c.Bootstrap, c.DNS = nil, back })
		if err := failure(t, r, "h.example"); !strings.Contains(err.Error(), "the resolver would have to ask itself") {
			t.Errorf("error %v", err)
		}
	})
}

// TestClientResolves sends a call through everything.
func TestClientResolves(t *testing.T) {
	zone := map[string]answer{"A site.example": {wait: time.Second, records: []dnsmessage.Resource{a(60, serverAddr)}}}
	inWorld(t, zone, func(t *testing.T, w *world) {
		// The one place of the dispatcher is the call's own.
		base := w.client.With(okhttp.WithDispatcher(okhttp.NewDispatcher(okhttp.DispatcherConfig{MaxRequests: 1, LimitExecute: true})))
		r := w.resolver(func(c *Config) { c.Client = base })
		cache := okdns.NewCache(okdns.CacheConfig{DNS: r})
		defer cache.Close()
		client := base.With(okhttp.WithDNS(cache), okhttp.WithPool(okhttp.NewConnectionPool(okhttp.PoolConfig{MaxIdle: -1})))
		defer client.Close()
		for range 2 {
			resp, err := client.Get(t.Context(), "https://site.example/?dns=AAABAAABAAAAAAAABHNpdGUHZXhhbXBsZQAAAQAB")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.Status != 200 {
				t.Errorf("status %d, %v", resp.Status, err)
			}
			resp.Body.Close()
		}
		if got := questions(w); !slices.Equal(got, []string{"GET A site.example", "GET A site.example", "GET A site.example", "GET AAAA site.example", "GET HTTPS site.example"}) {
			t.Errorf("the server got %q, want the two calls and three questions", got)
		}
	})
}

func TestNoCookies(t *testing.T) {
	zone := map[string]answer{"A h.example": {header: []string{"Set-Cookie", "id=4711"}, records: []dnsmessage.Resource{a(60, "192.0.2.1")}}}
	inWorld(t, zone, func(t *testing.T, w *world) {
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		w.client = w.client.With(okhttp.WithCookieJar(jar))
		r := w.resolver(func(c *Config) { c.NoIPv6, c.NoHTTPSRecords = true, true })
		report(t.Context(), r, "h.example")
		report(t.Context(), r, "h.example")
		if got := w.heads[1]["Cookie"]; got != nil {
			t.Errorf("sent the cookie %q", got)
		}
	})
}

func TestCancel(t *testing.T) {
	mine := errors.New("mine")
	zone := map[string]answer{"A h.example": {wait: time.Second, records: []dnsmessage.Resource{a(60, "192.0.2.1")}}, "AAAA h.example": {wait: time.Hour}}
	inWorld(t, zone, func(t *testing.T, w *world) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(2*time.Second, func() { cancel(mine) })
		if got := report(ctx, w.resolver(), "h.example"); got != "1s [192.0.2.1] ttl 1m0s; 2s mine" {
			t.Errorf("%s, want the cause after 2s", got)
		}
		began := time.Now()
		for range w.resolver().Lookup(t.Context(), "h.example") {
			break
		}
		if d := time.Since(began); d != time.Second {
			t.Errorf("left after %v, want 1s", d)
		}
		synctest.Wait()
	})
}

func TestNewErrors(t *testing.T) {
	client := okhttp.New()
	defer client.Close()
	addr := []netip.Addr{netip.MustParseAddr(serverAddr)}
	for _, tt := range []struct {
		c    Config
		want string
	}{
		{Config{URL: serverURL}, "okdoh: client not set"},
		{Config{Client: client}, "okdoh: url not set"},
		{Config{Client: client, URL: "dns.example"}, "okdoh: "},
		{Config{Client: client, URL: "http://dns.example/dns-query"}, "okdoh: the url is one of http, expected https"},
		{Config{Client: client, URL: "https://192.0.2.53/", Bootstrap: addr}, "okdoh: bootstrap addresses for a host that is an address, 192.0.2.53"},
		{Config{Client: client, URL: serverURL, Bootstrap: []netip.Addr{{}}}, "without a value"},
	} {
		if r, err := New(tt.c); r != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want an error with %q", tt.c, err, tt.want)
		}
	}
	for _, url := range []string{serverURL, serverURL + "{?dns}", serverURL + "#top"} {
		if r, err := New(Config{Client: client, URL: url}); err != nil || r.url.String() != serverURL {
			t.Errorf("%s: %v", url, err)
		}
	}
}
