package okdns

import (
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
)

func table(pairs ...string) map[string][]netip.Addr {
	hosts := map[string][]netip.Addr{}
	for i := 0; i < len(pairs); i += 2 {
		hosts[pairs[i]] = addrs(pairs[i+1])
	}
	return hosts
}

func TestStatic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts := table("API.Example", "192.0.2.1 2001:db8::1", "bücher.example", "192.0.2.2", "dot.example.", "192.0.2.3", "a_b.example", "192.0.2.4", "blocked.example", "")
		s, err := NewStatic(hosts, nil)
		if err != nil {
			t.Fatal(err)
		}
		below := script([]step{{addrs: "192.0.2.99"}})
		with, err := NewStatic(hosts, below)
		if err != nil {
			t.Fatal(err)
		}
		clear(hosts) // the table is a copy
		for _, tt := range []struct{ host, want string }{
			{"api.example", "0s [192.0.2.1 2001:db8::1]"},
			{"API.EXAMPLE", "0s [192.0.2.1 2001:db8::1]"},
			{"api.example.", "0s [192.0.2.1 2001:db8::1]"},
			{"xn--bcher-kva.example", "0s [192.0.2.2]"},
			{"dot.example", "0s [192.0.2.3]"},
			{"a_b.example", "0s [192.0.2.4]"},
			{"blocked.example", "0s unknown host blocked.example: no addresses"},
		} {
			want(t, s, tt.host, tt.want)
			want(t, with, tt.host, tt.want)
		}
		wantUnknown(t, s, "other.example", nil)
		if below.asked() != 0 {
			t.Errorf("the fallback was asked for %q", below.hosts)
		}
		want(t, with, "other.example", "0s [192.0.2.99]")
	})
}

func TestStaticAnswersAreCopies(t *testing.T) {
	s, err := NewStatic(table("h.example", "192.0.2.1"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for a := range s.Lookup(t.Context(), "h.example") {
		a.Addrs[0] = netip.IPv6Loopback()
	}
	for a := range s.Lookup(t.Context(), "h.example") {
		if a.Addrs[0] != netip.MustParseAddr("192.0.2.1") {
			t.Errorf("the table was changed through an answer: %v", a.Addrs)
		}
	}
}

func TestNewStaticErrors(t *testing.T) {
	for _, tt := range []struct {
		hosts map[string][]netip.Addr
		want  string
	}{
		{table("", "192.0.2.1"), "not a host name"},
		{table("a b", "192.0.2.1"), "not a host name"},
		{table("h.example/path", "192.0.2.1"), "not a host name"},
		{table("h.example:80", "192.0.2.1"), "not a host name"},
		{table("h.example:443", "192.0.2.1"), "not a host name"},
		{table("user@h.example", "192.0.2.1"), "not a host name"},
		{table("h.example?q", "192.0.2.1"), "not a host name"},
		{table("192.0.2.7", "192.0.2.1"), "an IP address"},
		{table("0x7f.1", "192.0.2.1"), "an IP address"},
		{table("[::1]", "192.0.2.1"), "not a host name"},
		{table("::1", "192.0.2.1"), "not a host name"},
		{table("h.example", "192.0.2.1", "H.example.", "192.0.2.2"), "twice"},
		{map[string][]netip.Addr{"h.example": {{}}}, "without a value"},
	} {
		if s, err := NewStatic(tt.hosts, nil); s != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want an error with %q", tt.hosts, err, tt.want)
		}
	}
}
