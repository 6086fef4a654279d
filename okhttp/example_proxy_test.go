package okhttp_test

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// Passwords of proxies are not printed.
func ExampleParseProxy() {
	for _, s := range []string{"proxy.example.com:3128", "https://ann:secret@proxy.example.com", "socks5h://10.0.0.1", "unix:///run/docker.sock"} {
		p, err := okhttp.ParseProxy(s)
		fmt.Println(p, err)
	}
	// Output:
	// http://proxy.example.com:3128 <nil>
	// https://proxy.example.com:443 <nil>
	// socks5h://10.0.0.1:1080 <nil>
	// unix:///run/docker.sock <nil>
}

// A selector chooses by URL; of several proxies the later ones are tried when the earlier ones cannot be connected to.
func ExampleProxySelector() {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "proxied ", r.URL)
	}))
	defer proxy.Close()
	viaProxy, err := okhttp.ParseProxy(proxy.URL)
	if err != nil {
		log.Fatal(err)
	}

	selector := okhttp.ProxySelectorFunc(func(u okhttp.URL) ([]okhttp.Proxy, error) {
		if strings.HasSuffix(u.Host(), ".internal") {
			return []okhttp.Proxy{okhttp.Direct}, nil
		}
		return []okhttp.Proxy{viaProxy, okhttp.Direct}, nil
	})
	client := okhttp.New(okhttp.WithProxySelector(selector))
	defer client.Close()
	resp, err := client.Get(context.Background(), "http://example.com/")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Body.Text())
	// Output: proxied http://example.com/ <nil>
}

// One list of proxies for all, but for some hosts.
func ExampleProxyList() {
	proxy, err := okhttp.ParseProxy("http://proxy.example.com:3128")
	if err != nil {
		log.Fatal(err)
	}
	list := okhttp.ProxyList([]okhttp.Proxy{proxy}, "internal.example.com", "10.0.0.0/8")
	for _, s := range []string{"https://example.org/", "https://git.internal.example.com/", "http://10.1.2.3/"} {
		u, err := okhttp.ParseURL(s)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(list.Select(u))
	}
	// Output:
	// [http://proxy.example.com:3128] <nil>
	// [] <nil>
	// [] <nil>
}

// Clients go by the environment of the moment in which they are made; a later one can be given to them.
func ExampleEnvironmentProxies() {
	for name, value := range map[string]string{"https_proxy": "proxy.example.com:3128", "no_proxy": "internal.example.com"} {
		defer os.Setenv(name, os.Getenv(name))
		os.Setenv(name, value)
	}
	environment := okhttp.EnvironmentProxies()
	for _, s := range []string{"https://example.org/", "https://git.internal.example.com/", "https://localhost/"} {
		u, err := okhttp.ParseURL(s)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(environment.Select(u))
	}
	// Output:
	// [http://proxy.example.com:3128] <nil>
	// [] <nil>
	// [] <nil>
}

// What listens on a Unix domain socket is reached under any host name.
func ExampleUnixSocket() {
	dir, err := os.MkdirTemp("", "ok")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello from ", r.Host) })}
	go server.Serve(listener)
	defer server.Close()

	client := okhttp.New(okhttp.WithProxy(okhttp.UnixSocket(path)))
	defer client.Close()
	resp, err := client.Get(context.Background(), "http://daemon/version")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Body.Text())
	// Output: hello from daemon <nil>
}
