package okhttp

import (
	"strconv"
	"time"
)

// dateFormat is the IMF-fixdate of RFC 9110 section 5.6.7, the one form that HTTP dates are written in.
const dateFormat = "Mon, 02 Jan 2006 15:04:05 GMT"

// FormatDate writes t as an HTTP date (RFC 9110 section 5.6.7): in GMT, in English, to the second, whatever zone t has. The form has
// room for the years 0 to 9999; times before and after become the first and the last second of those.
func FormatDate(t time.Time) string {
	t = t.UTC()
	switch year := t.Year(); {
	case year < 0:
		t = time.Date(0, time.January, 1, 0, 0, 0, 0, time.UTC)
	case year > 9999:
		t = time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)
	}
	return t.Format(dateFormat)
}

// ParseDate reads an HTTP date. The result is in UTC. Apart from the three forms of RFC 9110 section 5.6.7
//
//	Sun, 06 Nov 1994 08:49:37 GMT
//	Sunday, 06-Nov-94 08:49:37 GMT
//	Sun Nov  6 08:49:37 1994
//
// it takes what servers and cookies are known to contain instead:
//
//   - names of days and months in full or in three letters, in any case; the day of the week is not compared with the date
//   - a day without its leading zero, dashes or spaces between day, month and year, a month as a number between dashes, dashes in the time
//   - "Sun Nov 06 1994 08:49:37 GMT", year before time
//   - zones by name (GMT, UTC, EST, PDT, CET and others in use in mail and on the web) and by number (+0100, -01:00, GMT+1)
//   - fractions of a second, and second 60
//   - text after all of that, which is ignored
//
// A date without a zone fails, unless it has the third form. A year of two digits is the one that is at most 80 years past and less than
// 20 years ahead. Anything else fails with a [*DateError].
func ParseDate(s string) (time.Time, error) {
	t, fault := parseDate(s, time.Now)
	if fault != "" {
		return time.Time{}, &DateError{Input: abridge(s, 80), Detail: fault}
	}
	return t, nil
}

// DateError reports text that is not an HTTP date.
type DateError struct {
	Input  string // the text, abridged
	Detail string // what is missing or wrong
}

func (e *DateError) Error() string {
	return "okhttp: expected an HTTP date such as " + strconv.Quote(dateFormat) + " but got " + strconv.Quote(e.Input) + ": " + e.Detail
}
