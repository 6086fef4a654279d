package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
)

func TestConnectToArguments(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"h.example:80:back.example:8080", "h.example 80 back.example 8080"},
		{"H.Example.:80:BACK.example.:8080", "h.example 80 back.example 8080"},
		{"bücher.example:80:back:8080", "xn--bcher-kva.example 80 back 8080"},
		{"[2001:DB8::1]:80:[::1]:8080", "2001:db8::1 80 ::1 8080"},
		{"127.0.0.1:80:127.0.0.2:81", "127.0.0.1 80 127.0.0.2 81"},
		{"::back:8080", " 0 back 8080"},
		{":80::8080", " 80  8080"},
		{"h::back:", "h 0 back 0"},
		{"h:80:back", "h 80 back 0"},
		{"h:80:[::1]", "h 80 ::1 0"},
		{":::", " 0  0"},
		{"", `expected HOST1:PORT1:HOST2:PORT2, got ""`},
		{"h", `expected HOST1:PORT1:HOST2:PORT2, got "h"`},
		{"h:80", `expected HOST1:PORT1:HOST2:PORT2, got "h:80"`},
		{"[::1]", `expected HOST1:PORT1:HOST2:PORT2, got "[::1]"`},
		{"h:x:back:80", `expected a port or nothing, got "x"`},
		{"h:80:back:http", `expected a port or nothing, got "http"`},
		{"h:80:back:0", `expected a port or nothing, got "0"`},
		{"h:65536:back:80", `expected a port or nothing, got "65536"`},
		{"h:80:back:80:", `expected a port or nothing, got "80:"`},
		{"h:80:::1:80", `expected a port or nothing, got ":1:80"`},
		{"h/x:80:back:80", `expected a host name, an IP address (of IPv6 in brackets) or nothing, got "h/x"`},
		{"h:80:u@back:80", `expected a host name, an IP address (of IPv6 in brackets) or nothing, got "u@back"`},
		{"h:80:[::1:80", `expected a port or nothing, got ":1:80"`},
		{"h:80:[nonsense]:80", `expected a host name, an IP address (of IPv6 in brackets) or nothing, got "[nonsense]"`},
		{"1.2.3.400:80:h:80", `expected a host name, an IP address (of IPv6 in brackets) or nothing, got "1.2.3.400"`},
	} {
		o := newOptions()
		err := o.addConnectTo(tt.text)
		got := fmt.Sprint(err)
		if err == nil {
			r := o.connectTo[0]
			got = fmt.Sprint(r.host, " ", r.port, " ", r.toHost, " ", r.toPort)
		}
		if got != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
	okcurl(t, "--connect-to", "h.example:80:other:port", "http://h.example/").want(t, exitOption, "",
		"okcurl: (49) option --connect-to: expected a port or nothing, got \"port\"; try okcurl --help\n")
}

// The first rule counts that is about the URL and says anything.
func TestConnectToRules(t *testing.T) {
	o := newOptions()
	for _, text := range []string{"a:80::", "a:80:one:1", "a:80:two:2", "a::three:", "[::1]:::4", ":443:five:5", "b.::six:6"} {
		if err := o.addConnectTo(text); err != nil {
			t.Fatal(err)
		}
	}
	for url, want := range map[string]string{
		"http://A/": "one 1", "http://a.:80/": "one 1", "http://a:81/": "three 0", "https://a/": "three 0", "https://[::1]/": " 4", "https://c/": "five 5",
		"http://b/": "six 6", "http://c/": " 0", "http://aa/": " 0",
	} {
		u, err := okhttp.ParseURL(url)
		if err != nil {
			t.Fatal(err)
		}
		host, port := o.leads(u)
		if got := fmt.Sprint(host, " ", port); got != want {
			t.Errorf("%s leads to %q, want %q", url, got, want)
		}
	}
}

func TestConnectTo(t *testing.T) {
	withoutProxies(t)
	one, two := hosts(t), hosts(t)
	to := func(rule string) string {
		return strings.NewReplacer("ONE", one, "TWO", two).Replace(rule)
	}
	run := func(want string, args ...string) {
		t.Helper()
		for i, a := range args {
			args[i] = to(a)
		}
		okcurl(t, args...).want(t, 0, want, "")
	}
	// The host that is sent is that of the URL, whatever is connected to.
	run("h.example\n", "--connect-to", "h.example:80:127.0.0.1:ONE", "http://h.example/")
	run("h.example\n", "--connect-to", "::127.0.0.1:ONE", "http://h.example:1/")
	run("127.0.0.1\n", "--connect-to", "127.0.0.1:1::ONE", "http://127.0.0.1:1/")
	run("h.example\nother.example\n", "--connect-to", ":80:127.0.0.1:ONE", "http://h.example/", "http://other.example/")
	// Two URLs of a host and port share a connection, and those of another host do not, although both lead to the same place.
	run("h.example\n1\nh.example\n0\nother.example\n1\n", "-w", "%{num_connects}\\n", "--connect-to", ":80:127.0.0.1:ONE", "http://h.example/", "http://h.example/", "http://other.example/")
	// Names are looked up as others are: by the system, and by --resolve, under the port that is connected to.
	run("h.example\n", "--connect-to", "::localhost:ONE", "-4", "http://h.example/")
	run("h.example\n", "--connect-to", "h.example:80:back.example:ONE", "--resolve", "back.example:ONE:127.0.0.1", "http://h.example/")
	run("h.example\n", "--connect-to", "h.example:80::ONE", "--resolve", "h.example:ONE:127.0.0.1", "--resolve", "h.example:80:192.0.2.1", "http://h.example/")
	// A redirect goes where its own URL leads.
	run("b.example\n", "-L", "--connect-to", "a.example:80:127.0.0.1:ONE", "--connect-to", "b.example:81:127.0.0.1:TWO", "http://a.example/to/http://b.example:81/")
	// Switched off the environment's proxies, and with a cache: what is stored belongs to the URL.
	dir := t.TempDir()
	run("h.example\n", "--cache", dir, "--connect-to", "::127.0.0.1:ONE", "http://h.example/fresh")
	run("h.example\n", "--cache", dir, "--connect-to", "::127.0.0.1:1", "http://h.example/fresh")
	// Cookies too.
	run("h.example\n", "-b", "a=1", "--connect-to", "::127.0.0.1:ONE", "http://h.example/")

	okcurl(t, "--connect-to", "::gone.invalid:80", "http://h.example/").want(t, exitResolve, "", "okcurl: (6) could not resolve host: gone.invalid\n")
	okcurl(t, "--connect-to", "::127.0.0.1:1", "http://h.example/").want(t, exitConnect, "",
		"okcurl: (7) failed to connect to h.example:80 to 127.0.0.1:1: connection refused\n")
	got := okcurl(t, "-v", "--connect-to", to("::localhost:ONE"), "-4", "http://h.example/")
	if !strings.Contains(got.err, "* Connecting to h.example:80 to localhost:"+one+" at 127.0.0.1:"+one+"\n") || !strings.Contains(got.err, "> Host: h.example\n") {
		t.Errorf("-v says %s", got.err)
	}
}

// A certificate must be for the URL's host, whose name is also what the handshake asks for.
func TestConnectToTLS(t *testing.T) {
	withoutProxies(t)
	asked := make(chan string, 1)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked <- r.TLS.ServerName }))
	s.Config.ErrorLog = quiet
	s.StartTLS()
	t.Cleanup(s.Close)
	cert := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(cert, pemOf(s.Certificate()), 0o600); err != nil {
		t.Fatal(err)
	}
	addr := s.Listener.Addr().String()
	okcurl(t, "--cacert", cert, "--connect-to", "example.com:443:"+addr, "https://example.com/").want(t, 0, "", "")
	if got := <-asked; got != "example.com" {
		t.Errorf("the handshake asked for %q", got)
	}
	got := okcurl(t, "--cacert", cert, "--connect-to", "::"+addr, "https://h.example/")
	if got.code != exitCertificate || !strings.HasPrefix(got.err, "okcurl: (60) certificate of h.example not verified: ") {
		t.Errorf("%+v", got)
	}
}

// An HTTP proxy is asked for a tunnel, for http URLs too, and a SOCKS proxy for another address. --noproxy is about the URL's host.
func TestConnectToThroughProxy(t *testing.T) {
	withoutProxies(t)
	one := hosts(t)
	target := "127.0.0.1:" + one
	tunnels := make(chan string, 10)
	proxy := strings.TrimPrefix(serve(t, func(w http.ResponseWriter, r *http.Request) {
		tunnels <- r.Method + " " + r.RequestURI + " " + r.Host
		if r.Method == "CONNECT" {
			tunnel(w, target)
		}
	}), "http://")
	rule := []string{"--connect-to", "h.example:80:back.example:81"}
	okcurl(t, append(rule, "-x", proxy, "http://h.example/")...).want(t, 0, "h.example\n", "")
	if got := <-tunnels; got != "CONNECT back.example:81 back.example:81" {
		t.Errorf("the proxy was asked for %q", got)
	}
	// One that changes nothing needs no tunnel.
	okcurl(t, "--connect-to", "h.example:80:h.example:80", "-x", proxy, "http://h.example/")
	if got := <-tunnels; got != "GET http://h.example/ h.example" {
		t.Errorf("the proxy was asked for %q", got)
	}
	okcurl(t, "--connect-to", "h.example:80:"+target, "-x", proxy, "--noproxy", "h.example", "http://h.example/").want(t, 0, "h.example\n", "")
	if len(tunnels) > 0 {
		t.Error("the proxy was asked for an exception")
	}
	socks := socksServer(t, "")
	okcurl(t, append(rule, "--socks5-hostname", socks, "http://h.example/")...).want(t, 0, "socks: name back.example 81\n", "")
	okcurl(t, append(rule, "--socks5", socks, "--resolve", "back.example:81:127.0.0.3", "http://h.example/")...).want(t, 0, "socks: address 127.0.0.3 81\n", "")
	okcurl(t, append(rule, "-x", "gone.invalid", "http://h.example/")...).want(t, exitProxy, "", "okcurl: (5) could not resolve proxy: gone.invalid\n")
}
