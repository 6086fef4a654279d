package okcache

import (
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// Several responses for one URL.
func TestVariants(t *testing.T) {
	atSite(t, Config{Variants: true}, func(s *site) {
		const fresh = "Cache-Control: max-age=60"
		s.will(reply("200 OK", "en", fresh, "Vary: L"), reply("200 OK", "fr", fresh, "Vary: L", "ETag: fr"), reply("200 OK", "de", fresh, "Vary: L, M"))
		s.get("/", "200 en", "L: en")
		s.get("/", "200 fr", "L: fr")
		s.get("/", "200 de", "L: de", "M: 1")
		for range 2 {
			s.get("/", "200 en", "L: en")
			s.get("/", "200 fr", "L: fr")
			s.get("/", "200 de", "L: de", "M: 1")
		}
		s.wantAsked(3)

		// Validation updates the variant that it is about.
		time.Sleep(2 * time.Minute)
		s.will(reply("304 X", "", fresh, "X: updated"))
		s.get("/", "200 fr", "L: fr")
		if got := s.get("/", "200 fr", "L: fr").Headers().Get("X"); got != "updated" {
			t.Errorf("X: %q", got)
		}

		// One that does not vary takes the place of all.
		s.will(reply("200 OK", "all", fresh))
		s.get("/", "200 all", "L: it")
		for _, l := range []string{"en", "fr", "it"} {
			s.get("/", "200 all", "L: "+l)
		}
	})
	atSite(t, Config{Variants: true}, func(s *site) {
		const fresh = "Cache-Control: max-age=60"
		s.will(reply("200 OK", "en", fresh, "Vary: L"), reply("200 OK", "fr", fresh, "Vary: L"), reply("200 OK", "posted"),
			reply("200 OK", "en2", fresh, "Vary: L"), reply("200 OK", "fr2", fresh, "Vary: L"))
		s.get("/", "200 en", "L: en")
		s.get("/", "200 fr", "L: fr")
		s.do(s.request("POST", "/")) // makes all of them obsolete
		s.get("/", "200 en2", "L: en")
		s.get("/", "200 fr2", "L: fr")
		s.get("/", "200 fr2", "L: fr")
	})
}

// RFC 9111 lets requests be alike that differ in nothing that counts.
func TestNormalizedVary(t *testing.T) {
	for _, c := range []struct {
		name          string
		first, second []string
		hit           bool
	}{
		{"Q", []string{"Q: a, b"}, []string{"Q: a", "Q: b"}, true},
		{"Q", []string{"Q: a,b"}, []string{"Q: a ,  b"}, true},
		{"Q", []string{"Q: a, b"}, []string{"Q: b, a"}, false},
		{"Q", []string{"Q: a"}, []string{"Q: A"}, false},
		{"Accept-Language", []string{"Accept-Language: en, de; q=0.5"}, []string{"Accept-Language: DE;q=0.5,EN"}, true},
		{"Accept-Language", []string{"Accept-Language: en, de; q=0.5"}, []string{"Accept-Language: de;q=0.6,en"}, false},
	} {
		atSite(t, Config{RFC9111: true}, func(s *site) {
			s.will(reply("200 OK", "a", "Cache-Control: max-age=60", "Vary: "+c.name))
			s.get("/", "200 a", c.first...)
			want := "200 a"
			if !c.hit {
				s.will(reply("200 OK", "b"))
				want = "200 b"
			}
			s.get("/", want, c.second...)
		})
	}
}

func TestStaleWhileRevalidate(t *testing.T) {
	atSite(t, Config{StaleWhileRevalidate: true}, func(s *site) {
		s.will(reply("200 OK", "a", "Cache-Control: max-age=10, stale-while-revalidate=30", "ETag: v1"))
		s.get("/", "200 a")
		time.Sleep(20 * time.Second)
		s.will(reply("200 OK", "b", "Cache-Control: max-age=10, stale-while-revalidate=30", "ETag: v2"))
		stale := s.get("/", "200 a")
		s.get("/", "200 a") // while the one validation is under way, there is no other
		if got := stale.Headers().Get("Warning"); got != `110 HttpURLConnection "Response is stale"` {
			t.Errorf("warning %q", got)
		}
		time.Sleep(time.Second) // for what is done in the background
		if asked := s.wasAsked(); len(asked) != 2 || asked[1].Header.Get("If-None-Match") != "v1" {
			t.Errorf("asked %d times", len(asked))
		}
		s.get("/", "200 b")
		s.wantAsked(0)

		time.Sleep(time.Minute) // past the window
		s.will(reply("304 X", "", "Cache-Control: max-age=10, stale-while-revalidate=30"))
		s.get("/", "200 b")
		s.wantAsked(1)

		time.Sleep(20 * time.Second)
		s.will(reply("304 X", ""))
		s.get("/", "200 b", "Cache-Control: max-age=5") // the user has the last word
		s.wantAsked(1)
	})
	for _, directives := range []string{"max-age=10, stale-while-revalidate=30, must-revalidate", "max-age=10, stale-while-revalidate=30, no-cache", "max-age=10"} {
		atSite(t, Config{StaleWhileRevalidate: true}, func(s *site) {
			s.will(reply("200 OK", "a", "Cache-Control: "+directives), reply("200 OK", "b"))
			s.get("/", "200 a")
			time.Sleep(20 * time.Second)
			s.get("/", "200 b")
		})
	}
	// A validation that fails changes nothing, and the next request tries again.
	atSite(t, Config{StaleWhileRevalidate: true}, func(s *site) {
		s.will(reply("200 OK", "a", "Cache-Control: max-age=10, stale-while-revalidate=300", "ETag: v1"))
		s.get("/", "200 a")
		time.Sleep(20 * time.Second)
		s.will(hangUp, hangUp)
		s.get("/", "200 a")
		time.Sleep(time.Second) // for what is done in the background
		s.mu.Lock()
		s.answers = nil
		s.mu.Unlock()
		s.will(reply("304 X", "", "Cache-Control: max-age=10"))
		s.get("/", "200 a")
		time.Sleep(time.Second) // for what is done in the background
		s.wasAsked()
		s.get("/", "200 a")
		s.wantAsked(0)
	})
}

func TestStaleIfError(t *testing.T) {
	for _, c := range []struct {
		name, stored, asked string
		answers             []string
		config              Config
		stale               bool
	}{
		{"500", "max-age=1, stale-if-error=60", "", []string{reply("500 Oops", "x")}, Config{StaleIfError: true}, true},
		{"503", "max-age=1, stale-if-error=60", "", []string{reply("503 Oops", "x")}, Config{StaleIfError: true}, true},
		{"404 is an answer", "max-age=1, stale-if-error=60", "", []string{reply("404 Oops", "x")}, Config{StaleIfError: true}, false},
		{"no connection", "max-age=1, stale-if-error=60", "", []string{hangUp, hangUp}, Config{StaleIfError: true}, true},
		{"the request says it", "max-age=1", "stale-if-error=60", []string{reply("500 Oops", "x")}, Config{StaleIfError: true}, true},
		{"nobody says it", "max-age=1", "", []string{reply("500 Oops", "x")}, Config{StaleIfError: true}, false},
		{"the config says it", "max-age=1", "", []string{reply("500 Oops", "x")}, Config{StaleIfError: true, StaleIfErrorFor: time.Minute}, true},
		{"too stale", "max-age=1, stale-if-error=5", "", []string{reply("500 Oops", "x")}, Config{StaleIfError: true, StaleIfErrorFor: time.Minute}, false},
		{"must-revalidate", "max-age=1, stale-if-error=60, must-revalidate", "", []string{reply("500 Oops", "x")}, Config{StaleIfError: true}, false},
		{"off", "max-age=1, stale-if-error=60", "", []string{reply("500 Oops", "x")}, Config{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			atSite(t, c.config, func(s *site) {
				s.will(reply("200 OK", "a", "Cache-Control: "+c.stored))
				s.get("/", "200 a")
				time.Sleep(10 * time.Second)
				s.will(c.answers...)
				var with []string
				if c.asked != "" {
					with = []string{"Cache-Control: " + c.asked}
				}
				resp, text := s.do(s.request("GET", "/", with...))
				if got := text == "a"; got != c.stale {
					t.Errorf("%d %s", resp.Status, text)
				}
				if c.stale && resp.Headers().Get("Warning") == "" {
					t.Error("no warning")
				}
			}, okhttp.WithRetryOnConnectionFailure(false))
		})
	}
	// A call that was given up gets no answer.
	atSite(t, Config{StaleIfError: true}, func(s *site) {
		s.will(reply("200 OK", "a", "Cache-Control: max-age=1, stale-if-error=60"))
		s.get("/", "200 a")
		time.Sleep(10 * time.Second)
		call := s.client.NewCall(s.request("GET", "/"))
		call.AddEventListener(&okhttp.EventListener{RequestHeadersStart: func(c *okhttp.Call) { c.Cancel() }})
		if resp, err := call.Execute(s.t.Context()); err == nil {
			t.Errorf("%v", resp)
		}
		s.mu.Lock()
		s.answers = nil
		s.mu.Unlock()
	})
}

func TestRanges(t *testing.T) {
	const body = "0123456789"
	for _, c := range []struct{ asked, ifRange, want, contentRange string }{
		{"bytes=0-1", "", "206 01", "bytes 0-1/10"},
		{"bytes=8-", "", "206 89", "bytes 8-9/10"},
		{"bytes=-3", "", "206 789", "bytes 7-9/10"},
		{"bytes=-30", "", "206 " + body, "bytes 0-9/10"},
		{"bytes=5-100", "", "206 56789", "bytes 5-9/10"},
		{"BYTES = 2-3", "", "206 23", "bytes 2-3/10"},
		{"bytes=10-", "", "416 ", "bytes */10"},
		{"bytes=-0", "", "416 ", "bytes */10"},
		{"bytes=3-2", "", "200 " + body, ""},
		{"bytes=0-1, 3-4", "", "200 " + body, ""},
		{"bytes=a-b", "", "200 " + body, ""},
		{"lines=0-1", "", "200 " + body, ""},
		{"bytes=99999999999999999999-", "", "200 " + body, ""},
		{"bytes=0-1", `"v1"`, "206 01", "bytes 0-1/10"},
		{"bytes=0-1", `"v2"`, "200 " + body, ""},
		{"bytes=0-1", `W/"v1"`, "200 " + body, ""},
		{"bytes=0-1", "Sat, 01 Jan 2000 00:00:00 GMT", "206 01", "bytes 0-1/10"},
		{"bytes=0-1", "Sat, 01 Jan 2000 00:00:01 GMT", "200 " + body, ""},
	} {
		for _, memory := range []bool{true, false} {
			store := NewMemoryStore(1 << 20)
			if !memory {
				var err error
				if store, err = Encrypted(store, make([]byte, 32)); err != nil {
					t.Fatal(err)
				}
			}
			atSiteOver(t, store, Config{Ranges: true}, func(s *site) {
				s.will(reply("200 OK", body, "Cache-Control: max-age=60", `ETag: "v1"`, "Last-Modified: Sat, 01 Jan 2000 00:00:00 GMT"))
				s.get("/", "200 "+body)
				with := []string{"Range: " + c.asked}
				if c.ifRange != "" {
					with = append(with, "If-Range: "+c.ifRange)
				}
				resp := s.get("/", c.want, with...)
				if got := resp.Headers().Get("Content-Range"); got != c.contentRange {
					t.Errorf("%s, %s: Content-Range %q, want %q", c.asked, c.ifRange, got, c.contentRange)
				}
				s.wantAsked(1)
			})
		}
	}
	// After a validation, too; and the whole stays stored.
	atSite(t, Config{Ranges: true}, func(s *site) {
		s.will(reply("200 OK", body, "ETag: v1"), reply("304 X", "", "Cache-Control: max-age=60"))
		s.get("/", "200 "+body)
		s.get("/", "206 12", "Range: bytes=1-2")
		s.get("/", "200 "+body)
	})
}

// Row 15 and the switches about headers.
func TestServedHeaders(t *testing.T) {
	answer := reply("200 OK", "a", "Cache-Control: max-age=60", "Age: 5", "Set-Cookie: a=b")
	atSite(t, Config{}, func(s *site) {
		s.will(answer)
		s.get("/", "200 a")
		time.Sleep(7 * time.Second)
		if got := s.get("/", "200 a").Headers(); got.Get("Age") != "12" || got.Get("Set-Cookie") != "a=b" {
			t.Errorf("%s", got)
		}
	})
	atSite(t, Config{NoAge: true, NoCookies: true, NoWarnings: true}, func(s *site) {
		s.will(answer)
		s.get("/", "200 a")
		time.Sleep(70 * time.Second)
		if got := s.get("/", "200 a", "Cache-Control: max-stale").Headers(); got.Get("Age") != "5" || got.Get("Set-Cookie") != "" || got.Get("Warning") != "" {
			t.Errorf("%s", got)
		}
	})
	atSite(t, Config{MaxHeuristic: time.Minute}, func(s *site) {
		time.Sleep(10000 * time.Hour)
		s.will(reply("200 OK", "a", "Last-Modified: "+at(-9000*time.Hour)), reply("304 X", ""))
		s.get("/", "200 a")
		s.get("/", "200 a")
		s.wantAsked(1)
		time.Sleep(2 * time.Minute)
		s.get("/", "200 a")
		s.wantAsked(1)
	})
}

// What is validated in the background is the whole, whatever part was asked for.
func TestRevalidatesWholeForRange(t *testing.T) {
	atSite(t, Config{StaleWhileRevalidate: true, Ranges: true}, func(s *site) {
		s.will(reply("200 OK", "0123456789", `ETag: "1"`, "Cache-Control: max-age=1, stale-while-revalidate=100"))
		s.get("/", "200 0123456789")
		time.Sleep(10 * time.Second)
		s.wasAsked()
		s.will(reply("200 OK", "abcdefghij", `ETag: "2"`, "Cache-Control: max-age=100"))
		s.get("/", "206 23", "Range: bytes=2-3")
		time.Sleep(time.Second) // in the background
		for _, r := range s.wasAsked() {
			if r.Header.Get("Range") != "" {
				t.Errorf("asked for %s", r.Header.Get("Range"))
			}
		}
		s.get("/", "206 cd", "Range: bytes=2-3")
	})
}
