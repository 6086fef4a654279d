package http2

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// verdict is "" or the detail of the error, which has to be one that can reset a stream.
func verdict(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var s *StreamError
	if !errors.As(err, &s) || s.Code != ProtocolErrorCode || s.Stream != 0 || s.Detail == "" {
		t.Errorf("%#v", err)
		return err.Error()
	}
	return s.Detail
}

func check(t *testing.T, what string, nv []string, err error, want string) {
	t.Helper()
	got := verdict(t, err)
	if (got == "") != (want == "") || !strings.Contains(got, want) {
		t.Errorf("%s %q: %q, want %q", what, nv, got, want)
	}
	if strings.Contains(got, "secret") {
		t.Errorf("%s: %q shows a value", what, got)
	}
}

// What holds for the fields of every message (RFC 9113 sections 8.2.1 and 8.2.2).
func TestValidFields(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		want        string
	}{
		{"a", "b", ""},
		{"a", "", ""},
		{"!#$%&'*+-.^_`|~09az", "b", ""},
		{"a", "b \t c", ""},
		{"a", "\x01\x7f\x80\xff", ""}, // may be kept (RFC 9110 section 5.5)
		{"A", "b", `mixed case name "A"`},
		{"content-Type", "b", `mixed case name "content-Type"`},
		{"", "b", `field name ""`},
		{"a b", "c", "expected a token"},
		{"a:b", "c", "expected a token"},
		{"a\x00", "c", "expected a token"},
		{"a\r\nb", "c", "expected a token"},
		{"ü", "c", "expected a token"},
		{"a\x7f", "c", "expected a token"},
		{"a(b)", "c", "expected a token"},
		{"cookie", "secret\x00", "0x00 at 6 in the value of cookie"},
		{"cookie", "\rsecret", "0x0d at 0"},
		{"cookie", "sec\nret", "0x0a at 3"},
		{"cookie", " secret", "white space around the value of cookie"},
		{"cookie", "secret ", "white space around the value of cookie"},
		{"cookie", "\tsecret", "white space"},
		{"cookie", "secret\t", "white space"},
		{"a", " ", "white space"},
		{"connection", "close", "connection-specific field connection"},
		{"connection", "", "connection-specific"},
		{"keep-alive", "1", "connection-specific"},
		{"proxy-connection", "x", "connection-specific"},
		{"transfer-encoding", "chunked", "connection-specific"},
		{"upgrade", "h2c", "connection-specific"},
		{"te", "trailers", ""},
		{"te", "Trailers", ""},
		{"te", "gzip", "te with another value"},
		{"te", "trailers, gzip", "te with another value"},
		{"te", "", "te with another value"},
		{"content-length", "0", ""},
		{"content-length", "5, 5", ""},
		{"content-length", "9223372036854775807", ""},
		{"content-length", "5, 6", "both 5 and 6"},
		{"content-length", "9223372036854775808", "not a number"},
		{"content-length", "-1", "not a number"},
		{"content-length", "+1", "not a number"},
		{"content-length", "0x1", "not a number"},
		{"content-length", "", "not a number"},
		{"content-length", "1,", "not a number"},
	} {
		nv := []string{tt.name, tt.value}
		response := append([]string{":status", "200"}, nv...)
		check(t, "response", response, ValidResponse(response), tt.want)
		request := append([]string{":method", "GET", ":scheme", "https", ":path", "/"}, nv...)
		check(t, "request", request, ValidRequest(request), tt.want)
		check(t, "trailers", nv, ValidTrailers(nv), tt.want)
	}
}

func TestValidResponse(t *testing.T) {
	for _, tt := range []struct {
		nv   []string
		want string
	}{
		{[]string{":status", "200"}, ""},
		{[]string{":status", "100"}, ""},
		{[]string{":status", "999"}, ""},
		{[]string{":status", "200", "a", "b", "a", "b"}, ""},
		{[]string{":status", "200", "content-length", "5", "content-length", "5"}, ""},
		{[]string{":status", "200", "content-length", "5", "content-length", "6"}, "both 5 and 6"},
		{[]string{":status", "101"}, "101"},
		{nil, "expected ':status' header not present"},
		{[]string{"a", "b"}, "expected ':status' header not present"},
		{[]string{":status", ""}, "three digits"},
		{[]string{":status", "20"}, "three digits"},
		{[]string{":status", "2000"}, "three digits"},
		{[]string{":status", "099"}, "three digits"},
		{[]string{":status", "2x0"}, "three digits"},
		{[]string{":status", "-20"}, "three digits"},
		{[]string{":status", " 20"}, "white space"},
		{[]string{":status", "200\n"}, "0x0a"},
		{[]string{":status", "200", ":status", "200"}, ":status more than once"},
		{[]string{"a", "b", ":status", "200"}, ":status after a field"},
		{[]string{":status", "200", "a", "b", ":status", "200"}, ":status after a field"},
		{[]string{":status", "200", ":path", "/"}, `pseudo-header ":path" in a response`},
		{[]string{":status", "200", ":x", "/"}, `pseudo-header ":x"`},
		{[]string{":status", "200", ":", "/"}, `pseudo-header ":"`},
		{[]string{":Status", "200"}, `pseudo-header ":Status"`},
	} {
		check(t, "response", tt.nv, ValidResponse(tt.nv), tt.want)
	}
}

func TestValidTrailers(t *testing.T) {
	for _, tt := range []struct {
		nv   []string
		want string
	}{
		{nil, ""},
		{[]string{"grpc-status", "0"}, ""},
		{[]string{":status", "200"}, `pseudo-header ":status" in trailers`},
		{[]string{"a", "b", ":path", "/"}, `pseudo-header ":path" in trailers`},
	} {
		check(t, "trailers", tt.nv, ValidTrailers(tt.nv), tt.want)
	}
}

// RFC 9113 sections 8.3.1 and 8.5, RFC 8441 section 4.
func TestValidRequest(t *testing.T) {
	get := []string{":method", "GET", ":scheme", "https", ":authority", "h", ":path", "/"}
	tunnel := []string{":method", "CONNECT", ":authority", "h:443"}
	extended := []string{":method", "CONNECT", ":protocol", "websocket", ":scheme", "https", ":authority", "h", ":path", "/"}
	// with changes values of a request, removes the fields for which it is given "-", and adds those that are not there.
	with := func(nv []string, changes ...string) []string {
		nv = slices.Clone(nv)
		for ; len(changes) > 0; changes = changes[2:] {
			i := slices.Index(nv, changes[0])
			switch {
			case i < 0:
				nv = append(nv, changes[:2]...)
			case changes[1] == "-":
				nv = slices.Delete(nv, i, i+2)
			default:
				nv[i+1] = changes[1]
			}
		}
		return nv
	}
	for _, tt := range []struct {
		nv   []string
		want string
	}{
		{get, ""},
		{with(get, ":authority", "-"), ""}, // Host, or a request without an authority
		{with(get, ":authority", ""), ""},
		{with(get, ":method", "-"), "expected ':method' header not present"},
		{with(get, ":scheme", "-"), "expected ':scheme' header not present"},
		{with(get, ":path", "-"), "expected ':path' header not present"},
		{nil, "expected ':method'"},
		{with(get, ":method", ""), "method"},
		{with(get, ":method", "G T"), "method"},
		{with(get, ":method", "get"), ""},
		{with(get, ":scheme", ""), "scheme"},
		{with(get, ":scheme", "1"), "scheme"},
		{with(get, ":scheme", "a:b"), "scheme"},
		{with(get, ":scheme", "HTTPS"), ""},
		{with(get, ":path", ""), "empty ':path'"},
		{with(get, ":path", "x"), "does not begin with '/'"},
		{with(get, ":path", "*"), "does not begin with '/'"},
		{with(get, ":path", "*", ":method", "OPTIONS"), ""},
		{with(get, ":path", "http://h/"), "does not begin with '/'"},
		{with(get, ":path", "/a b"), "byte 2 of ':path'"},
		{with(get, ":path", "/\x7f"), "byte 1 of ':path'"},
		{with(get, ":path", "", ":scheme", "urn"), ""},
		{with(get, ":path", "x", ":scheme", "coap+tcp"), ""},
		{with(get, ":authority", "h h"), "byte 1 of ':authority'"},
		{with(get, ":authority", "secret@h"), "user information"},
		{with(get, ":authority", "u@h", ":scheme", "ftp"), ""},
		{append(get[:8:8], ":method", "GET"), ":method more than once"},
		{append(get[:8:8], ":status", "200"), `pseudo-header ":status" in a request`},
		{append(get[:8:8], ":x", "200"), `pseudo-header ":x"`},
		{append(get[:8:8], "a", "b", ":authority", "h"), ":authority after a field"},
		{append([]string{"a", "b"}, get...), ":method after a field"},
		{with(get, ":path", "/\n"), "0x0a"},
		{with(get, ":path", "/ "), "white space around the value of :path"},

		{with(get, "host", "h"), ""},
		{with(get, "host", "H"), ""},
		{with(get, "host", "h:443"), ""},
		{with(get, "host", "h:80"), "host differs"},
		{with(get, "host", "h:80", ":scheme", "http"), ""},
		{with(get, "host", "h:", ":authority", "h:443"), ""},
		{with(get, "host", "other"), "host differs"},
		{with(get, "host", "[::1]:443", ":authority", "[::1]"), ""},
		{with(get, "host", "[::1]", ":authority", "[::2]"), "host differs"},
		{append(get[:8:8], "host", "h", "host", "h"), ""},
		{append(get[:8:8], "host", "h", "host", "i"), "more than one host"},
		{with(get, ":authority", "-", "host", "anything"), ""},

		{tunnel, ""},
		{with(tunnel, ":authority", "[::1]:443"), ""},
		{with(tunnel, ":authority", "-"), "expected host and port"},
		{with(tunnel, ":authority", "h"), "expected host and port"},
		{with(tunnel, ":authority", "h:"), "expected host and port"},
		{with(tunnel, ":authority", ":443"), "expected host and port"},
		{with(tunnel, ":authority", "h:x"), "expected host and port"},
		{with(tunnel, ":authority", "[::1]"), "expected host and port"},
		{with(tunnel, ":authority", "[::1:443"), "expected host and port"},
		{with(tunnel, ":path", "/"), "CONNECT with ':path'"},
		{with(tunnel, ":scheme", "https"), "CONNECT with ':scheme'"},

		{extended, ""},
		{with(extended, ":scheme", "-"), "expected ':scheme'"},
		{with(extended, ":path", "-"), "expected ':path'"},
		{with(extended, ":authority", "-"), "without an authority"},
		{with(extended, ":path", ""), "empty ':path'"},
		{with(extended, ":path", "*"), "does not begin with '/'"},
		{with(extended, ":protocol", ""), "':protocol' \"\""},
		{with(extended, ":protocol", "a/b"), "expected a token"},
		{with(extended, ":protocol", "connect-udp"), ""},
		{with(extended, ":method", "GET"), "':protocol' with the method \"GET\""},
	} {
		check(t, "request", tt.nv, ValidRequest(tt.nv), tt.want)
	}
}

func TestStatus(t *testing.T) {
	for _, tt := range []struct {
		nv   []string
		want int
	}{
		{nil, 0},
		{[]string{"a", "b"}, 0},
		{[]string{":status", "204"}, 204},
		{[]string{"a", ":status", ":status", "204"}, 204},
		{[]string{":status", "x04"}, 0},
		{[]string{":status"}, 0},
	} {
		if got := Status(tt.nv); got != tt.want {
			t.Errorf("%q: %d, want %d", tt.nv, got, tt.want)
		}
	}
}

func TestSplitPseudo(t *testing.T) {
	for _, tt := range []struct{ nv, pseudo, fields []string }{
		{nil, nil, nil},
		{[]string{":status", "200"}, []string{":status", "200"}, nil},
		{[]string{"a", "b"}, nil, []string{"a", "b"}},
		{[]string{":method", "GET", ":path", "/", "a", ":b"}, []string{":method", "GET", ":path", "/"}, []string{"a", ":b"}},
	} {
		pseudo, fields := SplitPseudo(tt.nv)
		if !slices.Equal(pseudo, tt.pseudo) || !slices.Equal(fields, tt.fields) || cap(pseudo) != len(pseudo) {
			t.Errorf("%q: %q, %q", tt.nv, pseudo, fields)
		}
	}
}

func TestContentLength(t *testing.T) {
	for _, tt := range []struct {
		nv   []string
		want int64
		ok   bool
	}{
		{nil, -1, true},
		{[]string{":status", "200", "content-length", "12"}, 12, true},
		{[]string{"content-length", "0", "a", "b", "content-length", "0, 0"}, 0, true},
		{[]string{"content-length", "1", "content-length", "2"}, -1, false},
		{[]string{"content-length", "x"}, -1, false},
	} {
		if got, err := ContentLength(tt.nv); got != tt.want || (err == nil) != tt.ok {
			t.Errorf("%q: %d, %v, want %d", tt.nv, got, err, tt.want)
		}
	}
}
