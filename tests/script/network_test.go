package script

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/okhttp-go/ok/okhttp"
)

// doors are those of a script, each with the address it leads to.
type doors map[string]*atomic.Pointer[string]

type doorsKey struct{}

// openDoor lets connections to an address pass to another one, that of the last time it was called for this door.
func openDoor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: door NAME [ADDR]")
	}
	all := ts.Value(doorsKey{}).(doors)
	target := all[args[0]]
	if target == nil {
		target = new(atomic.Pointer[string])
		all[args[0]] = target
		ts.Setenv(args[0], listen(ts, func(c net.Conn) {
			if addr := *target.Load(); addr == "" || pass(c, addr) != nil {
				c.Close()
			}
		}))
	}
	addr := strings.Join(args[1:], "")
	target.Store(&addr)
}

// listen serves each connection to a new address of loopback by its own goroutine until the script is over.
func listen(ts *testscript.TestScript, serve func(net.Conn)) (addr string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return l.Addr().String()
}

// pass connects c with addr until one of both ends.
func pass(c net.Conn, addr string) error {
	to, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	go func() {
		io.Copy(to, c)
		to.Close()
	}()
	io.Copy(c, to)
	return c.Close()
}

// proxy is a proxy that opens tunnels for those who know the name and the password, and knows where every host is: on loopback.
func proxy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: proxy NAME USER:PASSWORD")
	}
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(args[1]))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, port, err := net.SplitHostPort(r.Host)
		switch {
		case r.Header.Get("Proxy-Authorization") != want:
			w.Header().Set("Proxy-Authenticate", `Basic realm="the proxy"`)
			w.WriteHeader(http.StatusProxyAuthRequired)
		case r.Method != http.MethodConnect || err != nil:
			w.WriteHeader(http.StatusMethodNotAllowed)
		default:
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer c.Close()
			if _, err := io.WriteString(c, "HTTP/1.1 200 Connected\r\n\r\n"); err == nil {
				pass(c, net.JoinHostPort("127.0.0.1", port))
			}
		}
	}))
	ts.Defer(s.Close)
	ts.Setenv(args[0], strings.TrimPrefix(s.URL, "http://"))
}

// pin sets a variable to the pin of the first certificate of a file.
func pin(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pin NAME FILE")
	}
	block, _ := pem.Decode([]byte(ts.ReadFile(args[1])))
	if block == nil {
		ts.Fatalf("pin: %s has no certificate", args[1])
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	ts.Check(err)
	ts.Setenv(args[0], okhttp.PinOf(cert))
}
