package okhttp

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestUpgradeList(t *testing.T) {
	for _, bad := range []string{"", ",", "a,", "a b", "a/", "/1", "a/1/2", "a\r\nb", "é"} {
		if _, err := NewRequest("GET", "http://h/", Upgrade(bad)); err == nil {
			t.Errorf("an upgrade to %q was accepted", bad)
		}
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%q %q", r.Header["Connection"], r.Header["Upgrade"])
	}))
	t.Cleanup(s.Close)
	client := closing(t)
	req, err := NewRequest("GET", s.URL, Upgrade("h2c, TLS/1.3"), Header("Connection", "HTTP2-Settings"), Header("HTTP2-Settings", "AA"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := resp.Body.Text(); got != `["HTTP2-Settings, Upgrade"] ["h2c, TLS/1.3"]` {
		t.Errorf("the server saw %s", got)
	}
	std, err := http.NewRequest("GET", s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	std.Header = http.Header{"Connection": {"upgrade, x", "y"}, "Upgrade": {"one", "two/2"}}
	hr, err := client.HTTPClient().Do(std)
	if err != nil {
		t.Fatal(err)
	}
	defer hr.Body.Close()
	if got, _ := io.ReadAll(hr.Body); string(got) != `["x, y, Upgrade"] ["one, two/2"]` {
		t.Errorf("the server saw %s", got)
	}
}
