package okcookie

import (
	"strings"
	"time"
)

// parseDate reads the date of an Expires attribute, which has its own lenient algorithm (RFC 6265bis section 5.1.1): in any order a time,
// a day, a month and a year, with anything between them. Zones are not looked at; the time is UTC.
func parseDate(s string) (time.Time, bool) {
	var hour, minute, second, day, month, year int
	var hasTime, hasDay, hasMonth, hasYear bool
	for len(s) > 0 {
		n := 0
		for n < len(s) && !isDateDelimiter(s[n]) {
			n++
		}
		token := s[:n]
		s = s[min(n+1, len(s)):]
		if token == "" {
			continue
		}
		if !hasTime {
			if hour, minute, second, hasTime = dateTime(token); hasTime {
				continue
			}
		}
		if !hasDay {
			if day, hasDay = dateNumber(token, 1, 2); hasDay {
				continue
			}
		}
		if !hasMonth {
			if month, hasMonth = dateMonth(token); hasMonth {
				continue
			}
		}
		if !hasYear {
			year, hasYear = dateNumber(token, 2, 4)
		}
	}
	switch {
	case !hasTime || !hasDay || !hasMonth || !hasYear:
		return time.Time{}, false
	case 70 <= year && year <= 99:
		year += 1900
	case year <= 69:
		year += 2000
	}
	if year < 1601 || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	return t, t.Day() == day // a day that the month does not have ends up in the next or the one before
}

// isDateDelimiter reports whether c stands between the parts of a date.
func isDateDelimiter(c byte) bool {
	switch {
	case c == '\t':
		return true
	case c < ' ', c >= 0x7f, c == ':', '0' <= c && c <= '9', 'a' <= c|0x20 && c|0x20 <= 'z':
		return false
	}
	return true
}

// dateNumber reads a number of so many digits, followed by the end or by anything but a digit.
func dateNumber(token string, least, most int) (int, bool) {
	n, rest, ok := leadingNumber(token, most)
	return n, ok && len(token)-len(rest) >= least
}

// dateTime reads hours, minutes and seconds, followed by the end or by anything but a digit.
func dateTime(token string) (hour, minute, second int, ok bool) {
	hour, rest, ok := leadingNumber(token, 2)
	if !ok || !strings.HasPrefix(rest, ":") {
		return 0, 0, 0, false
	}
	minute, rest, ok = leadingNumber(rest[1:], 2)
	if !ok || !strings.HasPrefix(rest, ":") {
		return 0, 0, 0, false
	}
	second, _, ok = leadingNumber(rest[1:], 2)
	return hour, minute, second, ok
}

// leadingNumber reads at least one digit. More than most of them are no number.
func leadingNumber(s string, most int) (n int, rest string, ok bool) {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		if i == most {
			return 0, s, false
		}
		n = n*10 + int(s[i]-'0')
		i++
	}
	return n, s[i:], i > 0
}

// dateMonth reads the first three letters of a month; the others do not count.
func dateMonth(token string) (int, bool) {
	if len(token) < 3 {
		return 0, false
	}
	const months = "janfebmaraprmayjunjulaugsepoctnovdec"
	prefix := []byte(token[:3])
	for i, c := range prefix {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return 0, false
		}
		prefix[i] = c | 0x20
	}
	for i := 0; i < len(months); i += 3 {
		if months[i:i+3] == string(prefix) {
			return i/3 + 1, true
		}
	}
	return 0, false
}

// parseMaxAge reads whole seconds. Numbers that do not fit are as large as possible.
func parseMaxAge(s string) (seconds int64, ok bool) {
	digits, negative := strings.CutPrefix(s, "-")
	if digits == "" {
		return 0, false
	}
	const most = int64(1) << 58 // beyond any time, and ten times as much still fits
	for i := range len(digits) {
		c := digits[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		if seconds < most {
			seconds = seconds*10 + int64(c-'0')
		}
	}
	if negative {
		seconds = -seconds
	}
	return seconds, true
}

// after returns the end of a life of so many seconds.
func after(now time.Time, seconds int64) time.Time {
	switch {
	case seconds <= 0:
		return longExpired
	case seconds > latest.Unix()-now.Unix():
		return latest
	}
	return clampExpiry(time.Unix(now.Unix()+seconds, int64(now.Nanosecond())))
}
