package okhttp

import (
	"net/http"
	"strings"
)

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

// saveCookies gives the jar the cookies of a response. Lines that are no cookie are skipped.
func saveCookies(jar http.CookieJar, u URL, h Headers) {
	if jar == nil || !h.has("Set-Cookie") {
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
