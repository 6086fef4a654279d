package okws

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What a server refuses, and how (RFC 6455 section 4.2).
func TestAcceptRefuses(t *testing.T) {
	valid := map[string]string{"Connection": "keep-alive, Upgrade", "Upgrade": "WebSocket", "Sec-Websocket-Version": "13", "Sec-Websocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
	for _, c := range []struct {
		name          string
		method        string
		field, value  string
		status        int
		header, wants string
	}{
		{"method", "POST", "", "", 405, "Allow", "GET"},
		{"no upgrade", "GET", "Upgrade", "", 426, "Upgrade", "websocket"},
		{"another upgrade", "GET", "Upgrade", "h2c", 426, "Connection", "Upgrade"},
		{"no connection", "GET", "Connection", "close", 426, "", ""},
		{"version", "GET", "Sec-Websocket-Version", "8", 426, "Sec-WebSocket-Version", "13"},
		{"no version", "GET", "Sec-Websocket-Version", "", 426, "Sec-WebSocket-Version", "13"},
		{"no key", "GET", "Sec-Websocket-Key", "", 400, "", ""},
		{"short key", "GET", "Sec-Websocket-Key", "dGhlIHNhbXBsZQ==", 400, "", ""},
		{"no base64", "GET", "Sec-Websocket-Key", "?", 400, "", ""},
		{"origin", "GET", "Origin", "https://evil.test", 403, "", ""},
		{"no hijacker", "GET", "", "", 500, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, "http://server.test/", nil)
			for name, value := range valid {
				r.Header.Set(name, value)
			}
			switch {
			case c.value != "":
				r.Header.Set(c.field, c.value)
			case c.field != "":
				r.Header.Del(c.field)
			}
			rec := httptest.NewRecorder()
			_, err := Accept(rec, r, nil)
			if refused := (*HandshakeError)(nil); !errors.As(err, &refused) || refused.Status != c.status || rec.Code != c.status {
				t.Errorf("answered %d, %v; want %d", rec.Code, err, c.status)
			}
			if c.header != "" && rec.Header().Get(c.header) != c.wants {
				t.Errorf("%s is %q", c.header, rec.Header().Get(c.header))
			}
		})
	}
}

// A request with content would have it taken for frames.
func TestAcceptRefusesContent(t *testing.T) {
	for _, length := range []int64{5, -1} {
		r := httptest.NewRequest("GET", "http://server.test/", strings.NewReader("hello"))
		r.ContentLength = length
		for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-Websocket-Version": "13", "Sec-Websocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="} {
			r.Header.Set(name, value)
		}
		rec := httptest.NewRecorder()
		if _, err := Accept(rec, r, nil); err == nil || rec.Code != 400 {
			t.Errorf("answered %d, %v", rec.Code, err)
		}
	}
}

// What is refused of an extended CONNECT (RFC 8441 section 5), and that one without :protocol is none.
func TestAcceptRefusesTunnels(t *testing.T) {
	for _, c := range []struct {
		name, field, value string
		status             int
	}{
		{"another protocol", ":protocol", "connect-udp", 501},
		{"version", "Sec-Websocket-Version", "8", 400},
		{"no version", "Sec-Websocket-Version", "", 400},
		{"origin", "Origin", "https://evil.test", 403},
		{"no protocol", ":protocol", "", 405},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest("CONNECT", "http://server.test/chat", nil)
			r.ProtoMajor, r.ProtoMinor, r.Proto = 2, 0, "HTTP/2.0"
			r.Header = http.Header{":protocol": {"websocket"}, "Sec-Websocket-Version": {"13"}}
			if c.value != "" {
				r.Header[c.field] = []string{c.value}
			} else {
				delete(r.Header, c.field)
			}
			rec := httptest.NewRecorder()
			_, err := Accept(rec, r, nil)
			if refused := (*HandshakeError)(nil); !errors.As(err, &refused) || refused.Status != c.status || rec.Code != c.status {
				t.Errorf("answered %d, %v; want %d", rec.Code, err, c.status)
			}
			if c.status == 400 && rec.Header().Get("Sec-WebSocket-Version") != "13" {
				t.Error("the version was not told")
			}
		})
	}
}

// Which pages may connect.
func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		origin  string
		allowed []string
		want    bool
	}{
		{"", nil, true},
		{"http://server.test", nil, true},
		{"https://SERVER.test", nil, true},
		{"http://server.test:8080", nil, false},
		{"http://other.test", nil, false},
		{"null", nil, false},
		{"null", []string{"null"}, true},
		{"null", []string{"*"}, true},
		{"http://a.example.com", []string{"*.example.com"}, true},
		{"http://example.com", []string{"*.example.com"}, false},
		{"http://evil.com/.example.com", []string{"*.example.com"}, false},
		{"http://app.example.com", []string{"https://app.example.com"}, false},
		{"https://app.example.com", []string{"x", "https://app.example.com"}, true},
		{"https://app.example.com:444", []string{"app.example.com"}, false},
		{"https://server.test.evil.com", []string{"server.test"}, false},
	} {
		r := httptest.NewRequest("GET", "http://server.test/", nil)
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if got := (&AcceptConfig{Origins: c.allowed}).allows(r); got != c.want {
			t.Errorf("%q with %q: %v", c.origin, c.allowed, got)
		}
	}
	r := httptest.NewRequest("GET", "http://server.test/", nil)
	r.Header["Origin"] = []string{"http://server.test", "http://other.test"}
	if (&AcceptConfig{}).allows(r) {
		t.Error("two origins")
	}
	if (&AcceptConfig{CheckOrigin: func(*http.Request) bool { return false }}).allows(httptest.NewRequest("GET", "/", nil)) {
		t.Error("a function that says no")
	}
}

// Subprotocols, headers of one's own and of the server, and what came right behind the handshake.
func TestAccept(t *testing.T) {
	inSite(t, func(t *testing.T, w *site) {
		w.serve(w.accepting(&AcceptConfig{Config: Config{Subprotocols: []string{"v2", "v1"}}, Header: http.Header{"x-room": {"blue"}}}, func(c *Conn) {
			if c.Subprotocol() != "v1" || c.RemoteAddr() == nil || c.LocalAddr() == nil || c.Response() != nil {
				t.Errorf("subprotocol %q, addresses %v, %v", c.Subprotocol(), c.LocalAddr(), c.RemoteAddr())
			}
			echo(c)
		}))
		c, err := Dial(t.Context(), w.client, "ws://server.test/", &Config{Subprotocols: []string{"v0", "v1"}})
		if err != nil {
			t.Fatal(err)
		}
		if c.Subprotocol() != "v1" || c.Response().Headers().Get("X-Room") != "blue" || !c.Compressed() || c.Extensions() != "permessage-deflate" {
			t.Errorf("subprotocol %q, response %v", c.Subprotocol(), c.Response())
		}
		if c.RemoteAddr().String() != "10.0.0.1:80" || c.LocalAddr() == nil {
			t.Errorf("addresses %v, %v", c.LocalAddr(), c.RemoteAddr())
		}
		must(t, c.Close(1000, ""))
		conn, err := w.network.DialContext(t.Context(), "tcp", "10.0.0.1:80")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: server.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
			"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: v1\r\n\r\n\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58")
		want := "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nSec-Websocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-Websocket-Protocol: v1\r\n" +
			"Upgrade: websocket\r\nX-Room: blue\r\n\r\n\x81\x05Hello"
		got := make([]byte, len(want))
		if _, err := io.ReadFull(conn, got); err != nil || string(got) != want {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// RFC 6455 section 1.3, and the golden of section 2.3.
func TestAcceptKey(t *testing.T) {
	for key, want := range map[string]string{"dGhlIHNhbXBsZSBub25jZQ==": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "YLQguzhR2dR6y5M9vnA5mw==": "ujmZX4KXZqjwy6vi1aQFH5p4Ygk="} {
		if got := acceptOf(key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if key := freshKey(); !isKey(key) || key == freshKey() {
		t.Errorf("key %q", key)
	}
}
