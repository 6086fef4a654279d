package okcache

import (
	"math"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// directives is what Cache-Control and Pragma say (RFC 9111 section 5.2), as far as this cache does as they say. Numbers are seconds; unsaid is
// none of them.
type directives struct {
	noCache, noStore, private, public, immutable, mustRevalidate, onlyIfCached, mustUnderstand bool

	maxAge, maxStale, minFresh         int64
	staleWhileRevalidate, staleIfError int64
}

const (
	unsaid     = int64(-1)
	maxSeconds = math.MaxInt32 // RFC 9111 section 1.2.2
)

// directivesOf reads all Cache-Control and Pragma headers in order. Where they contradict each other, the later one counts.
func directivesOf(h okhttp.Headers) directives {
	d := directives{maxAge: unsaid, maxStale: unsaid, minFresh: unsaid, staleWhileRevalidate: unsaid, staleIfError: unsaid}
	for name, value := range h.All() {
		if equalFold(name, "Cache-Control") || equalFold(name, "Pragma") {
			for one := range okhttp.CacheDirectives(value) {
				d.set(one.Name, one.Value, one.HasValue)
			}
		}
	}
	return d
}

func (d *directives) set(name, value string, hasValue bool) {
	switch len(name) { // most directives are told apart by that
	case len("public"):
		d.public = d.public || equalFold(name, "public")
	case len("private"):
		switch {
		case equalFold(name, "private"):
			d.private = true
		case equalFold(name, "max-age"):
			d.maxAge = seconds(value, 0) // one that cannot be read is over (RFC 9111 section 4.2.1)
		}
	case len("no-cache"):
		switch {
		case equalFold(name, "no-cache"):
			d.noCache = true
		case equalFold(name, "no-store"):
			d.noStore = true
		}
	case len("immutable"): // and max-stale, min-fresh
		switch {
		case equalFold(name, "min-fresh"):
			d.minFresh = seconds(value, unsaid)
		case equalFold(name, "max-stale"):
			if d.maxStale = seconds(value, unsaid); !hasValue {
				d.maxStale = maxSeconds
			}
		case equalFold(name, "immutable"):
			d.immutable = true
		}
	case len("stale-if-error"):
		switch {
		case equalFold(name, "stale-if-error"):
			d.staleIfError = seconds(value, unsaid)
		case equalFold(name, "only-if-cached"):
			d.onlyIfCached = true
		}
	case len("must-revalidate"):
		switch {
		case equalFold(name, "must-revalidate"):
			d.mustRevalidate = true
		case equalFold(name, "must-understand"):
			d.mustUnderstand = true
		}
	case len("stale-while-revalidate"):
		if equalFold(name, "stale-while-revalidate") {
			d.staleWhileRevalidate = seconds(value, unsaid)
		}
	}
}

// seconds reads a number of seconds, at most [maxSeconds]. A negative one is 0, and what is none is bad.
func seconds(s string, bad int64) int64 {
	digits, negative := strings.CutPrefix(s, "-")
	if digits == "" {
		return bad
	}
	n := int64(0)
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return bad
		}
		n = min(n*10+int64(digits[i]-'0'), maxSeconds)
	}
	if negative {
		return 0
	}
	return n
}

func trim(s string) string { return strings.Trim(s, " \t") }

// equalFold compares without regard to ASCII case.
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if a[i] != b[i] && lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}
