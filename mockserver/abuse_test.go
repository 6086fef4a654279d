package mockserver_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp/http1"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// abuses are requests that RFC 9112 forbids, or warns of, and what becomes of them: the lines of those that were understood, and what the failure
// of the one that was not says.
var abuses = []struct {
	name    string
	sent    string
	lines   string // of the requests that were answered, with semicolons
	failure string // of the one after them, empty for none
	status  string // of the answer to that
}{
	// Request line, sections 2.2 and 3.
	{"empty lines before the request", "··GET / HTTP/1.1·Host: a··", "GET / HTTP/1.1", "", ""},
	{"nothing but empty lines", "··········", "", "empty lines", "400"},
	{"lower-case version", "GET / http/1.1·Host: a··", "", "request line", "400"},
	{"two spaces", "GET  / HTTP/1.1·Host: a··", "", "request line", "400"},
	{"a tab for a space", "GET\t/ HTTP/1.1·Host: a··", "", "request line", "400"},
	{"a space at the end", "GET / HTTP/1.1 ·Host: a··", "", "request line", "400"},
	{"a space in the target", "GET /a b HTTP/1.1·Host: a··", "", "request line", "400"},
	{"no version", "GET /·Host: a··", "", "request line", "400"},
	{"a simple request of HTTP/0.9", "GET /··", "", "request line", "400"}, // appendix C.1.1: it is not spoken any more
	{"a version to come", "GET / HTTP/1.2·Host: a··", "GET / HTTP/1.1", "", ""},
	{"a method that is no token", "G(T / HTTP/1.1·Host: a··", "", "request line", "400"},
	{"NUL in the target", "GET /\x00 HTTP/1.1·Host: a··", "", "NUL", "400"},
	{"TLS in cleartext", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "", "expected a request line but got 0x16", "400"},
	{"HTTP/2 in cleartext", "PRI * HTTP/2.0··SM··", "", "request line", "400"},
	// Targets, section 3.2.
	{"absolute form", "GET http://other.test/x HTTP/1.1·Host: a··", "GET http://other.test/x HTTP/1.1", "", ""},
	{"absolute form of another scheme", "GET ftp://other.test/x HTTP/1.1·Host: a··", "GET ftp://other.test/x HTTP/1.1", "", ""},
	{"asterisk form", "OPTIONS * HTTP/1.1·Host: a··", "OPTIONS * HTTP/1.1", "", ""},
	{"authority form", "CONNECT a:80 HTTP/1.1·Host: a:80··", "CONNECT a:80 HTTP/1.1", "", ""},
	{"a target that is none", "GET nowhere HTTP/1.1·Host: a··", "GET nowhere HTTP/1.1", "", ""},
	// Field lines, section 5.
	{"a space before the colon", "GET / HTTP/1.1·Host : a··", "", "header", "400"},
	{"a line that begins with a space", "GET / HTTP/1.1· Host: a··", "", "", "400"},
	{"obsolete folding", "GET / HTTP/1.1·Host: a·X: b· c··", "", "", "400"},
	{"no name", "GET / HTTP/1.1·: a··", "", "header", "400"},
	{"a name that is no token", "GET / HTTP/1.1·H@st: a··", "", "header", "400"},
	{"bare CR in a value", "GET / HTTP/1.1·Host: a·X: b\rc··", "", "", "400"},
	{"NUL in a value", "GET / HTTP/1.1·Host: a·X: b\x00c··", "", "", "400"},
	{"bare LF at the end of lines", "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1", "", ""}, // section 2.2 allows it
	{"CR CR LF", "GET / HTTP/1.1\r\r\nHost: a··", "", "", "400"},
	// Framing, section 6, and what smuggles requests.
	{"length and coding", "POST / HTTP/1.1·Host: a·Content-Length: 4·Transfer-Encoding: chunked··0··GET /x HTTP/1.1··", "", "both Transfer-Encoding and Content-Length", "400"},
	{"coding and length", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked·Content-Length: 4··0··GET /x HTTP/1.1··", "", "both Transfer-Encoding and Content-Length", "400"},
	{"two lengths that differ", "POST / HTTP/1.1·Host: a·Content-Length: 1·Content-Length: 2··ab", "", "", "400"},
	{"two lengths in one", "POST / HTTP/1.1·Host: a·Content-Length: 1, 2··ab", "", "", "400"},
	{"one length twice", "POST / HTTP/1.1·Host: a·Content-Length: 2·Content-Length: 2··ab", "POST / HTTP/1.1", "", ""},
	{"a length with a sign", "POST / HTTP/1.1·Host: a·Content-Length: +2··ab", "", "", "400"},
	{"a negative length", "POST / HTTP/1.1·Host: a·Content-Length: -2··ab", "", "", "400"},
	{"a length in hexadecimal", "POST / HTTP/1.1·Host: a·Content-Length: 0x2··ab", "", "", "400"},
	{"a length without digits", "POST / HTTP/1.1·Host: a·Content-Length: ··ab", "", "", "400"},
	{"a length beyond counting", "POST / HTTP/1.1·Host: a·Content-Length: 99999999999999999999··ab", "", "", "400"},
	{"a coding that hides", "POST / HTTP/1.1·Host: a·Transfer-Encoding: xchunked··0··", "", "", "400"},
	{"a coding with a vertical tab", "POST / HTTP/1.1·Host: a·Transfer-Encoding:\x0bchunked··0··", "", "", "400"},
	{"a coding before chunked", "POST / HTTP/1.1·Host: a·Transfer-Encoding: gzip, chunked··0··", "", "unknown Transfer-Encoding", "400"},
	{"chunked is not last", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked, identity··0··", "", "", "400"},
	{"chunked twice", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked·Transfer-Encoding: chunked··0··", "", "", "400"},
	{"a coding in HTTP/1.0", "POST / HTTP/1.0·Transfer-Encoding: chunked··0··", "", "HTTP/1.0", "400"},
	{"identity alone", "POST / HTTP/1.1·Host: a·Transfer-Encoding: identity··ab", "", "Transfer-Encoding", "400"}, // section 7: it is no coding any more, and section 6.3: chunked is not last
	{"spaces around a length", "POST / HTTP/1.1·Host: a·Content-Length: \t 2 \t··ab", "POST / HTTP/1.1", "", ""},  // OWS, section 5
	{"a space within a length", "POST / HTTP/1.1·Host: a·Content-Length: 1 2··ab", "", "", "400"},
	{"CONNECT with content", "CONNECT a:80 HTTP/1.1·Host: a:80·Content-Length: 2··ab", "CONNECT a:80 HTTP/1.1", "", ""}, // RFC 9110 section 9.3.6: it means nothing
	// Chunks, section 7.1.
	{"extensions of chunks", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked··1;a=\"b\"·x·0;c··", "POST / HTTP/1.1", "", ""},
	{"a size with a sign", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked··+1·x·0··", "", "chunk size", "400"},
	{"a size with a prefix", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked··0x1·x·0··", "", "chunk", "400"},
	{"a size beyond counting", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked··fffffffffffffffff·x·0··", "", "chunk", "400"},
	{"a size that wraps around", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked··8000000000000000·x·0··", "", "chunk", "400"},
	{"a size line that ends with LF", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked··1\nx·0··", "", "without CR", "400"},
	{"a chunk that is too long", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked··1·xy·0··", "", "expected CRLF after a chunk", "400"},
	{"bare CR in an extension", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked··1;a\rb·x·0··", "", "chunk", "400"},
	{"a size line without an end", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked··" + strings.Repeat("0", 9000), "", "chunk size line", "431"},
	{"a trailer that is none", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked··0·a b··", "", "", "400"},
	{"a large extension that ends", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked··1;a=" + strings.Repeat("b", 4000) + "·x·0··", "POST / HTTP/1.1", "", ""}, // section 7.1.1: ignored, within a limit
	{"an extension beyond the limit that ends", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked··1;a=" + strings.Repeat("b", 100000) + "·x·0··", "", "chunk size line", "431"},
	{"a size with spaces behind it", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked··1  ·x·0··", "POST / HTTP/1.1", "", ""},     // not in the grammar, but BWS for an extension that is missing: some pad sizes
	{"spaces before an extension", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked··1 ; a = b·x·0··", "POST / HTTP/1.1", "", ""}, // BWS, to be taken
	{"framing fields in trailers", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked··1·x·0·Content-Length: 18·Transfer-Encoding: chunked··GET /x HTTP/1.1·Host: a··",
		"POST / HTTP/1.1;GET /x HTTP/1.1", "", ""}, // section 7.1.2: they are no part of the head, and frame nothing
	// Sizes.
	{"a head without an end", "GET / HTTP/1.1·" + strings.Repeat("X: y·", 100000), "", "request head", "431"},
	{"a line without an end", "GET /" + strings.Repeat("x", 300000), "", "request head", "431"},
	{"trailers without an end", "POST / HTTP/1.1·Host: a·Transfer-Encoding: chunked··0·" + strings.Repeat("X: y·", 100000), "", "request head", "431"},
	// Host, section 3.2: a server for tests lets clients be seen that forget it, but not those that may be understood in two ways.
	{"no host", "GET / HTTP/1.1··", "GET / HTTP/1.1", "", ""},
	{"no host in HTTP/1.0", "GET / HTTP/1.0··", "GET / HTTP/1.0", "", ""},
	{"an empty host", "GET / HTTP/1.1·Host: ··", "GET / HTTP/1.1", "", ""},
	{"a host with a port", "GET / HTTP/1.1·Host: a.test:8080··", "GET / HTTP/1.1", "", ""},
	{"a host with an empty port", "GET / HTTP/1.1·Host: a.test:··", "GET / HTTP/1.1", "", ""},
	{"a host with an escape", "GET / HTTP/1.1·Host: %61_b~c··", "GET / HTTP/1.1", "", ""},
	{"an IPv6 host", "GET / HTTP/1.1·Host: [::1]:80··", "GET / HTTP/1.1", "", ""},
	{"an IPv6 host with a zone", "GET / HTTP/1.1·Host: [fe80::1%25eth0]··", "GET / HTTP/1.1", "", ""},
	{"two hosts", "GET / HTTP/1.1·Host: a·Host: b··", "", `expected one Host header but got "a" and "b"`, "400"},
	{"one host twice", "GET / HTTP/1.1·Host: a·host: a··", "", "expected one Host header", "400"},
	{"two hosts in HTTP/1.0", "GET / HTTP/1.0·Host: a·Host: b··", "", "expected one Host header", "400"},
	{"two hosts and an absolute target", "GET http://a/ HTTP/1.1·Host: a·Host: b··", "", "expected one Host header", "400"},
	{"two hosts of CONNECT", "CONNECT a:1 HTTP/1.1·Host: a:1·Host: b:1··", "", "expected one Host header", "400"},
	{"a host with a path", "GET / HTTP/1.1·Host: a/b··", "", "expected a host with an optional port", "400"},
	{"a host with a user", "GET / HTTP/1.1·Host: u@a··", "", "expected a host", "400"},
	{"a host with a scheme", "GET / HTTP/1.1·Host: http://a··", "", "expected a host", "400"},
	{"a host with a space", "GET / HTTP/1.1·Host: a b··", "", "expected a host", "400"},
	{"a host with a port of letters", "GET / HTTP/1.1·Host: a:x··", "", "expected a host", "400"},
	{"a host beyond ASCII", "GET / HTTP/1.1·Host: bücher.test··", "", "expected a host", "400"},
	{"a bare IPv6 host", "GET / HTTP/1.1·Host: ::1··", "", "expected a host", "400"},
	{"a bracket that stays open", "GET / HTTP/1.1·Host: [::1··", "", "expected a host", "400"},
	{"IPv4 in brackets", "GET / HTTP/1.1·Host: [127.0.0.1]··", "", "expected a host", "400"},
	// More than one.
	{"a body that a GET hides", "GET / HTTP/1.1·Host: a·Content-Length: 18··GET /x HTTP/1.1··GET /y HTTP/1.1·Host: a··", "GET / HTTP/1.1;GET /y HTTP/1.1", "", ""},
	{"bytes after a request", "GET / HTTP/1.1·Host: a··junk··", "GET / HTTP/1.1", "request line", "400"},
}

func TestAbuse(t *testing.T) {
	for _, tt := range abuses {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := memory(t, mockserver.WithDispatcher(answer(mockserver.Reply(200).Text("ok"))))
				w := dial(t, s)
				sent := make(chan struct{})
				go func() { // the server need not read all of it
					defer close(sent)
					_, _ = io.WriteString(w.conn, lines(tt.sent))
					w.conn.(interface{ CloseWrite() error }).CloseWrite()
				}()
				w.conn.SetReadDeadline(time.Now().Add(time.Minute))
				got, err := io.ReadAll(w.conn)
				if err != nil {
					t.Errorf("reading: %v", err)
				}
				w.conn.Close()
				<-sent
				var answered []string
				var failure error
				for {
					r, ok := s.TryTakeRequest()
					if !ok {
						break
					}
					if r.Failure != nil {
						failure = r.Failure
						continue
					}
					answered = append(answered, r.RequestLine())
				}
				if got := strings.Join(answered, ";"); got != tt.lines {
					t.Errorf("understood %q, want %q", got, tt.lines)
				}
				if n := strings.Count(string(got), "HTTP/1.1 200 OK\r\n"); n != len(answered) {
					t.Errorf("%d requests were answered, of %d", n, len(answered))
				}
				if tt.status == "" {
					if failure != nil {
						t.Errorf("failed with %v", failure)
					}
				} else {
					var wrong *http1.ProtocolError
					var large *http1.TooLargeError
					if !errors.As(failure, &wrong) && !errors.As(failure, &large) || !strings.Contains(failure.Error(), tt.failure) {
						t.Errorf("failed with %v, want %s", failure, tt.failure)
					}
					if strings.Count(string(got), "HTTP/1.1 "+tt.status+" ") != 1 {
						t.Errorf("answered %.300q, want %s at last", got, tt.status)
					}
				}
				again := dial(t, s)
				again.send(get)
				again.want("HTTP/1.1 200 OK·Content-Length: 2··ok")
			})
		})
	}
}

// FuzzHTTP1 sends anything. The server answers it or says what is wrong, and is there for the next one.
func FuzzHTTP1(f *testing.F) {
	for _, a := range abuses {
		if len(a.sent) < 1000 {
			f.Add([]byte(lines(a.sent)))
		}
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		s := memory(t, mockserver.WithDispatcher(answer(mockserver.Reply(200).Text("ok"))))
		w := dial(t, s)
		go func() {
			_, _ = w.conn.Write(sent)
			w.conn.(interface{ CloseWrite() error }).CloseWrite()
		}()
		w.conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		got, err := io.ReadAll(w.conn)
		if err != nil {
			t.Fatalf("reading: %v", err)
		}
		if len(got) > 0 && !strings.HasPrefix(string(got), "HTTP/1.1 ") {
			t.Errorf("answered %q", got)
		}
		again := dial(t, s)
		again.send(get)
		again.want("HTTP/1.1 200 OK·Content-Length: 2··ok")
		for {
			r, ok := s.TryTakeRequest()
			if !ok {
				break
			}
			_, _ = r.URL()
			if r.Failure == nil && (r.Method == "" || r.Target == "") {
				t.Errorf("recorded %+v", r)
			}
			if r.Failure != nil && len(got) > 0 && strings.Contains(r.String(), "\x00") {
				t.Errorf("a failure that cannot be shown: %q", r)
			}
		}
	})
}

// FuzzHTTP2 sends any frames after the preface.
func FuzzHTTP2(f *testing.F) {
	head, err := http2.NewHeaderEncoder().AppendRequest(nil, http2.RequestHead{Method: "POST", Path: "/", Authority: "a", Scheme: "http"}, []string{"cookie", "a=b", "cookie", "c=d"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(http2.AppendHeaders(nil, 1, head, true, 16384))
	f.Add(append(http2.AppendHeaders(nil, 1, head, false, 16384), append(http2.AppendDataHeader(nil, 1, 3, true), "abc"...)...))
	f.Add(http2.AppendRSTStream(http2.AppendHeaders(nil, 1, head, false, 16384), 1, http2.Cancel))
	f.Add(http2.AppendGoAway(http2.AppendPing(nil, false, [8]byte{1}), 0, http2.NoError, nil))
	f.Add(http2.AppendSettings(nil, http2.Setting{ID: http2.SettingInitialWindowSize, Value: 0}))
	f.Fuzz(func(t *testing.T, sent []byte) {
		s := cleartext(t, mockserver.WithDispatcher(answer(mockserver.Reply(200).Text("ok").Push("GET", "/p", mockserver.Reply(200)).Settings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Value: 5}))))
		w := dial(t, s)
		go func() {
			_, _ = io.WriteString(w.conn, http2.ClientPreface)
			_, _ = w.conn.Write(http2.AppendSettings(nil))
			_, _ = w.conn.Write(sent)
			w.conn.(interface{ CloseWrite() error }).CloseWrite()
		}()
		w.conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.Copy(io.Discard, w.conn); err != nil {
			t.Fatalf("reading: %v", err)
		}
		again := dial(t, s)
		again.send(get)
		again.want("HTTP/1.1 200 OK·Content-Length: 2··ok")
	})
}
