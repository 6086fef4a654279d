package okcookie_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

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
