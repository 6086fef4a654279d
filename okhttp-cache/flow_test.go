package okcache

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// Fact 56: heads that are only informational do not keep the response from being stored.
func TestInformationalHeads(t *testing.T) {
	atSite(t, Config{}, func(s *site) {
		for _, status := range []string{"102 Processing", "103 Early Hints"} {
			s.will("HTTP/1.1 " + status + "\r\n\r\n" + reply("200 OK", "a", "Cache-Control: max-age=60"))
			s.get("/"+status[:3], "200 a")
			s.get("/"+status[:3], "200 a")
			s.wantAsked(1)
		}
	})
}

// Fact 57.
func TestHitIsTheSame(t *testing.T) {
	atSite(t, Config{NoAge: true}, func(s *site) {
		s.will(reply("200 Fantastic", "I love puppies but hate spiders", "Cache-Control: max-age=60", "X-Odd:  spaced  ", "x-TWICE: 1", "X-Twice: 2"))
		resp, err := s.client.Do(s.t.Context(), s.request("GET", "/"))
		if err != nil {
			t.Fatal(err)
		}
		src := resp.Body.Source()
		head, err := src.ReadText(13)
		if err != nil || head != "I love puppie" {
			t.Fatal(head, err)
		}
		if err := src.Skip(10); err != nil {
			t.Fatal(err)
		}
		if text, err := src.ReadText(8); err != nil || text != " spiders" {
			t.Fatal(text, err)
		}
		if end, err := src.Exhausted(); !end || err != nil {
			t.Fatal(end, err)
		}
		resp.Body.Close()
		if got := s.cache.Stats(); got.Stored != 1 || got.Aborted != 0 {
			t.Errorf("%+v", got)
		}
		hit := s.get("/", "200 I love puppies but hate spiders")
		if hit.Message != "Fantastic" || hit.Headers().String() != resp.Headers().String() || hit.Protocol != okhttp.HTTP11 {
			t.Errorf("%s\n%s\nwant\n%s", hit.Message, hit.Headers(), resp.Headers())
		}
		if !hit.SentAt().Equal(resp.SentAt().Truncate(time.Millisecond)) || !hit.ReceivedAt().Equal(resp.ReceivedAt().Truncate(time.Millisecond)) {
			t.Errorf("times %v %v", hit.SentAt(), hit.ReceivedAt())
		}
		s.wantStats(2, 1, 1)
	})
}

// Facts 64 and 65: each step of a redirect is stored by itself.
func TestRedirects(t *testing.T) {
	for _, c := range []struct {
		status  string
		headers []string
		cached  bool
	}{
		{"301 X", []string{"Expires: {1h}"}, true},
		{"308 X", []string{"Cache-Control: max-age=60"}, true},
		{"302 X", []string{"Expires: {1h}"}, true},
		{"302 X", []string{"Cache-Control: max-age=60"}, true},
		{"307 X", []string{"Expires: {1h}"}, true},
		{"307 X", []string{"Cache-Control: max-age=60"}, true},
		{"302 X", nil, false},
		{"307 X", nil, false},
	} {
		atSite(t, Config{}, func(s *site) {
			redirect := reply(c.status, "go on", append(dates(c.headers), "Location: /there")...)
			s.will(redirect, reply("200 OK", "there", "Cache-Control: max-age=60"))
			s.get("/", "200 there")
			if !c.cached {
				s.will(redirect)
			}
			s.get("/", "200 there")
			want := 2
			if !c.cached {
				want = 3
			}
			if n := len(s.wasAsked()); n != want {
				t.Errorf("%s %v: asked %d times, want %d", c.status, c.headers, n, want)
			}
			if c.cached {
				s.wantStats(4, 2, 2)
			}
		})
	}
}

// Facts 76 and row 23: what may change a resource makes what is stored of it obsolete.
func TestInvalidation(t *testing.T) {
	for _, c := range []struct {
		method, answer string
		rfc, removed   bool
	}{
		{"POST", reply("200 OK", "x"), false, true},
		{"PUT", reply("200 OK", "x"), false, true},
		{"DELETE", reply("200 OK", "x"), false, true},
		{"PATCH", reply("200 OK", "x"), false, true},
		{"MOVE", reply("200 OK", "x"), false, true},
		{"M-SEARCH", reply("200 OK", "x"), false, true},
		{"PUT", reply("204 No Content", ""), false, true},
		{"POST", reply("500 Oops", "x"), false, true},
		{"POST", reply("500 Oops", "x"), true, false},
		{"POST", reply("302 Go", "x"), true, true},
		{"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n", false, false},
		{"OPTIONS", reply("200 OK", "x"), false, false},
		{"TRACE", reply("200 OK", "x"), false, false},
		{"QUERY", reply("200 OK", "x"), false, false},
	} {
		atSite(t, Config{RFC9111: c.rfc}, func(s *site) {
			s.will(reply("200 OK", "a", "Cache-Control: max-age=60"), c.answer)
			s.get("/", "200 a")
			s.do(s.request(c.method, "/"), okhttp.WithFollowRedirects(false))
			s.wantAsked(2)
			want := "200 a"
			if c.removed {
				s.will(reply("200 OK", "b"))
				want = "200 b"
			}
			s.get("/", want)
		})
	}
}

// Row 25: the URLs that the answer names, if they are of the same origin.
func TestInvalidationOfOthers(t *testing.T) {
	atSite(t, Config{}, func(s *site) {
		s.will(reply("200 OK", "a", "Cache-Control: max-age=60"), reply("200 OK", "b", "Cache-Control: max-age=60"), reply("200 OK", "c", "Cache-Control: max-age=60"),
			reply("201 Created", "x", "Location: /a", "Content-Location: "+origin+"/b"), reply("200 OK", "A"), reply("200 OK", "B"))
		s.get("/a", "200 a")
		s.get("/b", "200 b")
		s.get("/c", "200 c")
		s.do(s.request("POST", "/"))
		s.get("/a", "200 A")
		s.get("/b", "200 B")
		s.get("/c", "200 c")
	})
}

// Facts 77 and 78, and the key of the whole cache.
func TestFiledElsewhere(t *testing.T) {
	key, err := okhttp.ParseURL(origin + "/abc")
	if err != nil {
		t.Fatal(err)
	}
	for method, cached := range map[string]bool{"GET": true, "QUERY": true, "POST": true, "PUT": false} {
		atSite(t, Config{}, func(s *site) {
			req, err := s.request(method, "/abc?token=123").With(okhttp.CacheURL(key))
			if err != nil {
				t.Fatal(err)
			}
			s.will(reply("200 OK", "a", "Cache-Control: max-age=60"))
			s.do(req)
			if !cached {
				s.will(reply("200 OK", "a", "Cache-Control: max-age=60"))
			}
			resp, _ := s.do(req)
			if got := resp.CacheResponse() != nil; got != cached {
				t.Errorf("%s: cached %v", method, got)
			}
			if !cached {
				return
			}
			if got := resp.CacheResponse().Request(); got.URL() != key || got.Method() != "GET" || got.Body() != nil {
				t.Errorf("%s: stored as %v", method, got)
			}
			if resp.Request().URL() != req.URL() || resp.Request().Method() != method {
				t.Errorf("%s: the request became %v", method, resp.Request())
			}
		})
	}
	atSite(t, Config{Key: func(r *okhttp.Request) okhttp.URL {
		if r.Method() != "GET" {
			return okhttp.URL{}
		}
		u, err := r.URL().Edit().RemoveQuery("session").Build()
		if err != nil {
			t.Error(err)
		}
		return u
	}}, func(s *site) {
		s.will(reply("200 OK", "a", "Cache-Control: max-age=60"), reply("200 OK", "b", "Cache-Control: max-age=60"), reply("200 OK", "q"))
		s.get("/?session=1&x=y", "200 a")
		s.get("/?x=y&session=2", "200 a")
		s.get("/?x=z&session=2", "200 b")
		s.do(s.request("QUERY", "/?x=y"))
		s.wantAsked(3)
	})
}

// Facts 82, 83, 94.
func TestNotConfused(t *testing.T) {
	atSite(t, Config{}, func(s *site) {
		s.will(reply("206 Partial", "AA", "Content-Range: bytes 1000-1001/2000", "Cache-Control: max-age=60"), reply("200 OK", "whole"))
		s.get("/range", "206 AA", "Range: bytes=1000-1001")
		s.get("/range", "200 whole")

		s.will(reply("200 OK", "newer", "Last-Modified: "+at(-time.Hour), "Cache-Control: max-age=0"),
			reply("200 OK", "older", "Last-Modified: "+at(-2*time.Hour), "Cache-Control: max-age=60"))
		s.get("/doc", "200 newer")
		s.get("/doc", "200 older")
		s.get("/doc", "200 older")

		s.will(reply("200 OK", "A", "Content-Location: /bar", "Cache-Control: max-age=60"), reply("200 OK", "B"))
		s.get("/foo", "200 A")
		s.get("/bar", "200 B")
	})
}

// Facts 95 and 106.
func TestConditions(t *testing.T) {
	atSite(t, Config{}, func(s *site) {
		s.will(reply("200 OK", "a", "ETag: v1"), reply("304 X", ""), reply("304 X", ""))
		s.get("/", "200 a")
		s.get("/", "200 a")
		s.get("/", "200 a")
		s.wantStats(3, 3, 2)
	})
	atSite(t, Config{}, func(s *site) {
		s.will(reply("200 OK", "a", "ETag: v1"), reply("200 OK", "b", "ETag: v1"), reply("200 OK", "c", "ETag: v1"))
		s.get("/", "200 a")
		s.get("/", "200 b")
		s.get("/", "200 c")
		s.wantStats(3, 3, 0)
	})
	atSite(t, Config{}, func(s *site) {
		s.will(reply("200 OK", "a", "Cache-Control: max-age=60"))
		s.get("/", "200 a")
		s.get("/", "200 a")
		s.get("/", "200 a")
		s.wantStats(3, 1, 2)
	})
	atSite(t, Config{}, func(s *site) {
		s.will(reply("200 OK", "a", "ETag: v1"), reply("304 X", ""), reply("200 OK", "b", "ETag: v2"), reply("304 X", ""))
		s.get("/", "200 a")
		s.get("/", "200 a")
		s.get("/", "200 b")
		s.get("/", "200 b")
		var got []string
		for _, r := range s.wasAsked() {
			got = append(got, r.Header.Get("If-None-Match"))
		}
		if strings.Join(got, " ") != " v1 v1 v2" {
			t.Errorf("conditions %q", got)
		}
	})
}

// Facts 97, 98, 99, 107: what a 304 says counts from then on.
func TestUpdated(t *testing.T) {
	atSite(t, Config{NoAge: true}, func(s *site) {
		s.will(reply("200 OK", "a", "ETag: \"ä\"", "Allow: GET, HEAD", "Cache-Control: max-age=0"),
			reply("304 X", "", "Allow: GET, HEAD, PUT", "Cache-Control: max-age=30", "Set-Cookie: a=b", "X-Odd: ü"))
		s.get("/", "200 a")
		time.Sleep(time.Second)
		validated := s.get("/", "200 a")
		if got := validated.Headers(); got.Get("Allow") != "GET, HEAD, PUT" || got.Get("Set-Cookie") != "a=b" || got.Get("X-Odd") != "ü" {
			t.Errorf("validated:\n%s", got)
		}
		if n := validated.NetworkResponse(); n == nil || n.Status != 304 || validated.CacheResponse().Headers().Get("Allow") != "GET, HEAD" {
			t.Errorf("network %v, cached\n%s", n, validated.CacheResponse().Headers())
		}
		asked := s.wasAsked()
		if got := asked[1].Header.Get("If-None-Match"); got != "\"ä\"" {
			t.Errorf("condition %q", got)
		}
		time.Sleep(time.Second)
		hit := s.get("/", "200 a")
		if hit.Headers().String() != validated.Headers().String() || !hit.ReceivedAt().Equal(validated.ReceivedAt().Truncate(time.Millisecond)) {
			t.Errorf("hit at %v:\n%swant at %v:\n%s", hit.ReceivedAt(), hit.Headers(), validated.ReceivedAt(), validated.Headers())
		}
		s.wantAsked(0)
	})
}

// Row 35: a 304 about something else does not make a wrong body right.
func TestConfirmsAnother(t *testing.T) {
	atSite(t, Config{}, func(s *site) {
		s.will(reply("200 OK", "a", `ETag: "1"`), reply("304 X", "", `ETag: "2"`), reply("200 OK", "b", `ETag: "2"`))
		s.get("/", "200 a")
		s.get("/", "200 b")
		if asked := s.wasAsked(); len(asked) != 3 || asked[2].Header.Get("If-None-Match") != "" {
			t.Errorf("asked %d times", len(asked))
		}
	})
}

// Row 44: a response that must not be stored takes the older one with it.
func TestNoStoreAfterwards(t *testing.T) {
	atSite(t, Config{}, func(s *site) {
		s.will(reply("200 OK", "a", "ETag: v1"), reply("200 OK", "b", "Cache-Control: no-store"), reply("200 OK", "c"))
		s.get("/", "200 a")
		s.get("/", "200 b")
		s.get("/", "200 c")
		if asked := s.wasAsked(); asked[2].Header.Get("If-None-Match") != "" {
			t.Error("what was obsolete is asked for")
		}
	})
}

// Fact 90.
func TestOnlyIfCached(t *testing.T) {
	atSite(t, Config{}, func(s *site) {
		const only = "Cache-Control: only-if-cached"
		resp := s.get("/", "504 ", only)
		if resp.Message != "Unsatisfiable Request (only-if-cached)" || resp.Protocol != okhttp.HTTP11 {
			t.Errorf("%v", resp)
		}
		s.wantStats(1, 0, 0)
		s.will(reply("200 OK", "a", "Cache-Control: max-age=60"), reply("200 OK", "b", "Cache-Control: max-age=0", "ETag: b"))
		s.get("/", "200 a")
		s.get("/", "200 a", only)
		s.get("/stale", "200 b")
		s.get("/stale", "504 ", only)
		s.wantAsked(2)
		s.wantEvents("callStart unsatisfiable:504 followUp callEnd " +
			"callStart miss:false acquired request response followUp bodyStart bodyEnd released callEnd " +
			"callStart hit:200 followUp callEnd " +
			"callStart miss:false acquired request response followUp bodyStart bodyEnd released callEnd " +
			"callStart unsatisfiable:504 followUp callEnd")
	})
}

// Fact 91: whoever has a condition of their own gets the answer to it.
func TestConditionOfTheUser(t *testing.T) {
	for _, mine := range []string{"If-None-Match: mine", "If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT"} {
		atSite(t, Config{}, func(s *site) {
			s.will(reply("200 OK", "a", "ETag: v1"), reply("304 X", ""))
			s.get("/", "200 a")
			s.get("/", "304 ", mine)
			name, value, _ := strings.Cut(mine, ": ")
			if asked := s.wasAsked(); asked[1].Header.Get(name) != value || name != "If-None-Match" && asked[1].Header.Get("If-None-Match") != "" {
				t.Errorf("sent %v", asked[1].Header)
			}
		})
	}
	for pass, want := range map[bool]int{false: 1, true: 2} {
		atSite(t, Config{PassConditions: pass}, func(s *site) {
			s.will(reply("200 OK", "a", "Cache-Control: max-age=60"))
			s.get("/", "200 a")
			if pass {
				s.will(reply("412 No", ""))
				s.get("/", "412 ", "If-Match: b")
			} else {
				s.get("/", "200 a", "If-Match: b")
			}
			s.wantAsked(want)
		})
	}
}

// The events of a validated response, and of one that was not valid any more (section 4.3).
func TestConditionalEvents(t *testing.T) {
	atSite(t, Config{}, func(s *site) {
		s.will(reply("200 OK", "a", "ETag: v1"), reply("304 X", ""), reply("200 OK", "b", "ETag: v2"), reply("500 Oops", "c"))
		s.get("/", "200 a")
		s.events = nil
		s.get("/", "200 a")
		s.wantEvents("callStart conditional:200 acquired request response bodyStart bodyEnd hit:200 followUp released callEnd")
		s.get("/", "200 b")
		s.wantEvents("callStart conditional:200 acquired request response miss:false followUp bodyStart bodyEnd released callEnd")
		s.get("/", "500 c") // which is not stored: the old one stays
		s.wantEvents("callStart conditional:200 acquired request response followUp bodyStart bodyEnd released callEnd")
	})
}

// What another host answers is not the answer of the URL's.
func TestOtherHost(t *testing.T) {
	atSite(t, Config{}, func(s *site) {
		const fresh = "Cache-Control: max-age=60"
		s.will(reply("200 OK", "own", fresh), reply("200 OK", "other", fresh), reply("200 OK", "other", fresh))
		s.get("/", "200 own")
		s.get("/", "200 other", "Host: other.test")
		s.get("/", "200 other", "Host: site.test.other")
		s.get("/", "200 own")
		s.get("/", "200 own", "Host: SITE.test:80")
	})
}

// Fact 103.
func TestNetworkInterceptor(t *testing.T) {
	var seen []string
	atSite(t, Config{}, func(s *site) {
		s.will(reply("200 OK", "a", "ETag: v1", "Cache-Control: max-age=60"), reply("304 X", ""))
		s.get("/", "200 a")
		s.get("/", "200 a")
		time.Sleep(time.Hour)
		s.get("/", "200 a")
		if strings.Join(seen, "|") != "|v1" {
			t.Errorf("saw %q", seen)
		}
	}, okhttp.WithNetworkInterceptor(recordConditions(&seen)))
}

// A failure of the network is the call's.
func TestNetworkFails(t *testing.T) {
	atSite(t, Config{}, func(s *site) {
		s.will(reply("200 OK", "a", "ETag: v1"), hangUp)
		s.get("/", "200 a")
		s.client = s.client.With(okhttp.WithRetryOnConnectionFailure(false))
		_, err := s.client.Do(s.t.Context(), s.request("GET", "/"))
		var failed *okhttp.Error
		if !errors.As(err, &failed) {
			t.Errorf("%v", err)
		}
	})
}

// A server that fails, and says of that answer that it is not to be stored, says nothing about the response it was asked about.
func TestFailureLeavesWhatIsStored(t *testing.T) {
	atSite(t, Config{}, func(s *site) {
		s.will(reply("200 OK", "A", `ETag: "1"`, "Cache-Control: max-age=0"))
		s.get("/", "200 A")
		s.will(reply("503 Busy", "sorry", "Cache-Control: no-store"))
		s.get("/", "503 sorry")
		s.will("HTTP/1.1 304 Not Modified\r\n\r\n")
		s.get("/", "200 A")
	})
}

// A 504 of the cache was sent by nobody, and made now.
func TestTimesOfUnsatisfiable(t *testing.T) {
	for _, with := range []bool{true, false} {
		atSite(t, Config{}, func(s *site) {
			client := s.client
			if !with {
				client = client.With(okhttp.WithCache(nil))
			}
			resp, err := client.Do(s.t.Context(), s.request("GET", "/", "Cache-Control: only-if-cached"))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if resp.Status != 504 || !resp.SentAt().IsZero() || !resp.ReceivedAt().Equal(time.Now()) {
				t.Errorf("cache %v: %d, sent %v, received %v", with, resp.Status, resp.SentAt(), resp.ReceivedAt())
			}
		})
	}
}
