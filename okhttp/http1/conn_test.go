package http1

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// wire is one side of a connection in memory: what the peer sent, and what we sent.
type wire struct {
	in, out okio.Buffer
}

func clientOn(in string, limits Limits) (*wire, *ClientConn) {
	w := &wire{}
	w.in.WriteString(in)
	return w, NewClientConn(&w.in, &w.out, limits)
}

func serverOn(in string, limits Limits) (*wire, *ServerConn) {
	w := &wire{}
	w.in.WriteString(in)
	return w, NewServerConn(&w.in, &w.out, limits)
}

func (w *wire) sent(t *testing.T) string {
	t.Helper()
	s, err := w.out.ReadText(w.out.Len())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func get(t *testing.T, c *ClientConn, method string) {
	t.Helper()
	if err := c.WriteHead(method, "/", []string{"Host", "h"}); err != nil {
		t.Fatal(err)
	}
	if err := c.FinishRequest(); err != nil {
		t.Fatal(err)
	}
}

// readAll reads the final response, past informational ones.
func readAll(c *ClientConn) (h ResponseHead, body string, err error) {
	for {
		if h, err = c.ReadHead(); err != nil {
			return h, "", err
		}
		if !h.Informational() {
			break
		}
	}
	r, err := c.Body()
	if err != nil {
		return h, "", err
	}
	p, err := io.ReadAll(r)
	return h, string(p), err
}

func TestRequestOnTheWire(t *testing.T) {
	tests := []struct {
		name   string
		fields []string
		length int64
		body   []string
		want   string
	}{
		{"no body", []string{"Host", "h", "X-A", "1"}, 0, nil, "POST /p?q HTTP/1.1\r\nHost: h\r\nX-A: 1\r\n\r\n"},
		{"known length", []string{"Content-Length", "5"}, 5, []string{"he", "llo"}, "POST /p?q HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"},
		{"chunked", []string{"Transfer-Encoding", "chunked"}, Chunked, []string{"hello", "", strings.Repeat("x", 26)},
			"POST /p?q HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1a\r\n" + strings.Repeat("x", 26) + "\r\n0\r\n\r\n"},
		{"chunked and empty", nil, Chunked, []string{}, "POST /p?q HTTP/1.1\r\n\r\n0\r\n\r\n"},
		{"non-ASCII value", []string{"X", "\u00e9"}, 0, nil, "POST /p?q HTTP/1.1\r\nX: \xc3\xa9\r\n\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, c := clientOn("", Limits{})
			if err := c.WriteHead("POST", "/p?q", tt.fields); err != nil {
				t.Fatal(err)
			}
			if tt.body != nil {
				b, err := c.RequestBody(tt.length)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range tt.body {
					if _, err := io.WriteString(b, s); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := c.FinishRequest(); err != nil {
				t.Fatal(err)
			}
			if got := w.sent(t); got != tt.want {
				t.Errorf("sent %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRequestRefused(t *testing.T) {
	tests := []struct {
		name, method, target string
		fields               []string
	}{
		{"method with a space", "GE T", "/", nil},
		{"empty method", "", "/", nil},
		{"target with a space", "GET", "/a b", nil},
		{"target with a line end", "GET", "/\r\nX: y", nil},
		{"empty target", "GET", "", nil},
		{"name with a colon", "GET", "/", []string{"a:b", "c"}},
		{"empty name", "GET", "/", []string{"", "c"}},
		{"CR in a value", "GET", "/", []string{"a", "b\rc"}},
		{"LF in a value", "GET", "/", []string{"a", "b\nc"}},
		{"NUL in a value", "GET", "/", []string{"a", "b\x00c"}},
		{"name without a value", "GET", "/", []string{"a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, c := clientOn("", Limits{})
			var pe *ProtocolError
			if err := c.WriteHead(tt.method, tt.target, tt.fields); !errors.As(err, &pe) {
				t.Errorf("error %v, want a ProtocolError", err)
			}
			if err := c.Flush(); err != nil {
				t.Fatal(err)
			}
			if got := w.sent(t); got != "" {
				t.Errorf("sent %q, want nothing", got)
			}
		})
	}
}

// Facts 25 of the specification: a body keeps the length it announced.
func TestRequestBodyLength(t *testing.T) {
	_, c := clientOn("", Limits{})
	if err := c.WriteHead("POST", "/", nil); err != nil {
		t.Fatal(err)
	}
	b, _ := c.RequestBody(4)
	_, err := io.WriteString(b, "12345")
	if want := "protocol error: expected 4 bytes but received 5"; err == nil || err.Error() != want {
		t.Errorf("long body: %v, want %s", err, want)
	}
	if _, err = io.WriteString(b, "123"); err != nil {
		t.Fatal(err)
	}
	err = c.FinishRequest()
	if err == nil || !strings.HasPrefix(err.Error(), "protocol error: unexpected end of stream") {
		t.Errorf("short body: %v, want unexpected end of stream", err)
	}
	if c.Reusable() {
		t.Error("reusable after a short body")
	}
}

func TestResponses(t *testing.T) {
	type want struct {
		status   int
		reason   string
		body     string
		minor    int
		reusable bool
	}
	tests := []struct {
		name, method, in string
		want             want
	}{
		{"known length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", want{200, "OK", "hello", 1, true}},
		{"length 0", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", want{200, "OK", "", 1, true}},
		{"equal lengths twice", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2, 2\r\n\r\nhi", want{200, "OK", "hi", 1, true}},
		{"chunked", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=\"y\"\r\n world\r\n0\r\n\r\n", want{200, "OK", "hello world", 1, true}},
		{"chunked in capitals, with hex", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n0000A\r\n0123456789\r\n0\r\nX: y\r\n\r\n", want{200, "OK", "0123456789", 1, true}},
		{"chunk size with blanks", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2 \t\r\nhi\r\n0 ;x\r\n\r\n", want{200, "OK", "hi", 1, true}},
		{"until close", "GET", "HTTP/1.1 200 OK\r\n\r\nhello", want{200, "OK", "hello", 1, false}},
		{"both framings", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", want{200, "OK", "x", 1, false}},
		{"identity", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nhello", want{200, "OK", "hello", 1, false}},
		{"HEAD with a length", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", want{200, "OK", "", 1, true}},
		{"HEAD chunked", "HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", want{200, "OK", "", 1, true}},
		{"204", "GET", "HTTP/1.1 204 No Content\r\n\r\n", want{204, "No Content", "", 1, true}},
		{"204 with length 0", "GET", "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", want{204, "No Content", "", 1, true}},
		{"304 with the length of what it does not send", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n", want{304, "Not Modified", "", 1, true}},
		{"after informational heads", "GET", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", want{200, "OK", "x", 1, true}},
		{"Connection: close", "GET", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", want{200, "OK", "", 1, false}},
		{"close among other tokens", "GET", "HTTP/1.1 200 OK\r\nConnection: x\r\nConnection: y, Close\r\nContent-Length: 0\r\n\r\n", want{200, "OK", "", 1, false}},
		{"HTTP/1.0", "GET", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", want{200, "OK", "", 0, false}},
		{"HTTP/1.0 kept alive", "GET", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n", want{200, "OK", "", 0, true}},
		{"no reason", "GET", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", want{200, "", "", 1, true}},
		{"empty reason", "GET", "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", want{200, "", "", 1, true}},
		{"Shoutcast", "GET", "ICY 200 OK\r\n\r\nx", want{200, "OK", "x", 0, false}},
		{"NTRIP", "GET", "SOURCETABLE 200 OK\r\n\r\nx", want{200, "OK", "x", 1, false}},
		{"LF alone", "GET", "HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", want{200, "OK", "hi", 1, true}},
		{"bytes left over", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\n", want{200, "OK", "hi", 1, false}},
		{"bytes left over after chunks", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nx", want{200, "OK", "", 1, false}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, c := clientOn(tt.in, Limits{})
			get(t, c, tt.method)
			h, body, err := readAll(c)
			if err != nil {
				t.Fatal(err)
			}
			got := want{h.Status, h.Reason, body, h.Minor, c.Reusable()}
			if got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestResponsesRefused(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	const chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
	tests := []struct{ name, in, want string }{
		{"version 1.2", "HTTP/1.2 200 OK\r\n\r\n", "unexpected status line"},
		{"version 2.0", "HTTP/2.0 200 OK\r\n\r\n", "unexpected status line"},
		{"version without a dot", "HTTP/101 200 OK\r\n\r\n", "unexpected status line"},
		{"version in lower case", "http/1.1 200 OK\r\n\r\n", "unexpected status line"},
		{"underscore", "HTTP/1.1_200 OK\r\n\r\n", "unexpected status line"},
		{"two spaces", "HTTP/1.1  200 OK\r\n\r\n", "unexpected status line"},
		{"no code", "HTTP/1.1  OK\r\n\r\n", "unexpected status line"},
		{"four digits", "HTTP/1.1 2000\r\n\r\n", "unexpected status line"},
		{"two digits", "HTTP/1.1 20 OK\r\n\r\n", "unexpected status line"},
		{"negative", "HTTP/1.1 -20 OK\r\n\r\n", "unexpected status line"},
		{"code below 100", "HTTP/1.1 099 OK\r\n\r\n", "unexpected status line"},
		{"code with a tail", "HTTP/1.1 200_\r\n\r\n", "unexpected status line"},
		{"empty line first", "\r\nHTTP/1.1 200 OK\r\n\r\n", "unexpected status line"},
		{"space in a name", ok + "a b: c\r\n\r\n", "invalid header name"},
		{"space before the colon", ok + "a : c\r\n\r\n", "invalid header name"},
		{"empty name", ok + ": ef\r\n\r\n", "invalid header name"},
		{"no colon", ok + "abc\r\n\r\n", "without a colon"},
		{"white space after the status line", ok + " a: b\r\n\r\n", "starts with white space"},
		{"bare CR in a value", ok + "a: b\rc: d\r\n\r\n", "CR without LF"},
		{"bare CR in the status line", "HTTP/1.1 200 OK\rX\r\n\r\n", "CR without LF"},
		{"NUL", ok + "a: b\x00\r\n\r\n", "NUL"},
		{"length with a sign", ok + "Content-Length: +5\r\n\r\nhello", "not a number of bytes"},
		{"negative length", ok + "Content-Length: -1\r\n\r\n", "not a number of bytes"},
		{"empty length", ok + "Content-Length:\r\n\r\n", "not a number of bytes"},
		{"length in hex", ok + "Content-Length: 0x5\r\n\r\nhello", "not a number of bytes"},
		{"length out of range", ok + "Content-Length: 9223372036854775808\r\n\r\n", "not a number of bytes"},
		{"lengths that differ", ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "both 5 and 6"},
		{"lengths that differ in a list", ok + "Content-Length: 5, 6\r\n\r\nhello", "both 5 and 6"},
		{"unknown coding", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n", "unknown Transfer-Encoding"},
		{"coding after chunked", ok + "Transfer-Encoding: chunked, identity\r\n\r\n", "after chunked"},
		{"chunked twice", ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", "after chunked"},
		{"coding with a suffix", ok + "Transfer-Encoding: xchunked\r\n\r\n", "unknown Transfer-Encoding"},
		{"204 with a length", "HTTP/1.1 204 No Content\r\nContent-Length: 39\r\n\r\n", "HTTP 204 had non-zero Content-Length: 39"},
		{"205 with a length", "HTTP/1.1 205 Reset\r\nContent-Length: 39\r\n\r\n", "HTTP 205 had non-zero Content-Length: 39"},
		{"chunk size with a colon", chunked + "5:x\r\nhello\r\n0\r\n\r\n", "expected chunk size"},
		{"chunk size that is no hex", chunked + "G\r\n\r\n", "expected chunk size"},
		{"chunk size with a sign", chunked + "+5\r\nhello\r\n0\r\n\r\n", "expected chunk size"},
		{"chunk size with 0x", chunked + "0x5\r\nhello\r\n0\r\n\r\n", "expected chunk size"},
		{"empty chunk size", chunked + "\r\nhello\r\n0\r\n\r\n", "expected chunk size"},
		{"chunk size of 17 digits", chunked + "00000000000000005\r\nhello\r\n0\r\n\r\n", "expected chunk size"},
		{"chunk size out of range", chunked + "8000000000000000\r\nhello", "expected chunk size"},
		{"chunk size line with LF", chunked + "5\nhello\r\n0\r\n\r\n", "without CR"},
		{"chunk with bytes too many", chunked + "5\r\nhello!\r\n0\r\n\r\n", "expected CRLF after a chunk"},
		{"bare CR in an extension", chunked + "5;a\rb\r\nhello\r\n0\r\n\r\n", "expected chunk size"},
		{"trailer without a colon", chunked + "0\r\nabc\r\n\r\n", "without a colon"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, c := clientOn(tt.in, Limits{})
			get(t, c, "GET")
			_, _, err := readAll(c)
			var pe *ProtocolError
			if !errors.As(err, &pe) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want a ProtocolError with %q", err, tt.want)
			}
			if c.Reusable() {
				t.Error("the connection is still reusable")
			}
		})
	}
}

// A peer that closes at each possible byte: a message of known framing is never taken for whole.
func TestResponseCutAtEachByte(t *testing.T) {
	for _, whole := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x\r\nhello\r\n0\r\nA: b\r\n\r\n",
		"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
	} {
		for n := range len(whole) {
			_, c := clientOn(whole[:n], Limits{})
			get(t, c, "GET")
			_, _, err := readAll(c)
			if !errors.Is(err, io.ErrUnexpectedEOF) && err != io.EOF {
				t.Fatalf("cut after %q: error %v", whole[:n], err)
			}
			if n == 0 && err != io.EOF {
				t.Errorf("closed before the first byte: %v, want io.EOF", err)
			}
			if c.Reusable() {
				t.Errorf("cut after %q: reusable", whole[:n])
			}
		}
		_, c := clientOn(whole, Limits{})
		get(t, c, "GET")
		if _, _, err := readAll(c); err != nil || !c.Reusable() {
			t.Errorf("whole: %v, reusable %v", err, c.Reusable())
		}
	}
}

// Fact 63: 255 KiB of head are fine, one more is too many; all lines of an exchange share the budget.
func TestHeadLimit(t *testing.T) {
	const status = "HTTP/1.1 200 OK"
	head := func(n int) string { // n bytes of lines
		return status + "\r\nX: " + strings.Repeat("x", n-len(status)-3) + "\r\n\r\n"
	}
	tests := []struct {
		name, in string
		max      int64
		tooLarge bool
	}{
		{"255 KiB", head(255 << 10), 0, false},
		{"256 KiB", head(256 << 10), 0, false},
		{"one byte more", head(256<<10 + 1), 0, true},
		{"one line without an end", strings.Repeat("x", 300<<10), 0, true},
		{"own limit", head(1000), 1000, false},
		{"above own limit", head(1001), 1000, true},
		{"informational heads count", "HTTP/1.1 103 x\r\nX: " + strings.Repeat("x", 900) + "\r\n\r\n" + head(200), 1000, true},
		{"trailers count", head(500)[:500+2] + "\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: " + strings.Repeat("x", 500) + "\r\n\r\n", 1000, true},
		{"chunk extensions", status + "\r\nTransfer-Encoding: chunked\r\n\r\n5;" + strings.Repeat("x", 5000) + "\r\nhello\r\n0\r\n\r\n", 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, c := clientOn(tt.in, Limits{MaxHead: tt.max})
			get(t, c, "GET")
			_, _, err := readAll(c)
			var te *TooLargeError
			if errors.As(err, &te) != tt.tooLarge {
				t.Errorf("error %v, too large wanted: %v", err, tt.tooLarge)
			}
		})
	}
}

func TestObsFold(t *testing.T) {
	_, c := clientOn("HTTP/1.1 200 OK\r\nA: b\r\n  c\r\n\td \r\nContent-Length: 0\r\n\r\n", Limits{})
	get(t, c, "GET")
	h, _, err := readAll(c)
	if err != nil {
		t.Fatal(err)
	}
	if h.Fields[1] != "b c d" {
		t.Errorf("folded value %q, want %q", h.Fields[1], "b c d")
	}
}

// Each of many folded lines costs what it is long, and not what came before it.
func TestManyFolds(t *testing.T) {
	const lines = 60 << 10
	_, c := clientOn("HTTP/1.1 200 OK\r\nA: "+strings.Repeat("x", 60<<10)+"\r\n"+strings.Repeat(" y\n", lines)+"B: z\r\n \r\nContent-Length: 0\r\n\r\n", Limits{})
	get(t, c, "GET")
	h, _, err := readAll(c)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(h.Fields[1]); got != 60<<10+2*lines || h.Fields[3] != "z" {
		t.Errorf("a value of %d bytes, then %q", got, h.Fields[3])
	}
}

// A body read in one piece of its exact size still shows that something follows it.
func TestExactReadSeesWhatIsLeftOver(t *testing.T) {
	const size = 100 << 10
	_, c := clientOn("HTTP/1.1 200 OK\r\nContent-Length: 102400\r\n\r\n"+strings.Repeat("x", size)+"HTTP/1.1 200 OK\r\n", Limits{})
	get(t, c, "GET")
	if _, err := c.ReadHead(); err != nil {
		t.Fatal(err)
	}
	b, err := c.Body()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(b, make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	if !b.Done() || c.Reusable() {
		t.Errorf("done %v, reusable %v", b.Done(), c.Reusable())
	}
}

func TestChunkExtensionsAreBounded(t *testing.T) {
	_, c := clientOn("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+strings.Repeat("1;"+strings.Repeat("x", 4000)+"\r\ny\r\n", 100)+"0\r\n\r\n", Limits{})
	get(t, c, "GET")
	var te *TooLargeError
	if _, _, err := readAll(c); !errors.As(err, &te) || te.What != "chunk extensions" {
		t.Errorf("error %v", err)
	}
}

func TestFieldsKeepOrderSpellingAndRepeats(t *testing.T) {
	_, c := clientOn("HTTP/1.1 200 OK\r\nb:1\r\nA: \t two \t\r\nB:\r\nContent-Length: 0\r\n\r\n", Limits{})
	get(t, c, "GET")
	h, _, err := readAll(c)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(h.Fields, "|"), "b|1|A|two|B||Content-Length|0"; got != want {
		t.Errorf("fields %q, want %q", got, want)
	}
}

func TestContradictingLengthIsRemoved(t *testing.T) {
	_, c := clientOn("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", Limits{})
	get(t, c, "GET")
	h, _, err := readAll(c)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(h.Fields, "|"); got != "Transfer-Encoding|chunked" {
		t.Errorf("fields %q", got)
	}
}

func TestTrailers(t *testing.T) {
	_, c := clientOn("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nA: b\r\nC: d\r\n\r\n", Limits{})
	get(t, c, "GET")
	if _, err := c.ReadHead(); err != nil {
		t.Fatal(err)
	}
	b, err := c.Body()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Trailers(); !errors.Is(err, ErrTrailersTruncated) {
		t.Errorf("trailers before the end: %v", err)
	}
	if _, err := io.ReadAll(b); err != nil {
		t.Fatal(err)
	}
	fields, err := b.Trailers()
	if got := strings.Join(fields, "|"); err != nil || got != "A|b|C|d" {
		t.Errorf("trailers %q, %v", got, err)
	}
}

// Fact 65 and section 9.11: the bytes after a 101 belong to the other protocol, and the connection to nobody else.
func TestUpgradeHandsOverWhatFollows(t *testing.T) {
	_, c := clientOn("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\nContent-Length: 3\r\n\r\nfirst bytes", Limits{})
	get(t, c, "GET")
	h, err := c.ReadHead()
	if err != nil || h.Status != 101 {
		t.Fatal(h, err)
	}
	if got, err := c.Source().ReadText(11); err != nil || got != "first bytes" {
		t.Errorf("after the upgrade: %q, %v", got, err)
	}
	if c.Reusable() {
		t.Error("reusable after an upgrade")
	}
}

func TestSeveralExchanges(t *testing.T) {
	w, c := clientOn("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", Limits{})
	get(t, c, "GET")
	if _, body, err := readAll(c); err != nil || body != "a" {
		t.Fatal(body, err)
	}
	if err := c.Next(); err != nil {
		t.Fatal(err)
	}
	w.in.WriteString("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nb\r\n0\r\n\r\n")
	get(t, c, "GET")
	if _, body, err := readAll(c); err != nil || body != "b" {
		t.Fatal(body, err)
	}
	if err := c.Next(); err != nil {
		t.Error(err)
	}
}

func TestOutOfOrder(t *testing.T) {
	_, c := clientOn("", Limits{})
	want := func(name string, err error) {
		t.Helper()
		var se *StateError
		if !errors.As(err, &se) {
			t.Errorf("%s: %v, want a StateError", name, err)
		}
	}
	_, err := c.RequestBody(1)
	want("RequestBody first", err)
	want("FinishRequest first", c.FinishRequest())
	_, err = c.ReadHead()
	want("ReadHead first", err)
	_, err = c.Body()
	want("Body first", err)
	get(t, c, "GET")
	want("second WriteHead", c.WriteHead("GET", "/", nil))
	want("second FinishRequest", c.FinishRequest())
	want("Next in between", c.Next())
}
