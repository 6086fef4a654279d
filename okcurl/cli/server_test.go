package cli

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// result is what a run of the command did.
type result struct {
	code     int
	out, err string
}

// okcurl runs the command without input.
func okcurl(t *testing.T, args ...string) result {
	t.Helper()
	return okcurlWith(t, "", args...)
}

func okcurlWith(t *testing.T, in string, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	code := Main(args, strings.NewReader(in), &out, &err)
	return result{code, out.String(), err.String()}
}

func (r result) want(t *testing.T, code int, out, err string) {
	t.Helper()
	if r.code != code || r.out != out || r.err != err {
		t.Errorf("exit %d\nout %q\nerr %q\nwant exit %d\nout %q\nerr %q", r.code, r.out, r.err, code, out, err)
	}
}

// serve runs a server for one test and returns its URL without the last slash.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// echo answers with the request, in one line a header.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	io.WriteString(w, r.Method+" "+r.RequestURI+"\n"+string(body))
}

// script runs a server that answers each connection's first request head with the bytes given, and then does what end says.
func script(t *testing.T, response string, end func(*net.TCPConn)) string {
	t.Helper()
	return "http://" + onConnections(t, func(c *net.TCPConn) {
		readHead(c)
		io.WriteString(c, response)
		end(c)
	})
}

// onConnections serves one connection after the other, and closes each.
func onConnections(t *testing.T, serve func(*net.TCPConn)) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serve(c.(*net.TCPConn))
			c.Close()
		}
	}()
	return l.Addr().String()
}

// readHead reads up to the empty line and returns the text; requests in these tests have no body, or end with the head's segment.
func readHead(c net.Conn) string {
	var got []byte
	buf := make([]byte, 4096)
	for !bytes.Contains(got, []byte("\r\n\r\n")) {
		n, err := c.Read(buf)
		got = append(got, buf[:n]...)
		if err != nil {
			break
		}
	}
	return string(got)
}

func closing(*net.TCPConn) {}

// reset makes the close a reset.
func reset(c *net.TCPConn) { c.SetLinger(0) }

// hang waits until the peer has gone.
func hang(c *net.TCPConn) { io.Copy(io.Discard, c) }

// capture runs a server that answers with an empty 200 and hands over the request head as it came.
func capture(t *testing.T, run func(url string)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			got <- ""
			return
		}
		defer c.Close()
		head := readHead(c)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		got <- strings.ReplaceAll(head, l.Addr().String(), "HOST")
	}()
	run("http://" + l.Addr().String())
	l.Close()
	return <-got
}

// quiet is for servers whose clients are expected to hang up.
var quiet = log.New(io.Discard, "", 0)

func pemOf(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
}
