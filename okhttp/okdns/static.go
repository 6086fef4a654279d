package okdns

import (
	"context"
	"fmt"
	"iter"
	"net/netip"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// Static answers from a table, as a hosts file does.
type Static struct {
	hosts    map[string][]netip.Addr
	fallback okhttp.DNS
}

// NewStatic makes a resolver of a table, which is copied. Names are compared as hosts of URLs: in any case, in Unicode or not, with or without a
// dot at the end. A name without addresses is unknown, whatever the fallback says of it. Names that are not in the table go to the
// fallback; nil has none, and they are unknown. It fails for a name that no URL can have, and for one that is an IP address: those are not
// looked up.
func NewStatic(hosts map[string][]netip.Addr, fallback okhttp.DNS) (*Static, error) {
	s := &Static{hosts: make(map[string][]netip.Addr, len(hosts)), fallback: fallback}
	for name, addrs := range hosts {
		u, err := okhttp.ParseURL("http://" + name + "/")
		if err != nil || strings.ContainsAny(name, `/\?#@:[]`) { // what would make it more than a host
			return nil, fmt.Errorf("okdns: %q is not a host name", name)
		}
		if _, err := netip.ParseAddr(u.Host()); err == nil {
			return nil, fmt.Errorf("okdns: %q is an IP address, expected a host name", name)
		}
		for _, a := range addrs {
			if !a.IsValid() {
				return nil, fmt.Errorf("okdns: host %q has an address without a value", name)
			}
		}
		key := strings.TrimSuffix(u.Host(), ".")
		if _, twice := s.hosts[key]; twice {
			return nil, fmt.Errorf("okdns: host %q is there twice", key)
		}
		s.hosts[key] = slices.Clone(addrs)
	}
	return s, nil
}

// Lookup implements [okhttp.DNS].
func (s *Static) Lookup(ctx context.Context, host string) iter.Seq2[okhttp.DNSAnswer, error] {
	addrs, known := s.hosts[strings.ToLower(strings.TrimSuffix(host, "."))]
	if !known && s.fallback != nil {
		return s.fallback.Lookup(ctx, host)
	}
	return func(yield func(okhttp.DNSAnswer, error) bool) {
		if len(addrs) == 0 {
			yield(okhttp.DNSAnswer{}, &okhttp.UnknownHostError{Host: host})
			return
		}
		yield(okhttp.DNSAnswer{Addrs: slices.Clone(addrs)}, nil)
	}
}
