//go:build linux

package netns

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

// The addresses of the namespace. Those of IPv6 are of the block for documentation, which resolvers prefer to IPv4 as they do others.
const (
	dead4, dead4b, live4 = "10.99.0.1", "10.99.0.2", "10.99.0.9"
	dead6, dead6b, live6 = "2001:db8::1", "2001:db8::2", "2001:db8::9"
)

var addresses = []string{dead4, dead4b, live4, dead6, dead6b, live6}

// serve answers on a port of all addresses, and returns it.
func serve(t *testing.T) string {
	t.Helper()
	s := mockserver.New(t, mockserver.WithAddr(":0"), mockserver.WithDispatcher(mockserver.DispatcherFunc(func(context.Context, *mockserver.Request) mockserver.Response {
		return mockserver.Reply(200).Text("hello")
	})))
	_, port, _ := net.SplitHostPort(s.Addr().String())
	return port
}

// resolving resolves every name to the addresses.
func resolving(addrs []string) okhttp.Option {
	var list []netip.Addr
	for _, a := range addrs {
		list = append(list, netip.MustParseAddr(a))
	}
	return okhttp.WithDNS(okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) { return list, nil }))
}

// firstByte makes a call with a client that has made none before, and returns when the first byte of its response was there.
func firstByte(ctx context.Context, url string, opts ...okhttp.Option) (time.Duration, error) {
	c := okhttp.New(append(opts, okhttp.WithProxy(okhttp.Direct))...)
	defer c.Close()
	start := time.Now()
	resp, err := c.Get(ctx, url)
	if err != nil {
		return time.Since(start), err
	}
	defer resp.Body.Close()
	_, err = io.ReadFull(resp.Body, make([]byte, 1))
	return time.Since(start), err
}

// Packets to some addresses are dropped. Each of them costs 250 ms, whatever its family; net/http waits 300 ms for the other family, and for
// one address of several a share of its whole time.
func TestDeadAddresses(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	network(t, addresses, "ip daddr { "+dead4+", "+dead4b+" } drop", "ip6 daddr { "+dead6+", "+dead6b+" } drop")
	url := "http://server.test:" + serve(t) + "/"
	for _, tt := range []struct {
		addrs []string
		dead  int // before the one that is alive
	}{
		{[]string{live4}, 0},
		{[]string{dead4, live6}, 0}, // IPv6 goes first
		{[]string{dead4, live4}, 1},
		{[]string{dead6, live4}, 1},
		{[]string{dead6, live6}, 1},
		{[]string{live4, dead6}, 1},
		{[]string{dead4, dead4b, live4}, 2},
		{[]string{dead6, dead6b, live6}, 2},
		{[]string{dead6, live6, dead4}, 2}, // in turn
		{[]string{dead6, dead6b, dead4, live4}, 3},
		{[]string{dead4, dead4b, live4, dead6}, 3},
	} {
		t.Run(strings.Join(tt.addrs, " "), func(t *testing.T) {
			least := time.Duration(tt.dead) * 250 * time.Millisecond
			limit := least + 20*time.Millisecond
			if tt.dead < 2 {
				limit = least + 10*time.Millisecond
			}
			took := best(t, limit, punctual(least, func() (time.Duration, error) { return firstByte(t.Context(), url, resolving(tt.addrs)) }))
			if took < least {
				t.Errorf("took %v, want at least %v", took, least)
			}
			t.Logf("%d dead: %.1f ms (at most %v); net/http: %s", tt.dead, float64(took.Microseconds())/1000, limit, netHTTP(t, url, tt.addrs))
		})
	}
}

// netHTTP measures the same with net/http, as its default transport is set up, for half a second at the most.
func netHTTP(t *testing.T, url string, addrs []string) string {
	const patience = 500 * time.Millisecond
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, Resolver: resolver(t, addrs)}
	transport := &http.Transport{DialContext: dialer.DialContext}
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	resp, err := transport.RoundTrip(r)
	if err != nil {
		return fmt.Sprintf("not within %v (%v)", patience, err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%.1f ms", float64(time.Since(start).Microseconds())/1000)
}

// resolver is one of package net that gets the addresses from a server of the test's.
func resolver(t *testing.T, addrs []string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &dns.Server{PacketConn: conn, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg).SetReply(q)
		for _, a := range addrs {
			ip := net.ParseIP(a)
			head := dns.RR_Header{Name: q.Question[0].Name, Class: dns.ClassINET, Ttl: 60}
			switch four := ip.To4() != nil; {
			case four && q.Question[0].Qtype == dns.TypeA:
				head.Rrtype = dns.TypeA
				m.Answer = append(m.Answer, &dns.A{Hdr: head, A: ip})
			case !four && q.Question[0].Qtype == dns.TypeAAAA:
				head.Rrtype = dns.TypeAAAA
				m.Answer = append(m.Answer, &dns.AAAA{Hdr: head, AAAA: ip})
			}
		}
		_ = w.WriteMsg(m)
	})}
	started := make(chan struct{})
	s.NotifyStartedFunc = func() { close(started) }
	go func() { _ = s.ActivateAndServe() }()
	<-started
	t.Cleanup(func() { _ = s.Shutdown() })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// An address that refuses, or that a router rejects, costs nothing. Where all do, the call fails at once with what each said.
func TestRefusedAndRejected(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	// What comes back goes to the same address: on a loopback interface both ends have it.
	const begins = " tcp flags & (syn | ack) == syn reject with "
	network(t, []string{dead4, dead4b, live4, dead6, live6}, "ip daddr "+dead4+begins+"tcp reset", "ip6 daddr "+dead6+begins+"tcp reset",
		"ip daddr "+dead4b+begins+"icmp type host-unreachable")
	// An ICMPv6 message that comes back while connect(2) is under way, as it does here, is not heeded by Linux. So it is the routing table.
	if err := run(t, "", "ip", "-6", "route", "add", "unreachable", dead6b+"/128"); err != nil {
		t.Skip(err)
	}
	url := "http://server.test:" + serve(t) + "/"
	const at = 50 * time.Millisecond // once
	for name, addrs := range map[string][]string{
		"refused":              {dead4, live4},
		"refused by IPv6":      {dead6, live4},
		"unreachable":          {dead4b, live4},
		"unreachable by IPv6":  {dead6b, live6},
		"all of them, in turn": {dead4, dead4b, dead6, dead6b, live4},
	} {
		t.Run(name, func(t *testing.T) {
			took := best(t, at, func() (time.Duration, error) { return firstByte(t.Context(), url, resolving(addrs)) })
			t.Logf("%.1f ms; net/http: %s", float64(took.Microseconds())/1000, netHTTP(t, url, addrs))
		})
	}
	for name, tt := range map[string]struct {
		addrs []string
		want  syscall.Errno
		other syscall.Errno
	}{
		"nobody, refused":     {[]string{dead6, dead4b}, syscall.ECONNREFUSED, syscall.EHOSTUNREACH},
		"nobody, unreachable": {[]string{dead6b, dead4}, syscall.EHOSTUNREACH, syscall.ECONNREFUSED},
	} {
		t.Run(name, func(t *testing.T) {
			best(t, at, func() (time.Duration, error) {
				took, err := firstByte(t.Context(), url, resolving(tt.addrs))
				var e *okhttp.Error
				if !errors.As(err, &e) || e.Phase != okhttp.PhaseConnect || len(e.Attempts) != 1 || !okhttp.SafeToRetry(err) {
					return took, fmt.Errorf("error %v", err)
				}
				return took, errors.Join(failed(err, tt.want), failed(e.Attempts[0], tt.other))
			})
		})
	}
}

// accepting accepts connections to one address, handles each, and counts them.
func accepting(t *testing.T, addr, port string, handle func(net.Conn)) (at string, count *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(addr, port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	count = new(atomic.Int32)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			count.Add(1)
			go func() {
				defer c.Close()
				handle(c)
			}()
		}
	}()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port, count
}

// A server that accepts and never shakes hands: the time limit of that ends the call, and no other address is tried.
func TestSilentTLS(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	network(t, addresses)
	silent := func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }
	port, _ := accepting(t, live6, "0", silent)
	_, second := accepting(t, live4, port, silent)
	const limit = 300 * time.Millisecond
	took := best(t, limit+50*time.Millisecond, func() (time.Duration, error) {
		second.Store(0)
		took, err := firstByte(t.Context(), "https://server.test:"+port+"/", resolving([]string{live4, live6}),
			okhttp.WithReadTimeout(limit), okhttp.WithTLSConfig(&tls.Config{}))
		var e *okhttp.Error
		if !errors.As(err, &e) || e.Phase != okhttp.PhaseTLS || !strings.Contains(err.Error(), "tls handshake timeout after 300ms") {
			return took, fmt.Errorf("error %v", err)
		}
		return took + late(second), failed(err, os.ErrDeadlineExceeded)
	})
	t.Logf("%.1f ms", float64(took.Microseconds())/1000)
}

// late adds to a time if a second address was connected to: either this process did not get to run for 250 ms, or the client does not wait.
func late(second *atomic.Int32) time.Duration {
	if second.Load() > 0 {
		return time.Second
	}
	return 0
}

// A server that is far, or slow, but within the 250 ms, is waited for.
func TestSlowServer(t *testing.T) {
	if !inNamespace(t) {
		return
	}
	network(t, addresses)
	slow := func(c net.Conn) {
		_, _ = c.Read(make([]byte, 1<<10))
		time.Sleep(200 * time.Millisecond)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
		_, _ = io.Copy(io.Discard, c)
	}
	port, _ := accepting(t, live6, "0", slow)
	_, second := accepting(t, live4, port, slow)
	url := "http://server.test:" + port + "/"
	wait := func(t *testing.T, least, limit time.Duration) {
		took := best(t, limit, func() (time.Duration, error) {
			second.Store(0)
			took, err := firstByte(t.Context(), url, resolving([]string{live4, live6}))
			return took + late(second), err
		})
		if took < least {
			t.Errorf("took %v, want at least %v", took, least)
		}
		t.Logf("%.1f ms", float64(took.Microseconds())/1000)
	}
	t.Run("to answer", func(t *testing.T) { wait(t, 200*time.Millisecond, 230*time.Millisecond) })
	t.Run("to connect", func(t *testing.T) {
		if err := run(t, "", "tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "100ms"); err != nil {
			t.Skip(err) // a kernel that cannot delay packets
		}
		wait(t, 600*time.Millisecond, 650*time.Millisecond) // a round trip to connect, and one for the request
	})
}
