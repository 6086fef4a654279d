package okcache

import (
	"errors"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// place is where the response to a request is filed: as that to a GET of a URL.
type place struct {
	url  okhttp.URL
	text string // of url
	key  string
}

// placeOf returns the place of a URL. A fragment is not a part of what a server is asked for.
func placeOf(u okhttp.URL) place {
	text := u.String()
	if strings.IndexByte(text, '#') >= 0 {
		if bare, err := u.Edit().ClearFragment().Build(); err == nil {
			u, text = bare, bare.String()
		}
	}
	return place{u, text, keyOf(text)}
}

// filed returns the place for the response to a request, if it may be stored and stored responses may answer it.
func (c *Cache) filed(req *okhttp.Request) (place, bool) {
	switch req.Method() {
	case "GET", "POST", "QUERY":
	default:
		return place{}, false
	}
	if !ownHost(req) {
		return place{}, false
	}
	if p, ok := c.placeFor(req); ok {
		return p, true
	}
	if req.Method() != "GET" {
		return place{}, false
	}
	return placeOf(req.URL()), true
}

// placeFor returns the place that somebody has chosen for the response to a request.
func (c *Cache) placeFor(req *okhttp.Request) (place, bool) {
	if u, ok := req.CacheURL(); ok {
		return placeOf(u), true
	}
	if c.config.Key != nil {
		if u := c.config.Key(req); u != (okhttp.URL{}) {
			return placeOf(u), true
		}
	}
	return place{}, false
}

// ownHost reports whether the Host header is that of the URL. The answer of another host must not be filed under it.
func ownHost(req *okhttp.Request) bool {
	host := req.Headers().Get("Host")
	if host == "" {
		return true
	}
	want := req.URL().Host()
	host = strings.TrimPrefix(host, "[")
	if len(host) < len(want) || !equalFold(host[:len(want)], want) {
		return false
	}
	return len(host) == len(want) || host[len(want)] == ':' || host[len(want)] == ']'
}

// invalidates reports whether a request may change what its URL stands for (RFC 9111 section 4.4): all methods may that are not known to be safe.
func invalidates(method string) bool {
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "QUERY":
		return false
	}
	return true
}

// invalidate removes what is stored for the URL of a request that changed it, and for those that the response names, if they are of the same origin.
func (c *Cache) invalidate(req *okhttp.Request, resp *okhttp.Response) {
	failed := resp.Status >= 400
	if failed && c.config.RFC9111 {
		return
	}
	c.remove(placeOf(req.URL()))
	if c.config.Key != nil {
		if u := c.config.Key(req); u != (okhttp.URL{}) {
			c.remove(placeOf(u))
		}
	}
	if failed {
		return
	}
	for _, name := range [...]string{"Location", "Content-Location"} {
		value, ok := resp.Headers().Last(name)
		if !ok {
			continue
		}
		u, err := req.URL().Resolve(value)
		if err == nil && u.Scheme() == req.URL().Scheme() && u.Host() == req.URL().Host() && u.Port() == req.URL().Port() {
			c.remove(placeOf(u))
		}
	}
}

// remove removes what is stored in a place, all variants of it.
func (c *Cache) remove(p place) {
	_, err := c.store.Remove(p.key)
	_, indexErr := c.store.Remove(indexKey(p))
	if err = errors.Join(err, indexErr); err != nil {
		c.log("could not remove a response", p.url, err)
	}
}
