package cli

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestSchemes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"=https", "https"},
		{"=http,https", "http https"},
		{"=http,=https", "https"},
		{"-http", "https ws wss"},
		{"-all,https", "https"},
		{"=all,-ws,-wss", "http https"},
		{"-all,+HTTP", "http"},
		{"=ftp", ""},
		{"-ftp,-file", "http https ws wss"},
		{"=https,-https", ""},
	} {
		if got, err := schemes(c.text); err != nil || got == nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, %v, want %s", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"", "=htps", "https,", "=", "*", "https://"} {
		if got, err := schemes(text); err == nil {
			t.Errorf("%q: %q, expected an error", text, got)
		}
	}
	if !slices.Equal(spoken, []string{"http", "https", "ws", "wss"}) {
		t.Errorf("the list of all is %q", spoken)
	}
}

func TestProto(t *testing.T) {
	var requests []string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests = append(requests, r.URL.Path)
		switch r.URL.Path {
		case "/safe":
			http.Redirect(w, r, "https://127.0.0.1:1/", http.StatusFound)
		case "/again":
			w.Header().Set("Cache-Control", "max-age=1000")
			http.Redirect(w, r, "/page", http.StatusMovedPermanently)
		default:
			io.WriteString(w, "page")
		}
	})
	socket := "ws" + strings.TrimPrefix(url, "http")
	for _, c := range []struct {
		args      []string
		code      int
		out, err  string
		requested string
	}{
		{[]string{"--proto", "=http", url}, 0, "page", "", "/"},
		{[]string{"--proto", "=https", url}, 1, "", "--proto does not permit http", ""},
		{[]string{"--proto", "=https", strings.TrimPrefix(url, "http://")}, 1, "", "--proto does not permit http", ""},
		{[]string{"--proto", "=https", strings.ToUpper(url)}, 1, "", "--proto does not permit http", ""},
		{[]string{"--proto", "=http,https", socket}, 1, "", "--proto does not permit ws", ""},
		{[]string{"--proto", "=https", "ftp://127.0.0.1/"}, 1, "", "scheme ftp is not supported, expected http, https, ws or wss", ""},
		{[]string{"--proto", "=http", url + "/safe"}, 0, "<a href=\"https://127.0.0.1:1/\">Found</a>.\n\n", "", "/safe"}, // not followed
		{[]string{"-L", "--proto", "=http", url + "/safe"}, 1, "", "--proto does not permit the redirect to https", "/safe"},
		{[]string{"-L", "--proto", "=http", "--proto-redir", "=https", url + "/safe"}, 1, "", "--proto does not permit the redirect to https", "/safe"},
		{[]string{"-L", "--proto-redir", "=https", url + "/again"}, 1, "", "--proto-redir does not permit the redirect to http", "/again"},
		{[]string{"-L", "--proto-redir", "-https", url + "/again"}, 0, "page", "", "/again /page"},
		{[]string{"-L", "--proto-redir", "=wss", socket + "/again"}, 22, "", "the server answered 301, not with a web socket", "/again"},
		{[]string{"-L", "--proto-redir", "-wss", socket + "/safe"}, 22, "", "the server answered 302, not with a web socket", "/safe"},
		{[]string{"--proto", "=htps", url}, 2, "", "option --proto: \"htps\" is no scheme, expected http, https, ws, wss or all, with +, - or = before it; try okcurl --help", ""},
	} {
		requests = nil
		if c.err != "" {
			c.err = fmt.Sprintf("okcurl: (%d) %s\n", c.code, c.err)
		}
		okcurl(t, c.args...).want(t, c.code, c.out, c.err)
		if got := strings.Join(requests, " "); got != c.requested {
			t.Errorf("%q: the server was asked for %q, want %q", c.args, got, c.requested)
		}
	}

	// A redirect out of the cache is one too, and the page that it leads to is not asked for.
	dir := t.TempDir()
	okcurl(t, "-L", "--cache", dir, url+"/again").want(t, 0, "page", "")
	requests = nil
	okcurl(t, "-L", "--cache", dir, "--proto-redir", "=https", url+"/again").want(t, 1, "", "okcurl: (1) --proto-redir does not permit the redirect to http\n")
	if len(requests) > 0 {
		t.Errorf("the server was asked for %q", requests)
	}
}

func TestMaxFileSize(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chunks" {
			w.(http.Flusher).Flush()
		}
		io.WriteString(w, strings.Repeat("x", 1500))
	})
	const failed = "okcurl: (63) the body has more than the 1024 bytes of --max-filesize\n"
	whole := strings.Repeat("x", 1500)
	okcurl(t, "--max-filesize", "1k", url).want(t, 63, "", failed)
	okcurl(t, "--max-filesize", "1k", url+"/chunks").want(t, 63, whole[:1024], failed)
	okcurl(t, "--max-filesize", "1500", url, url+"/chunks").want(t, 0, whole+whole, "")
	okcurl(t, "--max-filesize", "0", url).want(t, 0, whole, "")
	if r := okcurl(t, "-I", "--max-filesize", "1", url); r.code != 0 {
		t.Errorf("HEAD: %+v", r)
	}
	okcurl(t, "--max-filesize", "-1", url).want(t, 2, "", "okcurl: (2) option --max-filesize: expected a number of bytes, got \"-1\"; try okcurl --help\n")
}
