package okhar_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okhar"
)

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, text)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstdPacked(t *testing.T, text string) string {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(z.EncodeAll([]byte(text), nil))
}

func TestResponseBodies(t *testing.T) {
	long := strings.Repeat("0123456789", 100)
	for _, tt := range []struct {
		name, contentType, coding, body string
		max                             int64
		text, encoding, comment         string
		size                            int
	}{
		{"text", "text/plain", "", "hello", 0, "hello", "", "", 5},
		{"UTF-8 without a type", "application/octet-stream", "", "Grüße", 0, "Grüße", "", "", 7},
		{"binary", "image/png", "", "\x89PNG\x00", 0, "iVBORwA=", "base64", "", 5},
		{"Latin 1", "text/plain; charset=iso-8859-1", "", "Gr\xfc\xdfe", 0, "Grüße", "", "", 5},
		{"an unknown charset", "text/plain; charset=klingon", "", "abc", 0, "abc", "", "", 3},
		{"bytes of an unknown charset", "text/plain; charset=klingon", "", "\xfc\xfe", 0, "/P4=", "base64", "", 2},
		{"HTML stays as it is", "text/html", "", "<p>&amp;\u2028", 0, "<p>&amp;\u2028", "", "", 11},
		{"cut at the limit", "text/plain", "", long, 10, "0123456789", "", "the first 10 bytes", 1000},
		{"cut in a character", "text/plain", "", "Grüße", 3, "Gr", "", "the first 3 bytes", 7},
		{"as long as the limit", "text/plain", "", "0123456789", 10, "0123456789", "", "", 10},
		{"no bodies", "text/plain", "", "hello", -1, "", "", "", 5},
		{"gzip", "text/plain", "gzip", gzipped(t, "hello"), 0, "hello", "", "", 5},
		{"zstd", "text/plain", "zstd", zstdPacked(t, long), 0, long, "", "", 1000},
		{"two codings", "text/plain", "zstd, gzip", gzipped(t, zstdPacked(t, "hello")), 0, "hello", "", "", 5},
		{"decodes beyond the limit", "text/plain", "gzip", gzipped(t, long), 50, long[:50], "", "the first 50 bytes", -1},
		{"a coding that is not known", "text/plain", "br", "\xff\xfe", 0, "//4=", "base64", "still in the content coding br", -1},
		{"damaged at once", "text/plain", "gzip", "\xff\xfe", 0, "//4=", "base64", "not decoded: ", -1},
		{"damaged later", "text/plain", "gzip", gzipped(t, "hello")[:15+5], 0, "hello", "", "damaged after this: ", -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := only(t, recorded(t, &okhar.Config{MaxBody: tt.max}, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.contentType)
				if tt.coding != "" {
					w.Header().Set("Content-Encoding", tt.coding)
				}
				_, _ = io.WriteString(w, tt.body)
			}, func(c *okhttp.Client, url string) {
				req, err := okhttp.NewRequest("GET", url, okhttp.Header("Accept-Encoding", "zstd, gzip, br")) // so that the client does not decode
				if err != nil {
					t.Fatal(err)
				}
				resp, err := c.Do(context.Background(), req)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := resp.Body.Bytes(); string(got) != tt.body || err != nil {
					t.Errorf("the program got %q, %v", got, err)
				}
			}))
			c := e.Response.Content
			if c.Text != tt.text || c.Encoding != tt.encoding || c.Size != tt.size || !strings.HasPrefix(c.Comment, tt.comment) || (c.Comment == "") != (tt.comment == "") {
				t.Errorf("%+v", c)
			}
			if e.Response.BodySize != len(tt.body) {
				t.Errorf("%d bytes came, not %d", e.Response.BodySize, len(tt.body))
			}
			if want := tt.size - len(tt.body); tt.coding != "" && tt.size >= 0 && c.Compression != want {
				t.Errorf("compression %d, want %d", c.Compression, want)
			}
		})
	}
}

// The last byte ends the call before it is with the program, and is in the archive nevertheless.
func TestReadWithoutClose(t *testing.T) {
	e := only(t, recorded(t, nil, say("hello"), func(c *okhttp.Client, url string) {
		resp, err := c.Get(context.Background(), url)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, 5)); err != nil {
			t.Fatal(err)
		}
	}))
	if c := e.Response.Content; c.Text != "hello" || c.Comment != "" || c.Size != 5 {
		t.Errorf("%+v", c)
	}
}

func TestCloseWithoutReading(t *testing.T) {
	e := only(t, recorded(t, nil, say("hello"), func(c *okhttp.Client, url string) {
		resp, err := c.Get(context.Background(), url)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}))
	if c := e.Response.Content; c.Text != "" || c.Comment != "not read" || c.Size != 5 {
		t.Errorf("%+v", c)
	}
}

func TestCanceledBody(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	e := only(t, recorded(t, nil, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "hel")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}, func(c *okhttp.Client, url string) {
		resp, err := c.Get(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, 3)); err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := resp.Body.Bytes(); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}))
	if c := e.Response.Content; c.Text != "hel" || c.Comment != "not read to its end" || c.Size != -1 || e.Response.BodySize != -1 || e.Error == "" {
		t.Errorf("%+v, %s", c, e.Error)
	}
}

func TestRequestBodies(t *testing.T) {
	gz := gzipped(t, "hello")
	for _, tt := range []struct {
		name                    string
		body                    *okhttp.Body
		coding                  string
		max                     int64
		text, encoding, comment string
		params                  int
		size                    int
	}{
		{"text", okhttp.Text("hello"), "", 0, "hello", "", "", 0, 5},
		{"empty", okhttp.Text(""), "", 0, "", "", "", 0, 0},
		{"binary", okhttp.Bytes("image/png", []byte("\x89PNG\x00")), "", 0, "iVBORwA=", "base64", "", 0, 5},
		{"cut at the limit", okhttp.Text("hello"), "", 3, "hel", "", "the first 3 bytes", 0, 5},
		{"no bodies", okhttp.Text("hello"), "", -1, "", "", "", 0, 5},
		{"form", okhttp.Form("a", "1", "b", "2 3"), "", 0, "", "", "", 2, 9},
		{"gzip", okhttp.Bytes("text/plain", []byte(gz)), "gzip", 0, "hello", "", "", 0, len(gz)},
		{"one-shot", okhttp.OneShot("text/plain", 5, strings.NewReader("hello")), "", 0, "", "", "a body that can be sent only once is not recorded", 0, 5},
		{"unknown length", okhttp.Streamed("text/plain", func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, "hello")
			return err
		}), "", 0, "", "", "a body of unknown length is not recorded", 0, 5},
		{"unknown length, but gzip", okhttp.Gzipped(okhttp.Text("hello")), "gzip", 0, "hello", "", "", 0, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var opts []okhttp.RequestOption
			if tt.coding != "" {
				opts = append(opts, okhttp.Header("Content-Encoding", tt.coding))
			}
			var received int
			e := only(t, recorded(t, &okhar.Config{MaxBody: tt.max}, func(_ http.ResponseWriter, r *http.Request) {
				p, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				received = len(p)
			}, post(t, tt.body, opts...)))
			p := e.Request.PostData
			if p == nil || p.Text != tt.text || p.Encoding != tt.encoding || p.Comment != tt.comment || len(p.Params) != tt.params || p.MimeType != tt.body.ContentType() {
				t.Errorf("%+v", p)
			}
			if tt.size >= 0 && received != tt.size || e.Request.BodySize != received {
				t.Errorf("%d bytes sent, %d received, want %d", e.Request.BodySize, received, tt.size)
			}
		})
	}
}

// A body that may wait for the response is not opened for the record, whatever its length.
func TestDuplexBody(t *testing.T) {
	body, err := okhttp.NewBody(okhttp.BodyConfig{ContentType: "text/plain", Len: 5, Duplex: true, Write: func(context.Context, io.Writer) error {
		t.Error("the body was written")
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	e := only(t, recorded(t, nil, func(http.ResponseWriter, *http.Request) {}, func(client *okhttp.Client, url string) {
		if resp, err := client.Post(t.Context(), url, body); err == nil { // HTTP/1.1 has no such bodies
			_ = resp.Body.Close()
			t.Error("it was sent")
		}
	}))
	if p := e.Request.PostData; p == nil || p.Text != "" || p.Comment != "a body that may wait for the response is not recorded" {
		t.Errorf("%+v", p)
	}
}
