//go:build unix

package interop

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	okcurl "github.com/okhttp-go/ok/okcurl/cli"
	"github.com/okhttp-go/ok/okhttp"
)

// answer is a response, read whole.
type answer struct {
	status  int
	headers http.Header
	body    string
}

// want compares what every case has: the status, and the body unless it is "*".
func (a answer) want(t *testing.T, status int, body string) {
	t.Helper()
	if a.status != status || body != "*" && a.body != body {
		t.Errorf("%d %s, want %d %s", a.status, abridged(a.body), status, abridged(body))
	}
}

func (a answer) wantHeader(t *testing.T, name, value string) {
	t.Helper()
	if got := a.headers.Get(name); got != value {
		t.Errorf("%s: %q, want %q", name, got, value)
	}
}

// on is the connection that nginx saw and the number of the request there.
func (a answer) on() string { return a.headers.Get("X-Connection") + "/" + a.headers.Get("X-Requests") }

func abridged(text string) string {
	if len(text) > 200 {
		return fmt.Sprintf("%q… (%d bytes)", text[:200], len(text))
	}
	return fmt.Sprintf("%q", text)
}

// fetch makes one call. A nil body is none; headers are alternating names and values.
type fetch func(t *testing.T, method, url string, body []byte, headers ...string) answer

// eachClient runs a test with the client's own API and with net/http's Client over its RoundTripper.
func eachClient(t *testing.T, test func(t *testing.T, do fetch), opts ...okhttp.Option) {
	t.Run("own API", func(t *testing.T) { test(t, ownAPI(newClient(t, opts...))) })
	t.Run("net/http", func(t *testing.T) { test(t, netHTTP(newClient(t, opts...).HTTPClient())) })
}

func newClient(t *testing.T, opts ...okhttp.Option) *okhttp.Client {
	t.Helper()
	client := okhttp.New(opts...)
	t.Cleanup(func() { client.Close() })
	return client
}

func ownAPI(client *okhttp.Client) fetch {
	return func(t *testing.T, method, url string, body []byte, headers ...string) answer {
		t.Helper()
		h, err := okhttp.NewHeaders(headers...)
		if err != nil {
			t.Fatal(err)
		}
		opts := []okhttp.RequestOption{okhttp.WithHeaders(h)}
		if body != nil {
			opts = append(opts, okhttp.WithBody(okhttp.Bytes("", body)))
		}
		req, err := okhttp.NewRequest(method, url, opts...)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(t.Context(), req)
		if err != nil {
			t.Fatalf("%s %s: %v", method, url, err)
		}
		text, err := resp.Body.Bytes()
		if err != nil {
			t.Fatalf("%s %s: body: %v", method, url, err)
		}
		return answer{resp.Status, resp.Headers().HTTP(), string(text)}
	}
}

func netHTTP(client *http.Client) fetch {
	return func(t *testing.T, method, url string, body []byte, headers ...string) answer {
		t.Helper()
		var r io.Reader
		if body != nil {
			r = bytes.NewReader(body)
		}
		req, err := http.NewRequestWithContext(t.Context(), method, url, r)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(headers); i += 2 {
			req.Header.Add(headers[i], headers[i+1])
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatalf("%s %s: %v", method, url, err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatalf("%s %s: body: %v", method, url, err)
		}
		return answer{resp.StatusCode, resp.Header, string(text)}
	}
}

// output is what a command printed, and its exit code.
type output struct {
	code     int
	out, err string
}

// curl runs okcurl in this process.
func curl(args ...string) output {
	var out, err bytes.Buffer
	code := okcurl.Main(args, strings.NewReader(""), &out, &err)
	return output{code, out.String(), err.String()}
}

func (o output) want(t *testing.T, code int, out string) {
	t.Helper()
	if o.code != code || o.out != out {
		t.Errorf("exit %d, %s, %q\nwant %d, %s", o.code, abridged(o.out), o.err, code, abridged(out))
	}
}
