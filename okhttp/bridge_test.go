package okhttp

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// gz compresses with the standard library.
func gz(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

// Section 5.1 of the specification: the head of a request on the wire, its headers in their order.
func TestBridgeHeaders(t *testing.T) {
	const end = "Connection: Keep-Alive|Accept-Encoding: gzip|User-Agent: okhttp-go/" + Version
	streamed := Streamed("a/b", func(_ context.Context, w io.Writer) error { return nil })
	for name, c := range map[string]struct {
		method, url string
		opts        []RequestOption
		want        string
	}{
		"nothing set":           {"GET", "http://server.test/", nil, "Host: server.test|" + end},
		"default port":          {"GET", "http://server.test:80/", nil, "Host: server.test|" + end},
		"other port":            {"GET", "http://server.test:8080/", nil, "Host: server.test:8080|" + end},
		"IPv6":                  {"GET", "http://[2001:db8::1]/", nil, "Host: [2001:db8::1]|" + end},
		"IPv6 and port":         {"GET", "http://[2001:DB8:0::1]:81/", nil, "Host: [2001:db8::1]:81|" + end},
		"user info is not sent": {"GET", "http://user:pass@server.test/", nil, "Host: server.test|" + end},
		"Host goes first, the user's headers keep their order": {"GET", "http://server.test/", []RequestOption{Header("B", "1"), Header("host", "alias.test"), AddHeader("A", "2"), AddHeader("B", "3")},
			"Host: alias.test|B: 1|A: 2|B: 3|" + end},
		"own Connection":          {"GET", "http://server.test/", []RequestOption{Header("connection", "close")}, "Host: server.test|connection: close|Accept-Encoding: gzip|User-Agent: okhttp-go/" + Version},
		"own User-Agent":          {"GET", "http://server.test/", []RequestOption{Header("user-agent", "me")}, "Host: server.test|user-agent: me|Connection: Keep-Alive|Accept-Encoding: gzip"},
		"own Accept-Encoding":     {"GET", "http://server.test/", []RequestOption{Header("accept-encoding", "br")}, "Host: server.test|accept-encoding: br|Connection: Keep-Alive|User-Agent: okhttp-go/" + Version},
		"Range":                   {"GET", "http://server.test/", []RequestOption{Header("range", "bytes=0-1")}, "Host: server.test|range: bytes=0-1|Connection: Keep-Alive|User-Agent: okhttp-go/" + Version},
		"known length":            {"POST", "http://server.test/", []RequestOption{WithBody(Bytes("a/b", []byte("xyz")))}, "Host: server.test|Content-Type: a/b|Content-Length: 3|" + end},
		"length 0":                {"POST", "http://server.test/", []RequestOption{WithBody(Bytes("", nil))}, "Host: server.test|Content-Length: 0|" + end},
		"unknown length":          {"POST", "http://server.test/", []RequestOption{WithBody(streamed)}, "Host: server.test|Content-Type: a/b|Transfer-Encoding: chunked|" + end},
		"the body's type counts":  {"POST", "http://server.test/", []RequestOption{Header("content-type", "c/d"), Header("X", "1"), WithBody(Bytes("a/b", nil))}, "Host: server.test|X: 1|Content-Type: a/b|Content-Length: 0|" + end},
		"unless it has none":      {"POST", "http://server.test/", []RequestOption{Header("content-type", "c/d"), WithBody(Bytes("", nil))}, "Host: server.test|content-type: c/d|Content-Length: 0|" + end},
		"the body's length":       {"POST", "http://server.test/", []RequestOption{Header("content-length", "9"), Header("transfer-encoding", "chunked"), WithBody(Bytes("", nil))}, "Host: server.test|Content-Length: 0|" + end},
		"the body's chunks":       {"POST", "http://server.test/", []RequestOption{Header("content-length", "9"), Header("transfer-encoding", "gzip"), WithBody(streamed)}, "Host: server.test|Content-Type: a/b|Transfer-Encoding: chunked|" + end},
		"DELETE without a body":   {"DELETE", "http://server.test/", []RequestOption{Header("Content-Type", "c/d"), Header("Content-Language", "en")}, "Host: server.test|Content-Type: c/d|Content-Language: en|" + end},
		"DELETE of length 0":      {"DELETE", "http://server.test/", []RequestOption{Header("Content-Length", "0")}, "Host: server.test|Content-Length: 0|" + end},
		"promise without a body":  {"DELETE", "http://server.test/", []RequestOption{Header("Content-Length", "5")}, "Host: server.test|" + end},
		"chunks without a body":   {"GET", "http://server.test/", []RequestOption{Header("Transfer-Encoding", "chunked")}, "Host: server.test|" + end},
		"a cookie of the user's":  {"GET", "http://server.test/", []RequestOption{Header("Cookie", "a=b")}, "Host: server.test|Cookie: a=b|" + end},
		"names of equal lengths":  {"GET", "http://server.test/", []RequestOption{Header("Hose", "1"), Header("X-nnection", "2"), Header("Orange", "3")}, "Host: server.test|Hose: 1|X-nnection: 2|Orange: 3|" + end},
		"an Expect of the user's": {"GET", "http://server.test/", []RequestOption{Header("If-Match", "x")}, "Host: server.test|If-Match: x|" + end},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var head string
				script := func(p *peer) {
					head = p.head()
					p.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
					io.Copy(io.Discard, p.in)
				}
				req := mustRequest(t, c.method, c.url, c.opts...)
				addr := "10.0.0.1"
				if strings.HasPrefix(req.URL().Host(), "2001") {
					addr = req.URL().Host()
				}
				w.resolve("server.test", "10.0.0.1")
				w.serveAt(fmt.Sprintf("[%s]:%d", addr, req.URL().Port()), nil, script)
				resp, err := w.client.Do(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				_, fields, _ := strings.Cut(strings.TrimSuffix(head, "\r\n\r\n"), "\r\n")
				if got := strings.ReplaceAll(fields, "\r\n", "|"); got != c.want {
					t.Errorf("sent %s\nwant %s", got, c.want)
				}
				if resp.Request() != req {
					t.Error("the response's request is not the user's")
				}
			})
		})
	}
}

func gzipResponse(body string, headers ...string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n%sContent-Length: %d\r\n\r\n%s",
		strings.Join(append(headers, ""), "\r\n"), len(body), body)
}

func chunkedGzip(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: GZIP\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body)
}

// Section 5.2.
func TestTransparentGzip(t *testing.T) {
	hello := gz("hello")
	for name, c := range map[string]struct {
		method, response string
		opts             []RequestOption
		want             string
		packed           bool // the headers still say so
		received         int  // bytes, as events count them
	}{
		"with a length":       {"GET", gzipResponse(hello), nil, "hello", false, len(hello)},
		"in chunks":           {"GET", chunkedGzip(hello), nil, "hello", false, len(hello)},
		"several members":     {"GET", gzipResponse(hello + gz(" world")), nil, "hello world", false, len(hello) + len(gz(" world"))},
		"of nothing":          {"GET", gzipResponse(gz("")), nil, "", false, len(gz(""))},
		"to the end":          {"GET", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + hello, nil, "hello", false, len(hello)},
		"on a failure":        {"GET", "HTTP/1.1 404 X\r\nContent-Encoding: gzip\r\nContent-Length: " + fmt.Sprint(len(hello)) + "\r\n\r\n" + hello, nil, "hello", false, len(hello)},
		"empty, with length":  {"GET", gzipResponse(""), nil, "", true, 0},
		"empty, in chunks":    {"GET", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", nil, "", false, 0},
		"HEAD":                {"HEAD", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n", nil, "", true, 0},
		"304":                 {"GET", "HTTP/1.1 304 X\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n", nil, "", true, 0},
		"204":                 {"GET", "HTTP/1.1 204 X\r\nContent-Encoding: gzip\r\n\r\n", nil, "", true, 0},
		"own Accept-Encoding": {"GET", gzipResponse(hello), []RequestOption{Header("Accept-Encoding", "gzip")}, hello, true, len(hello)},
		"Range":               {"GET", gzipResponse(hello), []RequestOption{Header("Range", "bytes=0-100")}, hello, true, len(hello)},
		"two codings":         {"GET", strings.Replace(gzipResponse(hello), "gzip", "gzip, br", 1), nil, hello, true, len(hello)},
		"another coding":      {"GET", strings.Replace(gzipResponse(hello), "gzip", "br", 1), nil, hello, true, len(hello)},
		"no coding":           {"GET", strings.Replace(gzipResponse(hello), "Content-Encoding: gzip\r\n", "", 1), nil, hello, false, len(hello)},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				script := answer(c.response, okText("again"))
				untilClose := name == "to the end"
				if untilClose {
					script = answerAndClose(c.response)
				}
				w.serve("server.test", "10.0.0.1", script, answer(okText("again")))
				resp, err := w.client.Do(t.Context(), mustRequest(t, c.method, "http://server.test/", c.opts...))
				if err != nil {
					t.Fatal(err)
				}
				if _, packed := resp.Headers().Last("Content-Encoding"); packed != c.packed {
					t.Errorf("headers %v", resp.Headers())
				}
				unpacked := !c.packed && name != "no coding"
				if _, length := resp.Headers().Last("Content-Length"); unpacked && (length || resp.Body.Len() != -1) {
					t.Errorf("length %d, headers %v", resp.Body.Len(), resp.Headers())
				}
				if got := resp.NetworkResponse().Headers().Get("Content-Encoding"); got == "" && name != "no coding" {
					t.Error("the network response lost its coding")
				}
				p, err := resp.Body.Bytes()
				if err != nil || string(p) != c.want {
					t.Errorf("body %q, %v, want %q", p, err, c.want)
				}
				w.mu.Lock()
				events := strings.Join(w.events, " ")
				w.mu.Unlock()
				if want := fmt.Sprint("responseBodyEnd ", c.received); !strings.Contains(events, want+" ") || !strings.HasSuffix(events, "connectionReleased callEnd") {
					t.Errorf("events %s, want %s", events, want)
				}
				if got := w.client.cfg.pool.Stats(); !untilClose && got != (PoolStats{Connections: 1, Idle: 1}) {
					t.Errorf("pool %+v", got)
				}
				w.want("200 again")(w.get("http://server.test/"))
			})
		})
	}
}

func TestTransparentGzipKeepsTheRest(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		packed := gz("hello")
		w.serve("server.test", "10.0.0.1", answer(gzipResponse(packed, "X: y", "Content-Encoding: gzip")))
		resp, err := w.client.Get(t.Context(), "http://server.test/")
		if err != nil {
			t.Fatal(err)
		}
		if resp.Body.ContentType() != "text/plain" || resp.Headers().Get("X") != "y" || resp.Headers().Len() != 2 {
			t.Errorf("type %q, headers %v", resp.Body.ContentType(), resp.Headers())
		}
		n := resp.NetworkResponse()
		if n.Body.Len() != int64(len(packed)) || n.Body.ContentType() != "text/plain" || n.Headers().Get("Content-Length") == "" {
			t.Errorf("network response: length %d, type %q, headers %v", n.Body.Len(), n.Body.ContentType(), n.Headers())
		}
		if p, err := resp.PeekBody(3); string(p) != "hel" || err != nil {
			t.Errorf("peeked %q, %v", p, err)
		}
		if text, err := resp.Body.Text(); text != "hello" || err != nil {
			t.Errorf("text %q, %v", text, err)
		}
	})
}

// Compressed data that is damaged fails the reading, and keeps failing.
func TestDamagedGzip(t *testing.T) {
	hello := gz(strings.Repeat("hello", 100))
	for name, response := range map[string]string{
		"no gzip":               gzipResponse("this is not gzip at all"),
		"one byte":              gzipResponse("\x1f"),
		"cut short":             gzipResponse(hello[:len(hello)-10]),
		"cut short in chunks":   chunkedGzip(hello[:len(hello)-1]),
		"wrong checksum":        gzipResponse(hello[:len(hello)-8] + "\x00\x00\x00\x00" + hello[len(hello)-4:]),
		"wrong length":          gzipResponse(hello[:len(hello)-4] + "\x00\x00\x00\x00"),
		"followed by something": gzipResponse(hello + "something"),
		"transport cut short":   "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n" + hello,
		"transport cut at once": "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.serve("server.test", "10.0.0.1", answerAndClose(response), answer(okText("again")))
				resp, err := w.client.Get(t.Context(), "http://server.test/")
				if err != nil {
					t.Fatal(err)
				}
				_, err = io.ReadAll(resp.Body)
				var e *Error
				if !errors.As(err, &e) || e.Phase != PhaseResponseBody || !e.Sent || e.Route != "server.test at 10.0.0.1:80" || e.Method != "GET" {
					t.Fatalf("error %#v", err)
				}
				var format *okio.FormatError
				var protocol *ProtocolError
				if cut := strings.HasPrefix(name, "transport"); cut != errors.As(err, &protocol) || !cut != errors.As(err, &format) {
					t.Errorf("error %v has the wrong type of cause", err)
				}
				if strings.Contains(name, "cut") && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("error %v is no unexpected end", err)
				}
				if _, again := resp.Body.Read(make([]byte, 1)); again == nil || again == io.EOF {
					t.Errorf("reading on: %v", again)
				}
				if err := resp.Body.Close(); err != nil {
					t.Error(err)
				}
				w.holdsNothing()
				w.want("200 again")(w.get("http://server.test/"))
			})
		})
	}
}

func TestMaxDecodedBody(t *testing.T) {
	for _, c := range []struct {
		length, limit int64
		fails         bool
	}{{0, 5, false}, {4, 5, false}, {5, 5, false}, {6, 5, true}, {100_000, 5, true}, {100_000, 99_999, true}, {100_000, 100_000, false}, {10, 0, false}, {10, -1, false}} {
		t.Run(fmt.Sprint(c.length, " of ", c.limit), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				text := strings.Repeat("x", int(c.length))
				w.serve("server.test", "10.0.0.1", answer(chunkedGzip(gz(text)), okText("again")))
				resp, err := w.client.Get(t.Context(), "http://server.test/", WithMaxDecodedBody(c.limit))
				if err != nil {
					t.Fatal(err)
				}
				p, err := io.ReadAll(resp.Body)
				if !c.fails {
					if err != nil || string(p) != text {
						t.Errorf("%d bytes, %v", len(p), err)
					}
				} else {
					var e *Error
					var large *TooLargeError
					if !errors.As(err, &e) || e.Phase != PhaseResponseBody || !errors.As(err, &large) || large.Limit != c.limit || large.What != "decoded response body" {
						t.Errorf("error %v", err)
					}
					if string(p) != text[:c.limit] {
						t.Errorf("%d bytes before the error, want %d", len(p), c.limit)
					}
					if _, again := resp.Body.Read(make([]byte, 1)); !errors.As(again, &large) {
						t.Errorf("reading on: %v", again)
					}
				}
				resp.Body.Close()
				w.want("200 again")(w.get("http://server.test/"))
			})
		})
	}
}

// A bomb costs neither memory nor, with a limit, more time than the limit is worth.
func TestGzipBomb(t *testing.T) {
	const size = 8 << 20
	var packed bytes.Buffer
	zw, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range size / len(zeros) {
		zw.Write(zeros)
	}
	zw.Close()
	inWorld(t, func(t *testing.T, w *world) {
		response := chunkedGzip(packed.String())
		w.serve("server.test", "10.0.0.1", answer(response, response))
		for _, c := range []struct {
			limit, want int64
		}{{0, size}, {1 << 20, 1 << 20}} {
			resp, err := w.client.Get(t.Context(), "http://server.test/", WithMaxDecodedBody(c.limit))
			if err != nil {
				t.Fatal(err)
			}
			var before, now runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var total int64
			for err == nil {
				var n int64
				n, err = io.CopyN(io.Discard, resp.Body, 1<<20)
				total += n
				runtime.GC()
				runtime.ReadMemStats(&now)
				if grown := int64(now.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
					t.Errorf("%d bytes on the heap after unpacking %d", grown, total)
				}
			}
			if total != c.want || (err == io.EOF) != (c.limit == 0) {
				t.Errorf("%d bytes, %v, want %d", total, err, c.want)
			}
			resp.Body.Close()
		}
	})
}

// Closing a compressed body unread, or half read, frees its connection.
func TestCloseGzipUnread(t *testing.T) {
	for _, read := range []int{0, 1, 5} {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer(gzipResponse(gz("hello")), okText("again")))
			resp, err := w.client.Get(t.Context(), "http://server.test/")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(resp.Body, make([]byte, read)); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := resp.Body.Close(); err != nil {
					t.Error(err)
				}
			}
			if _, err := resp.Body.Read(make([]byte, 1)); !errors.Is(err, okio.ErrClosed) {
				t.Errorf("reading a closed body: %v", err)
			}
			w.want("200 again")(w.get("http://server.test/"))
			w.holdsNothing()
		})
	}
}

// A compressed body that stalls is bound by the read timeout and the call's cancellation like any other.
func TestGzipStalls(t *testing.T) {
	packed := gz("hello")
	stall := answer(gzipResponse(packed)[:len(gzipResponse(packed))-4])
	inWorld(t, func(t *testing.T, w *world) {
		w.serve("server.test", "10.0.0.1", stall, stall)
		start := time.Now()
		_, err := w.get("http://server.test/", WithReadTimeout(time.Second))
		var e *Error
		if !errors.As(err, &e) || !e.Timeout() || e.Phase != PhaseResponseBody {
			t.Errorf("error %v", err)
		}
		if got := time.Since(start); got != time.Second {
			t.Errorf("after %v, want 1 s", got)
		}
		call := w.client.NewCall(mustRequest(t, "GET", "http://server.test/"))
		resp, err := call.Execute(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, call.Cancel)
		if _, err := resp.Body.Bytes(); !errors.Is(err, ErrCanceled) {
			t.Errorf("error %v", err)
		}
		w.holdsNothing()
	})
}
