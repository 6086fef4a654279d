package okcache

import (
	"strings"
	"testing"
	"time"
)

// later is what becomes of the second request for a path whose response had these headers.
type later struct {
	fact    string // of the specification's list
	headers []string
	path    string        // "/" if it is not said
	with    []string      // headers of the second request
	after   time.Duration // between the two
	want    string        // "hit", "network", or the condition that the server is to see
	warning string        // of the second response
}

// dates replaces {+1h} by the date in an hour.
func dates(headers []string) []string {
	out := make([]string, len(headers))
	for i, h := range headers {
		for {
			before, rest, ok := strings.Cut(h, "{")
			if !ok {
				break
			}
			d, after, _ := strings.Cut(rest, "}")
			offset, err := time.ParseDuration(d)
			if err != nil {
				panic(err)
			}
			h = before + at(offset) + after
		}
		out[i] = h
	}
	return out
}

func runLater(t *testing.T, list []later) {
	for _, c := range list {
		t.Run(c.fact, func(t *testing.T) {
			atSite(t, Config{}, func(s *site) {
				time.Sleep(400 * 24 * time.Hour) // so that dates may be past ones
				path := c.path
				if path == "" {
					path = "/"
				}
				headers := dates(c.headers)
				s.will(reply("200 OK", "A", headers...))
				s.get(path, "200 A")
				s.wantAsked(1)
				time.Sleep(c.after)
				if c.want != "hit" {
					s.will(reply("200 OK", "B"))
				}
				resp, text := s.do(s.request("GET", path, dates(c.with)...))
				if got := resp.Headers().Get("Warning"); got != c.warning {
					t.Errorf("warning %q, want %q", got, c.warning)
				}
				asked := s.wasAsked()
				if c.want == "hit" {
					if text != "A" || len(asked) != 0 || resp.NetworkResponse() != nil || resp.CacheResponse() == nil {
						t.Errorf("%q, server asked %d times", text, len(asked))
					}
					return
				}
				if text != "B" || len(asked) != 1 || resp.NetworkResponse() == nil {
					t.Fatalf("%q, server asked %d times", text, len(asked))
				}
				condition := "network"
				for _, name := range []string{"If-None-Match", "If-Modified-Since"} {
					if v := asked[0].Header.Get(name); v != "" {
						condition = name + ": " + v
					}
				}
				want := dates([]string{c.want})[0]
				if c.after != 0 {
					want = c.want
				}
				if condition != want {
					t.Errorf("asked with %q, want %q", condition, want)
				}
			})
		})
	}
}

func TestFreshness(t *testing.T) {
	const stale = `110 HttpURLConnection "Response is stale"`
	const guessed = `113 HttpURLConnection "Heuristic expiration"`
	runLater(t, []later{
		{fact: "68 heuristic", headers: []string{"Last-Modified: {-105s}", "Date: {-5s}"}, want: "hit"},
		{fact: "69 heuristic is over", headers: []string{"Last-Modified: {-115s}", "Date: {-15s}"}, want: "If-Modified-Since: {-115s}"},
		{fact: "70 heuristic warning", headers: []string{"Last-Modified: {-2520h}", "Date: {-120h}"}, want: "hit", warning: guessed},
		{fact: "71 no heuristic with a query", path: "/?foo=bar", headers: []string{"Last-Modified: {-105s}", "Date: {-5s}"}, want: "If-Modified-Since: {-105s}"},
		{fact: "72 expired with a validator", headers: []string{"Expires: {-1h}", "Last-Modified: {-2h}"}, want: "If-Modified-Since: {-2h}"},
		{fact: "72 expired without one", headers: []string{"Expires: {-1h}"}, want: "network"},
		{fact: "72 not expired", headers: []string{"Expires: {1h}"}, want: "hit"},
		{fact: "73 max-age overrides Expires", headers: []string{"Expires: {-1h}", "Date: {0s}", "Cache-Control: max-age=60"}, want: "hit"},
		{fact: "74 max-age is over", headers: []string{"Date: {-120s}", "Cache-Control: max-age=60"}, want: "If-Modified-Since: {-120s}"},
		{fact: "74 with a validator", headers: []string{"Date: {-120s}", "Cache-Control: max-age=60", "Last-Modified: {-2h}"}, want: "If-Modified-Since: {-2h}"},
		{fact: "75 s-maxage is for others", headers: []string{"Date: {-2m}", "Cache-Control: s-maxage=60, max-age=180"}, want: "hit"},
		{fact: "75 also if it is longer", headers: []string{"Date: {-2m}", "Cache-Control: s-maxage=180, max-age=60", "ETag: a"}, want: "If-None-Match: a"},
		{fact: "79 ETag", headers: []string{"ETag: v1"}, want: "If-None-Match: v1"},
		{fact: "79 ETag before Last-Modified", headers: []string{"ETag: v1", "Last-Modified: {-2h}", "Expires: {-1h}"}, want: "If-None-Match: v1"},
		{fact: "79 ETag and fresh", headers: []string{"ETag: v1", "Last-Modified: {-2h}", "Expires: {1h}"}, want: "hit"},
		{fact: "80 no-cache", headers: []string{"Cache-Control: no-cache"}, want: "network"},
		{fact: "80 no-cache with a validator", headers: []string{"Cache-Control: no-cache", "Last-Modified: {-2h}", "Expires: {1h}"}, want: "If-Modified-Since: {-2h}"},
		{fact: "80 Pragma", headers: []string{"Pragma: no-cache"}, want: "network"},
		{fact: "80 Pragma with a validator", headers: []string{"Pragma: no-cache", "Last-Modified: {-2h}", "Expires: {1h}"}, want: "If-Modified-Since: {-2h}"},
		{fact: "81 no-store", headers: []string{"Expires: {1h}", "Cache-Control: no-store"}, want: "network"},
		{fact: "87 request max-age", headers: []string{"Expires: {1h}", "Date: {0s}"}, after: time.Minute, with: []string{"Cache-Control: max-age=30"}, want: "If-Modified-Since: Sun, 04 Feb 2001 00:00:00 GMT"},
		{fact: "88 min-fresh", headers: []string{"Cache-Control: max-age=60", "ETag: a"}, with: []string{"Cache-Control: min-fresh=120"}, want: "If-None-Match: a"},
		{fact: "89 max-stale", headers: []string{"Cache-Control: max-age=120", "Date: {-4m}"}, with: []string{"Cache-Control: max-stale=180"}, want: "hit", warning: stale},
		{fact: "89 any max-stale", headers: []string{"Cache-Control: max-age=120", "Date: {-4m}"}, with: []string{"Cache-Control: max-stale"}, want: "hit", warning: stale},
		{fact: "89 too stale", headers: []string{"Cache-Control: max-age=120", "Date: {-4m}", "ETag: a"}, with: []string{"Cache-Control: max-stale=60"}, want: "If-None-Match: a"},
		{fact: "89 must-revalidate", headers: []string{"Cache-Control: max-age=120, must-revalidate", "Date: {-4m}", "ETag: a"}, with: []string{"Cache-Control: max-stale"}, want: "If-None-Match: a"},
		{fact: "92 odd dates come back as they were", headers: []string{"Last-Modified: Fri, 01-Sep-2000 10:00:00 EST", "Expires: {-1h}"}, want: "If-Modified-Since: Fri, 01-Sep-2000 10:00:00 EST"},
		{fact: "93 Authorization", headers: []string{"Cache-Control: max-age=60"}, want: "hit"},
		{fact: "109 immutable", headers: []string{"Cache-Control: immutable, max-age=10"}, want: "hit"},
		{fact: "109 immutable alone", headers: []string{"Cache-Control: immutable", "Last-Modified: {-115s}", "Date: {-15s}"}, want: "If-Modified-Since: {-115s}"},
		{fact: "115 quotes that do not end", headers: []string{`Cache-Control: max-age="60`}, want: "hit"},
		{fact: "116 Expires 0", headers: []string{"Expires: 0", "Last-Modified: {-2400h}"}, want: "If-Modified-Since: {-2400h}"},
		{fact: "row 5 huge max-age", headers: []string{"Cache-Control: max-age=99999999999999999999"}, after: 24 * time.Hour, want: "hit"},
		{fact: "row 6 invalid max-age", headers: []string{"Cache-Control: max-age=1.5", "Last-Modified: {-2400h}"}, want: "If-Modified-Since: {-2400h}"},
		{fact: "Age counts", headers: []string{"Cache-Control: max-age=60", "Age: 61", "ETag: a"}, want: "If-None-Match: a"},
		{fact: "a clock that went back", headers: []string{"Cache-Control: max-age=60", "Date: {24h}"}, want: "hit"},
		{fact: "no condition of the user's", headers: []string{"ETag: a", "Expires: {1h}"}, with: []string{"If-None-Match: mine"}, want: "If-None-Match: mine"},
		{fact: "no-cache of the user", headers: []string{"ETag: a", "Expires: {1h}"}, with: []string{"Cache-Control: no-cache"}, want: "network"},
		{fact: "Pragma of the user", headers: []string{"ETag: a", "Expires: {1h}"}, with: []string{"Pragma: no-cache"}, want: "network"},
		{fact: "no-store of the user", headers: []string{"ETag: a", "Expires: {1h}"}, with: []string{"Cache-Control: no-store"}, want: "network"},
	})
}

// Fact 55, and what RFC9111 adds to it.
func TestStatuses(t *testing.T) {
	cached := map[int]bool{200: true, 203: true, 204: true, 300: true, 301: true, 302: true, 307: true, 308: true, 404: true, 405: true, 410: true, 414: true, 501: true}
	for _, rfc := range []bool{false, true} {
		atSite(t, Config{RFC9111: rfc}, func(s *site) {
			for status := 200; status < 600; status++ {
				if status > 210 && status < 300 || status > 310 && status < 400 || status > 420 && status < 500 || status > 510 && status < 599 || status == 401 || status == 407 ||
					status == 408 || status == 421 || status == 304 {
					continue
				}
				path := "/" + strings.Repeat("x", status)
				body := "body"
				if status == 204 {
					body = ""
				}
				answer := reply(itoa(status)+" X", body, "Last-Modified: "+at(-time.Hour), "Expires: "+at(time.Hour))
				if status == 205 {
					answer = reply("205 X", "", "Last-Modified: "+at(-time.Hour), "Expires: "+at(time.Hour))
				}
				s.will(answer, answer)
				s.do(s.request("GET", path))
				s.do(s.request("GET", path))
				want := cached[status] || rfc && status != 206
				if got := len(s.wasAsked()) == 1; got != want {
					t.Errorf("%d, RFC9111 %v: cached %v, want %v", status, rfc, got, want)
				}
				s.mu.Lock()
				s.answers = nil
				s.mu.Unlock()
			}
		})
	}
}

func itoa(n int) string {
	return string([]byte{byte('0' + n/100), byte('0' + n/10%10), byte('0' + n%10)})
}

// The clock of the cache is its user's.
func TestClockThatJumps(t *testing.T) {
	now := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	atSite(t, Config{Now: func() time.Time { return now }}, func(s *site) {
		for _, jump := range []time.Duration{0, time.Hour, -1000 * time.Hour, 100000 * time.Hour, -200000 * time.Hour} {
			now = now.Add(jump)
			s.will(reply("200 OK", "x", "Cache-Control: max-age=5"))
			s.do(s.request("GET", "/"))
			s.mu.Lock()
			s.answers = nil
			s.mu.Unlock()
		}
	})
}
