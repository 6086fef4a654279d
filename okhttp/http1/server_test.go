package http1

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestServerExchange(t *testing.T) {
	w, s := serverOn("\r\nPOST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhiGET /q HTTP/1.1\r\nHost: h\r\n\r\n", Limits{})
	h, err := s.ReadRequest()
	if err != nil || h.Method != "POST" || h.Target != "/p" || h.Minor != 1 {
		t.Fatal(h, err)
	}
	b, err := s.Body()
	if err != nil {
		t.Fatal(err)
	}
	if p, err := io.ReadAll(b); err != nil || string(p) != "hi" {
		t.Fatal(string(p), err)
	}
	if err := s.WriteHead(103, "Early Hints", []string{"Link", "x"}); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteHead(200, "OK", []string{"Transfer-Encoding", "chunked"}); err != nil {
		t.Fatal(err)
	}
	out, err := s.ResponseBody(Chunked)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(out, "yes")
	if err := out.CloseWithTrailers([]string{"T", "v"}); err != nil {
		t.Fatal(err)
	}
	if err := s.FinishResponse(); err != nil {
		t.Fatal(err)
	}
	want := "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nyes\r\n0\r\nT: v\r\n\r\n"
	if got := w.sent(t); got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
	if !s.Reusable() {
		t.Fatal("not reusable")
	}
	if h, err = s.ReadRequest(); err != nil || h.Target != "/q" {
		t.Fatal(h, err)
	}
	if err := s.WriteHead(204, "No Content", nil); err != nil {
		t.Fatal(err)
	}
	if err := s.FinishResponse(); err != nil {
		t.Fatal(err)
	}
	if !s.Reusable() {
		t.Fatal("not reusable after a request without a body")
	}
	if _, err = s.ReadRequest(); err != io.EOF {
		t.Errorf("at the end: %v, want io.EOF", err)
	}
}

func TestServerRefuses(t *testing.T) {
	const line = "POST / HTTP/1.1\r\nHost: h\r\n"
	tests := []struct{ name, in string }{
		{"two spaces", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n"},
		{"no version", "GET /\r\n\r\n"},
		{"version 2.0", "GET / HTTP/2.0\r\n\r\n"},
		{"version 0.9", "GET / HTTP/0.9\r\n\r\n"},
		{"space in the target", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n"},
		{"bad method", "GE(T / HTTP/1.1\r\nHost: h\r\n\r\n"},
		{"obs-fold", line + "A: b\r\n c\r\n\r\n"},
		{"space before the colon", line + "A : b\r\n\r\n"},
		{"name with a space", line + "a b: c\r\n\r\n"},
		{"empty name", line + ": c\r\n\r\n"},
		{"bare CR", line + "A: b\rC: d\r\n\r\n"},
		{"both framings", line + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"},
		{"lengths that differ", line + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"},
		{"coding that is not chunked", line + "Transfer-Encoding: identity\r\n\r\n"},
		{"coding in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"},
		{"a TLS handshake", "\x16\x03\x01"},
		{"a space first", " GET / HTTP/1.1\r\nHost: h\r\n\r\n"},
		{"only empty lines", strings.Repeat("\r\n", 20)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, s := serverOn(tt.in, Limits{})
			var pe *ProtocolError
			if _, err := s.ReadRequest(); !errors.As(err, &pe) {
				t.Fatalf("error %v, want a ProtocolError", err)
			}
			if err := s.WriteHead(400, "Bad Request", []string{"Connection", "close"}); err != nil {
				t.Fatal(err)
			}
			if err := s.FinishResponse(); err != nil {
				t.Fatal(err)
			}
			if got := w.sent(t); !strings.HasPrefix(got, "HTTP/1.1 400 ") {
				t.Errorf("sent %q", got)
			}
			if s.Reusable() {
				t.Error("reusable after a malformed request")
			}
		})
	}
}

func TestCheckHost(t *testing.T) {
	for in, ok := range map[string]bool{
		"GET / HTTP/1.1\r\nHost: a\r\n\r\n":            true,
		"GET / HTTP/1.1\r\nhost:\r\n\r\n":              true,
		"GET / HTTP/1.1\r\n\r\n":                       false,
		"GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n": false,
		"GET / HTTP/1.0\r\n\r\n":                       true,
		"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n": false,
	} {
		_, s := serverOn(in, Limits{})
		h, err := s.ReadRequest()
		if err != nil {
			t.Fatal(err)
		}
		var pe *ProtocolError
		if err := h.CheckHost(); (err == nil) != ok || err != nil && !errors.As(err, &pe) {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestServerHeadLimit(t *testing.T) {
	_, s := serverOn("GET / HTTP/1.1\r\nX: "+strings.Repeat("x", 300<<10), Limits{})
	var te *TooLargeError
	if _, err := s.ReadRequest(); !errors.As(err, &te) || te.Limit != DefaultMaxHead {
		t.Errorf("error %v", err)
	}
}

func TestServerConnectionReuse(t *testing.T) {
	tests := []struct {
		name, in string
		fields   []string
		drain    bool
		want     bool
	}{
		{"plain", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", nil, false, true},
		{"client closes", "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", nil, false, false},
		{"server closes", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", []string{"Connection", "close"}, false, false},
		{"HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", nil, false, false},
		{"HTTP/1.0 kept alive", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", []string{"Connection", "keep-alive"}, false, true},
		{"body not read", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi", nil, false, false},
		{"body drained", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi", nil, true, true},
		{"body longer than the drain", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2000\r\n\r\n" + strings.Repeat("x", 2000), nil, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, s := serverOn(tt.in, Limits{})
			if _, err := s.ReadRequest(); err != nil {
				t.Fatal(err)
			}
			if err := s.WriteHead(204, "", tt.fields); err != nil {
				t.Fatal(err)
			}
			if err := s.FinishResponse(); err != nil {
				t.Fatal(err)
			}
			if tt.drain {
				if _, err := s.Drain(1000); err != nil {
					t.Fatal(err)
				}
			}
			if got := s.Reusable(); got != tt.want {
				t.Errorf("reusable %v, want %v", got, tt.want)
			}
		})
	}
}

func TestServerHeadHasNoBody(t *testing.T) {
	w, s := serverOn("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n", Limits{})
	if _, err := s.ReadRequest(); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteHead(200, "OK", []string{"Content-Length", "5"}); err != nil {
		t.Fatal(err)
	}
	b, err := s.ResponseBody(5)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(b, "hello")
	if err := s.FinishResponse(); err != nil {
		t.Fatal(err)
	}
	if got := w.sent(t); got != "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" || !s.Reusable() {
		t.Errorf("sent %q, reusable %v", got, s.Reusable())
	}
}
