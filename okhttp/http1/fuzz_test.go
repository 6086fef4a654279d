package http1

import (
	"io"
	"slices"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// drip delivers what it has one byte a read, so that every boundary falls everywhere.
type drip struct{ okio.Buffer }

func (d *drip) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	return d.Buffer.ReadBuffer(dst, min(most, 1))
}

func (d *drip) Read(p []byte) (int, error) { return d.Buffer.Read(p[:min(len(p), 1)]) }

type outcome struct {
	status   int
	fields   []string
	body     string
	trailers []string
	failed   bool
	reusable bool
}

func responseOf(src okio.Source, method string) (o outcome) {
	c := NewClientConn(src, okio.Discard(), Limits{MaxHead: 4096})
	if c.WriteHead(method, "/", nil) != nil || c.FinishRequest() != nil {
		panic("request")
	}
	h, body, err := readAll(c)
	o = outcome{status: h.Status, fields: h.Fields, body: body, failed: err != nil, reusable: c.Reusable()}
	if err == nil {
		o.trailers, _ = c.response.Trailers()
	}
	return o
}

// The meaning of a response does not depend on how its bytes arrive, and a failed one never leaves a reusable connection.
func FuzzResponse(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nA: b\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 404 Not Found\r\nConnection: keep-alive, x\r\n\r\nx",
		"HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 1, 1\r\n\r\nx",
		"ICY 200 OK\n\nx",
		"HTTP/1.1 101 S\r\nUpgrade: x\r\n\r\nrest",
	} {
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, in []byte, head bool) {
		method := "GET"
		if head {
			method = "HEAD"
		}
		whole, dripped := new(okio.Buffer), new(drip)
		whole.Write(in)
		dripped.Write(in)
		a, b := responseOf(whole, method), responseOf(dripped, method)
		if a.failed && a.reusable {
			t.Error("reusable after a failure")
		}
		// What a connection has buffered depends on how it came, and so does knowing that something is left over.
		a.reusable, b.reusable = false, false
		if a.status != b.status || a.body != b.body || a.failed != b.failed || !slices.Equal(a.fields, b.fields) || !slices.Equal(a.trailers, b.trailers) {
			t.Errorf("at once %+v, byte by byte %+v", a, b)
		}
	})
}

// A request that the server role accepts is written by the client role so that it reads the same again.
func FuzzRequest(f *testing.F) {
	for _, s := range []string{
		"GET / HTTP/1.1\r\nHost: h\r\n\r\n",
		"POST /p?q HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi",
		"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
		"OPTIONS * HTTP/1.0\r\n\r\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		src := new(okio.Buffer)
		src.Write(in)
		s := NewServerConn(src, okio.Discard(), Limits{MaxHead: 4096})
		h, err := s.ReadRequest()
		if err != nil {
			return
		}
		again := new(okio.Buffer)
		c := NewClientConn(new(okio.Buffer), again, Limits{})
		if err := c.WriteHead(h.Method, h.Target, h.Fields); err != nil {
			t.Fatalf("accepted %+v but does not write it: %v", h, err)
		}
		if err := c.Flush(); err != nil {
			t.Fatal(err)
		}
		h2, err := NewServerConn(again, okio.Discard(), Limits{}).ReadRequest()
		if err != nil || h2.Method != h.Method || h2.Target != h.Target || !slices.Equal(h2.Fields, h.Fields) {
			if h.Minor == 1 || err == nil {
				t.Errorf("read %+v, written and read again %+v, %v", h, h2, err)
			}
		}
		b, err := s.Body()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, b); err != nil && s.Reusable() {
			t.Error("reusable after a broken body")
		}
	})
}
