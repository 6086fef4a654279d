package okcookie_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okcookie"
)

// The client of this module and that of net/http fill the jar and send what is in it, on redirects too.
func TestWithClients(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			w.Header().Add("Set-Cookie", `sid="a b"; Path=/`)
			w.Header().Add("Set-Cookie", "foreign=1; Domain=example.com")
			w.Header().Add("Set-Cookie", "lang=en; Path=/home; Max-Age=60")
			http.Redirect(w, r, "/home", http.StatusFound)
			return
		}
		w.Header().Set("Got", r.Header.Get("Cookie"))
	}))
	defer server.Close()
	const want = `lang=en; sid="a b"`

	jar := okcookie.New(nil)
	client := okhttp.New(okhttp.WithCookieJar(jar))
	resp, err := client.Get(t.Context(), server.URL+"/login")
	if err != nil {
		t.Fatal(err)
	}
	if got := resp.Headers().Get("Got"); got != want || jar.Len() != 2 {
		t.Errorf("the server got %q, the jar has %d", got, jar.Len())
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}

	jar = okcookie.New(nil)
	std := &http.Client{Jar: jar}
	defer std.CloseIdleConnections()
	answer, err := std.Get(server.URL + "/login")
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.Header.Get("Got"); got != want || jar.Len() != 2 {
		t.Errorf("the server got %q, the jar has %d", got, jar.Len())
	}
	if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
}

// echoing sets cookies on /foo/bar and answers with those it gets.
func echoing(t *testing.T, lines ...string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/foo/bar" {
			w.Header()["Set-Cookie"] = lines
		}
		_, _ = io.WriteString(w, strings.Join(r.Header["Cookie"], "|"))
	}))
	t.Cleanup(server.Close)
	return server
}

// Cookies that package net/http does not read come into the jar and go out again as they came, by the client itself and by its RoundTripper. A client
// of package net/http keeps them back.
func TestOddCookies(t *testing.T) {
	server := echoing(t, `x[1]=2; Path=/`, `j={"a":"b"}; Path=/`, `q="a\b"; Path=/`, "sp ace=1; Path=/", "plain=1; Path=/", "no equals", "=no name", "bad=\xe9")
	const all = `x[1]=2; j={"a":"b"}; q="a\b"; sp ace=1; plain=1`
	for _, tt := range []struct {
		name string
		get  func(jar http.CookieJar, path string) (io.ReadCloser, error)
		want string
	}{
		{"client", func(jar http.CookieJar, path string) (io.ReadCloser, error) {
			client := okhttp.New(okhttp.WithCookieJar(jar))
			t.Cleanup(func() { _ = client.Close() })
			resp, err := client.Get(t.Context(), server.URL+path)
			if err != nil {
				return nil, err
			}
			return resp.Body, nil
		}, all},
		{"RoundTripper", func(jar http.CookieJar, path string) (io.ReadCloser, error) {
			client := okhttp.New(okhttp.WithCookieJar(jar))
			t.Cleanup(func() { _ = client.Close() })
			resp, err := client.HTTPClient().Get(server.URL + path)
			if err != nil {
				return nil, err
			}
			return resp.Body, nil
		}, all},
		{"net/http", func(jar http.CookieJar, path string) (io.ReadCloser, error) {
			client := &http.Client{Jar: jar}
			t.Cleanup(client.CloseIdleConnections)
			resp, err := client.Get(server.URL + path)
			if err != nil {
				return nil, err
			}
			return resp.Body, nil
		}, "plain=1"},
	} {
		jar := okcookie.New(nil)
		got := ""
		for _, path := range []string{"/foo/bar", "/"} {
			body, err := tt.get(jar, path)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(body)
			if err != nil {
				t.Fatal(err)
			}
			_ = body.Close()
			got = string(text)
		}
		if got != tt.want {
			t.Errorf("%s: the server got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What attributes say holds for lines that come by the client.
func TestAttributesByTheClient(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	jar := okcookie.New(&okcookie.Options{Now: func() time.Time { return now }})
	client := okhttp.New(okhttp.WithCookieJar(jar))
	defer func() { _ = client.Close() }()
	server := echoing(t,
		"last=1; Max-Age=60; Max-Age=120",                                 // the later one counts
		"wins=1; Max-Age=3000; Expires=Thu, 01 Jan 2037 00:00:00 GMT",     // Max-Age does, wherever it stands
		"wins2=1; Expires=Thu, 01 Jan 2037 00:00:00 GMT; Max-Age=3000",    // ditto
		"below=1; Domain=0.0.1", "suffix=1; Domain=bar.elb.amazonaws.com", // an address has no domains above it
		"site=1; SameSite=", "none=1")
	resp, err := client.Get(t.Context(), server.URL+"/foo/bar")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	var got []string
	for e := range jar.All() {
		left := "session"
		if !e.IsSession() {
			left = e.Expires.Sub(now).String()
		}
		if e.Path != "/foo" || !e.HostOnly || e.HasSameSite != (e.Name == "site") || e.SameSite != "" {
			t.Errorf("%+v", e)
		}
		got = append(got, e.Name+" "+left)
	}
	if want := []string{"last 2m0s", "wins 50m0s", "wins2 50m0s", "site session", "none session"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
