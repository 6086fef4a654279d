package okhttp

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// setProxyEnvironment sets the variables that count, and clears the others of them.
func setProxyEnvironment(t *testing.T, nameValue ...string) {
	t.Helper()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"} {
		t.Setenv(name, "")
	}
	for i := 0; i < len(nameValue); i += 2 {
		t.Setenv(nameValue[i], nameValue[i+1])
	}
}

func TestEnvironmentProxies(t *testing.T) {
	const clear, secure = "http://example.com/", "https://example.com/"
	for _, tt := range []struct {
		name string
		env  []string
		url  string
		want string // "" is none
	}{
		{"nothing", nil, clear, ""},
		{"http", []string{"HTTP_PROXY", "http://proxy.test:3128"}, clear, "http://proxy.test:3128"},
		{"http for https", []string{"HTTP_PROXY", "http://proxy.test:3128"}, secure, ""},
		{"https", []string{"HTTPS_PROXY", "http://proxy.test:3128"}, secure, "http://proxy.test:3128"},
		{"https for http", []string{"HTTPS_PROXY", "http://proxy.test:3128"}, clear, ""},
		{"lower case", []string{"http_proxy", "http://proxy.test:3128"}, clear, "http://proxy.test:3128"},
		{"without a scheme", []string{"HTTP_PROXY", "proxy.test:3128"}, clear, "http://proxy.test:3128"},
		{"without a port", []string{"HTTP_PROXY", "proxy.test"}, clear, "http://proxy.test:80"},
		{"an address", []string{"HTTP_PROXY", "10.0.0.1:3128"}, clear, "http://10.0.0.1:3128"},
		{"over TLS", []string{"HTTPS_PROXY", "https://proxy.test"}, secure, "https://proxy.test:443"},
		{"socks5", []string{"HTTPS_PROXY", "socks5://proxy.test"}, secure, "socks5://proxy.test:1080"},
		{"socks5h", []string{"HTTPS_PROXY", "socks5h://proxy.test:9050"}, secure, "socks5h://proxy.test:9050"},
		{"credentials", []string{"HTTP_PROXY", "http://user:secret@proxy.test"}, clear, "http://proxy.test:80"},
		{"direct", []string{"HTTP_PROXY", "direct://"}, clear, "direct"},
		{"localhost", []string{"HTTP_PROXY", "http://proxy.test"}, "http://localhost:8080/", ""},
		{"loopback", []string{"HTTP_PROXY", "http://proxy.test"}, "http://127.1.2.3/", ""},
		{"loopback of IPv6", []string{"HTTP_PROXY", "http://proxy.test"}, "http://[::1]/", ""},
		{"no proxy", []string{"HTTP_PROXY", "http://proxy.test", "NO_PROXY", "other.test,example.com"}, clear, ""},
		{"no proxy in lower case", []string{"HTTP_PROXY", "http://proxy.test", "no_proxy", "example.com"}, clear, ""},
		{"no proxy below", []string{"HTTP_PROXY", "http://proxy.test", "NO_PROXY", "example.com"}, "http://a.example.com", ""},
		{"no proxy elsewhere", []string{"HTTP_PROXY", "http://proxy.test", "NO_PROXY", "example.com"}, "http://notexample.com", "http://proxy.test:80"},
		{"no proxy for a port", []string{"HTTP_PROXY", "http://proxy.test", "NO_PROXY", "example.com:8080"}, "http://example.com:8080", ""},
		{"no proxy for another port", []string{"HTTP_PROXY", "http://proxy.test", "NO_PROXY", "example.com:8080"}, clear, "http://proxy.test:80"},
		{"no proxy for a network", []string{"HTTP_PROXY", "http://proxy.test", "NO_PROXY", "10.0.0.0/8"}, "http://10.1.1.1", ""},
		{"no proxy for IPv6", []string{"HTTP_PROXY", "http://proxy.test", "NO_PROXY", "fd00::/8"}, "http://[fd00::1]:81", ""},
		{"no proxy at all", []string{"HTTP_PROXY", "http://proxy.test", "NO_PROXY", "*"}, clear, ""},
		{"no proxy for an IDN", []string{"HTTP_PROXY", "http://proxy.test", "NO_PROXY", "bücher.example"}, "http://bücher.example", ""},
		{"CGI, https", []string{"HTTPS_PROXY", "http://proxy.test", "REQUEST_METHOD", "GET"}, secure, "http://proxy.test:80"},
		{"CGI, http", []string{"HTTP_PROXY", "http://attacker.test", "REQUEST_METHOD", "GET"}, clear, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			setProxyEnvironment(t, tt.env...)
			u, err := ParseURL(tt.url)
			if err != nil {
				t.Fatal(err)
			}
			list, err := EnvironmentProxies().Select(u)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if len(list) > 0 {
				got = list[0].String()
			}
			if got != tt.want || len(list) > 1 {
				t.Errorf("%v, want %s", list, tt.want)
			}
		})
	}
	if runtime.GOOS != "windows" { // where the names are the same
		t.Run("lower case first", func(t *testing.T) {
			setProxyEnvironment(t, "HTTP_PROXY", "http://upper.test", "http_proxy", "http://lower.test")
			u, _ := ParseURL(clear)
			if list, err := EnvironmentProxies().Select(u); err != nil || !slices.Equal(list, []Proxy{mustProxy(t, "http://lower.test")}) {
				t.Errorf("%v, %v", list, err)
			}
		})
		t.Run("CGI, lower case", func(t *testing.T) { // a header of a request never gets that name
			setProxyEnvironment(t, "HTTP_PROXY", "http://attacker.test", "http_proxy", "http://lower.test", "REQUEST_METHOD", "GET")
			u, _ := ParseURL(clear)
			if list, err := EnvironmentProxies().Select(u); err != nil || !slices.Equal(list, []Proxy{mustProxy(t, "http://lower.test")}) {
				t.Errorf("%v, %v", list, err)
			}
		})
	}
}

func TestEnvironmentCredentials(t *testing.T) {
	setProxyEnvironment(t, "HTTP_PROXY", "http://us%65r:p%40ss@proxy.test")
	u, _ := ParseURL("http://example.com")
	list, err := EnvironmentProxies().Select(u)
	if err != nil || len(list) != 1 || list[0] != mustProxy(t, "http://user:p%40ss@proxy.test") {
		t.Errorf("%v, %v", list, err)
	}
}

// A proxy that cannot be understood is not the same as none: going without it may be what must not happen.
func TestEnvironmentWithoutSense(t *testing.T) {
	for _, value := range []string{"http://[::1", "socks4://u:hunter2@proxy.test", "http://u:hunter2%zz@proxy.test", "http://u:hunter2@proxy.test:0", "http://u:hunter2@proxy.test/path", "http://u:hun ter2@:"} {
		setProxyEnvironment(t, "HTTP_PROXY", value, "NO_PROXY", "direct.test")
		u, _ := ParseURL("http://example.com")
		list, err := EnvironmentProxies().Select(u)
		var ue *URLError
		if !errors.As(err, &ue) {
			t.Errorf("%s: %v, %v", value, list, err)
		} else if strings.Contains(err.Error(), "ter2") {
			t.Errorf("%s: %v", value, err)
		}
		for _, url := range []string{"https://example.com", "http://direct.test", "http://localhost"} {
			u, _ := ParseURL(url)
			if list, err := EnvironmentProxies().Select(u); err != nil || list != nil {
				t.Errorf("%s, %s: %v, %v", value, url, list, err)
			}
		}
	}
}

// A selector is that of the moment, and equal to another of the same environment.
func TestEnvironmentProxiesAreValues(t *testing.T) {
	setProxyEnvironment(t, "HTTP_PROXY", "http://proxy.test")
	one, two := EnvironmentProxies(), EnvironmentProxies()
	t.Setenv("HTTP_PROXY", "http://other.test")
	three := EnvironmentProxies()
	if one != two || one == three {
		t.Error("comparing goes wrong")
	}
	u, _ := ParseURL("http://example.com")
	if list, err := one.Select(u); err != nil || !slices.Equal(list, []Proxy{mustProxy(t, "http://proxy.test")}) {
		t.Errorf("%v, %v", list, err)
	}
}
