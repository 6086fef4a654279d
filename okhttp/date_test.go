package okhttp

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

// dateNow is when the tests of two-digit years take place.
func dateNow() time.Time { return time.Date(2026, time.June, 15, 12, 0, 0, 0, time.UTC) }

func TestParseDate(t *testing.T) {
	const epoch, june2014 = 0, 1402057830
	for in, want := range map[string]int64{
		// RFC 9110 section 5.6.7
		"Sun, 06 Nov 1994 08:49:37 GMT":    784111777,
		"Sunday, 06-Nov-94 08:49:37 GMT":   784111777,
		"Sun Nov  6 08:49:37 1994":         784111777,
		"Thu, 01 Jan 1970 00:00:00 GMT":    epoch,
		"Fri, 06 Jun 2014 12:30:30 GMT":    june2014,
		"Thursday, 01-Jan-70 00:00:00 GMT": epoch,
		"Thu Jan  1 00:00:00 1970":         epoch,
		"Fri Jun 6 12:30:30 2014":          june2014,
		// zones
		"Thu, 01 Jan 1970 00:00:00 GMT-01:00": 3600, // fact 92
		"Thu, 01 Jan 1970 00:00:00 GMT+1":     -3600,
		"Thu, 01 Jan 1970 00:00:00 GMT+0130":  -5400,
		"Thu, 01 Jan 1970 00:00:00 +0100":     -3600,
		"Thu, 01 Jan 1970 00:00:00 -00:30":    1800,
		"Thu, 01 Jan 1970 00:00:00 PST":       8 * 3600,
		"Thu, 01 Jan 1970 00:00:00 pdt":       7 * 3600,
		"Thu, 01 Jan 1970 00:00:00 UT":        epoch,
		"Thu, 01 Jan 1970 00:00:00 Z":         epoch,
		"Thu, 01 Jan 1970 00:00:00 CEST":      -2 * 3600,
		"Thu Jan  1 00:00:00 1970 EST":        5 * 3600,
		// trailing text
		"Thu, 01 Jan 1970 00:00:00 GMT JUNK":                   epoch,
		"Thu, 01 Jan 1970 00:00:00 GMT; path=/":                epoch,
		"Thu, 01 Jan 1970 00:00:00 GMT-x":                      epoch,
		"Thu Jan  1 00:00:00 1970 JUNK":                        epoch,
		"Fri Jun 06 2014 12:30:30 GMT+0000 (Coordinated time)": june2014,
		// the variants
		"Fri, 06-Jun-2014 12:30:30 GMT":      june2014,
		"Fri, 06-Jun-2014 12-30-30 GMT":      june2014,
		"Fri, 06 Jun 14 12:30:30 GMT":        june2014,
		"Fri 06-Jun-2014 12:30:30 GMT":       june2014,
		"Fri 06 Jun 2014 12:30:30 GMT":       june2014,
		"Fri 06-Jun-2014 12-30-30 GMT":       june2014,
		"Fri 06-Jun-14 12:30:30 GMT":         june2014,
		"Fri 06 Jun 14 12:30:30 GMT":         june2014,
		"Fri,06-Jun-14 12:30:30 GMT":         june2014,
		"Fri,06-Jun-2014 12:30:30 GMT":       june2014,
		"Fri, 06-06-2014 12:30:30 GMT":       june2014,
		"Fri Jun 6 2014 12:30:30 GMT":        june2014,
		"friday, 6 JUNE 2014 12:30:30 gmt":   june2014,
		"Mon, 06 Jun 2014 12:30:30 GMT":      june2014, // it was a Friday
		"Fri,  06  Jun  2014  12:30:30\tGMT": june2014,
		"Fri Jun 6 2:30:30 2014":             june2014 - 10*3600,
		"Fri, 06 Jun 2014 2:30:30 GMT":       june2014 - 10*3600,
		"Tue, 31 Dec 2008 23:59:60 GMT":      1230768000, // a leap second
		"Thu, 29 Feb 2024 00:00:00 GMT":      1709164800,
		"Sat, 01 Jan 0000 00:00:00 GMT":      -62167219200,
		"Fri, 31 Dec 9999 23:59:59 GMT":      253402300799,
	} {
		got, fault := parseDate(in, dateNow)
		if fault != "" || got.Unix() != want || got.Location() != time.UTC {
			t.Errorf("%q: %v (%d), %q; want %d", in, got, got.Unix(), fault, want)
		}
	}
}

func TestParseDateFraction(t *testing.T) {
	for in, want := range map[string]int{".5": 5e8, ",25": 25e7, ".123456789": 123456789, ".0000000019": 1, ".99999999999999999999999": 999999999} {
		got, fault := parseDate("Thu, 01 Jan 1970 00:00:00"+in+" GMT", dateNow)
		if fault != "" || got.Unix() != 0 || got.Nanosecond() != want {
			t.Errorf("%q: %v, %q", in, got, fault)
		}
	}
}

// TestParseDateYears takes two digits through a window that begins 80 years before now, to the second.
func TestParseDateYears(t *testing.T) {
	for _, c := range []struct {
		in   string
		now  string
		want int
	}{
		{"Monday, 01-Jan-70 00:00:00 GMT", "2026-06-15T12:00:00Z", 1970},
		{"Monday, 01-Jan-00 00:00:00 GMT", "2026-06-15T12:00:00Z", 2000},
		{"Monday, 01-Jan-26 00:00:00 GMT", "2026-06-15T12:00:00Z", 2026},
		{"Monday, 31-Dec-45 00:00:00 GMT", "2026-06-15T12:00:00Z", 2045},
		{"Monday, 31-Dec-47 00:00:00 GMT", "2026-06-15T12:00:00Z", 1947},
		{"Monday, 15-Jun-46 11:59:59 GMT", "2026-06-15T12:00:00Z", 2046},
		{"Monday, 15-Jun-46 12:00:00 GMT", "2026-06-15T12:00:00Z", 1946},
		{"Monday, 15-Jun-46 12:30:00 GMT+1", "2026-06-15T12:00:00Z", 2046},
		{"Monday, 15-Jun-46 14:00:00 GMT", "2026-06-15T14:00:00+02:00", 1946},
		{"Monday, 01-Jan-19 00:00:00 GMT", "2101-01-01T00:00:00Z", 2119},
		{"Monday, 01-Jan-99 00:00:00 GMT", "2101-01-01T00:00:00Z", 2099},
		{"Monday, 29-Feb-00 00:00:00 GMT", "2026-06-15T12:00:00Z", 2000},
		{"Monday, 29-Feb-00 00:00:00 GMT", "1980-03-05T00:00:00Z", 2000}, // 1900 had none, and began the window
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		got, fault := parseDate(c.in, func() time.Time { return now })
		if fault != "" || got.Year() != c.want {
			t.Errorf("%s at %s: %v, %q; want %d", c.in, c.now, got, fault, c.want)
		}
	}
}

func TestParseDateErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "no day of the week",
		"0":                                 "no day of the week",
		"-1":                                "no day of the week",
		"Foo, 01 Jan 1970 00:00:00 GMT":     "no day of the week",
		"Thur, 01 Jan 1970 00:00:00 GMT":    "no day of the week",
		" Thu, 01 Jan 1970 00:00:00 GMT":    "no day of the week",
		"Thu":                               "no space after the day of the week",
		"Thu,":                              "no month",
		"Thu, 01 Jan 1970 00:00:00":         "no zone", // fact 92
		"Thu, 01 Jan 1970 00:00:00 ":        "no zone that is known",
		"Thu, 01 Jan 1970 00:00:00 ABC":     "no zone that is known",
		"Thu, 01 Jan 1970 00:00:00 GMT+24":  "no zone that is known",
		"Thu, 01 Jan 1970 00:00:00 GMT+160": "no zone that is known",
		"Thu, 01 Jan 1970 00:00:00 +0060":   "no zone that is known",
		"Thu, 01 Jan 1970 00:00:00 +1:0":    "no zone that is known",
		"Thu, 01 Jan 1970 00:00 GMT":        "no seconds",
		"Thu, 01 Jan 1970 00:00-00 GMT":     "no seconds",
		"Thu, 01 Jan 1970 24:00:00 GMT":     "no hour from 0 to 23",
		"Thu, 01 Jan 1970 00:60:00 GMT":     "no minute from 00 to 59",
		"Thu, 01 Jan 1970 00:0:00 GMT":      "no minute from 00 to 59",
		"Thu, 01 Jan 1970 00:00:61 GMT":     "no second from 00 to 60",
		"Thu, 01 Jan 1970 000000 GMT":       "no hour from 0 to 23",
		"Thu, 01 Jan 1970 00.00.00 GMT":     "no colon after the hour",
		"Thu, 01 Jan 1970, 00:00:00 GMT":    "no space after the year",
		"Thu, 01 Jan 197 00:00:00 GMT":      "no year of two or four digits",
		"Thu, 01 Jan 19700 00:00:00 GMT":    "no year of two or four digits",
		"Thu, 01 Foo 1970 00:00:00 GMT":     "no month",
		"Thu, 01 01 1970 00:00:00 GMT":      "no month",
		"Thu, 01-13-1970 00:00:00 GMT":      "no month",
		"Thu, 01-Jan 1970 00:00:00 GMT":     "different separators around the month",
		"Thu, 01 Jan-1970 00:00:00 GMT":     "different separators around the month",
		"Thu, 001 Jan 1970 00:00:00 GMT":    "no day of the month",
		"Thu, 01/Jan/1970 00:00:00 GMT":     "neither space nor dash after the day",
		"Thu, 00 Jan 1970 00:00:00 GMT":     "no such day in that month",
		"Thu, 32 Jan 1970 00:00:00 GMT":     "no such day in that month",
		"Thu, 31 Apr 1970 00:00:00 GMT":     "no such day in that month",
		"Thu, 29 Feb 2023 00:00:00 GMT":     "no such day in that month",
		"Thu, 29 Feb 1900 00:00:00 GMT":     "no such day in that month",
		"Thu Jan":                           "no space after the month",
		"Thu Jan x":                         "no day of the month",
		"Thu Jan 1":                         "no space after the day",
		"Thu Jan 1 00:00:00":                "no space after the time",
		"Thu Jan 1 00:00:00 70":             "a year of two digits after the time",
		"Thu Jan 1 00:00:00 x":              "no year of two or four digits",
		"Thu Jan 1 1970 00:00:00":           "no zone",
		"Thu Jan 1 197 00:00:00 GMT":        "no year of two or four digits",
		"Thu, x1 Jan 1970 00:00:00 GMT":     "no month",
		"Thu, 01 Jan 1970 0x:00:00 GMT":     "no colon after the hour",
		"1970-01-01T00:00:00Z":              "no day of the week",
	} {
		_, err := ParseDate(in)
		var e *DateError
		if !errors.As(err, &e) || e.Detail != want || e.Input != in {
			t.Errorf("%q: %v; want %q", in, err, want)
		}
	}
	_, err := ParseDate(strings.Repeat("é\n", 100_000))
	if got := err.Error(); len(got) > 500 || strings.Contains(got, "\n") {
		t.Errorf("a message of %d bytes: %.200q", len(got), got)
	}
}

func TestFormatDate(t *testing.T) {
	for want, in := range map[string]time.Time{
		"Thu, 01 Jan 1970 00:00:00 GMT": time.Unix(0, 999_999_999),
		"Sun, 06 Nov 1994 08:49:37 GMT": time.Date(1994, 11, 6, 9, 49, 37, 0, time.FixedZone("CET", 3600)),
		"Fri, 31 Dec 9999 23:59:59 GMT": time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC),
		"Sat, 01 Jan 0000 00:00:00 GMT": time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		got := FormatDate(in)
		if got != want {
			t.Errorf("%v: %q, want %q", in, got, want)
		}
		if back, err := ParseDate(got); err != nil || FormatDate(back) != got {
			t.Errorf("%q reads as %v, %v", got, back, err)
		}
	}
}

func TestParseDateDoesNotAllocate(t *testing.T) {
	for _, in := range []string{"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 PST", "Sun Nov  6 08:49:37 1994"} {
		if n := testing.AllocsPerRun(100, func() {
			if _, err := ParseDate(in); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%q: %v allocations", in, n)
		}
	}
}

func BenchmarkParseDate(b *testing.B) {
	for name, in := range map[string]string{
		"fixdate": "Sun, 06 Nov 1994 08:49:37 GMT", "rfc850": "Sunday, 06-Nov-94 08:49:37 GMT", "asctime": "Sun Nov  6 08:49:37 1994",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = ParseDate(in)
			}
		})
		b.Run(name+"-nethttp", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = http.ParseTime(in)
			}
		})
	}
}
