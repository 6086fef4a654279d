package okhttp

import (
	"context"
	"errors"
	"iter"
	"net"
	"net/netip"
	"time"

	"github.com/okhttp-go/ok/okhttp/internal/gather"
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

// systemDNS asks the resolver of the operating system. Package okdns has it with more choices.
var systemDNS DNS = systemResolver{}

type systemResolver struct{}

// Lookup asks for both families at once. That there are no addresses of one is no failure.
func (systemResolver) Lookup(ctx context.Context, host string) iter.Seq2[DNSAnswer, error] {
	families := [...]string{"ip6", "ip4"}
	return func(yield func(DNSAnswer, error) bool) {
		found := false
		var failure error
		for r := range gather.Each(ctx, len(families), func(ctx context.Context, i int) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, families[i], host)
		}) {
			var de *net.DNSError
			switch {
			case r.Err == nil:
				if found = true; !yield(DNSAnswer{Addrs: r.Value}, nil) {
					return
				}
			case failure == nil || errors.As(failure, &de) && de.IsNotFound: // anything else tells more
				failure = r.Err
			}
		}
		if !found {
			yield(DNSAnswer{}, failure)
		}
	}
}

// unknownHost makes the failure of a look-up without any address.
func unknownHost(host string, err error) error {
	var known *UnknownHostError
	if errors.As(err, &known) {
		return err
	}
	if de, ok := err.(*net.DNSError); ok && de.Name == host {
		err = &dnsFailure{de}
	}
	return &UnknownHostError{Host: host, Err: err}
}

// dnsFailure is a resolver's error less the host name, which stands before it already.
type dnsFailure struct{ *net.DNSError }

func (e *dnsFailure) Error() string { return e.Err }
func (e *dnsFailure) Unwrap() error { return e.DNSError }
