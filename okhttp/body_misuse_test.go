package okhttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

func TestBodiesThatCannotBe(t *testing.T) {
	open, writer := openText(""), func(context.Context, io.Writer) error { return nil }
	for name, c := range map[string]struct {
		config BodyConfig
		want   string
	}{
		"neither":             {BodyConfig{}, "exactly one of Open and Write"},
		"both":                {BodyConfig{Open: open, Write: writer}, "exactly one of Open and Write"},
		"negative length":     {BodyConfig{Open: open, Len: -2}, "must be -1 or more"},
		"line end in type":    {BodyConfig{Open: open, ContentType: "a/b\r\nX: y"}, "Content-Type value"},
		"line feed in type":   {BodyConfig{Open: open, ContentType: "a/b\n"}, "Content-Type value"},
		"NUL in type":         {BodyConfig{Open: open, ContentType: "\x00"}, "Content-Type value"},
		"type that no one is": {BodyConfig{Write: writer, ContentType: "a\rb"}, "Content-Type value"},
	} {
		if b, err := NewBody(c.config); b != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v, want an error about %q", name, b, err, c.want)
		}
	}
	if b, err := JSON(make(chan int)); b != nil || err == nil {
		t.Errorf("JSON of a channel: %v, %v", b, err)
	}
	// The constructors take their types unchecked; the request does not.
	for _, b := range []*Body{Bytes("a\r\nb: c", nil), OneShot("a\nb", 0, strings.NewReader("")), Streamed("a\x00", writer), Gzipped(Bytes("a\r", nil)), File("nowhere", "\n")} {
		if _, err := NewRequest("POST", "http://server.test/", WithBody(b)); err == nil {
			t.Errorf("a request took a body of type %q", b.ContentType())
		}
	}
}

// Facts 23 and 24: what fails in the body itself is not repeated, no server sees a complete request, and later calls work.
func TestBodyFails(t *testing.T) {
	boom := errors.New("boom")
	closes := 0
	open := func(r io.Reader, closeErr error) func(context.Context) (io.ReadCloser, error) {
		return func(context.Context) (io.ReadCloser, error) {
			closes--
			return &closeFunc{r, func() error { closes++; return closeErr }}, nil
		}
	}
	for name, c := range map[string]struct {
		config BodyConfig
		is     error
	}{
		"Open":                   {BodyConfig{Open: func(context.Context) (io.ReadCloser, error) { return nil, boom }}, boom},
		"Open with Len":          {BodyConfig{Len: 5, Open: func(context.Context) (io.ReadCloser, error) { return nil, fs.ErrNotExist }}, fs.ErrNotExist},
		"Open returns nothing":   {BodyConfig{Open: func(context.Context) (io.ReadCloser, error) { return nil, nil }}, nil},
		"Read at once":           {BodyConfig{Len: -1, Open: open(iotest.ErrReader(boom), nil)}, boom},
		"Read after some":        {BodyConfig{Len: -1, Open: open(io.MultiReader(strings.NewReader("some"), iotest.ErrReader(boom)), nil)}, boom},
		"Read after much":        {BodyConfig{Len: 1 << 20, Open: open(io.MultiReader(bytes.NewReader(make([]byte, 1<<19)), iotest.ErrReader(boom)), nil)}, boom},
		"Read and Close":         {BodyConfig{Len: -1, Open: open(iotest.ErrReader(boom), errors.New("second"))}, boom},
		"Read ends unexpectedly": {BodyConfig{Len: -1, Open: open(iotest.ErrReader(io.ErrUnexpectedEOF), nil)}, io.ErrUnexpectedEOF},
		"Close":                  {BodyConfig{Len: 4, Open: open(strings.NewReader("some"), boom)}, boom},
		"Write at once":          {BodyConfig{Len: -1, Write: func(context.Context, io.Writer) error { return boom }}, boom},
		"Write after some":       {BodyConfig{Len: 9, Write: func(_ context.Context, w io.Writer) error { io.WriteString(w, "some"); return boom }}, boom},
		"Write returns EOF":      {BodyConfig{Len: -1, Write: func(context.Context, io.Writer) error { return io.EOF }}, io.EOF},
		"Write wraps a timeout":  {BodyConfig{Len: -1, Write: func(context.Context, io.Writer) error { return os.ErrDeadlineExceeded }}, os.ErrDeadlineExceeded},
	} {
		for _, wrap := range []string{"plain", "Progress", "Gzipped"} {
			t.Run(name+" "+wrap, func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					var server recorder
					w.serve("server.test", "10.0.0.1", server.answer(okText("a")), server.answer(okText("b")))
					w.resolve("server.test", "10.0.0.2") // another address, to which nothing must be sent
					body := mustBody(t, c.config)
					switch wrap {
					case "Progress":
						body = Progress(body, func(int64, int64) {})
					case "Gzipped":
						body = Gzipped(body)
					}
					_, err := w.do("PUT", "http://server.test/", body)
					var e *Error
					if !errors.As(err, &e) || c.is != nil && !errors.Is(err, c.is) {
						t.Fatalf("error %v", err)
					}
					if e.Phase != PhaseRequestBody || len(e.Attempts) != 0 {
						t.Errorf("error %+v", e)
					}
					if len(server.requests) != 0 {
						t.Errorf("the server got %q", server.requests)
					}
					if closes != 0 {
						t.Errorf("%d readers were left open", -closes)
					}
					w.wantEvents(newConnection80 + "requestHeadersStart requestHeadersEnd requestBodyStart requestFailed retryDecision false connectionReleased callFailed")
					if got := w.client.cfg.pool.Stats(); got != (PoolStats{}) {
						t.Errorf("pool %+v", got)
					}
					w.want("200 b")(w.get("http://server.test/"))
				})
			})
		}
	}
}

type closeFunc struct {
	io.Reader
	f func() error
}

func (c *closeFunc) Close() error { return c.f() }

// Fact 25: a body keeps to the length that it announced.
func TestBodyOfWrongLength(t *testing.T) {
	const many = 100_000
	for name, c := range map[string]struct {
		length  int64
		content string
		want    string
	}{
		"longer":        {4, "12345", "expected 4 bytes but received 5"},
		"not empty":     {0, "1", "expected 0 bytes but received 1"},
		"shorter":       {6, "12345", "unexpected end of stream"},
		"empty":         {1, "", "unexpected end of stream"},
		"much, longer":  {many, strings.Repeat("x", many+1), fmt.Sprintf("expected %d bytes but received %d", many, many+1)},
		"much, shorter": {many, strings.Repeat("x", many-1), "unexpected end of stream"},
	} {
		bodies := map[string]*Body{
			"Open":    mustBody(t, BodyConfig{Len: c.length, Open: openText(c.content)}),
			"OneShot": OneShot("", c.length, strings.NewReader(c.content)),
			"Write": mustBody(t, BodyConfig{Len: c.length, Write: func(_ context.Context, w io.Writer) error {
				_, err := io.WriteString(w, c.content)
				return err
			}}),
			"Write that hides it": mustBody(t, BodyConfig{Len: c.length, Write: func(_ context.Context, w io.Writer) error {
				io.WriteString(w, c.content)
				return nil
			}}),
			"Progress": Progress(mustBody(t, BodyConfig{Len: c.length, Open: openText(c.content)}), func(int64, int64) {}),
		}
		for how, body := range bodies {
			t.Run(name+" "+how, func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					var server recorder
					w.serve("server.test", "10.0.0.1", server.answer(okText("a")), server.answer(okText("b")))
					_, err := w.do("PUT", "http://server.test/", body)
					var e *Error
					var pe *ProtocolError
					if !errors.As(err, &e) || e.Phase != PhaseRequestBody || !errors.As(err, &pe) || !strings.Contains(pe.Error(), c.want) {
						t.Errorf("error %v, want %s", err, c.want)
					}
					w.wantEvents(newConnection80 + "requestHeadersStart requestHeadersEnd requestBodyStart requestFailed retryDecision false connectionReleased callFailed")
					if len(server.requests) != 0 {
						t.Errorf("the server took it for a request: %.100q", server.requests)
					}
					w.want("200 b")(w.get("http://server.test/"))
				})
			})
		}
	}
}

// A user's function that panics leaves nothing behind, not even an open file.
func TestBodyPanics(t *testing.T) {
	r := &trackedReader{Reader: readerFunc(func([]byte) (int, error) { panic("boom") })}
	for _, c := range []BodyConfig{
		{Len: -1, Open: func(context.Context) (io.ReadCloser, error) { return r, nil }},
		{Len: -1, Write: func(context.Context, io.Writer) error { panic("boom") }},
	} {
		inWorld(t, func(t *testing.T, w *world) {
			w.serve("server.test", "10.0.0.1", answer())
			func() {
				defer func() {
					if recover() != "boom" {
						t.Error("no panic")
					}
				}()
				w.do("POST", "http://server.test/", mustBody(t, c))
			}()
			w.holdsNothing()
		})
	}
	if r.closed != 1 {
		t.Errorf("closed %d times", r.closed)
	}
}
