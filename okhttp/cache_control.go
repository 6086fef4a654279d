package okhttp

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// CacheControl is what a Cache-Control header says (RFC 9111 section 5.2). The zero value says nothing. Times are pointers because nil,
// not said, differs from zero: write CacheControl{MaxAge: new(time.Minute)}. They go out in whole seconds, without what is left over, and
// at most as 2147483647 of them, which caches take for as long as they like (RFC 9111 section 1.2.2); what the pointers point to must
// not be modified.
type CacheControl struct {
	// NoCache, in a request or a response, asks caches to check with the server before they use the response.
	NoCache bool
	// NoStore asks caches to keep nothing of this request and its response.
	NoStore bool
	// MaxAge is how old a response may become before it is stale; in a request, how old one may be that is used.
	MaxAge *time.Duration
	// SMaxAge is MaxAge for caches that several users share.
	SMaxAge *time.Duration
	// Private keeps shared caches from storing the response. A list of fields that it is limited to is not kept.
	Private bool
	// Public lets shared caches store responses that they otherwise may not, such as those to requests with Authorization.
	Public bool
	// MustRevalidate forbids the use of the response once it is stale.
	MustRevalidate bool
	// MaxStale, in a request, is how long a response may have been stale. [MaxStaleAny] means however long.
	MaxStale *time.Duration
	// MinFresh, in a request, is how long a response must stay fresh.
	MinFresh *time.Duration
	// OnlyIfCached, in a request, wants a response from the cache or none: the answer then is 504.
	OnlyIfCached bool
	// NoTransform asks for content as the server sent it.
	NoTransform bool
	// Immutable promises that the response does not change while it is fresh (RFC 8246).
	Immutable bool

	text string // what was parsed, for String as long as the fields still mean the same
}

// MaxStaleAny is a [CacheControl.MaxStale] without limit: what max-stale without a number means. It is 2147483647 seconds, 68 years.
const MaxStaleAny = math.MaxInt32 * time.Second

// ForceNetwork returns the directives of a request that wants an answer of the server, whatever a cache has: no-cache.
func ForceNetwork() CacheControl { return CacheControl{NoCache: true} }

// ForceCache returns the directives of a request that wants what the cache has, even if it is stale, and nothing from the network:
// max-stale=2147483647, only-if-cached. If the cache has nothing, the response is 504.
func ForceCache() CacheControl { return CacheControl{MaxStale: new(MaxStaleAny), OnlyIfCached: true} }

// String returns the directives as they stand in a header, "" if there are none. Directives that came from a single Cache-Control header
// are written as they were there, unknown ones included, unless a field was changed. Negative times are written as 0.
func (c CacheControl) String() string {
	written := c.write()
	if c.text != "" {
		var parsed CacheControl
		parsed.parse(c.text)
		if parsed.write() == written {
			return c.text
		}
	}
	return written
}

func (c CacheControl) write() string {
	var b strings.Builder
	directive := func(name string, on bool) {
		if !on {
			return
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name)
	}
	seconds := func(name string, d *time.Duration) {
		if d != nil {
			directive(name, true)
			b.WriteByte('=')
			b.WriteString(strconv.FormatInt(int64(min(max(*d, 0), MaxStaleAny)/time.Second), 10))
		}
	}
	directive("no-cache", c.NoCache)
	directive("no-store", c.NoStore)
	seconds("max-age", c.MaxAge)
	seconds("s-maxage", c.SMaxAge)
	directive("private", c.Private)
	directive("public", c.Public)
	directive("must-revalidate", c.MustRevalidate)
	seconds("max-stale", c.MaxStale)
	seconds("min-fresh", c.MinFresh)
	directive("only-if-cached", c.OnlyIfCached)
	directive("no-transform", c.NoTransform)
	directive("immutable", c.Immutable)
	return b.String()
}

// negative returns the name of a time that is less than zero, and the time; "" if there is none.
func (c CacheControl) negative() (string, time.Duration) {
	for _, age := range []struct {
		name string
		d    *time.Duration
	}{{"max-age", c.MaxAge}, {"s-maxage", c.SMaxAge}, {"max-stale", c.MaxStale}, {"min-fresh", c.MinFresh}} {
		if age.d != nil && *age.d < 0 {
			return age.name, *age.d
		}
	}
	return "", 0
}
