package okdoh

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/internal/gather"
	"github.com/okhttp-go/ok/okhttp/okdns"
)

// Config configures a [Resolver]. Client and URL are required.
type Config struct {
	// Client sends the requests, with its timeouts, TLS and pool. It is derived from, not changed.
	Client *okhttp.Client
	// URL is that of the resolver, with https. A "{?dns}" at its end, by which resolvers are published, is left out.
	URL string
	// Bootstrap are the addresses of the URL's host. Nothing else is looked up for the resolver's sake then. Not needed if the host is an address.
	Bootstrap []netip.Addr
	// DNS looks up the URL's host if there are no bootstrap addresses. nil: okdns.System{}. It must not lead back to the resolver.
	DNS okhttp.DNS
	// NoIPv6 leaves out IPv6 addresses.
	NoIPv6 bool
	// NoHTTPSRecords leaves out HTTPS records, and with them ALPN and ECH.
	NoHTTPSRecords bool
	// POST sends questions in the bodies of POST requests, instead of in the queries of GET requests. They are filed in a cache of the client all the
	// same: under the resolver's URL with the host and the type of the question.
	POST bool
	// ResolvePrivate asks also for names that the public DNS does not have: those without a registrable domain, which are single labels and public
	// suffixes such as "co.uk", IP addresses, and those below local, localhost, internal, home.arpa and onion. By default they fail with
	// [ErrPrivateHost], because the resolver could not know them but would learn that they exist.
	ResolvePrivate bool
	// NoPublic fails all other names with [ErrPublicHost].
	NoPublic bool
}

// Resolver is an [okhttp.DNS] over HTTPS (RFC 8484). It is safe for concurrent use.
type Resolver struct {
	client          *okhttp.Client
	url             okhttp.URL
	types           []dnsmessage.Type
	post            bool
	private, public bool
}

// New makes a resolver. It fails if the client or the URL is missing, or if the URL is none or not one of https.
func New(c Config) (*Resolver, error) {
	if c.Client == nil {
		return nil, errors.New("okdoh: client not set")
	}
	if c.URL == "" {
		return nil, errors.New("okdoh: url not set")
	}
	u, err := okhttp.ParseURL(strings.TrimSuffix(c.URL, "{?dns}"))
	if err != nil {
		return nil, fmt.Errorf("okdoh: %w", err)
	}
	if u.Scheme() != "https" {
		return nil, fmt.Errorf("okdoh: the url is one of %s, expected https", u.Scheme())
	}
	if u, err = u.Edit().ClearFragment().Build(); err != nil {
		return nil, fmt.Errorf("okdoh: %w", err)
	}
	r := &Resolver{url: u, post: c.POST, private: c.ResolvePrivate, public: !c.NoPublic, types: []dnsmessage.Type{dnsmessage.TypeA}}
	if !c.NoIPv6 {
		r.types = append(r.types, dnsmessage.TypeAAAA)
	}
	if !c.NoHTTPSRecords {
		r.types = append(r.types, dnsmessage.TypeHTTPS)
	}
	dns, err := c.bootstrap(u.Host())
	if err != nil {
		return nil, err
	}
	r.client = c.Client.With(okhttp.WithDNS(dns), okhttp.WithCookieJar(nil), okhttp.WithDispatcher(okhttp.NewDispatcher(okhttp.DispatcherConfig{})))
	return r, nil
}

// bootstrap is what resolves names for the requests to the resolver.
func (c *Config) bootstrap(host string) (okhttp.DNS, error) {
	if len(c.Bootstrap) > 0 {
		if _, err := netip.ParseAddr(host); err == nil {
			return nil, fmt.Errorf("okdoh: bootstrap addresses for a host that is an address, %s", host)
		}
		return okdns.NewStatic(map[string][]netip.Addr{host: c.Bootstrap}, onlyOwnHost)
	}
	if c.DNS != nil {
		return c.DNS, nil
	}
	return okdns.System{}, nil
}

var onlyOwnHost = okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) {
	return nil, errors.New("not the resolver's host, and nothing else is looked up for it")
})

// underWay marks the context of a resolver's requests.
type underWay struct{ *Resolver }

// Lookup implements [okhttp.DNS]. Without an address it fails with an [*okhttp.UnknownHostError].
func (r *Resolver) Lookup(ctx context.Context, host string) iter.Seq2[okhttp.DNSAnswer, error] {
	return func(yield func(okhttp.DNSAnswer, error) bool) {
		err := r.allowed(host)
		if err == nil && ctx.Value(underWay{r}) != nil {
			err = errors.New("the resolver would have to ask itself")
		}
		if err != nil {
			yield(okhttp.DNSAnswer{}, &okhttp.UnknownHostError{Host: host, Err: err})
			return
		}
		l := &lookup{resolver: r, host: host, failures: make([]error, len(r.types))}
		for result := range gather.Each(context.WithValue(ctx, underWay{r}, true), len(r.types), l.ask) {
			if answer, ok := l.take(result); ok && !yield(answer, nil) {
				return
			}
		}
		if ctx.Err() != nil {
			yield(okhttp.DNSAnswer{}, context.Cause(ctx))
			return
		}
		if answer, err := l.rest(); err != nil || answer.TTL > 0 {
			yield(answer, err)
		}
	}
}

// lookup is a look-up under way.
type lookup struct {
	resolver *Resolver
	host     string

	found    bool    // an address
	failures []error // of the questions
	service  service // what the HTTPS records say
}

func (l *lookup) ask(ctx context.Context, i int) (reply, error) {
	return l.resolver.ask(ctx, l.host, l.resolver.types[i])
}

// take makes an answer of what came of a question, if there is one in it.
func (l *lookup) take(r gather.Result[reply]) (okhttp.DNSAnswer, bool) {
	l.failures[r.Index] = r.Err
	if l.resolver.types[r.Index] == dnsmessage.TypeHTTPS {
		l.service = r.Value.service
		answer := okhttp.DNSAnswer{ALPN: l.service.alpn, ECHConfigList: l.service.ech, TTL: r.Value.ttl}
		return answer, answer.ALPN != nil || answer.ECHConfigList != nil
	}
	l.found = l.found || len(r.Value.addrs) > 0
	return okhttp.DNSAnswer{Addrs: r.Value.addrs, TTL: r.Value.ttl}, len(r.Value.addrs) > 0
}

// incomplete is how long a look-up counts that lacks the reply to a question.
const incomplete = 10 * time.Second

// rest is what there is to say when all questions have come to something: that addresses are missing, hints in their place, or the failure.
func (l *lookup) rest() (okhttp.DNSAnswer, error) {
	var hints []netip.Addr
	var failure *QueryError
	var others []error
	for i, t := range l.resolver.types {
		if t == dnsmessage.TypeHTTPS || l.failures[i] == nil {
			continue
		}
		e := &QueryError{Type: typeName(t), Err: l.failures[i]}
		none := okdns.NotFound(e.Err)
		if !none {
			hints = append(hints, l.service.hints(t)...)
		}
		switch {
		case failure == nil:
			failure = e
		case okdns.NotFound(failure.Err) && !none: // that nobody knows matters more than that there are none
			failure, others = e, append(others, failure)
		default:
			others = append(others, e)
		}
	}
	switch {
	case l.found && failure == nil:
		return okhttp.DNSAnswer{}, nil
	case l.found:
		return okhttp.DNSAnswer{TTL: incomplete}, nil
	case len(hints) > 0:
		return okhttp.DNSAnswer{Addrs: hints, TTL: incomplete}, nil
	case failure == nil:
		return okhttp.DNSAnswer{}, &okhttp.UnknownHostError{Host: l.host}
	}
	failure.Others = others
	return okhttp.DNSAnswer{}, &okhttp.UnknownHostError{Host: l.host, Err: failure}
}
