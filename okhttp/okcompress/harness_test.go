package okcompress_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okcompress"
)

// packers are the encoders of the codings, by names that tests use; "raw" is deflate without the zlib format.
var packers = map[string]func(io.Writer) (io.WriteCloser, error){
	"gzip":    func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
	"deflate": func(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriter(w), nil },
	"raw":     func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.DefaultCompression) },
	"zstd":    func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) },
}

// packed applies codings in their order.
func packed(t testing.TB, text string, codings ...string) string {
	t.Helper()
	for _, c := range codings {
		var b bytes.Buffer
		w, err := packers[c](&b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		text = b.String()
	}
	return text
}

// all knows every built-in coding.
func all(c *okcompress.Config) *okcompress.Interceptor {
	return okcompress.New(c, okcompress.Zstd(), okcompress.Gzip(), okcompress.Deflate())
}

// exchange is a client in front of a server.
type exchange struct {
	t      *testing.T
	url    string
	client *okhttp.Client
	asked  []string // the Accept-Encoding of the last request
}

func newExchange(t *testing.T, i okhttp.Interceptor, handle http.HandlerFunc) *exchange {
	t.Helper()
	e := &exchange{t: t}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.asked = r.Header.Values("Accept-Encoding")
		handle(w, r)
	}))
	t.Cleanup(server.Close)
	e.client = okhttp.New(okhttp.WithInterceptor(i))
	t.Cleanup(func() { _ = e.client.Close() })
	e.url = server.URL
	return e
}

// do sends a request and closes the response at the end of the test.
func (e *exchange) do(method string, opts ...okhttp.RequestOption) *okhttp.Response {
	e.t.Helper()
	req, err := okhttp.NewRequest(method, e.url, opts...)
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

// send answers with a body in codings that a header names.
func send(body string, codings ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, c := range codings {
			w.Header().Add("Content-Encoding", c)
		}
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, body)
	}
}

// text reads a body to its end.
func text(t *testing.T, resp *okhttp.Response) string {
	t.Helper()
	s, err := resp.Body.Text()
	if err != nil {
		t.Fatal(err)
	}
	return s
}
