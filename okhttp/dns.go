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

// SystemDNS asks a resolver of package net, that of the operating system if r is nil, for IPv6 and IPv4 addresses at once. Those that come
// first are yielded first; that there are none of one family is no failure.
func SystemDNS(r *net.Resolver) DNS {
	if r == nil {
		r = net.DefaultResolver
	}
	return systemResolver{r}
}

var systemDNS = SystemDNS(nil)

type systemResolver struct{ *net.Resolver }

func (r systemResolver) Lookup(ctx context.Context, host string) iter.Seq2[DNSAnswer, error] {
	return func(yield func(DNSAnswer, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel() // package net returns at once then
		type family struct {
			addrs []netip.Addr
			err   error
		}
		families := make(chan family, 2)
		for _, network := range [...]string{"ip6", "ip4"} {
			go func() {
				addrs, err := r.LookupNetIP(ctx, network, host)
				families <- family{addrs, err}
			}()
		}
		found := false
		var failure error
		for range 2 {
			f := <-families
			switch {
			case f.err == nil:
				found = true
				if !yield(DNSAnswer{Addrs: f.addrs}, nil) {
					return
				}
			case failure == nil || isNotFound(failure): // anything else tells more
				failure = f.err
			}
		}
		if !found {
			yield(DNSAnswer{}, failure)
		}
	}
}

func isNotFound(err error) bool {
	var de *net.DNSError
	return errors.As(err, &de) && de.IsNotFound
}

// dnsFailure is a resolver's error less the host name, which stands before it already.
type dnsFailure struct{ *net.DNSError }

func (e *dnsFailure) Error() string { return e.Err }
func (e *dnsFailure) Unwrap() error { return e.DNSError }
