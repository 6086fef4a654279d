package okdns

import (
	"context"
	"errors"
	"iter"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/okhttp-go/ok/okhttp"
)

// families is a resolver that answers each family after its own time.
type families struct {
	wait4, wait6   time.Duration
	addrs4, addrs6 string
	err4, err6     error
}

// Lookup is System's over that resolver.
func (f families) Lookup(ctx context.Context, host string) iter.Seq2[okhttp.DNSAnswer, error] {
	return lookup(ctx, host, []string{"ip6", "ip4"}, func(ctx context.Context, network, host string) ([]netip.Addr, error) {
		wait, list, err := f.wait4, f.addrs4, f.err4
		if network == "ip6" {
			wait, list, err = f.wait6, f.addrs6, f.err6
		}
		select {
		case <-time.After(wait):
			return addrs(list), err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
}

func TestSystemYieldsFamiliesAsTheyArrive(t *testing.T) {
	servfail := &net.DNSError{Err: "server misbehaving", Name: "h.example", IsTemporary: true}
	wrongFamily := &net.AddrError{Err: "no suitable address found", Addr: "h.example"}
	for _, tt := range []struct {
		name string
		f    families
		want string
	}{
		{"v6 first", families{2, 1, "192.0.2.1", "2001:db8::1", nil, nil}, "1ns [2001:db8::1]; 2ns [192.0.2.1]"},
		{"v4 first", families{1, 2, "192.0.2.1 192.0.2.2", "2001:db8::1", nil, nil}, "1ns [192.0.2.1 192.0.2.2]; 2ns [2001:db8::1]"},
		{"mapped", families{1, 2, "::ffff:192.0.2.1", "", nil, notFound("h.example")}, "1ns [192.0.2.1]"},
		{"no v6", families{1, 2, "192.0.2.1", "", nil, notFound("h.example")}, "1ns [192.0.2.1]"},
		{"no v6 in the hosts file", families{1, 2, "192.0.2.1", "", nil, wrongFamily}, "1ns [192.0.2.1]"},
		{"empty v6", families{2, 1, "192.0.2.1", "", nil, nil}, "2ns [192.0.2.1]"},
		{"v6 fails", families{1, 2, "192.0.2.1", "", nil, servfail}, "1ns [192.0.2.1]; 2ns [] ttl 10s"},
		{"v4 fails", families{1, 2, "", "2001:db8::1", servfail, nil}, "2ns [2001:db8::1]; 2ns [] ttl 10s"},
		{"neither", families{1, 2, "", "", notFound("h.example"), notFound("h.example")}, "2ns unknown host h.example: lookup h.example: no such host"},
		{"neither, and one unknown", families{1, 2, "", "", notFound("h.example"), servfail}, "2ns unknown host h.example: lookup h.example: server misbehaving"},
		{"one unknown, and neither", families{1, 2, "", "", servfail, notFound("h.example")}, "2ns unknown host h.example: lookup h.example: server misbehaving"},
		{"both fail", families{1, 2, "", "", servfail, errMine}, "2ns unknown host h.example: lookup h.example: server misbehaving"},
		{"both empty", families{1, 2, "", "", nil, nil}, "2ns unknown host h.example: no addresses"},
		{"both of the wrong family", families{1, 2, "", "", wrongFamily, wrongFamily}, "2ns unknown host h.example: no addresses"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				want(t, tt.f, "h.example", tt.want)
			})
		})
	}
}

func TestSystemStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := families{time.Second, time.Hour, "192.0.2.1", "2001:db8::1", nil, nil}
		began := time.Now()
		for range slow.Lookup(t.Context(), "h.example") {
			break
		}
		if d := time.Since(began); d != time.Second {
			t.Errorf("left after %v, want 1s: the other family's look-up is to end", d)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errMine) })
		slow.wait4 = time.Hour
		if got := report(ctx, slow, "h.example"); got != "1s mine" {
			t.Errorf("%s, want the cause after 1s", got)
		}
	})
}

// TestSystemOverTheWire asks a real net.Resolver, whose server answers one question after the other.
func TestSystemOverTheWire(t *testing.T) {
	r := &net.Resolver{PreferGo: true, Dial: serveDNS(t, map[string]string{
		"A both.example.":    "192.0.2.1",
		"AAAA both.example.": "2001:db8::1",
		"A four.example.":    "192.0.2.4",
		"A half.example.":    "192.0.2.5",
		"AAAA half.example.": "SERVFAIL",
	})}
	lines := func(dns okhttp.DNS, host string) string {
		var list []string
		for a, err := range dns.Lookup(t.Context(), host) {
			if err != nil {
				return err.Error()
			}
			for _, addr := range a.Addrs {
				list = append(list, addr.String())
			}
			if a.TTL != 0 {
				list = append(list, "ttl "+a.TTL.String())
			}
		}
		return strings.Join(sorted(list), " ")
	}
	for _, tt := range []struct {
		dns        okhttp.DNS
		host, want string
	}{
		{System{Resolver: r}, "both.example", "192.0.2.1 2001:db8::1"},
		{System{Resolver: r, Network: "ip"}, "both.example", "192.0.2.1 2001:db8::1"},
		{System{Resolver: r, Network: "ip4"}, "both.example", "192.0.2.1"},
		{System{Resolver: r, Network: "ip6"}, "both.example", "2001:db8::1"},
		{System{Resolver: r}, "four.example", "192.0.2.4"},
		{System{Resolver: r}, "half.example", "192.0.2.5 ttl 10s"},
		{System{Network: "tcp"}, "both.example", `unknown host both.example: okdns: network "tcp", expected ip, ip4 or ip6`},
	} {
		if got := lines(tt.dns, tt.host); got != tt.want {
			t.Errorf("%+v, %s: %s\nwant %s", tt.dns, tt.host, got, tt.want)
		}
	}
	for a, err := range (System{Resolver: r}).Lookup(t.Context(), "none.example") {
		if len(a.Addrs) > 0 || !NotFound(err) {
			t.Errorf("%v, %v, want that there is none", a, err)
		}
	}
}

func TestSystemIsComparable(t *testing.T) {
	var a, b okhttp.DNS = System{Network: "ip4"}, System{Network: "ip4"}
	if a != b {
		t.Error("equal Systems differ, and clients could not share connections")
	}
}

// TestLocalhost asks the host's own resolver, for what it has without a network.
func TestLocalhost(t *testing.T) {
	found := false
	for a, err := range (System{}).Lookup(t.Context(), "localhost") {
		if err != nil {
			t.Fatal(err)
		}
		for _, addr := range a.Addrs {
			if found = true; !addr.IsLoopback() {
				t.Errorf("localhost is %v", addr)
			}
		}
	}
	if !found {
		t.Error("localhost has no address")
	}
}

func TestNotFound(t *testing.T) {
	own := &okhttp.UnknownHostError{Host: "dns.example", Err: notFound("dns.example")}
	for _, tt := range []struct {
		name string
		err  error
		want bool
	}{
		{"nil", nil, false},
		{"no addresses", &okhttp.UnknownHostError{Host: "h.example"}, true},
		{"no such host", &okhttp.UnknownHostError{Host: "h.example", Err: notFound("h.example")}, true},
		{"no such host by itself", notFound("h.example"), true},
		{"failure", &okhttp.UnknownHostError{Host: "h.example", Err: &net.DNSError{Err: "server misbehaving", Name: "h.example"}}, false},
		{"the resolver's name does not exist", &okhttp.UnknownHostError{Host: "h.example", Err: &okhttp.Error{Err: own}}, false},
		{"the resolver's name has no addresses", &okhttp.UnknownHostError{Host: "h.example", Err: &okhttp.UnknownHostError{Host: "dns.example"}}, false},
		{"of a call and a resolver", &okhttp.Error{Err: &okhttp.UnknownHostError{Host: "h.example", Err: &okhttp.UnknownHostError{Host: "h.example"}}}, true},
		{"of a call", &okhttp.Error{Err: own}, true},
		{"another", errMine, false},
		{"several, the last not", &AttemptsError{[]error{notFound("h.example"), errMine}}, false},
		{"several, the last", &AttemptsError{[]error{errMine, notFound("h.example")}}, true},
	} {
		if got := NotFound(tt.err); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// serveDNS runs a DNS server over UDP and returns what dials it.
func serveDNS(t *testing.T, records map[string]string) func(context.Context, string, string) (net.Conn, error) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		conn.Close()
		<-done
	})
	go func() {
		defer close(done)
		buf := make([]byte, 1<<16)
		for {
			n, from, err := conn.ReadFrom(buf)
			if errors.Is(err, net.ErrClosed) || errors.Is(err, os.ErrClosed) {
				return
			}
			var m dnsmessage.Message
			if err != nil || m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			reply, err := answerTo(m, records)
			if err != nil {
				t.Error(err)
			}
			conn.WriteTo(reply, from)
		}
	}()
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}
}

func answerTo(m dnsmessage.Message, records map[string]string) ([]byte, error) {
	q := m.Questions[0]
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	header := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 60}
	record, known := records[strings.TrimPrefix(q.Type.String(), "Type")+" "+q.Name.String()]
	switch {
	case !known:
		m.RCode = dnsmessage.RCodeNameError
		if strings.HasPrefix(q.Name.String(), "four.") {
			m.RCode = dnsmessage.RCodeSuccess
		}
	case record == "SERVFAIL":
		m.RCode = dnsmessage.RCodeServerFailure
	case q.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AResource{A: netip.MustParseAddr(record).As4()}}}
	default:
		m.Answers = []dnsmessage.Resource{{Header: header, Body: &dnsmessage.AAAAResource{AAAA: netip.MustParseAddr(record).As16()}}}
	}
	return m.Pack()
}
