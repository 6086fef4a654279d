package okbrotli_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-brotli"
	"github.com/okhttp-go/ok/okio"
)

const hello = "Hello, hello, hello!"

// packed is a text as a stream of brotli.
func packed(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := brotli.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// zeros returns a stream in parts: how it begins, and a part that decodes to size zeros and can be repeated. Its window is of 16 MiB.
func zeros(t testing.TB, size int) (head, again string) {
	t.Helper()
	var b bytes.Buffer
	w := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: 5, LGWin: 24})
	part := func(n int) string {
		if _, err := w.Write(make([]byte, n)); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		s := b.String()
		b.Reset()
		return s
	}
	head = part(1 << 16)
	part(size)
	return head, part(size) // which refers to what both are preceded by
}

// decode runs the coding without HTTP around it.
func decode(src okio.Source) (string, error) {
	out, err := okbrotli.Brotli().Decoder(src)
	if err != nil {
		return "", err
	}
	defer func() { _ = out.Close() }()
	p, err := io.ReadAll(okio.NewBufferedSource(out))
	return string(p), err
}

// exchange is a client in front of a server.
type exchange struct {
	t      *testing.T
	url    string
	client *okhttp.Client
	asked  string // the Accept-Encoding of the last request
}

func newExchange(t *testing.T, i okhttp.Interceptor, handle http.HandlerFunc) *exchange {
	t.Helper()
	e := &exchange{t: t}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.asked = strings.Join(r.Header.Values("Accept-Encoding"), "|")
		handle(w, r)
	}))
	t.Cleanup(server.Close)
	e.client = okhttp.New(okhttp.WithInterceptor(i))
	t.Cleanup(func() { _ = e.client.Close() })
	e.url = server.URL
	return e
}

// do sends a request and closes the response at the end of the test.
func (e *exchange) do(method string) *okhttp.Response {
	e.t.Helper()
	req, err := okhttp.NewRequest(method, e.url)
	if err != nil {
		e.t.Fatal(err)
	}
	resp, err := e.client.Do(context.Background(), req)
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// send answers with a body and the coding br.
func send(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		_, _ = io.WriteString(w, body)
	}
}
