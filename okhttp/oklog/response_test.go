package oklog_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oklog"
	"github.com/okhttp-go/ok/okio"
)

// TestResponseLines has a row for each line of the specification's table.
func TestResponseLines(t *testing.T) {
	const url = "http://example.com/"
	plain := []string{"Content-Type", "text/plain"}
	gz, err := hex.DecodeString("1f8b08000000000002ff0bcd4bcecf2d284a2d2e4e4d0100257573a90c000000")
	if err != nil {
		t.Fatal(err)
	}
	gzipped := []string{"Content-Type", "text/plain", "Content-Encoding", "gzip"}
	for _, tt := range []struct {
		name    string
		level   oklog.Level
		method  string
		status  int
		message string
		headers []string
		body    string
		length  int64
		want    []string
	}{
		{"none", oklog.None, "GET", 200, "OK", plain, "Hello!", 6, nil},
		{"basic", oklog.Basic, "GET", 200, "OK", plain, "Hello!", 6, []string{"<-- 200 OK " + url + " (Tms, 6-byte body)"}},
		{"basic, unknown length", oklog.Basic, "GET", 200, "OK", plain, "Hello!", -1, []string{"<-- 200 OK " + url + " (Tms, unknown-length body)"}},
		{"no message", oklog.Basic, "GET", 200, "", plain, "Hello!", 6, []string{"<-- 200 " + url + " (Tms, 6-byte body)"}},
		{"headers", oklog.Headers, "GET", 200, "OK", plain, "Hello!", 6, []string{"<-- 200 OK " + url + " (Tms)", "Content-Type: text/plain", "<-- END HTTP"}},
		{"body", oklog.Body, "GET", 200, "OK", plain, "Hello!", 6, []string{"<-- 200 OK " + url + " (Tms)", "Content-Type: text/plain", "", "Hello!", "<-- END HTTP (Tms, 6-byte body)"}},
		{"body, unknown length", oklog.Body, "GET", 200, "OK", nil, "Hello!", -1, []string{"<-- 200 OK " + url + " (Tms)", "", "Hello!", "<-- END HTTP (Tms, 6-byte body)"}},
		{"body, empty", oklog.Body, "GET", 200, "OK", nil, "", 0, []string{"<-- 200 OK " + url + " (Tms)", "<-- END HTTP (Tms, 0-byte body)"}},
		{"body, empty, untold", oklog.Body, "GET", 200, "OK", nil, "", -1, []string{"<-- 200 OK " + url + " (Tms)", "", "", "<-- END HTTP (Tms, 0-byte body)"}},
		{"HEAD", oklog.Body, "HEAD", 200, "OK", plain, "", 6, []string{"<-- 200 OK " + url + " (Tms)", "Content-Type: text/plain", "<-- END HTTP"}},
		{"204", oklog.Body, "GET", 204, "No Content", nil, "", 0, []string{"<-- 204 No Content " + url + " (Tms)", "<-- END HTTP"}},
		{"304", oklog.Body, "GET", 304, "Not Modified", nil, "", 0, []string{"<-- 304 Not Modified " + url + " (Tms)", "<-- END HTTP"}},
		{"encoded", oklog.Body, "GET", 200, "OK", []string{"Content-Encoding", "br"}, "xxx", 3, []string{"<-- 200 OK " + url + " (Tms)", "Content-Encoding: br", "<-- END HTTP (encoded body omitted)"}},
		{"identity", oklog.Body, "GET", 200, "OK", []string{"Content-Encoding", "Identity"}, "xxx", 3, []string{"<-- 200 OK " + url + " (Tms)", "Content-Encoding: Identity", "", "xxx", "<-- END HTTP (Tms, 3-byte body)"}},
		{"binary", oklog.Body, "GET", 200, "OK", nil, "\x00\x01\x02", 3, []string{"<-- 200 OK " + url + " (Tms)", "", "<-- END HTTP (Tms, binary 3-byte body omitted)"}},
		{"binary, unknown length", oklog.Body, "GET", 200, "OK", nil, "\x00\x01\x02" + strings.Repeat("x", 100), -1, []string{"<-- 200 OK " + url + " (Tms)", "", "<-- END HTTP (Tms, binary 103-byte body omitted)"}},
		{"malformed UTF-8", oklog.Body, "GET", 200, "OK", plain, "caf\xe9", 4, []string{"<-- 200 OK " + url + " (Tms)", "Content-Type: text/plain", "", "caf\ufffd", "<-- END HTTP (Tms, 4-byte body)"}},
		{"malformed UTF-8 within", oklog.Body, "GET", 200, "OK", plain, "caf\xe9s", 5, []string{"<-- 200 OK " + url + " (Tms)", "Content-Type: text/plain", "", "<-- END HTTP (Tms, binary 5-byte body omitted)"}},
		{"control characters later", oklog.Body, "GET", 200, "OK", nil, strings.Repeat("a", 16) + "\x1b[31mred\x00\u009b\r\n\tx\ry", -1, []string{"<-- 200 OK " + url + " (Tms)", "", strings.Repeat("a", 16) + `\x1b[31mred\x00\x9b` + "\r\n\tx" + `\x0dy`, "<-- END HTTP (Tms, 33-byte body)"}},
		// Fact 101.
		{"gzip", oklog.Body, "GET", 200, "OK", gzipped, string(gz), 32, []string{"<-- 200 OK " + url + " (Tms)", "Content-Type: text/plain", "Content-Encoding: gzip", "", "Uncompressed", "<-- END HTTP (Tms, 12-byte, 32-gzipped-byte body)"}},
		{"charset 0", oklog.Body, "GET", 200, "OK", []string{"Content-Type", "text/html; charset=0"}, "Größe", -1, []string{"<-- 200 OK " + url + " (Tms)", "Content-Type: text/html; charset=0", "", "Größe", "<-- END HTTP (Tms, 7-byte body)"}},
		// Fact 102 is TestEventStream.
		{"another charset", oklog.Body, "GET", 200, "OK", []string{"Content-Type", "text/html; charset=ISO-8859-1"}, "sixteen letters, Gr\xf6\xdfe", -1, []string{"<-- 200 OK " + url + " (Tms)", "Content-Type: text/html; charset=ISO-8859-1", "", "sixteen letters, Größe", "<-- END HTTP (Tms, 22-byte body)"}},
		{"gzip, binary", oklog.Body, "GET", 200, "OK", gzipped, packed(t, "\x00\x01"), -1, []string{"<-- 200 OK " + url + " (Tms)", "Content-Type: text/plain", "Content-Encoding: gzip", "", "<-- END HTTP (Tms, binary 2-byte body omitted)"}},
		{"gzip, damaged", oklog.Body, "GET", 200, "OK", gzipped, string(gz[:20]), -1, []string{"<-- 200 OK " + url + " (Tms)", "Content-Type: text/plain", "Content-Encoding: gzip", "", "<-- END HTTP (Tms, 20-gzipped-byte body omitted: okio: *)"}},
		{"gzip, empty", oklog.Body, "GET", 200, "OK", gzipped, "", 0, []string{"<-- 200 OK " + url + " (Tms)", "Content-Type: text/plain", "Content-Encoding: gzip", "<-- END HTTP (Tms, 0-byte, 0-gzipped-byte body)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := source(tt.body)
			if tt.method == "HEAD" {
				src = nil
			}
			r, got, err := logged(t, oklog.Config{Level: tt.level}, newRequest(t, tt.method, url), answer(tt.status, tt.message, tt.headers, src, tt.length))
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.body {
				t.Errorf("the program read %q, want %q", got, tt.body)
			}
			switch tt.level {
			case oklog.None:
			case oklog.Basic:
				tt.want = append([]string{"--> " + tt.method + " " + url}, tt.want...)
			default:
				tt.want = append([]string{"--> " + tt.method + " " + url, "--> END " + tt.method}, tt.want...)
			}
			for i, line := range tt.want {
				if before, ok := strings.CutSuffix(line, "*)"); ok && i < len(r.lines) && strings.HasPrefix(r.lines[i], before) {
					tt.want[i] = r.lines[i]
				}
			}
			r.want(t, tt.want...)
		})
	}
}

// endless counts what is read of it.
type endless struct {
	text string
	read int64
}

func (e *endless) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	n := min(most, int64(len(e.text)))
	_, _ = dst.WriteString(e.text[:n])
	e.read += n
	return n, nil
}

func (e *endless) Close() error { return nil }

// Of a body beyond the limit that much is read ahead, and the program reads all of it.
func TestResponseBeyondTheLimit(t *testing.T) {
	const url = "http://example.com/"
	long := strings.Repeat("0123456789", 100)
	for _, tt := range []struct {
		name, body string
		headers    []string
		length     int64
		end        []string
	}{
		{"known", long, nil, 1000, []string{"", long[:100], "<-- END HTTP (Tms, 1000-byte body, first 100 bytes shown)"}},
		{"unknown", long, nil, -1, []string{"", long[:100], "<-- END HTTP (Tms, unknown-length body, first 100 bytes shown)"}},
		{"in the middle of a character", strings.Repeat("x", 98) + "€€", nil, -1, []string{"", strings.Repeat("x", 98), "<-- END HTTP (Tms, unknown-length body, first 100 bytes shown)"}},
		{"binary, known", "\x00" + long, nil, 1001, []string{"", "<-- END HTTP (Tms, binary 1001-byte body omitted)"}},
		{"binary, unknown", "\x00" + long, nil, -1, []string{"", "<-- END HTTP (Tms, binary unknown-length body omitted)"}},
		{"unpacked", packed(t, long), []string{"Content-Encoding", "gzip"}, -1, []string{"", long[:100], fmt.Sprintf("<-- END HTTP (Tms, 1000-byte, %d-gzipped-byte body, first 100 bytes shown)", len(packed(t, long)))}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, got, err := logged(t, oklog.Config{Level: oklog.Body, MaxBody: 100}, newRequest(t, "GET", url), answer(200, "OK", tt.headers, source(tt.body), tt.length))
			if err != nil || got != tt.body {
				t.Errorf("the program read %q, %v", got, err)
			}
			want := []string{"--> GET " + url, "--> END GET", "<-- 200 OK " + url + " (Tms)"}
			if tt.headers != nil {
				want = append(want, "Content-Encoding: gzip")
			}
			r.want(t, append(want, tt.end...)...)
		})
	}
}

func TestReadsAheadNoMoreThanTheLimit(t *testing.T) {
	for name, tt := range map[string]struct {
		e       *endless
		length  int64
		headers []string
		most    int64
	}{
		"text":          {&endless{text: strings.Repeat("x", 1000)}, -1, nil, 16 << 10},
		"binary":        {&endless{text: strings.Repeat("\x00", 1000)}, -1, nil, 16 << 10},
		"binary, known": {&endless{text: strings.Repeat("\x00", 1000)}, 1 << 40, nil, 8 << 10},
		"bomb":          {&endless{text: packed(t, strings.Repeat("x", 1<<20))}, -1, []string{"Content-Encoding", "gzip"}, 16 << 10},
		"event stream":  {&endless{text: "data: x\n\n"}, -1, []string{"Content-Type", "text/event-stream; charset=utf-8"}, 0},
	} {
		r := new(recorder)
		l := oklog.New(r.print, &oklog.Config{Level: oklog.Body, MaxBody: 1000})
		c := newClient(t, okhttp.WithInterceptor(l, answer(200, "OK", tt.headers, tt.e, tt.length)))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		resp, err := c.Do(context.Background(), newRequest(t, "GET", "http://example.com/"))
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if tt.e.read > tt.most {
			t.Errorf("%s: %d bytes were read ahead, want %d at the most", name, tt.e.read, tt.most)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
			t.Errorf("%s: %d bytes were allocated", name, grown)
		}
		_ = resp.Body.Close()
	}
}

// Fact 102: of an event stream nothing is read.
func TestEventStream(t *testing.T) {
	e := &endless{text: "data: x\n\n"}
	r := new(recorder)
	l := oklog.New(r.print, &oklog.Config{Level: oklog.Body})
	c := newClient(t, okhttp.WithInterceptor(l, answer(200, "OK", []string{"Content-Type", "text/event-stream"}, e, -1)))
	resp, err := c.Do(context.Background(), newRequest(t, "GET", "http://example.com/"))
	if err != nil {
		t.Fatal(err)
	}
	r.want(t, "--> GET http://example.com/", "--> END GET", "<-- 200 OK http://example.com/ (Tms)", "Content-Type: text/event-stream", "<-- END HTTP (streaming)")
	if e.read != 0 {
		t.Errorf("%d bytes were read", e.read)
	}
	p := make([]byte, 9)
	if _, err := io.ReadFull(resp.Body, p); err != nil || string(p) != e.text {
		t.Errorf("read %q, %v", p, err)
	}
	_ = resp.Body.Close()
}

// broken fails after its text.
type broken struct {
	text string
	err  error
}

func (b *broken) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if b.text == "" {
		return 0, b.err
	}
	n := min(most, int64(len(b.text)))
	_, _ = dst.WriteString(b.text[:n])
	b.text = b.text[n:]
	return n, nil
}

func (b *broken) Close() error { return nil }

// A body that fails is printed so far, and fails for the program at the same place.
func TestResponseFails(t *testing.T) {
	boom := errors.New("boom")
	r, got, err := logged(t, oklog.Config{Level: oklog.Body}, newRequest(t, "GET", "http://example.com/"), answer(200, "OK", nil, &broken{"half", boom}, 8))
	if got != "half" || !errors.Is(err, boom) {
		t.Errorf("the program read %q, %v", got, err)
	}
	r.want(t, "--> GET http://example.com/", "--> END GET", "<-- 200 OK http://example.com/ (Tms)", "", "half", "<-- END HTTP (Tms, body failed after 4 bytes: boom)")
}

func TestUnreadable(t *testing.T) {
	stub := okhttp.InterceptorFunc(func(_ context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		return okhttp.NewResponse(chain.Request(), 200, okhttp.WithoutBody()), nil
	})
	r, _, err := logged(t, oklog.Config{Level: oklog.Body}, newRequest(t, "GET", "http://example.com/"), stub)
	if !errors.Is(err, okhttp.ErrUnreadableBody) {
		t.Errorf("the program got %v", err)
	}
	r.want(t, "--> GET http://example.com/", "--> END GET", "<-- 200 http://example.com/ (Tms)", "<-- END HTTP (unreadable body)")
}

func TestTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := okhttp.InterceptorFunc(func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
			time.Sleep(42 * time.Millisecond)
			return okhttp.NewResponse(chain.Request(), 200, okhttp.ResponseBodyFrom("", -1, okio.FromReader(&pause{strings.NewReader("x")}))), nil
		})
		var lines []string
		l := oklog.New(func(line string) { lines = append(lines, line) }, &oklog.Config{Level: oklog.Body})
		c := okhttp.New(okhttp.WithInterceptor(l, slow))
		resp, err := c.Do(t.Context(), newRequest(t, "GET", "http://example.com/"))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		_ = c.Close()
		if got, want := strings.Join(lines[2:], "|"), "<-- 200 http://example.com/ (42ms)||x|<-- END HTTP (58ms, 1-byte body)"; got != want {
			t.Errorf("printed %s, want %s", got, want)
		}
	})
}

// pause takes 8 ms for each Read.
type pause struct{ io.Reader }

func (p *pause) Read(b []byte) (int, error) {
	time.Sleep(8 * time.Millisecond)
	return p.Reader.Read(b)
}

// On the wire there are the headers of HTTP, the protocol, and what is compressed.
func TestNetwork(t *testing.T) {
	gz := packed(t, "Hello, Hello, Hello")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, _ := io.ReadAll(r.Body)
		if string(p) != "Hi?" {
			t.Errorf("the server got %q", p)
		}
		w.Header()["Date"] = nil
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, gz)
	}))
	defer s.Close()
	wire, app := new(recorder), new(recorder)
	c := newClient(t,
		okhttp.WithInterceptor(oklog.New(app.print, &oklog.Config{Level: oklog.Body})),
		okhttp.WithNetworkInterceptor(oklog.New(wire.print, &oklog.Config{Level: oklog.Body})))
	resp, err := c.Post(context.Background(), s.URL, okhttp.Text("Hi?"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := resp.Body.Text(); text != "Hello, Hello, Hello" || err != nil {
		t.Errorf("the program read %q, %v", text, err)
	}
	app.want(t, "--> POST "+s.URL+"/", "Content-Type: text/plain; charset=utf-8", "Content-Length: 3", "", "Hi?", "--> END POST (3-byte body)",
		"<-- 200 OK "+s.URL+"/ (Tms)", "Content-Type: text/plain", "", "Hello, Hello, Hello", "<-- END HTTP (Tms, 19-byte body)")
	wire.want(t, "--> POST "+s.URL+"/ http/1.1", "Host: "+strings.TrimPrefix(s.URL, "http://"), "Content-Type: text/plain; charset=utf-8", "Content-Length: 3",
		"Connection: Keep-Alive", "Accept-Encoding: gzip", "User-Agent: okhttp-go/"+okhttp.Version, "", "Hi?", "--> END POST (3-byte body)",
		"<-- 200 OK "+s.URL+"/ (Tms)", "Content-Encoding: gzip", "Content-Type: text/plain", fmt.Sprintf("Content-Length: %d", len(gz)), "",
		"Hello, Hello, Hello", fmt.Sprintf("<-- END HTTP (Tms, 19-byte, %d-gzipped-byte body)", len(gz)))
}
