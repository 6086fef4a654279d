//go:build unix

package interop

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp/okcookie"
)

// TestCurlCookies lets curl and a jar read the cookie files of each other.
func TestCurlCookies(t *testing.T) {
	curl := realCurl(t)
	server := mockserver.New(t)
	at, err := url.Parse(server.URL("/"))
	if err != nil {
		t.Fatal(err)
	}
	where := func(host, path string) *url.URL {
		return &url.URL{Scheme: "http", Host: host + ":" + at.Port(), Path: path}
	}
	// sent is what curl sends of a file.
	sent := func(file, host, path string) string {
		t.Helper()
		server.Enqueue(mockserver.Reply(200))
		curl("--resolve", host+":"+at.Port()+":"+at.Hostname(), "-b", file, where(host, path).String()).want(t, 0, "")
		r, err := server.TakeRequest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return sorted(strings.Split(r.Headers.Get("Cookie"), "; "))
	}
	// has is what a jar sends.
	has := func(jar *okcookie.Jar, host, path string) string {
		var pairs []string
		for _, c := range jar.Cookies(where(host, path)) {
			value := c.Value
			if c.Quoted {
				value = `"` + value + `"`
			}
			pairs = append(pairs, c.Name+"="+value) // its method String would leave out what net/http does not like
		}
		return sorted(pairs)
	}

	lines := []string{
		"sid=1; HttpOnly; Path=/", "empty=; Max-Age=100", `quoted="a b"; Max-Age=100`, `json={"a":1}; Max-Age=100`, "below=1; Domain=example.com; Max-Age=100",
		"php[x]=2; Path=/a/b; Expires=Wed, 21 Oct 2037 07:28:00 GMT", "gone=1; Max-Age=0", "suffix=1; Domain=com",
	}
	written := filepath.Join(t.TempDir(), "curl.txt")
	reply := mockserver.Reply(200)
	for _, line := range lines {
		reply = reply.AddHeader("Set-Cookie", line)
	}
	server.Enqueue(reply)
	curl("--resolve", "www.example.com:"+at.Port()+":"+at.Hostname(), "-c", written, where("www.example.com", "/d/").String()).want(t, 0, "")
	if _, err := server.TakeRequest(t.Context()); err != nil {
		t.Fatal(err)
	}

	jar := okcookie.New(&okcookie.Options{SaveSession: true})
	if err := jar.LoadNetscape(written); err != nil {
		text, _ := os.ReadFile(written)
		t.Fatalf("%v\n%s", err, text)
	}
	ours := filepath.Join(t.TempDir(), "ours.txt")
	if err := jar.SaveNetscape(ours); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ host, path, want string }{
		{"www.example.com", "/d/x", `below=1; empty=; json={"a":1}; quoted="a b"; sid=1`},
		{"www.example.com", "/a/b/c", "php[x]=2; sid=1"},
		{"www.example.com", "/", "sid=1"},
		{"other.example.com", "/d/", "below=1"},
		{"example.com", "/d/", "below=1"},
		{"example.org", "/d/", ""},
	} {
		if got := sent(written, c.host, c.path); got != c.want {
			t.Errorf("curl sends %q of its file to %s%s, want %q", got, c.host, c.path, c.want)
		}
		if got := sent(ours, c.host, c.path); got != c.want {
			t.Errorf("curl sends %q of our file to %s%s, want %q", got, c.host, c.path, c.want)
		}
		if got := has(jar, c.host, c.path); got != c.want {
			t.Errorf("the jar sends %q to %s%s, want %q", got, c.host, c.path, c.want)
		}
	}
}

func sorted(pairs []string) string {
	slices.Sort(pairs)
	return strings.Join(pairs, "; ")
}
