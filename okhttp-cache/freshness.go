package okcache

import (
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// freshness is what the head of a stored response says about how long it may be used (RFC 9111 section 4.2). Times are milliseconds, those of the clock since
// 1970.
type freshness struct {
	directives directives

	date, lastModified         int64 // none if there is no such header
	dateText, lastModifiedText string
	etag                       string

	lifetime  int64
	heuristic bool // the lifetime is a guess
	expires   bool // there is an Expires header
	age       int64
}

const none = int64(-1 << 62)

// freshnessOf reads the head. The age is that at a moment.
func (c *Cache) freshnessOf(e *entry, now int64) *freshness {
	f := &freshness{date: none, lastModified: none}
	f.directives = directivesOf(okhttp.UncheckedHeaders(e.headers))
	expires, age := "", unsaid
	several, aged := false, false
	for i := 0; i < len(e.headers); i += 2 {
		value := e.headers[i+1]
		switch name := e.headers[i]; len(name) {
		case len("Age"):
			if equalFold(name, "Age") && !aged {
				age, aged = ageOf(value), true
			}
		case len("Date"): // and ETag
			switch {
			case equalFold(name, "Date"):
				f.dateText = value
			case equalFold(name, "ETag"):
				f.etag = value
			}
		case len("Expires"):
			if equalFold(name, "Expires") {
				several = f.expires
				expires, f.expires = value, true
			}
		case len("Last-Modified"):
			if equalFold(name, "Last-Modified") {
				f.lastModifiedText = value
			}
		}
	}
	f.date = millisOf(f.dateText)
	f.lastModified = millisOf(f.lastModifiedText)
	f.age = ageAt(e, f.date, age, now)
	f.live(c, e, expires, several)
	return f
}

// ageOf reads an Age header. Only the first of a list counts, and what is no number does not (RFC 9111 section 5.1).
func ageOf(s string) int64 {
	for i := range len(s) {
		if s[i] == ',' {
			s = s[:i]
			break
		}
	}
	if s = trim(s); len(s) > 0 && s[0] == '-' {
		return unsaid
	}
	return seconds(s, unsaid)
}

func millisOf(date string) int64 {
	if date == "" {
		return none
	}
	t, ok := lenientDate(date)
	if !ok {
		return none
	}
	return t.UnixMilli()
}

// ageAt returns how old a response is, of which intervals that a clock made negative are none.
func ageAt(e *entry, date, age, now int64) int64 {
	apparent := int64(0)
	if date != none {
		apparent = max(0, e.received-date)
	}
	if age != unsaid {
		apparent = max(apparent, age*1000)
	}
	return apparent + max(0, e.received-e.sent) + max(0, now-e.received)
}

// live finds how long the response is fresh.
func (f *freshness) live(c *Cache, e *entry, expires string, several bool) {
	switch {
	case f.directives.maxAge != unsaid:
		f.lifetime = f.directives.maxAge * 1000
	case f.expires:
		at, ok := expiry(expires, time.UnixMilli(e.received))
		if !ok || several {
			return
		}
		since := e.received
		if f.date != none {
			since = f.date
		}
		f.lifetime = max(0, at.UnixMilli()-since)
	case f.lastModified != none && !hasQuery(e.url):
		since := e.sent
		if f.date != none {
			since = f.date
		}
		f.lifetime, f.heuristic = max(0, (since-f.lastModified)/10), true
		if most := c.config.MaxHeuristic; most > 0 {
			f.lifetime = min(f.lifetime, most.Milliseconds())
		}
	}
}

func hasQuery(url string) bool {
	for i := range len(url) {
		switch url[i] {
		case '?':
			return true
		case '#':
			return false
		}
	}
	return false
}

// staleness returns how long the response has been stale, or negative how long it is fresh still.
func (f *freshness) staleness() int64 { return f.age - f.lifetime }

// condition returns the header that asks the server whether the response is still good (RFC 9111 section 4.3.1).
func (f *freshness) condition() (name, value string) {
	switch {
	case f.etag != "":
		return "If-None-Match", f.etag
	case f.lastModifiedText != "" && f.lastModified != none:
		return "If-Modified-Since", f.lastModifiedText
	case f.dateText != "" && f.date != none:
		return "If-Modified-Since", f.dateText
	}
	return "", ""
}

func millis(t time.Time) int64 { return t.UnixMilli() }
