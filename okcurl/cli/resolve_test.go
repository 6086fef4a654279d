package cli

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestResolveArguments(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"h.example:80:127.0.0.1", "h.example 80 [127.0.0.1]"},
		{"h.example:443:127.0.0.1,::1,[2001:db8::1]", "h.example 443 [127.0.0.1 ::1 2001:db8::1]"},
		{"*:80:127.0.0.1", "* 80 [127.0.0.1]"},
		{"", `expected HOST:PORT:ADDR, got ""`},
		{"h.example", `expected HOST:PORT:ADDR, got "h.example"`},
		{"h.example:80", `expected HOST:PORT:ADDR, got "h.example:80"`},
		{":80:127.0.0.1", `expected HOST:PORT:ADDR, got ":80:127.0.0.1"`},
		{"h.example:http:127.0.0.1", `expected a port, got "http"`},
		{"h.example:0:127.0.0.1", `expected a port, got "0"`},
		{"h.example:65536:127.0.0.1", `expected a port, got "65536"`},
		{"h/example:80:127.0.0.1", `expected a host name, got "h/example"`},
		{"127.0.0.1:80:127.0.0.1", `expected a host name, got "127.0.0.1"`},
		{"h.example:80:", `expected an IP address, got ""`},
		{"h.example:80:localhost", `expected an IP address, got "localhost"`},
		{"h.example:80:127.0.0.1,", `expected an IP address, got ""`},
		{"h.example:80:[127.0.0.1]", "h.example 80 [127.0.0.1]"},
		{"+h.example:80:127.0.0.1", "h.example 80 [127.0.0.1]"},
		{"-h.example", `expected -HOST:PORT, got "-h.example"`},
		{"-h.example:http", `expected -HOST:PORT, got "-h.example:http"`},
		{"h.example:80:[::1", `expected an IP address, got "[::1"`},
	} {
		o := newOptions()
		err := o.addResolve(tt.text)
		got := fmt.Sprint(err)
		if err == nil {
			r := o.resolve[0]
			got = fmt.Sprint(r.host, " ", r.port, " ", r.addrs)
		}
		if got != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
	okcurl(t, "--resolve", "h.example:80", "http://h.example/").want(t, exitOption, "",
		"okcurl: (49) option --resolve: expected HOST:PORT:ADDR, got \"h.example:80\"; try okcurl --help\n")
}

// A rule is taken back by its host and port, and given anew.
func TestResolveRemoved(t *testing.T) {
	o := newOptions()
	for _, text := range []string{"a:80:127.0.0.1", "b:80:127.0.0.2", "a:81:127.0.0.3", "-A.:80", "-c:80", "b:80:127.0.0.4"} {
		if err := o.addResolve(text); err != nil {
			t.Fatal(err)
		}
	}
	var left []string
	for _, r := range o.resolve {
		left = append(left, fmt.Sprint(r.host, " ", r.port, " ", r.addrs))
	}
	if got := strings.Join(left, ", "); got != "b 80 [127.0.0.2], a 81 [127.0.0.3], b 80 [127.0.0.4]" {
		t.Error(got)
	}
}

// hosts serves the host that was asked for, and redirects below /to/ to another URL. It returns the port.
func hosts(t *testing.T) string {
	t.Helper()
	origin := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if to, ok := strings.CutPrefix(r.RequestURI, "/to/"); ok {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		host, _, _ := strings.Cut(r.Host, ":")
		if r.URL.Path == "/fresh" {
			w.Header().Set("Cache-Control", "max-age=60")
		}
		fmt.Fprintln(w, host)
	})
	u, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

func TestResolve(t *testing.T) {
	one, two := hosts(t), hosts(t)
	rule := func(host, port string) string { return host + ":" + port + ":127.0.0.1" }
	okcurl(t, "--resolve", rule("h.example", one), "http://h.example:"+one).want(t, 0, "h.example\n", "")
	okcurl(t, "--resolve", rule("H.Example.", one), "http://h.example:"+one, "http://h.example.:"+one).want(t, 0, "h.example\nh.example.\n", "")
	okcurl(t, "--resolve", rule("bücher.example", one), "http://xn--bcher-kva.example:"+one).want(t, 0, "xn--bcher-kva.example\n", "")
	okcurl(t, "--resolve", rule("*", one), "--resolve", "h.example:"+one+":127.0.0.1", "http://h.example:"+one, "http://other.example:"+one).
		want(t, 0, "h.example\nother.example\n", "")
	// The last of several counts.
	okcurl(t, "--resolve", "h.example:"+one+":192.0.2.1", "--resolve", rule("h.example", one), "http://h.example:"+one).want(t, 0, "h.example\n", "")
	// A redirect to another port goes by the rules of that port.
	okcurl(t, "-L", "--resolve", rule("a.example", one), "--resolve", rule("b.example", two), "http://a.example:"+one+"/to/http://b.example:"+two+"/").
		want(t, 0, "b.example\n", "")
	// It stands in front of the cache, and not in its place.
	args := []string{"--cache", t.TempDir(), "--resolve", rule("h.example", one), "-w", "%{num_connects}\\n", "http://h.example:" + one + "/fresh"}
	okcurl(t, args...).want(t, 0, "h.example\n1\n", "")
	okcurl(t, args...).want(t, 0, "h.example\n0\n", "")
	// localhost is known in spite of rules for others.
	okcurl(t, "--resolve", rule("h.example", one), "http://localhost:"+one).want(t, 0, "localhost\n", "")
}

// doh serves DNS over HTTPS: every name whose first label is not "gone" or "broken" is 127.0.0.1. It returns the URL, the file of its
// certificate and what counts the questions.
func doh(t *testing.T) (serverURL, cert string, asked func() int) {
	t.Helper()
	var mu sync.Mutex
	n := 0
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		n++
		mu.Unlock()
		m, err := base64.RawURLEncoding.DecodeString(r.URL.Query().Get("dns"))
		if err != nil || len(m) < 18 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		isA := m[len(m)-3] == 1
		m[2], m[3] = 0x81, 0x80
		switch name := string(m[13:]); {
		case strings.HasPrefix(name, "broken"):
			w.WriteHeader(http.StatusBadGateway)
			return
		case strings.HasPrefix(name, "gone"):
			m[3] = 0x83
		case isA:
			m[7] = 1
			m = append(m, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1)
		}
		w.Header().Set("Content-Type", "application/dns-message")
		w.Write(m)
	}))
	s.Config.ErrorLog = quiet
	s.StartTLS()
	t.Cleanup(s.Close)
	cert = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(cert, pemOf(s.Certificate()), 0o600); err != nil {
		t.Fatal(err)
	}
	return s.URL, cert, func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

func TestDoHURL(t *testing.T) {
	port := hosts(t)
	server, cert, asked := doh(t)
	okcurl(t, "--cacert", cert, "--doh-url", server+"/dns-query{?dns}", "http://h.example:"+port).want(t, 0, "h.example\n", "")
	if n := asked(); n != 3 {
		t.Errorf("%d questions, want 3", n)
	}
	// Names of the local network are not its business, and --resolve goes before.
	okcurl(t, "--cacert", cert, "--doh-url", server, "--resolve", "r.example:"+port+":127.0.0.1", "http://localhost:"+port, "http://r.example:"+port).
		want(t, 0, "localhost\nr.example\n", "")
	if n := asked(); n != 3 {
		t.Errorf("%d questions, want 3: it was asked for what it should not", n)
	}
	// A rule for another port says nothing.
	okcurl(t, "--cacert", cert, "--doh-url", server, "--resolve", "h.example:1:192.0.2.1", "http://h.example:"+port).want(t, 0, "h.example\n", "")
	// --resolve holds for its host too.
	dns := strings.Replace(server, "127.0.0.1", "example.com", 1) // which the certificate of httptest is good for
	okcurl(t, "--cacert", cert, "--doh-url", dns, "--resolve", dns[len("https://"):]+":127.0.0.1", "http://h.example:"+port).want(t, 0, "h.example\n", "")

	okcurl(t, "--cacert", cert, "--doh-url", server, "http://gone.example:"+port).want(t, exitResolve, "", "okcurl: (6) could not resolve host: gone.example\n")
	okcurl(t, "--cacert", cert, "--doh-url", server, "http://broken.example:"+port).want(t, exitResolve, "",
		"okcurl: (6) could not resolve host: broken.example: A over https: response: 502 Bad Gateway (and 1 more)\n")
	// -k is about the URL that is fetched.
	got := okcurl(t, "-k", "--doh-url", server, "http://h.example:"+port)
	if got.code != exitResolve || !strings.Contains(got.err, "certificate") {
		t.Errorf("exit %d, %s, want that the certificate does not verify", got.code, got.err)
	}
	okcurl(t, "--doh-url", "http://127.0.0.1/", "http://h.example").want(t, exitUsage, "", "okcurl: (2) option --doh-url: okdoh: the url is one of http, expected https; try okcurl --help\n")
	if got := okcurl(t, "--doh-url", "dns.example", "http://h.example"); got.code != exitUsage || !strings.Contains(got.err, "option --doh-url") {
		t.Errorf("exit %d, %s", got.code, got.err)
	}
	if got := okcurl(t, "--doh-url", server, "--cacert", cert+"x", "http://h.example"); got.code != exitCAFile {
		t.Errorf("exit %d, %s", got.code, got.err)
	}
}
