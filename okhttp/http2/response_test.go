package http2

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/okhttp-go/ok/okio"
)

// Section 10.4, RFC 9113 section 8: what a response may look like. Each answers one request by frames; want is its content, or the code of the reset.
func TestResponses(t *testing.T) {
	status := func(s string, more ...string) []string { return append([]string{":status", s}, more...) }
	for _, test := range []struct {
		name    string
		method  string
		heads   [][]string // the last one is followed by content
		content []string   // none: the last head ends the stream
		trailer []string
		want    string
		code    ErrorCode
	}{
		{"content", "GET", [][]string{status("200")}, []string{"a", "", "b"}, nil, "ab", 0},
		{"none", "GET", [][]string{status("200")}, nil, nil, "", 0},
		{"announced", "GET", [][]string{status("200", "content-length", "2")}, []string{"a", "b"}, nil, "ab", 0},
		{"announced twice", "GET", [][]string{status("200", "content-length", "2", "content-length", "2, 2")}, []string{"ab"}, nil, "ab", 0},
		{"informational", "GET", [][]string{status("100"), status("103", "link", "x"), status("199"), status("200")}, []string{"a"}, nil, "a", 0},
		{"informational with a length", "GET", [][]string{status("103", "content-length", "9"), status("200")}, []string{"a"}, nil, "a", 0},
		{"trailers", "GET", [][]string{status("200", "content-length", "1")}, []string{"a"}, []string{"x", " y\t"}, "a", 0},
		{"white space", "GET", [][]string{status("200", "a", " b ", "content-length", " 1 ")}, []string{"a"}, nil, "a", 0},
		{"HEAD", "HEAD", [][]string{status("200", "content-length", "9")}, nil, nil, "", 0},
		{"HEAD with an empty frame", "HEAD", [][]string{status("200", "content-length", "9")}, []string{""}, nil, "", 0},
		{"204", "GET", [][]string{status("204", "content-length", "9")}, nil, nil, "", 0},
		{"304", "GET", [][]string{status("304", "content-length", "9")}, nil, nil, "", 0},
		{"CONNECT", "CONNECT", [][]string{status("200", "content-length", "9")}, []string{"longer than nine"}, nil, "longer than nine", 0},
		{"odd status", "GET", [][]string{status("999")}, []string{"a"}, nil, "a", 0},
		{"beyond ASCII", "GET", [][]string{status("200", "a", "\xe9\xff")}, nil, nil, "", 0},

		{"too much", "GET", [][]string{status("200", "content-length", "1")}, []string{"a", "b"}, nil, "", ProtocolErrorCode},
		{"too little", "GET", [][]string{status("200", "content-length", "3")}, []string{"a", "b"}, nil, "", ProtocolErrorCode},
		{"too little, with trailers", "GET", [][]string{status("200", "content-length", "3")}, []string{"a"}, []string{"x", "y"}, "", ProtocolErrorCode},
		{"announced, and none", "GET", [][]string{status("200", "content-length", "3")}, nil, nil, "", ProtocolErrorCode},
		{"HEAD with content", "HEAD", [][]string{status("200")}, []string{"a"}, nil, "", ProtocolErrorCode},
		{"204 with content", "GET", [][]string{status("204")}, []string{"a"}, nil, "", ProtocolErrorCode},
		{"304 with content", "GET", [][]string{status("304", "content-length", "1")}, []string{"a"}, nil, "", ProtocolErrorCode},
		{"no status", "GET", [][]string{{"a", "b"}}, nil, nil, "", ProtocolErrorCode},
		{"no fields", "GET", [][]string{{}}, nil, nil, "", ProtocolErrorCode},
		{"status late", "GET", [][]string{{"a", "b", ":status", "200"}}, nil, nil, "", ProtocolErrorCode},
		{"status twice", "GET", [][]string{status("200", ":status", "200")}, nil, nil, "", ProtocolErrorCode},
		{"status of two digits", "GET", [][]string{status("20")}, nil, nil, "", ProtocolErrorCode},
		{"status 101", "GET", [][]string{status("101")}, nil, nil, "", ProtocolErrorCode},
		{"pseudo-header of a request", "GET", [][]string{status("200", ":path", "/")}, nil, nil, "", ProtocolErrorCode},
		{"upper case", "GET", [][]string{status("200", "Content-Type", "x")}, nil, nil, "", ProtocolErrorCode},
		{"line end", "GET", [][]string{status("200", "a", "b\r\nc: d")}, nil, nil, "", ProtocolErrorCode},
		{"transfer-encoding", "GET", [][]string{status("200", "transfer-encoding", "chunked")}, nil, nil, "", ProtocolErrorCode},
		{"connection", "GET", [][]string{status("200", "connection", "close")}, nil, nil, "", ProtocolErrorCode},
		{"two lengths", "GET", [][]string{status("200", "content-length", "1", "content-length", "2")}, []string{"a"}, nil, "", ProtocolErrorCode},
		{"no length", "GET", [][]string{status("200", "content-length", "-1")}, []string{"a"}, nil, "", ProtocolErrorCode},
		{"informational at the end", "GET", [][]string{status("103")}, nil, nil, "", ProtocolErrorCode},
		{"content after an informational one", "GET", [][]string{status("103")}, []string{"a"}, nil, "", ProtocolErrorCode},
		{"status in trailers", "GET", [][]string{status("200")}, []string{"a"}, []string{":status", "200"}, "", ProtocolErrorCode},
		{"upper case in trailers", "GET", [][]string{status("200")}, []string{"a"}, []string{"X", "y"}, "", ProtocolErrorCode},
	} {
		t.Run(test.name, func(t *testing.T) {
			inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
				p.greetClient()
				head := getRequest
				if head.Method = test.method; head.Method == "CONNECT" {
					head.Path, head.Scheme = "", ""
				}
				s, err := p.conn.Open(head, nil, true)
				if err != nil {
					t.Fatal(err)
				}
				p.conn.Flush()
				p.want("HEADERS 3")
				for i, fields := range test.heads {
					p.headers(3, i == len(test.heads)-1 && test.content == nil, fields...)
				}
				for i, text := range test.content {
					p.data(3, i == len(test.content)-1 && test.trailer == nil, text)
				}
				if test.trailer != nil {
					p.headers(3, true, test.trailer...)
				}
				if test.code != 0 {
					p.want(fmt.Sprintf("RST_STREAM 3 %v", test.code))
				}
				err = nil
				for range test.heads {
					if _, _, e := s.ReadHead(); e != nil {
						err = e
					}
				}
				got := ""
				if err == nil {
					got, err = text(s)
				}
				var e *StreamError
				switch {
				case test.code == 0 && (err != nil || got != test.want):
					t.Errorf("content %q, %v, want %q", got, err, test.want)
				case test.code != 0 && (!errors.As(err, &e) || e.Code != test.code || e.Stream != 3):
					t.Errorf("content %q, %v, want %v", got, err, test.code)
				case test.trailer != nil && test.code == 0:
					if trailers, err := s.Trailers(); !slices.Equal(trailers, []string{"x", "y"}) || err != nil {
						t.Errorf("trailers %q, %v", trailers, err)
					}
				}
				if len(p.conn.streams) != 0 || p.conn.opened != 0 {
					t.Errorf("%d streams, %d open", len(p.conn.streams), p.conn.opened)
				}
				p.settle()
			})
		})
	}
}

// Fact 76: a second block that does not end the stream is none of trailers.
func TestTrailersWithoutEnd(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		p.responding()
		p.headers(3, false, "a", "b")
		p.want("RST_STREAM 3 PROTOCOL_ERROR")
	})
}

// A head above the limit is the fault of its stream, and says which limit.
func TestTooLargeHead(t *testing.T) {
	inBubble(t, false, Config{MaxHeaderBytes: 1000}, func(t *testing.T, p *tester) {
		p.greetClient()
		s := p.open(true)
		p.headers(3, false, ":status", "200", "a", strings.Repeat("x", 1000))
		p.want("RST_STREAM 3 PROTOCOL_ERROR")
		var e *TooLargeError
		if _, _, err := s.ReadHead(); !errors.As(err, &e) || e.Limit != 1000 {
			t.Errorf("error %v", err)
		}
		p.responding()
	})
}

// Informational responses that nobody reads, as while a request is sent, are bounded.
func TestManyInformationalResponses(t *testing.T) {
	inBubble(t, false, Config{MaxHeaderBytes: 1000}, func(t *testing.T, p *tester) {
		p.greetClient()
		s := p.open(false)
		for range 12 { // 81 bytes each
			p.headers(3, false, ":status", "102", "server", "x")
		}
		p.settle()
		for range 12 {
			if _, _, err := s.ReadHead(); err != nil {
				t.Fatal(err)
			}
		}
		for range 13 {
			p.headers(3, false, ":status", "102", "server", "x")
		}
		p.want("RST_STREAM 3 ENHANCE_YOUR_CALM")
		p.settle()
	})
}

// Facts 68 and 81, and the fields that a request does not have.
func TestRequestHeads(t *testing.T) {
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		head := RequestHead{Method: "DELETE", Path: "/a?b", Authority: "server.test", Scheme: "https"}
		if _, err := p.conn.Open(head, nil, true); err != nil {
			t.Fatal(err)
		}
		p.conn.Flush()
		p.want(`HEADERS 3 END [":method" "DELETE" ":path" "/a?b" ":authority" "server.test" ":scheme" "https"]`)
		synctest.Wait()
		s, err := p.conn.Open(head, []string{"Host", "front.test", "Connection", "x", "TE", "gzip", "X-Y", "z"}, false)
		if err != nil {
			t.Fatal(err)
		}
		p.wantNothing()
		if s.Sent() {
			t.Error("it counts as sent")
		}
		if err := s.Sink().Close(); err != nil {
			t.Fatal(err)
		}
		p.want(`HEADERS 5 [":method" "DELETE" ":path" "/a?b" ":authority" "front.test" ":scheme" "https" "x-y" "z"]`)
		p.want(`DATA 5 END ""`)
		if !s.Sent() {
			t.Error("it does not count as sent")
		}
		if _, err := p.conn.Open(head, []string{"a b", "c"}, true); !errors.As(err, new(*ProtocolError)) {
			t.Errorf("error %v", err)
		}
		p.wantNothing()
		if p.conn.opened != 2 {
			t.Errorf("%d streams open", p.conn.opened)
		}
	})
}

// The head waits for the first content, so that both go out together.
func TestHeadGoesWithContent(t *testing.T) {
	var writes int
	inBubble(t, false, Config{}, func(t *testing.T, p *tester) {
		p.greetClient()
		synctest.Wait() // who acknowledged the settings would send what is there
		s := mustOpen(t, p.conn)
		p.wantNothing()
		p.conn.sink = countingSink{p.conn.sink, &writes}
		if err := <-sending(s, 3); err != nil {
			t.Fatal(err)
		}
		p.want("HEADERS 3")
		p.want("DATA 3")
		if writes != 1 {
			t.Errorf("%d writes", writes)
		}
	})
}

type countingSink struct {
	okio.Sink
	n *int
}

func (s countingSink) WriteBuffer(src *okio.Buffer, n int64) error {
	*s.n++
	return s.Sink.WriteBuffer(src, n)
}
