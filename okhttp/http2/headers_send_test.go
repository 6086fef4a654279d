package http2

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestAppendRequest(t *testing.T) {
	get := RequestHead{Method: "GET", Path: "/", Authority: "h", Scheme: "https"}
	pseudo := []string{":method", "GET", ":path", "/", ":authority", "h", ":scheme", "https"}
	for _, tt := range []struct {
		name   string
		head   RequestHead
		fields []string
		want   []string
	}{
		{"nothing else", get, nil, pseudo},
		{"names in lower case", get, []string{"User-Agent", "x", "accept", "Y"}, append(pseudo[:8:8], "user-agent", "x", "accept", "Y")},
		{"what HTTP/2 does not have", get, []string{
			"Connection", "close", "CONNECTION", "x", "Keep-Alive", "1", "Proxy-Connection", "x", "TE", "gzip", "te", "trailers, gzip", "TE", "Trailers",
			"Transfer-Encoding", "chunked", "Encoding", "x", "Upgrade", "h2c", ":method", "POST", ":path", "/x", ":scheme", "http", ":authority", "x",
		}, pseudo},
		{"what only looks like it", get, []string{"TE", "trailers", "hosts", "x", "upgrade-insecure-requests", "1", "content-encoding", "x", "keep-alives", "x"},
			append(pseudo[:8:8], "te", "trailers", "hosts", "x", "upgrade-insecure-requests", "1", "content-encoding", "x", "keep-alives", "x")},
		{"host is the authority", get, []string{"Host", " front.example:8443 "},
			[]string{":method", "GET", ":path", "/", ":authority", "front.example:8443", ":scheme", "https"}},
		{"no authority", RequestHead{Method: "GET", Path: "/", Scheme: "urn"}, nil, []string{":method", "GET", ":path", "/", ":scheme", "urn"}},
		{"asterisk", RequestHead{Method: "OPTIONS", Path: "*", Authority: "h", Scheme: "https"}, nil,
			[]string{":method", "OPTIONS", ":path", "*", ":authority", "h", ":scheme", "https"}},
		{"CONNECT", RequestHead{Method: "CONNECT", Path: "/", Authority: "h:443", Scheme: "https"}, []string{"User-Agent", "x"},
			[]string{":method", "CONNECT", ":authority", "h:443", "user-agent", "x"}},
		{"extended CONNECT", RequestHead{Method: "CONNECT", Path: "/chat", Authority: "h", Scheme: "https", Protocol: "websocket"}, nil,
			[]string{":method", "CONNECT", ":path", "/chat", ":authority", "h", ":scheme", "https", ":protocol", "websocket"}},
		{"white space around values", get, []string{"a", " \tb c\t "}, append(pseudo[:8:8], "a", "b c")},
		{"values that are not ASCII", get, []string{"a", "ü\xff\x01"}, append(pseudo[:8:8], "a", "ü\xff\x01")},
		{"one cookie stays one", get, []string{"Cookie", "a=b; c=d"}, append(pseudo[:8:8], "cookie", "a=b; c=d")},
	} {
		dst, err := NewHeaderEncoder().AppendRequest([]byte{}, tt.head, tt.fields)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got, err := decodeBlock(NewHeaderDecoder(HeaderLimits{}), dst)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
		if err := ValidRequest(got); err != nil {
			t.Errorf("%s: is not valid: %v", tt.name, err)
		}
	}
}

func TestAppendRequestFails(t *testing.T) {
	get := RequestHead{Method: "GET", Path: "/", Authority: "h", Scheme: "https"}
	with := func(change func(*RequestHead)) RequestHead { r := get; change(&r); return r }
	for _, tt := range []struct {
		name   string
		head   RequestHead
		fields []string
		want   string
	}{
		{"no method", with(func(r *RequestHead) { r.Method = "" }), nil, `method ""`},
		{"method of two words", with(func(r *RequestHead) { r.Method = "GET /" }), nil, "method"},
		{"method that is no token", with(func(r *RequestHead) { r.Method = "GET:" }), nil, `method "GET:"`},
		{"no path", with(func(r *RequestHead) { r.Path = "" }), nil, "path"},
		{"blank in the path", with(func(r *RequestHead) { r.Path = "/a b" }), nil, "byte 2 of the request's path"},
		{"line end in the path", with(func(r *RequestHead) { r.Path = "/\r\nX: y" }), nil, "byte 1 of the request's path"},
		{"no scheme", with(func(r *RequestHead) { r.Scheme = "" }), nil, "scheme"},
		{"line end in the authority", with(func(r *RequestHead) { r.Authority = "h\n" }), nil, "authority"},
		{"line end in Host", get, []string{"Host", "h\nx"}, "authority"},
		{"CONNECT to nowhere", RequestHead{Method: "CONNECT"}, nil, "CONNECT without an authority"},
		{"extended CONNECT without a path", RequestHead{Method: "CONNECT", Protocol: "websocket", Authority: "h", Scheme: "https"}, nil, "path"},
		{"no name", get, []string{"", "x"}, `name ""`},
		{"blank in a name", get, []string{"a b", "x"}, `name "a b"`},
		{"name that is not ASCII", get, []string{"ü", "x"}, "name"},
		{"another pseudo-header", get, []string{":status", "200"}, `":status"`},
		{"line end in a value", get, []string{"Cookie", "secret\r\nX: y"}, "0x0d at 6 in the value of header Cookie"},
		{"line end at the end of a value", get, []string{"a", "b\n"}, "0x0a at 1"},
		{"NUL in a value", get, []string{"a", "\x00"}, "0x00 at 0"},
		{"line end in what is dropped", get, []string{"Connection", "\n"}, "0x0a at 0"},
		{"a name without a value", get, []string{"a", "b", "c"}, "3 header names and values"},
	} {
		e := NewHeaderEncoder()
		dst, err := e.AppendRequest([]byte("before"), tt.head, tt.fields)
		var p *ProtocolError
		if !errors.As(err, &p) || !strings.Contains(p.Detail, tt.want) || strings.Contains(p.Detail, "secret") || string(dst) != "before" {
			t.Errorf("%s: %q, %v, want %q", tt.name, dst, err, tt.want)
		}
		got, _ := e.AppendRequest(nil, get, typical)
		if want, _ := NewHeaderEncoder().AppendRequest(nil, get, typical); !bytes.Equal(got, want) {
			t.Errorf("%s: the table changed: the next block is %x, want %x", tt.name, got, want)
		}
	}
}

func TestAppendResponse(t *testing.T) {
	for _, status := range []int{100, 200, 304, 404, 599, 999} {
		dst, err := NewHeaderEncoder().AppendResponse(nil, status, []string{"Server", "x", "Connection", "close", "Transfer-Encoding", "chunked"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeBlock(NewHeaderDecoder(HeaderLimits{}), dst)
		if err != nil || Status(got) != status || !slices.Equal(got[2:], []string{"server", "x"}) {
			t.Errorf("%d: %q, %v", status, got, err)
		}
	}
	for _, status := range []int{-1, 0, 99, 1000} {
		if dst, err := NewHeaderEncoder().AppendResponse(nil, status, nil); err == nil || dst != nil {
			t.Errorf("%d: %x, %v", status, dst, err)
		}
	}
	if dst, err := NewHeaderEncoder().AppendResponse(nil, 200, []string{"a", "\n"}); err == nil || dst != nil {
		t.Errorf("%x, %v", dst, err)
	}
}

func TestAppendTrailers(t *testing.T) {
	dst, err := NewHeaderEncoder().AppendTrailers(nil, []string{"Grpc-Status", "0", "Connection", "x"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeBlock(NewHeaderDecoder(HeaderLimits{}), dst)
	if err != nil || !slices.Equal(got, []string{"grpc-status", "0"}) || ValidTrailers(got) != nil {
		t.Errorf("%q, %v", got, err)
	}
	if dst, err := NewHeaderEncoder().AppendTrailers(nil, []string{"a b", ""}); err == nil || dst != nil {
		t.Errorf("%x, %v", dst, err)
	}
}
