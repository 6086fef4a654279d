package okcache

import (
	"strings"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// expiry reads an Expires header: a date in one of the three forms that RFC 9110 section 5.6.7 has, of any case. What is none has expired (RFC 9111 section
// 5.3): "0" and "-1" are common, and a date of another form may mean another day.
func expiry(s string, now time.Time) (time.Time, bool) {
	comma := strings.IndexByte(s, ',')
	switch {
	case comma < 0 && len(s) == len(time.ANSIC):
		t, err := time.Parse(time.ANSIC, s)
		return t, err == nil
	case comma < 0 || !equalFold(s[max(0, len(s)-4):], " GMT"):
		return time.Time{}, false
	case comma == 3 && len(s) == len(imf):
		t, err := time.Parse(imf[:len(imf)-4], s[:len(s)-4]) // which minds the case of the zone, but not of the names
		return t, err == nil
	case comma > 3 && len(s) == comma+len(rfc850):
		t, err := time.Parse(rfc850[:len(rfc850)-4], s[comma:len(s)-4])
		return slide(t, now), err == nil
	}
	return time.Time{}, false
}

// slide gives a year of two digits its century: one that seems to be more than 50 years ahead is past (RFC 9110 section 5.6.7).
func slide(t, now time.Time) time.Time {
	year := now.Year() - now.Year()%100 + t.Year()%100
	t = t.AddDate(year-t.Year(), 0, 0)
	if t.After(now.AddDate(50, 0, 0)) {
		t = t.AddDate(-100, 0, 0)
	}
	return t
}

const (
	imf    = "Mon, 02 Jan 2006 15:04:05 GMT"
	rfc850 = ", 02-Jan-06 15:04:05 GMT" // behind the day of the week
)

// lenientDate reads any date that servers are known to send.
func lenientDate(s string) (time.Time, bool) {
	if len(s) == len(imf) {
		if t, err := time.Parse(imf, s); err == nil {
			return t, true
		}
	}
	t, err := okhttp.ParseDate(s)
	return t, err == nil
}
