package okhttp

import (
	"context"
	"errors"
	"iter"
	"net"
	"net/netip"
	"time"
)

// DNS resolves host names. It is not asked for hosts that are IP addresses. Implementations are safe for concurrent use.
//
// Calls share connections only if their clients were given the same DNS: the same value where it is comparable, otherwise the same
// option.
type DNS interface {
	// Lookup yields answers as they arrive and ends when there are no more. An error ends it; answers that came before count.
	Lookup(ctx context.Context, host string) iter.Seq2[DNSAnswer, error]
}

// DNSAnswer is a part of what a name resolves to.
type DNSAnswer struct {
	Addrs []netip.Addr
	TTL   time.Duration // 0: unknown
	// ALPN and ECHConfigList are from HTTPS records (RFC 9460), nil if there is none: the protocols that the host speaks, and its keys
	// for an encrypted Client Hello, in the form that crypto/tls takes.
	ALPN          []string
	ECHConfigList []byte
}

// DNSFunc makes a DNS of a function that answers at once.
func DNSFunc(f func(ctx context.Context, host string) ([]netip.Addr, error)) DNS { return &dnsFunc{f} }

type dnsFunc struct {
	f func(ctx context.Context, host string) ([]netip.Addr, error)
}

func (d *dnsFunc) Lookup(ctx context.Context, host string) iter.Seq2[DNSAnswer, error] {
	return func(yield func(DNSAnswer, error) bool) {
		addrs, err := d.f(ctx, host)
		yield(DNSAnswer{Addrs: addrs}, err)
	}
}

// systemDNS asks the resolver of the operating system.
var systemDNS = DNSFunc(func(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
})

// resolve collects all answers for a host. Without any address it fails with an *UnknownHostError.
func resolve(ctx context.Context, dns DNS, host string) ([]netip.Addr, error) {
	var addrs []netip.Addr
	for answer, err := range dns.Lookup(ctx, host) {
		for _, a := range answer.Addrs {
			addrs = append(addrs, a.Unmap())
		}
		if err != nil {
			if len(addrs) > 0 {
				break
			}
			var de *net.DNSError
			if errors.As(err, &de) && de.Name == host {
				err = &dnsFailure{de}
			}
			return nil, &UnknownHostError{Host: host, Err: err}
		}
	}
	if len(addrs) == 0 {
		return nil, &UnknownHostError{Host: host}
	}
	return addrs, nil
}

// dnsFailure is a resolver's error less the host name, which stands before it already.
type dnsFailure struct{ *net.DNSError }

func (e *dnsFailure) Error() string { return e.Err }
func (e *dnsFailure) Unwrap() error { return e.DNSError }
