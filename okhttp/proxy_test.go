package okhttp

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func mustProxy(t *testing.T, s string) Proxy {
	t.Helper()
	p, err := ParseProxy(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestParseProxy(t *testing.T) {
	for in, want := range map[string]struct{ scheme, text, user, password string }{
		"http://proxy.test":                     {"http", "http://proxy.test:80", "", ""},
		"http://proxy.test/":                    {"http", "http://proxy.test:80", "", ""},
		"https://proxy.test":                    {"https", "https://proxy.test:443", "", ""},
		"socks5://proxy.test":                   {"socks5", "socks5://proxy.test:1080", "", ""},
		"socks5h://proxy.test":                  {"socks5h", "socks5h://proxy.test:1080", "", ""},
		"proxy.test":                            {"http", "http://proxy.test:80", "", ""},
		"proxy.test:3128":                       {"http", "http://proxy.test:3128", "", ""},
		"127.0.0.1:3128":                        {"http", "http://127.0.0.1:3128", "", ""},
		"[::1]:3128":                            {"http", "http://[::1]:3128", "", ""},
		"http://proxy.test:":                    {"http", "http://proxy.test:80", "", ""},
		"http://proxy.test:1":                   {"http", "http://proxy.test:1", "", ""},
		"http://proxy.test:65535":               {"http", "http://proxy.test:65535", "", ""},
		"HTTP://PROXY.Test:080":                 {"http", "http://proxy.test:80", "", ""},
		"SOCKS5H://Proxy.Test":                  {"socks5h", "socks5h://proxy.test:1080", "", ""},
		"http://[2001:DB8:0:0:0:0:0:1]":         {"http", "http://[2001:db8::1]:80", "", ""},
		"socks5://[::1]:9050":                   {"socks5", "socks5://[::1]:9050", "", ""},
		"http://[::ffff:10.0.0.1]:8080":         {"http", "http://10.0.0.1:8080", "", ""},
		"http://0x7f.1:8080":                    {"http", "http://127.0.0.1:8080", "", ""},
		"http://bücher.example":                 {"http", "http://xn--bcher-kva.example:80", "", ""},
		"http://user@proxy.test":                {"http", "http://proxy.test:80", "user", ""},
		"http://user:@proxy.test":               {"http", "http://proxy.test:80", "user", ""},
		"http://user:secret@proxy.test:81":      {"http", "http://proxy.test:81", "user", "secret"},
		"user:secret@proxy.test:81":             {"http", "http://proxy.test:81", "user", "secret"},
		"http://:secret@proxy.test":             {"http", "http://proxy.test:80", "", "secret"},
		"http://@proxy.test":                    {"http", "http://proxy.test:80", "", ""},
		"http://us%65r:p%40ss%3A%2F@proxy.test": {"http", "http://proxy.test:80", "user", "p@ss:/"},
		"http://user:p@ss@proxy.test":           {"http", "http://proxy.test:80", "user", "p@ss"},
		"http://%C3%BC:%C3%A4@proxy.test":       {"http", "http://proxy.test:80", "ü", "ä"},
		"socks5://us%3Aer:%00@proxy.test":       {"socks5", "socks5://proxy.test:1080", "us:er", "\x00"},
		"socks5h://user@proxy.test":             {"socks5h", "socks5h://proxy.test:1080", "user", ""},
		"unix:///run/docker.sock":               {"unix", "unix:///run/docker.sock", "", ""},
		"UNIX:///run/a%20b%3f%25":               {"unix", "unix:///run/a%20b%3F%25", "", ""},
		"direct://":                             {"direct", "direct", "", ""},
		"direct":                                {"direct", "direct", "", ""},
		"direct:80":                             {"http", "http://direct:80", "", ""},
		"socks5://" + strings.Repeat("u", 255) + ":" + strings.Repeat("p", 255) + "@proxy.test": {"socks5", "socks5://proxy.test:1080",
			strings.Repeat("u", 255), strings.Repeat("p", 255)},
	} {
		p, err := ParseProxy(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		user, password := p.credentials()
		if p.Scheme() != want.scheme || p.String() != want.text || user != want.user || password != want.password {
			t.Errorf("%s: %s %s %q %q, want %q", in, p.Scheme(), p, user, password, want)
		}
		if p.IsDirect() != (want.scheme == "direct") || p.IsDirect() != (p == Direct) {
			t.Errorf("%s: direct is %v", in, p.IsDirect())
		}
		if again, _ := ParseProxy(in); again != p {
			t.Errorf("%s: parsed twice, it is not equal to itself", in)
		}
		if back, err := ParseProxy(p.String()); err != nil || back.String() != p.String() {
			t.Errorf("%s: from %s: %v, %v", in, p, back, err)
		}
	}
}

// A path is what the file system has, whatever it looks like.
func TestUnixSocketPaths(t *testing.T) {
	for path, want := range map[string]string{
		"/run/docker.sock": "unix:///run/docker.sock",
		"/a b%#?ü":         "unix:///a%20b%25%23%3F%C3%BC",
	} {
		p := UnixSocket(path)
		if p.String() != want {
			t.Errorf("%q is %s, want %s", path, p, want)
		}
		if _, addr := (&Route{proxy: p}).target(); addr != path {
			t.Errorf("%q leads to %q", path, addr)
		}
		if back := mustProxy(t, p.String()); back != p {
			t.Errorf("%q came back as %s", path, back)
		}
	}
}

// No error shows what may be a password, wherever it ended up.
func TestParseProxyErrors(t *testing.T) {
	for in, part := range map[string]string{
		"":                                     "host",
		"http://":                              "host",
		"http:///path":                         "host",
		"://proxy.test":                        "host",
		"ftp://proxy.test":                     "scheme",
		"socks4://proxy.test":                  "scheme",
		"socks://proxy.test":                   "scheme",
		"socks4://u:hunter2@proxy.test":        "scheme",
		"http://proxy.test:0":                  "port",
		"http://proxy.test:65536":              "port",
		"http://proxy.test:99999999999999999":  "port",
		"http://proxy.test:x":                  "host",
		"http://proxy.test:-1":                 "host",
		"http://proxy.test/path":               "path",
		"http://proxy.test?query":              "path",
		"http://proxy.test?":                   "path",
		"http://proxy.test#fragment":           "path",
		"http://[::1":                          "host",
		"http://[fe80::1%25eth0]":              "host",
		"http://1.2.3.4.5":                     "host",
		"http://a b":                           "host",
		"http://a%00b":                         "host",
		"http://us%3Aer:hunter2@proxy.test":    "userinfo", // Basic has no place for it
		"http://user:hunter2%0a@proxy.test":    "userinfo",
		"http://user:hunter2%ff@proxy.test":    "userinfo",
		"http://user:hunter2%zz@proxy.test":    "host",
		"http://user:hunter2 @proxy.test":      "host",
		"http://user:hun/ter2@proxy.test":      "host",
		"http://user:80/hunter2@proxy.test":    "path",
		"http://user:80#hunter2@proxy.test":    "path",
		"http://user:80?hunter2@proxy.test":    "path",
		"user:hunter2://@proxy.test":           "host",
		"us://er:hunter2@proxy.test":           "scheme",
		"http://user:hunter2@proxy.test:x":     "host",
		"http://user:hunter2@proxy.test/x":     "path",
		"http://user:hunter2@[::1":             "host",
		"socks5://:hunter2@proxy.test":         "userinfo",
		"unix://run/docker.sock":               "path",
		"unix://":                              "path",
		"unix:///run/docker.sock?x":            "path",
		"unix:///run/docker.sock?":             "path",
		"unix:///run/docker.sock#x":            "path",
		"unix://user:hunter2@/run/docker.sock": "path",
		"unix:///run/%00":                      "path",
		"direct://proxy.test":                  "host",
		"direct://user:hunter2@":               "host",
		"direct:///path":                       "host",
		"socks5://" + strings.Repeat("u", 256) + ":hunter2@proxy.test": "userinfo",
		"socks5h://u:" + strings.Repeat("hunter2", 37) + "@proxy.test": "userinfo",
	} {
		p, err := ParseProxy(in)
		var ue *URLError
		if !errors.As(err, &ue) || p != Direct {
			t.Errorf("%s: %v, %v", in, p, err)
			continue
		}
		if ue.Part != part {
			t.Errorf("%s: part %s (%v), want %s", in, ue.Part, err, part)
		}
		for _, secret := range []string{"hunter2", "hun", "ter2"} {
			if strings.Contains(err.Error(), secret) || strings.Contains(ue.Input, secret) {
				t.Errorf("%s: the error shows the password: %v", in, err)
			}
		}
	}
}

// A proxy prints without its credentials, also from inside of what holds it.
func TestProxyHidesCredentials(t *testing.T) {
	p := mustProxy(t, "http://us3r:hunter2@proxy.test")
	holder := struct {
		Public Proxy
		hidden Proxy
		list   []Proxy
	}{p, p, []Proxy{p}}
	route := Route{proxy: p}
	if text := fmt.Sprintf("%s %q %v", p, p, &p); text != `http://proxy.test:80 "http://proxy.test:80" http://proxy.test:80` {
		t.Error(text)
	}
	for _, format := range []string{"%v", "%+v", "%#v"} {
		for _, v := range []any{p, &p, holder, &holder, route, &route, []Proxy{p}, ProxyList([]Proxy{p}), ProxySelect{Proxies: []Proxy{p}}, config{proxy: p}} {
			if text := fmt.Sprintf(format, v); strings.Contains(text, "us3r") || strings.Contains(text, "hunter2") {
				t.Errorf("%s of %T: %s", format, v, text)
			}
		}
	}
}

func FuzzParseProxy(f *testing.F) {
	for _, s := range []string{"http://user:p%40ss@proxy.test:3128", "socks5h://[::1]", "unix:///a%20b", "direct://", "a:b@c", "http://0x7f.1", "https://bücher.example:65535/",
		"socks5://u:://@h", "http://u:p@h?#", "unix:///%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParseProxy(s)
		if err != nil {
			var ue *URLError
			if !errors.As(err, &ue) || p != Direct {
				t.Fatalf("%v, %v", p, err)
			}
			return
		}
		text := p.String()
		back, err := ParseProxy(text)
		if err != nil || back.String() != text {
			t.Fatalf("%q: from %q: %v, %v", s, text, back, err)
		}
		user, password := p.credentials()
		if user == "" && password == "" && back != p {
			t.Fatalf("%q: %q is another", s, text)
		}
		if _, err := p.basic(); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if !p.IsDirect() && p.kind != proxyUnix && (p.host == "" || p.port < 1 || p.port > 65535) {
			t.Fatalf("%q: leads to %q", s, p.hostPort())
		}
	})
}
