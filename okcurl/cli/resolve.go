package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okdns"
	"github.com/okhttp-go/ok/okhttp/okdoh"
)

// resolveRule is what one --resolve says.
type resolveRule struct {
	host  string // "*" for all others
	port  int
	addrs []netip.Addr
}

// setResolve is addResolve with the exit code that curl has for it.
func (o *options) setResolve(text string) error {
	if err := o.addResolve(text); err != nil {
		return &failure{exitOption, "option --resolve: " + err.Error() + "; try okcurl --help"}
	}
	return nil
}

// addResolve reads HOST:PORT:ADDR[,ADDR...]. Addresses may be in brackets, a plus in front changes nothing, for no rule ages, and -HOST:PORT takes back what was said.
func (o *options) addResolve(text string) error {
	if undone, ok := strings.CutPrefix(text, "-"); ok {
		return o.removeResolve(undone)
	}
	text = strings.TrimPrefix(text, "+")
	host, rest, _ := strings.Cut(text, ":")
	portText, list, ok := strings.Cut(rest, ":")
	if !ok || host == "" {
		return fmt.Errorf("expected HOST:PORT:ADDR, got %q", text)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || port == 0 {
		return fmt.Errorf("expected a port, got %q", portText)
	}
	rule := resolveRule{host: host, port: int(port)}
	if host != "*" {
		if _, err := okdns.NewStatic(map[string][]netip.Addr{host: nil}, nil); err != nil {
			return fmt.Errorf("expected a host name, got %q", host)
		}
	}
	for text := range strings.SplitSeq(list, ",") {
		inner, bracketed := strings.CutPrefix(text, "[")
		if bracketed {
			inner, bracketed = strings.CutSuffix(inner, "]")
			if !bracketed {
				return fmt.Errorf("expected an IP address, got %q", text)
			}
		}
		addr, err := netip.ParseAddr(inner)
		if err != nil {
			return fmt.Errorf("expected an IP address, got %q", text)
		}
		rule.addrs = append(rule.addrs, addr)
	}
	o.resolve = append(o.resolve, rule)
	return nil
}

// removeResolve takes back the rules of HOST:PORT.
func (o *options) removeResolve(text string) error {
	host, portText, ok := strings.Cut(text, ":")
	port, err := strconv.ParseUint(portText, 10, 16)
	if !ok || host == "" || err != nil {
		return fmt.Errorf("expected -HOST:PORT, got %q", "-"+text)
	}
	o.resolve = slices.DeleteFunc(o.resolve, func(r resolveRule) bool {
		return r.port == int(port) && strings.EqualFold(strings.TrimSuffix(r.host, "."), strings.TrimSuffix(host, "."))
	})
	return nil
}

// resolver returns the settings for what --resolve and --doh-url say, and makes the client that asks the resolver.
func (s *session) resolver(selector okhttp.ProxySelector) ([]okhttp.Option, error) {
	if s.o.dohURL == "" && len(s.o.resolve) == 0 && s.o.family == 0 {
		return nil, nil
	}
	var below okhttp.DNS = okdns.System{}
	if s.o.dohURL != "" {
		var err error
		if below, err = s.overHTTPS(); err != nil {
			return nil, err
		}
	}
	if s.o.family != 0 {
		below = &oneFamily{below, s.o.family == 6}
	}
	settings := []okhttp.Option{okhttp.WithDNS(below)}
	if len(s.o.resolve) > 0 {
		rules, err := newPortRules(s.o.rulesOfFamily(), below)
		if err != nil {
			return nil, err
		}
		rules.leads, rules.selector = s.o.leads, selector
		if s.cache != nil {
			rules.behind = s.cache
		}
		settings = append(settings, okhttp.WithCache(rules))
	}
	return settings, nil
}

// rulesOfFamily returns what --resolve says as --ipv4 and --ipv6 leave it. A rule without an address then is none, as in curl.
func (o *options) rulesOfFamily() []resolveRule {
	if o.family == 0 {
		return o.resolve
	}
	var rules []resolveRule
	for _, r := range o.resolve {
		if r.addrs = ofFamily(r.addrs, o.family == 6); len(r.addrs) > 0 {
			rules = append(rules, r)
		}
	}
	return rules
}

// overHTTPS makes the resolver of --doh-url. --resolve holds for its host as for any other, --insecure is not about it.
func (s *session) overHTTPS() (okhttp.DNS, error) {
	u, err := okhttp.ParseURL(s.o.dohURL)
	if err != nil {
		return nil, usageError("option --doh-url: %w", err)
	}
	config, err := s.o.tlsConfig(false, nil)
	if err != nil {
		return nil, err
	}
	rules, err := newPortRules(s.o.resolve, okdns.System{})
	if err != nil {
		return nil, err
	}
	s.doh = okhttp.New(append(s.o.timeouts(), okhttp.WithTLSConfig(config))...)
	resolver, err := okdoh.New(okdoh.Config{Client: s.doh, URL: s.o.dohURL, DNS: rules.of(u.Port())})
	if err != nil {
		return nil, usageError("option --doh-url: %s", libraryText(err))
	}
	return &okdns.Chain{
		DNS:  []okhttp.DNS{resolver, okdns.System{}},
		GoOn: func(err error) bool { return errors.Is(err, okdoh.ErrPrivateHost) },
	}, nil
}

// portRules are the rules of --resolve. A DNS does not know the port that a name is looked up for, so each port has a DNS of its own, which every request
// gets, those that redirects lead to included: that is what the place of a cache sees.
type portRules struct {
	ports  map[int]okhttp.DNS
	below  okhttp.DNS
	behind okhttp.Cache // that of --cache, nil without it

	leads    func(okhttp.URL) (host string, port int) // where --connect-to has a URL go, whose port the rules are about then
	selector okhttp.ProxySelector                     // whose proxies have ports of their own
}

func newPortRules(rules []resolveRule, below okhttp.DNS) (*portRules, error) {
	hosts := map[int]map[string][]netip.Addr{}
	others := map[int][]netip.Addr{}
	for _, r := range rules {
		if r.host == "*" {
			others[r.port] = r.addrs
			continue
		}
		if hosts[r.port] == nil {
			hosts[r.port] = map[string][]netip.Addr{}
		}
		hosts[r.port][strings.ToLower(strings.TrimSuffix(r.host, "."))] = r.addrs // later ones win
	}
	p := &portRules{ports: map[int]okhttp.DNS{}, below: below}
	for port, addrs := range others {
		p.ports[port] = okhttp.DNSFunc(func(context.Context, string) ([]netip.Addr, error) { return addrs, nil })
	}
	for port, table := range hosts {
		dns, err := okdns.NewStatic(table, p.of(port))
		if err != nil {
			return nil, usageError("option --resolve: %w", err)
		}
		p.ports[port] = dns
	}
	return p, nil
}

// of returns the DNS for a port.
func (p *portRules) of(port int) okhttp.DNS {
	if dns, ok := p.ports[port]; ok {
		return dns
	}
	return p.below
}

// Intercept implements [okhttp.Cache].
func (p *portRules) Intercept(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
	r := chain.Request()
	_, port := p.leads(r.URL())
	if port == 0 {
		port = r.URL().Port()
	}
	dns := p.of(port)
	if host, port := p.proxy(r.URL()); host != "" {
		dns = proxyDNS{host: host, proxy: p.of(port), others: dns}
	}
	chain = chain.With(okhttp.WithDNS(dns))
	if p.behind != nil {
		return p.behind.Intercept(ctx, chain)
	}
	return chain.Proceed(ctx, r)
}

// proxy returns the host and port of a URL's proxy, "" if it has none.
func (p *portRules) proxy(u okhttp.URL) (host string, port int) {
	list, err := p.selector.Select(u)
	if err != nil || len(list) == 0 {
		return "", 0 // the failure is that of the call
	}
	_, text, _ := strings.Cut(list[0].String(), "://")
	host, portText, err := net.SplitHostPort(text)
	if err != nil {
		return "", 0 // it is no proxy, or a socket
	}
	if port, err = strconv.Atoi(portText); err != nil {
		return "", 0
	}
	return host, port
}

// proxyDNS looks up a proxy by the rules of its port, and others, which only a SOCKS proxy is told the addresses of, by theirs. It is comparable, as calls that share
// connections need it.
type proxyDNS struct {
	host          string
	proxy, others okhttp.DNS
}

// Lookup implements [okhttp.DNS].
func (d proxyDNS) Lookup(ctx context.Context, host string) iter.Seq2[okhttp.DNSAnswer, error] {
	if host == d.host {
		return d.proxy.Lookup(ctx, host)
	}
	return d.others.Lookup(ctx, host)
}
