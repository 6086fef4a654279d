package okcache

import "github.com/okhttp-go/ok/okhttp"

// strategy is what becomes of a request.
type strategy struct {
	network *okhttp.Request // to send, nil for none
	stored  bool            // the stored response is the answer, or may be
	fresh   *freshness      // of the stored response, if it was looked at

	conditional bool     // network asks whether the stored response is still good
	background  bool     // the answer is stale: it is to be validated besides
	warnings    []string // of the answer
}

const (
	warnStale     = `110 HttpURLConnection "Response is stale"`
	warnHeuristic = `113 HttpURLConnection "Heuristic expiration"`
)

const day = 24 * 60 * 60 * 1000

// decide finds the strategy for a request, of which stored may be the answer (RFC 9111 section 4). force asks the server in any case.
func (c *Cache) decide(req *okhttp.Request, said *directives, stored *entry, now int64, force bool) strategy {
	s := c.choose(req, said, stored, now, force)
	if s.network != nil && said.onlyIfCached {
		return strategy{}
	}
	return s
}

func (c *Cache) choose(req *okhttp.Request, said *directives, stored *entry, now int64, force bool) strategy {
	switch {
	case stored == nil,
		isHTTPS(stored.url) && stored.handshake == nil,
		said.noStore:
		return strategy{network: req}
	}
	f := c.freshnessOf(stored, now)
	if !c.storable(stored.status, f) || said.noCache && !force || c.hasConditions(req) {
		return strategy{network: req}
	}
	s := strategy{stored: true, fresh: f}
	if !force && !f.directives.noCache && c.usable(f, said, &s, req.Body() == nil) {
		return s
	}
	s.warnings, s.network = nil, req
	name, value := f.condition()
	if name == "" {
		s.stored = c.onError(f, said)
		return s
	}
	h, err := req.Headers().AddNonASCII(name, value)
	if err == nil {
		req, err = req.With(okhttp.WithHeaders(h))
	}
	if err != nil { // what the server called it cannot be sent
		s.stored = c.onError(f, said)
		return s
	}
	s.network, s.conditional = req, true
	return s
}

// usable reports whether a stored response is the answer without asking the server.
func (c *Cache) usable(f *freshness, said *directives, s *strategy, repeatable bool) bool {
	lifetime, minFresh, maxStale := f.lifetime, int64(0), int64(0)
	// A user who reloads, for which browsers say max-age=0, need not be told again what does not change (RFC 8246 section 2).
	reload := c.config.RFC9111 && said.maxAge == 0 && f.directives.immutable
	if said.maxAge != unsaid && !reload {
		lifetime = min(lifetime, said.maxAge*1000)
	}
	if said.minFresh != unsaid {
		minFresh = said.minFresh * 1000
	}
	if said.maxStale != unsaid && !f.directives.mustRevalidate {
		maxStale = said.maxStale * 1000
	}
	switch {
	case f.age+minFresh < lifetime+maxStale:
	case repeatable && c.whileRevalidating(f, said):
		s.background = true
	default:
		return false
	}
	if f.age+minFresh >= lifetime {
		s.warnings = append(s.warnings, warnStale)
	}
	if f.heuristic && f.age > day {
		s.warnings = append(s.warnings, warnHeuristic)
	}
	return true
}

// whileRevalidating reports whether a response may be used that is stale, if it is validated besides (RFC 5861 section 3). A request that says how old or
// how fresh it may be has the last word.
func (c *Cache) whileRevalidating(f *freshness, said *directives) bool {
	window := f.directives.staleWhileRevalidate
	return c.config.StaleWhileRevalidate && window != unsaid && !f.directives.mustRevalidate && said.maxAge == unsaid && said.minFresh == unsaid &&
		f.staleness() < window*1000
}

// onError reports whether a response may be used because the server failed (RFC 5861 section 4).
func (c *Cache) onError(f *freshness, said *directives) bool {
	if !c.config.StaleIfError || f.directives.mustRevalidate || f.directives.noCache || said.noCache {
		return false
	}
	window := max(f.directives.staleIfError, said.staleIfError)
	if window == unsaid {
		window = int64(c.config.StaleIfErrorFor.Seconds())
	}
	return f.staleness() < window*1000
}

// hasConditions reports whether a request has conditions of its user, who then wants the server's answer to them.
func (c *Cache) hasConditions(req *okhttp.Request) bool {
	for name := range req.Headers().All() {
		switch len(name) {
		case len("If-Modified-Since"):
			if equalFold(name, "If-Modified-Since") {
				return true
			}
		case len("If-None-Match"):
			if equalFold(name, "If-None-Match") {
				return true
			}
		}
		if c.config.PassConditions && (equalFold(name, "If-Match") || equalFold(name, "If-Unmodified-Since") || equalFold(name, "If-Range")) {
			return true
		}
	}
	return false
}

// storable reports whether a response with that status may be stored and used (RFC 9111 section 3).
func (c *Cache) storable(status int, f *freshness) bool {
	d := &f.directives
	understood := false
	switch status {
	case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501:
		understood = true
	case 302, 307:
		if !f.expires && d.maxAge == unsaid && !d.public && !d.private {
			return false
		}
		understood = true
	case 206, 304:
		return false
	default:
		if !c.config.RFC9111 || status < 200 || d.maxAge == unsaid && !f.expires && !d.public {
			return false
		}
		// These are final, and cached as their class is (RFC 9110 section 15), but with must-understand they would have to be known.
		if d.mustUnderstand && !knownStatus(status) {
			return false
		}
	}
	return !d.noStore || d.mustUnderstand && understood
}

// knownStatus reports whether RFC 9110 section 15 has a status.
func knownStatus(status int) bool {
	switch {
	case status >= 200 && status <= 206, status >= 300 && status <= 308 && status != 306, status >= 400 && status <= 417 && status != 402,
		status == 421, status == 422, status == 426, status >= 500 && status <= 505:
		return true
	}
	return false
}
