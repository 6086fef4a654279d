package cli

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// withoutProxies clears what the environment says of proxies.
func withoutProxies(t *testing.T) {
	t.Helper()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"} {
		t.Setenv(name, "")
	}
}

// proxyServer is an HTTP proxy that answers requests with what it saw of them, and opens tunnels. With credentials it lets nobody else in.
func proxyServer(t *testing.T, credentials string) (addr string) {
	return strings.TrimPrefix(serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch got := r.Header.Get("Proxy-Authorization"); {
		case credentials != "" && got != credentials:
			w.Header().Set("Proxy-Authenticate", "Basic realm=x")
			w.WriteHeader(http.StatusProxyAuthRequired)
		case r.Method == "CONNECT":
			tunnel(w, r.RequestURI)
		default:
			io.WriteString(w, "proxy: "+r.Method+" "+r.RequestURI+"\n")
		}
	}), "http://")
}

func tunnel(w http.ResponseWriter, addr string) {
	server, err := net.Dial("tcp", addr)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer server.Close()
	client, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
	go func() {
		io.Copy(server, rw)
		server.Close()
	}()
	io.Copy(client, server)
}

// socksServer is a SOCKS5 proxy (RFC 1928) that answers the first request itself, with what it was asked for. With a login it wants that.
func socksServer(t *testing.T, login string) (addr string) {
	t.Helper()
	return onConnections(t, func(c *net.TCPConn) {
		if asked := socksAsked(c, login); asked != "" {
			readHead(c)
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nsocks: %s\n", asked)
		}
	})
}

func socksAsked(c net.Conn, login string) string {
	in := bufio.NewReaderSize(c, 16) // no more than what is said before the request
	take := func(n int) []byte {
		b := make([]byte, n)
		io.ReadFull(in, b)
		return b
	}
	take(int(take(2)[1]))
	if login == "" {
		io.WriteString(c, "\x05\x00")
	} else {
		io.WriteString(c, "\x05\x02")
		user := take(int(take(2)[1]))
		if got := string(user) + ":" + string(take(int(take(1)[0]))); got != login {
			io.WriteString(c, "\x01\x01")
			return ""
		}
		io.WriteString(c, "\x01\x00")
	}
	host := ""
	if kind := take(4)[3]; kind == 3 {
		host = "name " + string(take(int(take(1)[0])))
	} else {
		host = "address " + net.IP(take(4)).String()
	}
	port := binary.BigEndian.Uint16(take(2))
	io.WriteString(c, "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
	return fmt.Sprint(host, " ", port)
}

func TestProxies(t *testing.T) {
	withoutProxies(t)
	plain := proxyServer(t, "")
	guarded := proxyServer(t, "Basic dTpwOnE=") // u:p:q
	socks, guardedSOCKS := socksServer(t, ""), socksServer(t, "u:p:q")
	direct := serve(t, echo)
	secure := httptest.NewTLSServer(http.HandlerFunc(echo))
	t.Cleanup(secure.Close)
	unknown := "http://server.invalid/a?b"
	secureProxy := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "secure proxy: "+r.RequestURI+"\n") }))
	t.Cleanup(secureProxy.Close)
	const forwarded = "proxy: GET http://server.invalid/a?b\n"
	for _, c := range []struct {
		env  string // NAME=VALUE, with spaces between
		args string
		out  string
	}{
		{"", "-x http://" + plain + " " + unknown, forwarded},
		{"", "-x " + plain + " " + unknown, forwarded},
		{"", "--proxy " + plain + "/ " + unknown, forwarded},
		{"", "-x " + plain + " " + direct + "/", "proxy: GET " + direct + "/\n"}, // of this machine too
		{"", "-k -x " + plain + " " + secure.URL + "/b", "GET /b\n"},
		{"", "-k -x " + secureProxy.URL + " " + unknown, "secure proxy: http://server.invalid/a?b\n"},
		{"", "-x u:p%3Aq@" + guarded + " " + unknown, forwarded},
		{"", "-x " + guarded + " -U u:p:q " + unknown, forwarded},
		{"", "-x http://u:p%3Aq@" + guarded + " --proxy-user other:x " + unknown, forwarded},
		{"", "-k -x " + guarded + " -U u:p:q " + secure.URL + "/b", "GET /b\n"},
		{"", "-x socks5h://" + socks + " " + unknown, "socks: name server.invalid 80\n"},
		{"", "--socks5-hostname " + socks + " " + unknown, "socks: name server.invalid 80\n"},
		{"", "--socks5 " + socks + " http://192.0.2.1:81/", "socks: address 192.0.2.1 81\n"},
		{"", "--socks5 " + guardedSOCKS + " -U u:p:q http://192.0.2.1/", "socks: address 192.0.2.1 80\n"},
		{"", "--socks5 u:p%3Aq@" + guardedSOCKS + " http://192.0.2.1/", "socks: address 192.0.2.1 80\n"},
		{"", "-x http://127.0.0.1:1 --socks5-hostname " + socks + " " + unknown, "socks: name server.invalid 80\n"}, // the last counts
		{"", "--socks5 " + socks + " -x " + plain + " " + unknown, forwarded},
		{"", "-x " + plain + " --noproxy 127.0.0.1 " + direct + "/", "GET /\n"},
		{"", "-x " + plain + " --noproxy other.test,127.0.0.0/8 " + direct + "/", "GET /\n"},
		{"", "-x " + plain + " --noproxy * " + direct + "/", "GET /\n"},
		{"", "-x " + plain + " --noproxy invalid.test " + unknown, forwarded},
		{"NO_PROXY=127.0.0.1", "-x " + plain + " " + direct + "/", "GET /\n"},
		{"NO_PROXY=server.invalid", "-x " + plain + " --noproxy x " + unknown, forwarded},
		{"HTTP_PROXY=http://" + plain, unknown, forwarded},
		{"http_proxy=" + plain, unknown, forwarded},
		{"HTTP_PROXY=http://" + plain, direct + "/", "GET /\n"},
		{"HTTP_PROXY=http://127.0.0.1:1", "-x " + plain + " " + unknown, forwarded},
		{"HTTP_PROXY=http://" + guarded, "-U u:p:q " + unknown, forwarded},
		{"HTTP_PROXY=socks5h://" + socks, unknown, "socks: name server.invalid 80\n"},
	} {
		t.Run(c.env+" "+c.args, func(t *testing.T) {
			for pair := range strings.FieldsSeq(c.env) {
				name, value, _ := strings.Cut(pair, "=")
				t.Setenv(name, value)
			}
			okcurl(t, strings.Fields(c.args)...).want(t, 0, c.out, "")
		})
	}
	// Exceptions that are not resolved: only what is tried tells.
	for _, c := range []struct{ env, args string }{
		{"HTTP_PROXY=http://" + plain, "-x= " + unknown},
		{"HTTP_PROXY=http://" + plain, "--noproxy server.invalid " + unknown},
		{"HTTP_PROXY=http://" + plain, "--noproxy * " + unknown},
		{"HTTP_PROXY=http://" + plain + " NO_PROXY=invalid", unknown},
	} {
		t.Run(c.env+" "+c.args, func(t *testing.T) {
			for pair := range strings.FieldsSeq(c.env) {
				name, value, _ := strings.Cut(pair, "=")
				t.Setenv(name, value)
			}
			args := strings.Fields(c.args)
			if args[0] == "-x=" {
				args = append([]string{"--proxy", ""}, args[1:]...)
			}
			okcurl(t, args...).want(t, 6, "", "okcurl: (6) could not resolve host: server.invalid\n")
		})
	}
}

func TestUnixSocketOption(t *testing.T) {
	withoutProxies(t)
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	dir, err := os.MkdirTemp("", "ok")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Skip("no Unix domain sockets:", err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Host+r.RequestURI+"\n")
	})}}
	s.Start()
	defer s.Close()
	okcurl(t, "--unix-socket", path, "http://server.invalid:81/v1?x").want(t, 0, "server.invalid:81/v1?x\n", "")
	okcurl(t, "-x", "http://127.0.0.1:1", "--unix-socket", path, "localhost").want(t, 0, "localhost/\n", "")
	okcurl(t, "--unix-socket", filepath.Join(dir, "missing"), "localhost").want(t, 7, "",
		"okcurl: (7) failed to connect to localhost:80 at unix://"+filepath.Join(dir, "missing")+": no such file or directory\n")
}

// Each failure has curl's exit code, and no message has a password.
func TestProxyFailures(t *testing.T) {
	withoutProxies(t)
	refusing := strings.TrimPrefix(serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) }), "http://")
	guarded, guardedSOCKS := proxyServer(t, "Basic dTpw"), socksServer(t, "u:p")
	socks := func(reply string) string {
		return strings.TrimPrefix(script(t, reply, hang), "http://")
	}
	secure := httptest.NewUnstartedServer(http.HandlerFunc(echo))
	secure.Config.ErrorLog = quiet
	secure.StartTLS()
	t.Cleanup(secure.Close)
	secureAddr := secure.Listener.Addr().String()
	closed := strings.TrimPrefix(script(t, "", closing), "http://")
	for _, c := range []struct {
		env, args string
		code      int
		err       string
	}{
		{"", "-x ftp://u:hunter2@h http://a/", 7, "invalid proxy: expected http, https, socks5, socks5h, unix or direct as the scheme in ftp://██@h"},
		{"", "-x http://h:x http://a/", 5, "invalid proxy: it is not a URL in http://h:x"},
		{"", "-x h:1 -U u\x01:hunter2 http://a/", 5, "invalid proxy: the user name or the password cannot be sent as Basic credentials (RFC 7617) in http://██@h:1"},
		{"", "-x host..invalid http://a/", 5, "could not resolve proxy: host..invalid"},
		{"HTTP_PROXY=socks4://u:hunter2@h", "http://a.invalid/", 5, "invalid proxy: expected http, https, socks5, socks5h, unix or direct as the scheme in socks4://██@h"},
		{"", "-U hunter2 http://a/", 2, "option -U: expected NAME:PASSWORD, got no colon; try okcurl --help"},
		{"", "-x 127.0.0.1:1 http://a/", 7, "failed to connect to a:80 via proxy http://127.0.0.1:1: connection refused"},
		{"", "-x " + refusing + " https://a/", 56, "http://" + refusing + " refused the tunnel: it answered 403"},
		{"", "-x " + guarded + " https://a/", 56, "http://" + guarded + " refused the tunnel: it answered 407"},
		{"", "-x " + guarded + " -U u:hunter2 https://a/", 56, "http://" + guarded + " refused the tunnel: it answered 407"},
		{"", "-f -x " + guarded + " -U u:hunter2 http://a/", 22, "the server answered 407 Proxy Authentication Required"},
		{"", "-x " + closed + " https://a/", 56, "http://" + closed + " did not open the tunnel: unexpected end of stream: unexpected EOF"},
		{"", "-x https://" + secureAddr + " http://a/", 60, "certificate of https://" + secureAddr + " not verified: certificate signed by unknown authority"},
		{"", "-x https://" + refusing + " http://a/", 35, "https://" + refusing + ": tls connect error: first record does not look like a TLS handshake (is it a proxy without tls?)"},
		{"", "--socks5-hostname " + guardedSOCKS + " -U u:hunter2 http://a/", 97, "socks5h://" + guardedSOCKS + ": username/password authentication failed"},
		{"", "-m 0.2 -x " + socks("") + " https://a/", 28, "time limit (--max-time) reached while waiting for the proxy"},
	} {
		t.Run(c.env+" "+c.args, func(t *testing.T) {
			if name, value, ok := strings.Cut(c.env, "="); ok {
				t.Setenv(name, value)
			}
			args := strings.Fields(strings.ReplaceAll(c.args, `\x01`, "\x01"))
			okcurl(t, args...).want(t, c.code, "", fmt.Sprintf("okcurl: (%d) %s\n", c.code, c.err))
		})
	}
}

// What -v prints of a request is what goes out, the target included.
func TestVerboseProxy(t *testing.T) {
	withoutProxies(t)
	addr := proxyServer(t, "")
	got := okcurl(t, "-v", "-x", "http://u:hunter2@"+addr, "http://server.invalid:81/a?b")
	if got.code != 0 || !strings.Contains(got.err, "> GET http://server.invalid:81/a?b HTTP/1.1\n") || !strings.Contains(got.err, "via proxy http://"+addr) || strings.Contains(got.err, "hunter2") {
		t.Errorf("%+v", got)
	}
}

// Credentials for a proxy of the environment are sent unasked, as those of --proxy are, so that piped data need not be sent twice.
func TestProxyUserUnasked(t *testing.T) {
	withoutProxies(t)
	const own, given = "Basic YTpi", "Basic dTpwOnE=" // a:b, u:p:q
	heads := make(chan string, 10)
	addr := strings.TrimPrefix(serve(t, func(w http.ResponseWriter, r *http.Request) {
		got := r.Header.Get("Proxy-Authorization")
		heads <- got
		body, err := io.ReadAll(r.Body)
		if err != nil || got != own && got != given {
			w.Header().Set("Proxy-Authenticate", "Basic realm=x")
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		w.Write(body)
	}), "http://")
	for _, tt := range []struct {
		proxy, user string
		code        int
		out, sent   string
	}{
		{"http://" + addr, "u:p:q", 0, "tea", given},
		{addr, "u:p:q", 0, "tea", given},
		{"http://a:b@" + addr, "u:p:q", 0, "tea", own}, // as in curl
		{"http://" + addr, "u:wrong", exitStatus, "", "Basic dTp3cm9uZw=="},
	} {
		t.Setenv("HTTP_PROXY", tt.proxy)
		got := okcurlWith(t, "tea", "-f", "-U", tt.user, "-T", "-", "http://server.invalid/")
		if sent := <-heads; got.code != tt.code || got.out != tt.out || sent != tt.sent || len(heads) > 0 {
			t.Errorf("%s -U %s: %+v, sent %q and %d more, want exit %d, %q, sent once %q", tt.proxy, tt.user, got, sent, len(heads), tt.code, tt.out, tt.sent)
		}
	}
	socks := socksServer(t, "u:p:q")
	t.Setenv("HTTP_PROXY", "socks5h://"+socks)
	okcurl(t, "-U", "u:p:q", "http://server.test/").want(t, 0, "socks: name server.test 80\n", "")
}

// --resolve says where a proxy is as it says it of servers, by the proxy's own port.
func TestResolveProxy(t *testing.T) {
	withoutProxies(t)
	_, port, _ := strings.Cut(proxyServer(t, ""), ":")
	rules := []string{"--resolve", "p.example:" + port + ":127.0.0.1", "--resolve", "p.example:80:192.0.2.1"}
	okcurl(t, append(rules, "-x", "P.example:"+port, "http://server.invalid/")...).want(t, 0, "proxy: GET http://server.invalid/\n", "")
	okcurl(t, append(rules, "-x", "p.example:"+port, "-w", "%{num_connects}\\n", "http://server.invalid/", "http://server.invalid/")...).
		want(t, 0, "proxy: GET http://server.invalid/\n1\nproxy: GET http://server.invalid/\n0\n", "")
	_, socksPort, _ := strings.Cut(socksServer(t, ""), ":")
	okcurl(t, "--socks5", "s.example:"+socksPort, "--resolve", "s.example:"+socksPort+":127.0.0.1", "--resolve", "h.example:80:127.0.0.3", "http://h.example/").
		want(t, 0, "socks: address 127.0.0.3 80\n", "")
	t.Setenv("HTTP_PROXY", "http://p.example:"+port)
	okcurl(t, append(rules, "http://server.invalid/")...).want(t, 0, "proxy: GET http://server.invalid/\n", "")
}
