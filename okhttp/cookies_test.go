package okhttp

import (
	"errors"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func newJar(t *testing.T) http.CookieJar {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return jar
}

func setCookies(lines ...string) string {
	return "HTTP/1.1 200 OK\r\nSet-Cookie: " + strings.Join(lines, "\r\nSet-Cookie: ") + "\r\nContent-Length: 0\r\n\r\n"
}

// Section 5.4: what one response sets the next request brings, in one header that replaces the user's.
func TestCookies(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var server recorder
		w.serve("server.test", "10.0.0.1", server.answer(
			setCookies("a=1", "b=2; Path=/other", `q="x y"`, "=no name", "c=3; HttpOnly"), okText(""), okText(""), okText("")))
		w.want("200 ")(w.get("http://server.test/"))
		req := mustRequest(t, "GET", "http://server.test/", AddHeader("Cookie", "mine=1"), AddHeader("Cookie", "mine=2"), Header("X", "v"))
		resp, err := w.client.Do(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		w.want("200 ")(w.get("http://server.test/other"))
		resp, err = w.client.Do(t.Context(), req, WithCookieJar(nil))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		for i, want := range [][]string{nil, {`a=1; q="x y"; c=3`}, {`b=2; a=1; q="x y"; c=3`}, {"mine=1", "mine=2"}} {
			if got := server.requests[i].header["Cookie"]; strings.Join(got, "|") != strings.Join(want, "|") {
				t.Errorf("request %d has %q, want %q", i, got, want)
			}
		}
		if got := req.Headers().Get("Cookie"); got != "mine=1" {
			t.Errorf("the user's request became %q", got)
		}
	}, WithCookieJar(newJar(t)))
}

// A jar without anything for a URL leaves the user's header alone.
func TestCookiesOfAnEmptyJar(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var server recorder
		w.serve("server.test", "10.0.0.1", server.answer(okText("")))
		resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://server.test/", Header("Cookie", "mine=1")))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := server.requests[0].header.Get("Cookie"); got != "mine=1" {
			t.Errorf("cookie %q", got)
		}
	}, WithCookieJar(newJar(t)))
}

// Redirects set cookies too, and each request gets those of its own URL: a cookie does not follow to another host.
func TestCookiesInRedirects(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var a, b recorder
		const set = "Set-Cookie: hop=1"
		w.serve("a.test", "10.0.0.1", a.answer(statusResponse(302, "Location: /second", set), statusResponse(302, "Location: http://b.test/", "Set-Cookie: hop=2"), okText("")))
		w.serve("b.test", "10.0.0.2", b.answer(statusResponse(302, "Location: http://a.test/third", "Set-Cookie: other=3")))
		resp, err := w.client.Do(t.Context(), mustRequest(t, "GET", "http://a.test/first", Header("Cookie", "mine=1")))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		var got []string
		for _, r := range append(append([]seen{}, a.requests[:2]...), b.requests[0], a.requests[2]) {
			got = append(got, r.target+" "+r.header.Get("Cookie"))
		}
		if want := "/first mine=1|/second hop=1|/ |/third hop=2"; strings.Join(got, "|") != want {
			t.Errorf("cookies %q, want %q", strings.Join(got, "|"), want)
		}
	}, WithCookieJar(newJar(t)))
}

// RFC 9110 section 6.5.1: a cookie in the trailers is none.
func TestCookiesInTrailers(t *testing.T) {
	jar := newJar(t)
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer("HTTP/1.1 200 OK\r\nSet-Cookie: head=1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nSet-Cookie: trailer=1\r\n\r\n"))
		resp := w.executed()
		trailers, err := resp.Trailers()
		if err != nil || trailers.Get("Set-Cookie") != "trailer=1" {
			t.Errorf("trailers %v, %v", trailers, err)
		}
		resp.Body.Close()
		u, _ := url.Parse("http://server.test/")
		if cookies := jar.Cookies(u); len(cookies) != 1 || cookies[0].Name != "head" {
			t.Errorf("the jar has %v", cookies)
		}
	}, WithCookieJar(jar))
}

// spyJar counts, and has what it is told to have.
type spyJar struct {
	has  []*http.Cookie
	sets int
}

func (s *spyJar) SetCookies(*url.URL, []*http.Cookie) { s.sets++ }
func (s *spyJar) Cookies(u *url.URL) []*http.Cookie   { return s.has }
func (s *spyJar) with(name, value string) http.CookieJar {
	s.has = []*http.Cookie{{Name: name, Value: value}}
	return s
}

// The jar is told only of lines that are cookies, and what it brings cannot break out of its header.
func TestCookieJarOfOnesOwn(t *testing.T) {
	jar := new(spyJar)
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", answer(okText(""), setCookies("=x", "\x01=y"), setCookies("a=1", "b=2")), answer(okText("")))
		for _, want := range []int{0, 0, 1} {
			w.want("200 ")(w.get("http://server.test/"))
			if jar.sets != want {
				t.Errorf("told %d times, want %d", jar.sets, want)
			}
		}
		_, err := w.get("http://server.test/", WithCookieJar(new(spyJar).with("a", "1\r\nX-Injected: yes")))
		var pe *ProtocolError
		if !errors.As(err, &pe) || strings.Contains(err.Error(), "yes") {
			t.Errorf("error %v", err)
		}
	}, WithCookieJar(jar))
}

// lineJar keeps what it is told.
type lineJar struct {
	spyJar
	got []string
}

func (l *lineJar) SetCookieLines(u URL, lines []string) {
	l.got = append(l.got, u.String()+" "+strings.Join(lines, "|"))
}

// A jar that reads lines gets each one as it came, whatever net/http makes of it, by every way into the client; redirects and failures of
// following them do not change that.
func TestCookieLines(t *testing.T) {
	jar := new(lineJar)
	inWorld(t, func(t *testing.T, w *world) {
		odd := []string{`x[1]=2`, `j={"a":1}`, "no equals", "=no name", "b=\xe9", "a=1; Domain=other.test"}
		w.serve("server.test", "10.0.0.1", answer(
			okText(""),
			statusResponse(302, "Location: /next", "Set-Cookie: hop=1"), setCookies(odd...),
			setCookies("round=trip"), setCookies("full=stack")))
		w.want("200 ")(w.get("http://server.test/"))
		w.want("200 ")(w.get("http://server.test/first"))
		for _, rt := range []http.RoundTripper{w.client.RoundTripper(), w.client.FullStack()} {
			resp, err := (&http.Client{Transport: rt}).Get("http://server.test/std")
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
		}
		want := []string{"http://server.test/first hop=1", "http://server.test/next " + strings.Join(odd, "|"), "http://server.test/std round=trip", "http://server.test/std full=stack"}
		if !slices.Equal(jar.got, want) {
			t.Errorf("got  %q\nwant %q", jar.got, want)
		}
		if jar.sets != 0 {
			t.Errorf("SetCookies was called %d times", jar.sets)
		}
	}, WithCookieJar(jar))
}
