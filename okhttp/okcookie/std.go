package okcookie

import (
	"net/http"
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// fromHTTP reads a cookie that package net/http parsed: from its line, unless somebody changed the cookie since.
func fromHTTP(u okhttp.URL, c *http.Cookie, now time.Time) (cookie Cookie, hasPath bool, err error) {
	if c.Raw != "" && !edited(c) {
		return parse(u, c.Raw, now)
	}
	a := attributes{name: trim(c.Name), value: trim(c.Value), secure: c.Secure, httpOnly: c.HttpOnly, path: c.Path, hasPath: strings.HasPrefix(c.Path, "/")}
	if c.Quoted {
		a.value = `"` + c.Value + `"`
	}
	if domain, ok := canonicalDomain(strings.TrimPrefix(c.Domain, ".")); ok {
		a.domain = domain
	}
	switch {
	case c.MaxAge != 0:
		a.maxAge, a.hasMaxAge = int64(c.MaxAge), true
	case c.Expires.IsZero():
	case c.Expires.Year() < 1601:
		a.expires = longExpired // long ago in any case
	default:
		a.expires = clampExpiry(c.Expires)
	}
	switch c.SameSite {
	case http.SameSiteLaxMode:
		a.sameSite, a.hasSameSite = "Lax", true
	case http.SameSiteStrictMode:
		a.sameSite, a.hasSameSite = "Strict", true
	case http.SameSiteNoneMode:
		a.sameSite, a.hasSameSite = "None", true
	case http.SameSiteDefaultMode:
		a.hasSameSite = true // there was one, of no known value
	}
	cookie, err = a.cookie(u, now)
	return cookie, a.hasPath, err
}

// edited reports whether a cookie with a line says something else than the line. A line that net/http cannot read is never what was edited, and a
// cookie without a name is only there to carry its line.
func edited(c *http.Cookie) bool {
	if c.Name == "" {
		return false
	}
	raw, err := http.ParseSetCookie(c.Raw)
	if err != nil {
		return false
	}
	return raw.Name != c.Name || raw.Value != c.Value || raw.Quoted != c.Quoted || raw.Path != c.Path || raw.Domain != c.Domain ||
		!raw.Expires.Equal(c.Expires) || raw.MaxAge != c.MaxAge || raw.Secure != c.Secure || raw.HttpOnly != c.HttpOnly || raw.SameSite != c.SameSite
}

// toHTTP makes a cookie for a request. Package net/http writes quotes around a value only if it is told so.
func toHTTP(c Cookie) *http.Cookie {
	if v := c.Value; len(v) > 1 && v[0] == '"' && v[len(v)-1] == '"' && !strings.Contains(v[1:len(v)-1], `"`) {
		return &http.Cookie{Name: c.Name, Value: v[1 : len(v)-1], Quoted: true}
	}
	return &http.Cookie{Name: c.Name, Value: c.Value}
}
