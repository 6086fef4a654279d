package oklog_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oklog"
)

func mustBody(t *testing.T, c okhttp.BodyConfig) *okhttp.Body {
	t.Helper()
	b, err := okhttp.NewBody(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestRequestLines has a row for each line of the specification's table.
func TestRequestLines(t *testing.T) {
	const url = "http://example.com/a?b=c"
	untouched := func(length int64) *okhttp.Body {
		return mustBody(t, okhttp.BodyConfig{Len: length, OneShot: length >= 0, Open: func(context.Context) (io.ReadCloser, error) {
			t.Error("the body was opened")
			return nil, io.EOF
		}})
	}
	duplex := func(length int64, oneShot bool) *okhttp.Body {
		return mustBody(t, okhttp.BodyConfig{Len: length, OneShot: oneShot, Duplex: true, Write: func(context.Context, io.Writer) error {
			t.Error("the body was written")
			return io.EOF
		}})
	}
	gzipHeader := okhttp.Header("Content-Encoding", "gzip")
	sized := okhttp.Bytes("text/plain", []byte(packed(t, "hello hello hello hello")))
	for _, tt := range []struct {
		name  string
		level oklog.Level
		req   *okhttp.Request
		want  []string // of the request
	}{
		{"none", oklog.None, newRequest(t, "GET", url), nil},
		{"basic", oklog.Basic, newRequest(t, "GET", url), []string{"--> GET " + url}},
		{"basic with a body", oklog.Basic, newRequest(t, "POST", url, okhttp.WithBody(okhttp.Text("Hi?"))), []string{"--> POST " + url + " (3-byte body)"}},
		{"basic with a body of unknown length", oklog.Basic, newRequest(t, "POST", url, okhttp.WithBody(untouched(-1))), []string{"--> POST " + url + " (-1-byte body)"}},
		{"headers", oklog.Headers, newRequest(t, "GET", url, okhttp.AddHeader("X-A", "1"), okhttp.AddHeader("x-a", "2")), []string{"--> GET " + url, "X-A: 1", "x-a: 2", "--> END GET"}},
		{"headers with a body", oklog.Headers, newRequest(t, "POST", url, okhttp.WithBody(okhttp.Text("Hi?"))), []string{
			"--> POST " + url, "Content-Type: text/plain; charset=utf-8", "Content-Length: 3", "--> END POST"}},
		{"headers of the request before those of the body", oklog.Headers, newRequest(t, "POST", url, okhttp.WithBody(okhttp.Text("Hi?")), okhttp.Header("content-type", "text/x"), okhttp.Header("content-length", "3")), []string{
			"--> POST " + url, "content-type: text/x", "content-length: 3", "--> END POST"}},
		{"body without type and length", oklog.Headers, newRequest(t, "POST", url, okhttp.WithBody(untouched(-1))), []string{"--> POST " + url, "--> END POST"}},
		{"body, none", oklog.Body, newRequest(t, "GET", url), []string{"--> GET " + url, "--> END GET"}},
		{"body", oklog.Body, newRequest(t, "POST", url, okhttp.WithBody(okhttp.Text("Hi?"))), []string{
			"--> POST " + url, "Content-Type: text/plain; charset=utf-8", "Content-Length: 3", "", "Hi?", "--> END POST (3-byte body)"}},
		{"identity", oklog.Body, newRequest(t, "POST", url, okhttp.WithBody(okhttp.Bytes("", []byte("Hi?"))), okhttp.Header("Content-Encoding", "identity")), []string{
			"--> POST " + url, "Content-Length: 3", "Content-Encoding: identity", "", "Hi?", "--> END POST (3-byte body)"}},
		{"encoded", oklog.Body, newRequest(t, "POST", url, okhttp.WithBody(untouched(-1)), okhttp.Header("Content-Encoding", "br")), []string{
			"--> POST " + url, "Content-Encoding: br", "--> END POST (encoded body omitted)"}},
		{"one-shot", oklog.Body, newRequest(t, "POST", url, okhttp.WithBody(untouched(3))), []string{
			"--> POST " + url, "Content-Length: 3", "--> END POST (one-shot body omitted)"}},
		{"duplex", oklog.Body, newRequest(t, "POST", url, okhttp.WithBody(duplex(-1, false))), []string{
			"--> POST " + url, "--> END POST (duplex request body omitted)"}},
		{"duplex, of known length and one-shot", oklog.Body, newRequest(t, "POST", url, okhttp.WithBody(duplex(3, true))), []string{
			"--> POST " + url, "Content-Length: 3", "--> END POST (duplex request body omitted)"}},
		{"duplex that is gzip", oklog.Body, newRequest(t, "POST", url, okhttp.WithBody(duplex(-1, false)), gzipHeader), []string{
			"--> POST " + url, "Content-Encoding: gzip", "--> END POST (duplex request body omitted)"}},
		{"duplex, encoded", oklog.Body, newRequest(t, "POST", url, okhttp.WithBody(duplex(-1, false)), okhttp.Header("Content-Encoding", "br")), []string{
			"--> POST " + url, "Content-Encoding: br", "--> END POST (encoded body omitted)"}},
		{"unknown length", oklog.Body, newRequest(t, "POST", url, okhttp.WithBody(okhttp.Streamed("text/plain", func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, "Hi?")
			return err
		}))), []string{"--> POST " + url, "Content-Type: text/plain", "", "Hi?", "--> END POST (3-byte body)"}},
		{"binary", oklog.Body, newRequest(t, "POST", url, okhttp.WithBody(okhttp.Bytes("image/png", []byte("\x89PNG\r\n\x1a\n")))), []string{
			"--> POST " + url, "Content-Type: image/png", "Content-Length: 8", "", "--> END POST (binary 8-byte body omitted)"}},
		{"gzip", oklog.Body, newRequest(t, "POST", url, okhttp.WithBody(sized), gzipHeader), []string{
			"--> POST " + url, "Content-Type: text/plain", fmt.Sprintf("Content-Length: %d", sized.Len()), "Content-Encoding: gzip", "",
			fmt.Sprintf("--> END POST (23-byte, %d-gzipped-byte body)", sized.Len())}},
		{"gzip on the fly", oklog.Body, newRequest(t, "POST", url, okhttp.WithBody(okhttp.Gzipped(okhttp.Bytes("", make([]byte, 1000)))), gzipHeader), []string{
			"--> POST " + url, "Content-Encoding: gzip", "", "--> END POST (binary 1000-byte body omitted)"}},
		{"not gzip at all", oklog.Body, newRequest(t, "POST", url, okhttp.WithBody(okhttp.Bytes("", []byte("plain text, in fact"))), gzipHeader), []string{
			"--> POST " + url, "Content-Length: 19", "Content-Encoding: gzip", "", "--> END POST (19-byte body omitted: okio: *)"}},
		{"empty", oklog.Body, newRequest(t, "POST", url, okhttp.WithBody(okhttp.Bytes("", nil))), []string{
			"--> POST " + url, "Content-Length: 0", "", "", "--> END POST (0-byte body)"}},
		{"cannot be opened", oklog.Body, newRequest(t, "POST", url, okhttp.WithBody(mustBody(t, okhttp.BodyConfig{Len: 1, Open: func(context.Context) (io.ReadCloser, error) { return nil, errors.New("gone") }}))), []string{
			"--> POST " + url, "Content-Length: 1", "--> END POST (body failed: gone)"}},
		{"fails", oklog.Body, newRequest(t, "POST", url, okhttp.WithBody(mustBody(t, okhttp.BodyConfig{Len: 9, Write: func(_ context.Context, w io.Writer) error {
			_, _ = io.WriteString(w, "half")
			return errors.New("gone")
		}}))), []string{"--> POST " + url, "Content-Length: 9", "--> END POST (body failed after 4 bytes: gone)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _, err := logged(t, oklog.Config{Level: tt.level}, tt.req, answer(204, "", nil, nil, 0))
			if err != nil {
				t.Fatal(err)
			}
			switch tt.level {
			case oklog.None:
			case oklog.Basic:
				tt.want = append(tt.want, "<-- 204 "+url+" (Tms, 0-byte body)")
			default:
				tt.want = append(tt.want, "<-- 204 "+url+" (Tms)", "<-- END HTTP")
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

func TestRequestBeyondTheLimit(t *testing.T) {
	long := strings.Repeat("0123456789", 10)
	req := newRequest(t, "POST", "http://example.com/", okhttp.WithBody(okhttp.Bytes("", []byte(long))))
	r, _, err := logged(t, oklog.Config{Level: oklog.Body, MaxBody: 12}, req, answer(204, "", nil, nil, 0))
	if err != nil {
		t.Fatal(err)
	}
	r.want(t, "--> POST http://example.com/", "Content-Length: 100", "", "012345678901", "--> END POST (100-byte body, first 12 bytes shown)",
		"<-- 204 http://example.com/ (Tms)", "<-- END HTTP")

	// What goes on and on is not read to its end.
	lines := 0
	body := okhttp.Streamed("text/plain", func(_ context.Context, w io.Writer) error {
		for ; ; lines++ {
			if _, err := io.WriteString(w, "line\n"); err != nil {
				return err
			}
		}
	})
	req = newRequest(t, "POST", "http://example.com/", okhttp.WithBody(body))
	r, _, err = logged(t, oklog.Config{Level: oklog.Body, MaxBody: 10}, req, answer(204, "", nil, nil, 0))
	if err != nil {
		t.Fatal(err)
	}
	r.want(t, "--> POST http://example.com/", "Content-Type: text/plain", "", "line\nline\n", "--> END POST (unknown-length body, first 10 bytes shown)",
		"<-- 204 http://example.com/ (Tms)", "<-- END HTTP")

	// What is compressed without an end is not read to it.
	written := 0
	body = mustBody(t, okhttp.BodyConfig{Len: -1, Write: func(_ context.Context, w io.Writer) error {
		p := []byte(packed(t, long))
		for {
			n, err := w.Write(p)
			if written += n; err != nil {
				return err
			}
		}
	}})
	req = newRequest(t, "POST", "http://example.com/", okhttp.WithBody(body), okhttp.Header("Content-Encoding", "gzip"))
	r, _, err = logged(t, oklog.Config{Level: oklog.Body, MaxBody: 64}, req, answer(204, "", nil, nil, 0))
	if err != nil {
		t.Fatal(err)
	}
	r.want(t, "--> POST http://example.com/", "Content-Encoding: gzip", "", "--> END POST (unknown-length, over-64-gzipped-byte body)",
		"<-- 204 http://example.com/ (Tms)", "<-- END HTTP")
}

func TestFailure(t *testing.T) {
	r, _, err := logged(t, oklog.Config{Level: oklog.Basic, RedactQuery: []string{"key"}}, newRequest(t, "GET", "http://example.com/?key=s3cret"),
		okhttp.InterceptorFunc(func(context.Context, okhttp.Chain) (*okhttp.Response, error) { return nil, errors.New("reason") }))
	if err == nil {
		t.Fatal("the failure was swallowed")
	}
	r.want(t, "--> GET http://example.com/?key=%E2%96%88%E2%96%88", "<-- HTTP FAILED: reason. http://example.com/?key=%E2%96%88%E2%96%88 (Tms)")
}
