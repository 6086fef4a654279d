package cli

import (
	"context"
	"iter"
	"net/netip"
	"slices"

	"github.com/okhttp-go/ok/okhttp"
)

// oneFamily is a resolver without the addresses of the other family, for --ipv4 and --ipv6.
type oneFamily struct {
	okhttp.DNS
	six bool
}

// Lookup implements [okhttp.DNS].
func (f *oneFamily) Lookup(ctx context.Context, host string) iter.Seq2[okhttp.DNSAnswer, error] {
	return func(yield func(okhttp.DNSAnswer, error) bool) {
		found := false
		for answer, err := range f.DNS.Lookup(ctx, host) {
			answer.Addrs = ofFamily(answer.Addrs, f.six)
			found = found || len(answer.Addrs) > 0
			if !yield(answer, err) || err != nil {
				return
			}
		}
		if !found {
			yield(okhttp.DNSAnswer{}, &okhttp.UnknownHostError{Host: host})
		}
	}
}

// ofFamily returns those addresses that are of IPv6, or those that are not.
func ofFamily(addrs []netip.Addr, six bool) []netip.Addr {
	return slices.DeleteFunc(slices.Clone(addrs), func(a netip.Addr) bool { return a.Unmap().Is6() != six })
}
