package okhttp

import (
	"net/http"
	"slices"
	"strings"
)

// CookieLineJar is a cookie jar that reads Set-Cookie lines itself. A jar given to [WithCookieJar] that has this method gets the lines of a response as
// they came and no call of SetCookies. Any other jar gets what net/http made of them, and not those that it does not take: with names that are
// no tokens, as "a[b]", for example, or with quotes within the value. That of package okcookie is one.
type CookieLineJar interface {
	http.CookieJar
	// SetCookieLines takes the Set-Cookie lines of a response to a request to u, in their order. There is at least one, and any of them may be
	// no cookie. The call waits for it to return.
	SetCookieLines(u URL, lines []string)
}

// cookieHeader returns what the jar has for a URL, as the value of a Cookie header, "" for nothing.
func cookieHeader(jar http.CookieJar, u URL) string {
	if jar == nil {
		return ""
	}
	var b strings.Builder
	for _, cookie := range jar.Cookies(u.Std()) {
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(cookie.Name)
		b.WriteByte('=')
		if cookie.Quoted { // the quotes are part of what the server sent (RFC 6265 section 4.1.1)
			b.WriteByte('"')
		}
		b.WriteString(cookie.Value)
		if cookie.Quoted {
			b.WriteByte('"')
		}
	}
	return b.String()
}

// saveCookies gives the jar the cookies of a response. Lines that are no cookie are skipped, unless the jar is who tells.
func saveCookies(jar http.CookieJar, u URL, h Headers) {
	if jar == nil || !h.has("Set-Cookie") {
		return
	}
	if own, ok := jar.(CookieLineJar); ok {
		own.SetCookieLines(u, slices.Collect(h.Values("Set-Cookie")))
		return
	}
	var cookies []*http.Cookie
	for line := range h.Values("Set-Cookie") {
		if cookie, err := http.ParseSetCookie(line); err == nil {
			cookies = append(cookies, cookie)
		}
	}
	if len(cookies) > 0 {
		jar.SetCookies(u.Std(), cookies)
	}
}
