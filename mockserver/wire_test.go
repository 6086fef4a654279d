package mockserver_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http1"
)

const get = "GET / HTTP/1.1·Host: a··"

func stream(length int64, r io.Reader) mockserver.Response {
	return mockserver.Reply(200).Stream(length, func() (io.ReadCloser, error) { return io.NopCloser(r), nil })
}

// TestResponseBytes has the exact bytes of scripts.
func TestResponseBytes(t *testing.T) {
	ok := mockserver.Reply(200)
	list, err := okhttp.NewHeaders("Cookie", "x", "cookies", "y")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		script  mockserver.Response
		request string
		want    string
		ends    bool // the connection is closed afterwards
	}{
		{"nothing set", mockserver.Response{}, get, "HTTP/1.1 200 OK·Content-Length: 0··", false},
		{"text", ok.Text("hello"), get, "HTTP/1.1 200 OK·Content-Length: 5··hello", false},
		{"bytes", ok.Body([]byte{0, 1, 0xff}), get, "HTTP/1.1 200 OK·Content-Length: 3··\x00\x01\xff", false},
		{"reason", mockserver.Reply(202).Reason("That'll do pig"), get, "HTTP/1.1 202 That'll do pig·Content-Length: 0··", false},
		{"no reason", ok.Reason(""), get, "HTTP/1.1 200 ·Content-Length: 0··", false},
		{"headers in order", ok.AddHeader("B", "1").AddHeader("a", "2").AddHeader("b", "3"), get,
			"HTTP/1.1 200 OK·Content-Length: 0·B: 1·a: 2·b: 3··", false},
		{"set header", ok.AddHeader("Cookie", "1").AddHeader("Cookies", "2").AddHeader("cOOKIE", "3").Header("cookie", "4"), get,
			"HTTP/1.1 200 OK·Content-Length: 0·Cookies: 2·cookie: 4··", false},
		{"cleared headers", ok.AddHeader("A", "1").Headers(okhttp.Headers{}).AddHeader("Cookie", "b").AddHeader("Cookie", "a"), get,
			"HTTP/1.1 200 OK·Content-Length: 0·Cookie: b·Cookie: a··", false},
		{"replaced headers", ok.AddHeader("A", "1").Headers(list), get, "HTTP/1.1 200 OK·Content-Length: 0·Cookie: x·cookies: y··", false},
		{"chunks of one size", ok.Text("abcdef").Chunked(4).Trailer("a", "b"), get,
			"HTTP/1.1 200 OK·Transfer-encoding: chunked··4·abcd·2·ef·0·a: b··", false},
		{"chunks of sizes", ok.Text("abcdefgh").Chunked(1, 3, 2), get,
			"HTTP/1.1 200 OK·Transfer-encoding: chunked··1·a·3·bcd·2·ef·2·gh·0··", false},
		{"one chunk", ok.Text("abcdefghijklmnop").Chunked(), get,
			"HTTP/1.1 200 OK·Transfer-encoding: chunked··10·abcdefghijklmnop·0··", false},
		{"no chunk", ok.Chunked(), get, "HTTP/1.1 200 OK·Transfer-encoding: chunked··0··", false},
		{"stream", stream(5, strings.NewReader("hello, not sent")), get, "HTTP/1.1 200 OK·Content-Length: 5··hello", false},
		{"stream of unknown length", stream(-1, iotest.OneByteReader(strings.NewReader("ab"))), get,
			"HTTP/1.1 200 OK·Transfer-encoding: chunked··1·a·1·b·0··", false},
		{"stream in chunks", stream(-1, iotest.OneByteReader(strings.NewReader("abc"))).Chunked(2), get,
			"HTTP/1.1 200 OK·Transfer-encoding: chunked··2·ab·1·c·0··", false},
		{"stream that is too short", stream(5, strings.NewReader("abc")), get, "HTTP/1.1 200 OK·Content-Length: 5··abc", true},
		{"until close", ok.Text("hello").UntilClose(), get, "HTTP/1.1 200 OK··hello", true},
		{"wrong length", ok.Text("hello").Header("Content-Length", "9"), get, "HTTP/1.1 200 OK·Content-Length: 9··hello", false},
		{"informational", ok.Text("ok").Informational(103, "Link", "</a>"), get,
			"HTTP/1.1 103 Informational·Link: </a>··HTTP/1.1 200 OK·Content-Length: 2··ok", false},
		{"two informational", ok.Continue().Informational(102), get,
			"HTTP/1.1 100 Informational··HTTP/1.1 102 Informational··HTTP/1.1 200 OK·Content-Length: 0··", false},
		{"raw", ok.Raw([]byte("HTP/1.1 20 \x00\r\n")), get, "HTP/1.1 20 \x00·", false},
		{"raw, empty", ok.Raw(nil), get, "", false},
		{"raw and close", ok.Raw([]byte("x")), "GET / HTTP/1.1·Connection: close··", "x", true},
		{"HEAD", ok.Text("hello"), "HEAD / HTTP/1.1·Host: a··", "HTTP/1.1 200 OK·Content-Length: 5··", false},
		{"HEAD of chunks", ok.Text("hello").Chunked().Trailer("a", "b"), "HEAD / HTTP/1.1·Host: a··",
			"HTTP/1.1 200 OK·Transfer-encoding: chunked··", false},
		{"204", mockserver.Reply(204).Text("hello"), get, "HTTP/1.1 204 OK··", false},
		{"304", mockserver.Reply(304), get, "HTTP/1.1 304 Redirection··", false},
		{"304 of a body", mockserver.Reply(304).Text("hello"), get, "HTTP/1.1 304 Redirection·Content-Length: 5··", false},
		{"101", mockserver.Reply(101).Header("Upgrade", "x"), get, "HTTP/1.1 101 Informational·Upgrade: x··", true},
		{"CONNECT", ok.Text("x"), "CONNECT a:1 HTTP/1.1·Host: a:1··", "HTTP/1.1 200 OK··", true},
		{"refused CONNECT", mockserver.Reply(407).Text("x"), "CONNECT a:1 HTTP/1.1·Host: a:1··",
			"HTTP/1.1 407 Client Error·Content-Length: 1··x", false},
		{"close asked for", ok.Text("x"), "GET / HTTP/1.1·Connection: keep-alive, Close··", "HTTP/1.1 200 OK·Content-Length: 1··x", true},
		{"close told", ok.Header("Connection", "close"), get, "HTTP/1.1 200 OK·Content-Length: 0·Connection: close··", true},
		{"HTTP/1.0", ok.Continue(), "GET / HTTP/1.0··", "HTTP/1.1 200 OK·Content-Length: 0··", true},
		{"HTTP/1.0 kept alive", ok.Header("Connection", "keep-alive"), "GET / HTTP/1.0·Connection: keep-alive··",
			"HTTP/1.1 200 OK·Content-Length: 0·Connection: keep-alive··", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := memory(t)
				s.Enqueue(tt.script)
				w := dial(t, s)
				w.send(tt.request)
				w.want(tt.want)
				if tt.ends {
					w.wantEnd()
					return
				}
				s.Enqueue(mockserver.Reply(200).Text("next"))
				w.send(get)
				w.want("HTTP/1.1 200 OK·Content-Length: 4··next")
			})
		})
	}
}

func TestReasonFollowsTheHundred(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		w := dial(t, s)
		reasons := []string{2: "OK", "Redirection", "Client Error", "Server Error", "Mock Response", "Mock Response", "Mock Response", "Mock Response"}
		for status := 102; status < 200; status++ {
			s.Enqueue(mockserver.Reply(204).Informational(status))
			w.send(get)
			w.want(fmt.Sprintf("HTTP/1.1 %d Informational··HTTP/1.1 204 OK··", status))
		}
		for status := 200; status < 1000; status++ {
			s.Enqueue(mockserver.Reply(status))
			w.send(get)
			length := "Content-Length: 0·"
			if status == 204 || status == 304 {
				length = ""
			}
			w.want(fmt.Sprintf("HTTP/1.1 %d %s·%s·", status, reasons[status/100], length))
		}
		for status := -1; status < 200; status++ {
			if err := mockserver.Reply(status).Err(); (err == nil) != (status == 101) {
				t.Errorf("a response of %d: %v", status, err)
			}
		}
	})
}

// TestRequestBytes has what is recorded of the bytes that come.
func TestRequestBytes(t *testing.T) {
	for _, tt := range []struct {
		name, request, line string
		body                []byte
		trailer             string
	}{
		{"no body", get, "GET / HTTP/1.1", nil, ""},
		{"body of length 0", "POST / HTTP/1.1·Content-Length: 0··", "POST / HTTP/1.1", []byte{}, ""},
		{"body", "POST /a?b=%20 HTTP/1.1·Content-Length: 5··hello", "POST /a?b=%20 HTTP/1.1", []byte("hello"), ""},
		{"chunks", "PUT / HTTP/1.1·Transfer-Encoding: chunked··3·abc·1;x=y·d·0·T: u··", "PUT / HTTP/1.1", []byte("abcd"), "u"},
		{"no chunk", "PUT / HTTP/1.1·Transfer-Encoding: chunked··0··", "PUT / HTTP/1.1", []byte{}, ""},
		{"body of GET", "GET / HTTP/1.1·Content-Length: 1··x", "GET / HTTP/1.1", []byte("x"), ""},
		{"absolute form", "GET http://b/c HTTP/1.1·Host: a··", "GET http://b/c HTTP/1.1", nil, ""},
		{"asterisk", "OPTIONS * HTTP/1.1·Host: a··", "OPTIONS * HTTP/1.1", nil, ""},
		{"HTTP/1.0", "GET / HTTP/1.0··", "GET / HTTP/1.0", nil, ""},
		{"empty lines first", "··" + get, "GET / HTTP/1.1", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := memory(t, mockserver.WithDispatcher(answer(mockserver.Reply(200))))
				w := dial(t, s)
				w.send(tt.request)
				w.want("HTTP/1.1 200 OK·Content-Length: 0··")
				r := take(t, s)
				if r.RequestLine() != tt.line || (r.Body == nil) != (tt.body == nil) || !bytes.Equal(r.Body, tt.body) ||
					r.BodySize != int64(len(tt.body)) || r.Trailers.Get("T") != tt.trailer || r.Failure != nil {
					t.Errorf("recorded %v with %q, trailers %v", r, r.Body, r.Trailers)
				}
			})
		})
	}
}

func TestHeadersAreRecordedAsTheyCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t, mockserver.WithDispatcher(answer(mockserver.Reply(200))))
		w := dial(t, s)
		w.send("GET / HTTP/1.1·hOST: a·x:  1 ·Accept: ü·x: 2··")
		w.want("HTTP/1.1 200 OK")
		var got []string
		for name, value := range take(t, s).Headers.All() {
			got = append(got, name+"="+value)
		}
		if want := "hOST=a x=1 Accept=ü x=2"; strings.Join(got, " ") != want {
			t.Errorf("headers %q, want %q", got, want)
		}
		w.want("·Content-Length: 0··")
		w.send("GET / HTTP/1.1·A: \x01·b: 2·a: 3··")
		w.want("HTTP/1.1 200 OK·Content-Length: 0··")
		if r := take(t, s); r.Headers.Get("A") != "\x01" || r.Headers.Get("b") != "2" || r.Headers.Len() != 3 {
			t.Errorf("control characters: %q", r.Headers.String())
		}
	})
}

// TestRejectedRequests has what a client gets for breaking the rules, and that nothing is taken from the queue.
func TestRejectedRequests(t *testing.T) {
	large := "GET / HTTP/1.1·X: " + strings.Repeat("x", http1.DefaultMaxHead) + "··"
	for _, tt := range []struct{ name, request, status string }{
		{"no request line", "hello··", "400 Bad Request"},
		{"unknown version", "GET / HTTP/2.0··", "400 Bad Request"},
		{"no colon", "GET / HTTP/1.1·Host··", "400 Bad Request"},
		{"obsolete folding", "GET / HTTP/1.1·A: b· c··", "400 Bad Request"},
		{"bare CR", "GET / HTTP/1.1·A: b\rc··", "400 Bad Request"},
		{"length and coding", "POST / HTTP/1.1·Content-Length: 1·Transfer-Encoding: chunked··0··", "400 Bad Request"},
		{"two lengths", "POST / HTTP/1.1·Content-Length: 1·Content-Length: 2··ab", "400 Bad Request"},
		{"unknown coding", "POST / HTTP/1.1·Transfer-Encoding: gzip··", "400 Bad Request"},
		{"bad chunk size", "POST / HTTP/1.1·Transfer-Encoding: chunked··x·", "400 Bad Request"},
		{"bad chunk end", "POST / HTTP/1.1·Transfer-Encoding: chunked··1·abc", "400 Bad Request"},
		{"large head", large, "431 Request Header Fields Too Large"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := memory(t)
				s.Enqueue(mockserver.Reply(200))
				w := dial(t, s)
				go func() { // the server need not read all of it
					_, _ = io.WriteString(w.conn, lines(tt.request))
				}()
				w.want("HTTP/1.1 " + tt.status + "·Content-Length: ")
				if rest, err := io.ReadAll(w.conn); err != nil {
					t.Errorf("after %q: %v", rest, err)
				}
				var wrong *http1.ProtocolError
				var tooLarge *http1.TooLargeError
				if r := take(t, s); !errors.As(r.Failure, &wrong) && !errors.As(r.Failure, &tooLarge) {
					t.Errorf("recorded %v", r)
				}
				if s.Queue().Len() != 1 || s.RequestCount() != 1 {
					t.Errorf("%d responses left, %d requests", s.Queue().Len(), s.RequestCount())
				}
			})
		})
	}
}

// TestCutRequests closes the connection after each byte of a request.
func TestCutRequests(t *testing.T) {
	request := lines("POST / HTTP/1.1·Transfer-Encoding: chunked··2·ab·0··")
	for n := range len(request) {
		synctest.Test(t, func(t *testing.T) {
			s := memory(t)
			s.Enqueue(mockserver.Reply(200))
			w := dial(t, s)
			w.send(request[:n])
			w.conn.(interface{ CloseWrite() error }).CloseWrite()
			rest, _ := io.ReadAll(w.conn)
			if len(rest) > 0 && !strings.HasPrefix(string(rest), "HTTP/1.1 400 ") {
				t.Errorf("after %d bytes: answered %q", n, rest)
			}
			r, ok := s.TryTakeRequest()
			if ok != (n > 0) || ok && r.Failure == nil {
				t.Errorf("after %d bytes: recorded %v", n, r)
			}
			if s.Queue().Len() != 1 {
				t.Errorf("after %d bytes: the response was used up", n)
			}
		})
	}
}

func TestBodyLimit(t *testing.T) {
	for _, tt := range []struct {
		limit int64
		kept  int
	}{{-1, 100 << 10}, {0, 0}, {1, 1}, {20 << 10, 20 << 10}, {1 << 20, 100 << 10}} {
		synctest.Test(t, func(t *testing.T) {
			s := memory(t, mockserver.WithBodyLimit(tt.limit))
			s.Enqueue(mockserver.Reply(200))
			w := dial(t, s)
			body := strings.Repeat("0123456789abcdef", 100<<10/16)
			w.send(fmt.Sprintf("POST / HTTP/1.1·Content-Length: %d··", len(body)))
			w.send(body)
			w.want("HTTP/1.1 200 OK·Content-Length: 0··")
			if r := take(t, s); r.BodySize != int64(len(body)) || string(r.Body) != body[:tt.kept] || r.Body == nil {
				t.Errorf("limit %d: recorded %v, kept %d bytes", tt.limit, r, len(r.Body))
			}
		})
	}
}

func TestPipelinedRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		s.Enqueue(mockserver.Reply(200).Text("1"), mockserver.Reply(200).Raw([]byte("raw")), mockserver.Reply(200).Text("3"))
		w := dial(t, s)
		w.send("POST /1 HTTP/1.1·Content-Length: 1··xGET /2 HTTP/1.1··GET /3 HTTP/1.1··")
		w.want("HTTP/1.1 200 OK·Content-Length: 1··1rawHTTP/1.1 200 OK·Content-Length: 1··3")
		for i, target := range []string{"/1", "/2", "/3"} {
			if r := take(t, s); r.Target != target || r.Index != i || r.ConnIndex != 0 {
				t.Errorf("request %d is %v", i, r)
			}
		}
	})
}

func TestChunkSizesAreRecorded(t *testing.T) {
	s := memory(t)
	s.Enqueue(mockserver.Reply(200), mockserver.Reply(200))
	w := dial(t, s)
	w.send("POST / HTTP/1.1·Transfer-Encoding: chunked··3·abc·a;x=y·0123456789·1·z·0··POST / HTTP/1.1·Content-Length: 1··x")
	if r := take(t, s); fmt.Sprint(r.ChunkSizes) != "[3 10 1]" || string(r.Body) != "abc0123456789z" {
		t.Errorf("chunks %v of %q", r.ChunkSizes, r.Body)
	}
	if r := take(t, s); r.ChunkSizes != nil {
		t.Errorf("chunks %v of a body that has none", r.ChunkSizes)
	}
}
