package okhttp

import (
	"iter"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
)

// ParseCacheControl reads all Cache-Control and Pragma headers in order. It cannot fail: names it does not know are ignored, and so is the
// time of one it does know if it is no number; a time below zero is zero, one too large is 2147483647 seconds. Where directives contradict
// each other, the later one counts.
func ParseCacheControl(h Headers) CacheControl {
	var c CacheControl
	count, pragma := 0, false
	for name, value := range h.All() {
		switch {
		case ascii.EqualFold(name, "Cache-Control"):
			count++
			c.text = value
		case ascii.EqualFold(name, "Pragma"):
			pragma = true
		default:
			continue
		}
		c.parse(value)
	}
	if count != 1 || pragma {
		c.text = ""
	}
	return c
}

// CacheDirective is one directive of a Cache-Control header as it stands there (RFC 9111 section 5.2). Case does not count in its name.
type CacheDirective struct {
	Name, Value string // the value without its quotes
	HasValue    bool   // there was an equals sign
}

// CacheDirectives yields the directives of one Cache-Control or Pragma header in their order, those too that [CacheControl] does not know. It cannot fail:
// what nobody could read is a directive with an odd name.
func CacheDirectives(header string) iter.Seq[CacheDirective] {
	return func(yield func(CacheDirective) bool) {
		for s := header; s != ""; {
			var d CacheDirective
			i := strings.IndexAny(s, "=,;")
			if i < 0 {
				i = len(s)
			}
			d.Name, s = ascii.TrimOWS(s[:i]), s[i:]
			if d.HasValue = strings.HasPrefix(s, "="); d.HasValue {
				d.Value, s = cutDirectiveValue(s[1:])
			} else if s != "" {
				s = s[1:]
			}
			if d != (CacheDirective{}) && !yield(d) { // nothing between two separators is none
				return
			}
		}
	}
}

func (c *CacheControl) parse(s string) {
	for d := range CacheDirectives(s) {
		c.set(d.Name, d.Value, d.HasValue)
	}
}

// cutDirectiveValue takes a value, quoted or bare, and a bare one's separator. Whatever stands between a closing quote and the next
// separator is a directive: if it says anything, that is better heard. A quoted value that does not end runs to the end.
func cutDirectiveValue(s string) (value, rest string) {
	if s = strings.TrimLeft(s, " \t"); !strings.HasPrefix(s, `"`) {
		if i := strings.IndexAny(s, ",;"); i >= 0 {
			return ascii.TrimOWS(s[:i]), s[i+1:]
		}
		return ascii.TrimOWS(s), ""
	}
	s = s[1:]
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			return s[:i], s[i+1:]
		case '\\':
			i++ // a quoted pair (RFC 9110 section 5.6.4), which no number has
		}
	}
	return s, ""
}

func (c *CacheControl) set(name, value string, hasValue bool) {
	switch {
	case ascii.EqualFold(name, "no-cache"):
		c.NoCache = true
	case ascii.EqualFold(name, "no-store"):
		c.NoStore = true
	case ascii.EqualFold(name, "max-age"):
		c.MaxAge = deltaSeconds(value)
	case ascii.EqualFold(name, "s-maxage"):
		c.SMaxAge = deltaSeconds(value)
	case ascii.EqualFold(name, "private"):
		c.Private = true
	case ascii.EqualFold(name, "public"):
		c.Public = true
	case ascii.EqualFold(name, "must-revalidate"):
		c.MustRevalidate = true
	case ascii.EqualFold(name, "max-stale"):
		if c.MaxStale = deltaSeconds(value); !hasValue {
			c.MaxStale = new(MaxStaleAny)
		}
	case ascii.EqualFold(name, "min-fresh"):
		c.MinFresh = deltaSeconds(value)
	case ascii.EqualFold(name, "only-if-cached"):
		c.OnlyIfCached = true
	case ascii.EqualFold(name, "no-transform"):
		c.NoTransform = true
	case ascii.EqualFold(name, "immutable"):
		c.Immutable = true
	}
}

// deltaSeconds reads a number of seconds (RFC 9111 section 1.2.2), nil if it is none.
func deltaSeconds(s string) *time.Duration {
	digits, negative := strings.CutPrefix(s, "-")
	if digits == "" {
		return nil
	}
	var d time.Duration
	for i := range len(digits) {
		if !isDigitByte(digits[i]) {
			return nil
		}
		d = min(d*10+time.Duration(digits[i]-'0'), MaxStaleAny/time.Second)
	}
	if negative {
		d = 0
	}
	d *= time.Second
	return &d
}
