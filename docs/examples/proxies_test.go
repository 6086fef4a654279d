package examples

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okauth"
)

// proxy is an HTTP proxy that answers requests itself, for those who know the password if there is one.
func proxy(name, password string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, got, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth(); got != password {
			w.Header().Set("Proxy-Authenticate", `Basic realm="proxy"`)
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		fmt.Fprintf(w, "%s got %s", name, r.RequestURI)
	}))
}

func show(client *okhttp.Client, url string) {
	resp, err := client.Get(context.Background(), url)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := resp.Body.Text()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Status, text)
}

func Example_proxy() {
	server := proxy("the proxy", "open sesame")
	defer server.Close()
	address := strings.Replace(server.URL, "http://", "http://aladdin:open%20sesame@", 1)
	// #region one
	via, err := okhttp.ParseProxy(address) // http://aladdin:open%20sesame@proxy.example:3128
	if err != nil {
		log.Fatal(err)
	}
	client := okhttp.New(okhttp.WithProxy(via))
	// #endregion one
	defer client.Close()
	show(client, "http://server.example/tea")
	// Output: 200 the proxy got http://server.example/tea
}

func Example_proxyList() {
	working, origin := proxy("the second", ""), proxy("the server", "")
	defer working.Close()
	defer origin.Close()
	unused, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	unused.Close()
	first, err := okhttp.ParseProxy(unused.Addr().String())
	if err != nil {
		log.Fatal(err)
	}
	second, err := okhttp.ParseProxy(working.URL)
	if err != nil {
		log.Fatal(err)
	}
	// #region list
	proxies := okhttp.ProxyList([]okhttp.Proxy{first, second}, "intranet.example", "10.0.0.0/8", "127.0.0.1")
	client := okhttp.New(okhttp.WithProxySelector(proxies))
	// #endregion list
	defer client.Close()
	show(client, "http://server.example/tea")
	show(client, origin.URL+"/tea")
	// Output:
	// 200 the second got http://server.example/tea
	// 200 the server got /tea
}

func Example_proxyAuthenticator() {
	server := proxy("the proxy", "open sesame")
	defer server.Close()
	via, err := okhttp.ParseProxy(server.URL)
	if err != nil {
		log.Fatal(err)
	}
	// #region authenticator
	client := okhttp.New(
		okhttp.WithProxy(via),
		okhttp.WithProxyAuthenticator(okauth.Basic("aladdin", "open sesame")),
	)
	// #endregion authenticator
	defer client.Close()
	show(client, "http://server.example/tea")
	// Output: 200 the proxy got http://server.example/tea
}

func Example_unixSocket() {
	dir, err := os.MkdirTemp("", "ok")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "docker.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		log.Fatal(err)
	}
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Host+r.RequestURI)
	})}}
	server.Start()
	defer server.Close()
	// #region unix
	client := okhttp.New(okhttp.WithProxy(okhttp.UnixSocket(path))) // /run/docker.sock
	defer client.Close()
	resp, err := client.Get(context.Background(), "http://localhost/containers/json?all=1")
	// #endregion unix
	if err != nil {
		log.Fatal(err)
	}
	text, err := resp.Body.Text()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text)
	// Output: localhost/containers/json?all=1
}

func Example_connectTo() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "for", r.Host)
	}))
	defer server.Close()
	address := server.Listener.Addr().(*net.TCPAddr)
	host, port := address.IP.String(), address.Port
	// #region elsewhere
	staging, err := okhttp.Direct.ConnectTo(host, port) // "staging.example.com", 8443
	if err != nil {
		log.Fatal(err)
	}
	client := okhttp.New(okhttp.WithProxySelector(okhttp.ProxySelectorFunc(func(u okhttp.URL) ([]okhttp.Proxy, error) {
		if u.Host() == "www.example.com" {
			return []okhttp.Proxy{staging}, nil
		}
		return nil, nil
	})))
	// #endregion elsewhere
	defer client.Close()
	show(client, "http://www.example.com/")
	// Output: 200 for www.example.com
}
