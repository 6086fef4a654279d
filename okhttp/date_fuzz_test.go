package okhttp

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

// FuzzParseDate holds ParseDate to net/http: what that accepts gives the same instant, but for years of two digits, which Go divides
// at 69 and allows a sign, and zones other than GMT and UTC, which Go takes for GMT unless the machine is in them.
func FuzzParseDate(f *testing.F) {
	for _, s := range []string{
		"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sunday, 06-Nov-94 08:49:37 GMT+3",
		"Thu, 01 Jan 1970 00:00:00 GMT-01:00", "Fri Jun 6 2014 12:30:30 PST junk", "Fri,06-06-14 12-30-30.5 -0100",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, fault := parseDate(s, dateNow)
		if fault == "" {
			if got.Location() != time.UTC {
				t.Fatalf("%q: %v", s, got)
			}
			if again, err := ParseDate(FormatDate(got)); got.Year() >= 0 && got.Year() <= 9999 && (err != nil || !again.Equal(got.Truncate(time.Second))) {
				t.Fatalf("%q: %v is written as %q, which reads as %v, %v", s, got, FormatDate(got), again, err)
			}
			var p dateParser
			if lenient := (&dateParser{rest: s}); p.fixdate(s) && (lenient.parse() != "" || !lenient.at(lenient.year).Equal(got)) {
				t.Fatalf("%q: the ways to read it disagree", s)
			}
		} else if _, err := ParseDate(s); err == nil || len(err.Error()) > 1000 || !errors.As(err, new(*DateError)) {
			t.Fatalf("%q: %v", s, err)
		}

		want, err := http.ParseTime(s)
		if err != nil {
			return
		}
		if zone, _ := want.Zone(); zone != "GMT" && zone != "UTC" {
			return
		}
		if strings.Contains(s, "-+") || strings.Contains(s, "--") {
			return
		}
		if want.Year() != got.Year() && want.AddDate(-100, 0, 0).Equal(got) {
			return
		}
		if !got.Equal(want) {
			t.Fatalf("%q: %v, %q; net/http reads %v", s, got, fault, want)
		}
	})
}
