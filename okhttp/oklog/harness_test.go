package oklog_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oklog"
	"github.com/okhttp-go/ok/okio"
)

// recorder keeps lines, with T for times.
type recorder struct {
	mu    sync.Mutex
	lines []string
}

var millis = regexp.MustCompile(`\(\d+ms`)

func (r *recorder) print(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, millis.ReplaceAllString(line, "(Tms"))
}

// want compares the lines so far, and forgets them.
func (r *recorder) want(t *testing.T, want ...string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if got := strings.Join(r.lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("printed\n%s\n\nwant\n%s", got, strings.Join(want, "\n"))
	}
	r.lines = nil
}

// answer is an interceptor that answers every request in the place of a server.
func answer(status int, message string, headers []string, body okio.Source, length int64) okhttp.Interceptor {
	return okhttp.InterceptorFunc(func(_ context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
		h, err := okhttp.NewHeaders(headers...)
		if err != nil {
			return nil, err
		}
		opts := []okhttp.ResponseOption{okhttp.ResponseStatus(status, message), okhttp.ResponseHeaders(h)}
		if body != nil {
			opts = append(opts, okhttp.ResponseBodyFrom(h.Get("Content-Type"), length, body))
		}
		return okhttp.NewResponse(chain.Request(), status, opts...), nil
	})
}

func newClient(t *testing.T, opts ...okhttp.Option) *okhttp.Client {
	t.Helper()
	c := okhttp.New(opts...)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func newRequest(t *testing.T, method, url string, opts ...okhttp.RequestOption) *okhttp.Request {
	t.Helper()
	r, err := okhttp.NewRequest(method, url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// logged sends a request past a log, to an answer, and returns the body as the program reads it.
func logged(t *testing.T, c oklog.Config, req *okhttp.Request, to okhttp.Interceptor) (*recorder, string, error) {
	t.Helper()
	r := new(recorder)
	resp, err := newClient(t, okhttp.WithInterceptor(oklog.New(r.print, &c), to)).Do(context.Background(), req)
	if err != nil {
		return r, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	p, err := io.ReadAll(resp.Body)
	return r, string(p), err
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func source(s string) okio.Source { return okio.FromReader(strings.NewReader(s)) }
