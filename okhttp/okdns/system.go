package okdns

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/netip"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/internal/gather"
)

// System asks the resolver of the operating system, or another [net.Resolver]. It asks for IPv4 and IPv6 addresses at the same time and yields
// either as it arrives; their order within a family is the resolver's. One of them suffices. TTLs are unknown, and there are no HTTPS records. Hooks of
// httptrace in the context fire for each family. The zero value is ready to use.
type System struct {
	Resolver *net.Resolver // nil: net.DefaultResolver
	// Network limits look-ups to a family by the names of package net: "ip4" or "ip6". "" and "ip" mean both.
	Network string
}

// Lookup implements [okhttp.DNS].
func (s System) Lookup(ctx context.Context, host string) iter.Seq2[okhttp.DNSAnswer, error] {
	r := s.Resolver
	if r == nil {
		r = net.DefaultResolver
	}
	switch s.Network {
	case "", "ip":
		return lookup(ctx, host, []string{"ip6", "ip4"}, r.LookupNetIP)
	case "ip4", "ip6":
		return lookup(ctx, host, []string{s.Network}, r.LookupNetIP)
	}
	return func(yield func(okhttp.DNSAnswer, error) bool) {
		yield(okhttp.DNSAnswer{}, failed(ctx, host, fmt.Errorf("okdns: network %q, expected ip, ip4 or ip6", s.Network)))
	}
}

// lookup asks for each family by itself, so that none waits for the other.
func lookup(ctx context.Context, host string, families []string, ask func(ctx context.Context, network, host string) ([]netip.Addr, error)) iter.Seq2[okhttp.DNSAnswer, error] {
	return func(yield func(okhttp.DNSAnswer, error) bool) {
		var failure error
		silent, found := false, false // a family did not answer; an address came
		for r := range gather.Each(ctx, len(families), func(ctx context.Context, i int) ([]netip.Addr, error) {
			return ask(ctx, families[i], host)
		}) {
			if r.Err != nil {
				// That a family has no addresses matters less than that nobody knows.
				if none := hasNone(r.Err); failure == nil || !none && !silent {
					failure, silent = r.Err, !none
				}
				continue
			}
			for i := range r.Value {
				r.Value[i] = r.Value[i].Unmap()
			}
			if len(r.Value) == 0 {
				continue
			}
			if found = true; !yield(okhttp.DNSAnswer{Addrs: r.Value}, nil) {
				return
			}
		}
		switch {
		case found && !silent:
		case found:
			yield(okhttp.DNSAnswer{TTL: incomplete}, nil)
		case isAddrError(failure):
			yield(okhttp.DNSAnswer{}, failed(ctx, host, nil))
		default:
			yield(okhttp.DNSAnswer{}, failed(ctx, host, failure))
		}
	}
}

// hasNone reports whether a resolver knows that there are no addresses of a family.
func hasNone(err error) bool {
	var failure *net.DNSError
	return errors.As(err, &failure) && failure.IsNotFound || isAddrError(err)
}

// isAddrError recognises a host with addresses of the other family alone.
func isAddrError(err error) bool {
	var family *net.AddrError
	return errors.As(err, &family)
}
