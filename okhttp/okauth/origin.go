package okauth

import (
	"slices"
	"sync/atomic"

	"github.com/okhttp-go/ok/okhttp"
)

// Option configures an authenticator.
type Option interface{ apply(*guard) }

type option func(*guard)

func (o option) apply(g *guard) { o(g) }

// OnlyFor lists the origins that credentials may go to. Of each URL only scheme, host and port count. Without it they go to the origin of the
// first call that they are used for. The origins of several options add up; OnlyFor without any lets credentials go nowhere.
func OnlyFor(origins ...okhttp.URL) Option {
	return option(func(g *guard) {
		g.listed = true
		for _, u := range origins {
			g.only = append(g.only, originOf(u))
		}
	})
}

// origin is what credentials are bound to (RFC 9110 section 4.3.1).
type origin struct {
	scheme, host string
	port         int
}

func originOf(u okhttp.URL) origin { return origin{u.Scheme(), u.Host(), u.Port()} }

func (o origin) none() bool { return o.host == "" }

// guard decides where credentials may go.
type guard struct {
	listed bool
	only   []origin
	first  atomic.Pointer[origin] // of the first call, if none are listed
}

func newGuard(opts []Option) *guard {
	g := new(guard)
	for _, o := range opts {
		if o != nil {
			o.apply(g)
		}
	}
	return g
}

// allows reports whether a request, which begins a call, may carry the credentials.
func (g *guard) allows(req *okhttp.Request) bool {
	o := originOf(req.URL())
	g.bind(o)
	return g.has(o)
}

// allowsAnswer reports whether the answer to a challenge may carry the credentials. The call may have been redirected before.
func (g *guard) allowsAnswer(resp *okhttp.Response) bool {
	if resp.Status == statusProxy {
		return true
	}
	start := resp
	for start.Prior() != nil {
		start = start.Prior()
	}
	if start.Request() == nil {
		return false
	}
	g.bind(originOf(start.Request().URL()))
	return g.has(originOf(resp.Request().URL()))
}

func (g *guard) bind(o origin) {
	if !g.listed && !o.none() {
		g.first.CompareAndSwap(nil, &o)
	}
}

func (g *guard) has(o origin) bool {
	if g.listed {
		return !o.none() && slices.Contains(g.only, o)
	}
	first := g.first.Load()
	return first != nil && *first == o
}
