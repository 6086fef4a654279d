package cli

import (
	"errors"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// proxyURL is the argument of --proxy and its kin: a proxy, and the scheme that it has without one of its own.
type proxyURL struct{ scheme, text string }

// proxies returns what the options say of proxies. A Unix domain socket takes the place of all of them.
func (o *options) proxies() (okhttp.ProxySelector, error) {
	if o.unixSocket != "" {
		return okhttp.ProxyList([]okhttp.Proxy{okhttp.UnixSocket(o.unixSocket)}), nil
	}
	selector := okhttp.EnvironmentProxies()
	switch {
	case o.proxy == nil && o.proxyUser != nil: // whichever it will be
		selector = &known{selector, o.proxyUser}
	case o.proxy != nil:
		p, err := o.proxy.parse(o.proxyUser)
		if u, ok := errors.AsType[*okhttp.URLError](err); ok && u.Part == "scheme" {
			return nil, &failure{exitConnect, libraryText(err)} // as in curl
		}
		if err != nil {
			return nil, &failure{exitProxy, libraryText(err)}
		}
		selector = okhttp.ProxyList([]okhttp.Proxy{p}, o.exceptions()...)
	}
	if o.proxy == nil && o.noProxy != nil {
		selector = &besides{ProxySelector: selector, except: okhttp.ProxyList([]okhttp.Proxy{okhttp.UnixSocket("any")}, o.exceptions()...)}
	}
	if len(o.connectTo) > 0 {
		selector = &elsewhere{selector, o}
	}
	return selector, nil
}

// exceptions are the hosts without a proxy.
func (o *options) exceptions() []string {
	text := os.Getenv("no_proxy")
	switch {
	case o.noProxy != nil:
		text = *o.noProxy
	case text == "":
		text = os.Getenv("NO_PROXY")
	}
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// besides is a selector with further exceptions: hosts that a list has no proxy for.
type besides struct {
	okhttp.ProxySelector
	except okhttp.ProxySelector
}

func (b *besides) Select(u okhttp.URL) ([]okhttp.Proxy, error) {
	if list, err := b.except.Select(u); len(list) == 0 || err != nil {
		return nil, err
	}
	return b.ProxySelector.Select(u)
}

// known is a selector whose proxies get credentials, which are sent unasked as those of a URL are: what comes through a pipe could not be sent again after a 407.
type known struct {
	okhttp.ProxySelector
	user *credentials
}

// Select implements [okhttp.ProxySelector].
func (k *known) Select(u okhttp.URL) ([]okhttp.Proxy, error) {
	list, err := k.ProxySelector.Select(u)
	if err != nil {
		return nil, err
	}
	list = slices.Clone(list)
	for i, p := range list {
		bare, err := okhttp.ParseProxy(p.String())
		if err != nil || bare != p || p.IsDirect() { // it has credentials of its own, or needs none
			continue
		}
		if list[i], err = okhttp.ParseProxy(strings.Replace(p.String(), "://", "://"+url.UserPassword(k.user.name, k.user.password).String()+"@", 1)); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// parse adds what the text leaves out: the scheme, credentials that were given apart, and the port, which for curl is 1080 where it
// is 80 for the library. An empty text is no proxy.
func (p *proxyURL) parse(user *credentials) (okhttp.Proxy, error) {
	if p.text == "" {
		return okhttp.Direct, nil
	}
	scheme, rest, ok := strings.Cut(p.text, "://")
	if !ok || strings.Contains(scheme, ":") {
		scheme, rest = p.scheme, p.text
	}
	info, host := "", rest
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		info, host = rest[:at+1], rest[at+1:]
	} else if user != nil {
		info = url.UserPassword(user.name, user.password).String() + "@"
	}
	host = strings.TrimSuffix(host, "/")
	if strings.EqualFold(scheme, "http") && host != "" && strings.LastIndexByte(host, ':') <= strings.LastIndexByte(host, ']') {
		host += ":1080"
	}
	return okhttp.ParseProxy(scheme + "://" + info + host)
}
