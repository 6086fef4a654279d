package okhttp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// bodiesOf are all ways to make a body with some content.
func bodiesOf(t *testing.T, content string) map[string]*Body {
	t.Helper()
	body := func(c BodyConfig) *Body {
		b, err := NewBody(c)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	open := func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }
	write := func(_ context.Context, w io.Writer) error {
		for i := range len(content) {
			if _, err := w.Write([]byte{content[i]}); err != nil {
				return err
			}
		}
		return nil
	}
	return map[string]*Body{
		"in memory": Text(content),
		"opened":    body(BodyConfig{Len: int64(len(content)), Open: open}),
		"opened source": body(BodyConfig{Len: -1, Open: func(context.Context) (io.ReadCloser, error) {
			return okio.NewBufferedSource(okio.NewBufferString(content)), nil
		}}),
		"written":       body(BodyConfig{Len: -1, Write: write}),
		"duplex":        body(BodyConfig{Len: -1, Duplex: true, Write: write}),
		"one-shot":      OneShot("", -1, strings.NewReader(content)),
		"with progress": Progress(Streamed("", write), func(int64, int64) {}),
	}
}

func TestBodyOpenAndWrite(t *testing.T) {
	for _, content := range []string{"", "Hello", strings.Repeat("0123456789", 10_000)} {
		for name, b := range bodiesOf(t, content) {
			r, err := b.Open(t.Context())
			if err != nil {
				t.Fatal(name, err)
			}
			got, err := io.ReadAll(r)
			if err != nil || string(got) != content {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
			if err := r.Close(); err != nil {
				t.Error(name, err)
			}
			if b.IsDuplex() != (name == "duplex") {
				t.Errorf("%s: duplex: %t", name, b.IsDuplex())
			}
		}
		for name, b := range bodiesOf(t, content) {
			var plain bytes.Buffer
			if err := b.Write(t.Context(), &plain); err != nil || plain.String() != content {
				t.Errorf("%s: %d bytes, %v", name, plain.Len(), err)
			}
			if name == "one-shot" {
				if err := b.Write(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "one-shot") {
					t.Error(err)
				}
				continue
			}
			var sink okio.Buffer
			if err := b.Write(t.Context(), &sink); err != nil || sink.Len() != int64(len(content)) {
				t.Errorf("%s: %d bytes, %v", name, sink.Len(), err)
			}
			sink.Clear()
		}
	}
	if Text("").IsDuplex() || Gzipped(bodiesOf(t, "")["duplex"]).IsDuplex() {
		t.Error("what is sent whole is duplex")
	}
}

type brokenWriter struct{ err error }

func (b brokenWriter) Write([]byte) (int, error) { return 0, b.err }

// The failure of either side comes as it is.
func TestBodyWriteFails(t *testing.T) {
	why := errors.New("why")
	for name, b := range bodiesOf(t, "content") {
		if err := b.Write(t.Context(), brokenWriter{why}); err != why {
			t.Errorf("%s to a broken writer: %v", name, err)
		}
	}
	for name, b := range map[string]*Body{
		"written":          Streamed("", func(context.Context, io.Writer) error { return why }),
		"within":           Progress(Streamed("", func(context.Context, io.Writer) error { return why }), func(int64, int64) {}),
		"not opened":       {cfg: BodyConfig{Open: func(context.Context) (io.ReadCloser, error) { return nil, why }}},
		"while it is read": OneShot("", -1, brokenReader{why}),
	} {
		if err := b.Write(t.Context(), io.Discard); err != why {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type brokenReader struct{ err error }

func (b brokenReader) Read([]byte) (int, error) { return 0, b.err }

// A reader that is closed early waits for the body that was written to it, and tells it by its context too.
func TestBodyOpenClosesEarly(t *testing.T) {
	for name, wait := range map[string]func(ctx context.Context, w io.Writer) error{
		"in Write": func(_ context.Context, w io.Writer) error {
			for {
				if _, err := io.WriteString(w, "more"); err != nil {
					return err
				}
			}
		},
		"elsewhere": func(ctx context.Context, w io.Writer) error {
			_, err := io.WriteString(w, "more")
			<-ctx.Done()
			return err
		},
	} {
		ended := false
		b := Streamed("", func(ctx context.Context, w io.Writer) error {
			defer func() { ended = true }()
			return wait(ctx, w)
		})
		r, err := b.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(r, make([]byte, 4)); err != nil {
			t.Error(name, err)
		}
		for range 2 {
			if err := r.Close(); err != nil || !ended {
				t.Errorf("%s: closed with %v, the body ended: %t", name, err, ended)
			}
		}
	}
}

// What a body does on the goroutine of Open does not end the program, nor pass for the whole content.
func TestBodyOpenPanics(t *testing.T) {
	for want, f := range map[string]func(){
		"okhttp: panic during a call: oh": func() { panic("oh") },
		"unexpected EOF":                  runtime.Goexit,
	} {
		r, err := Streamed("", func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, "half")
			f()
			return err
		}).Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); string(got) != "half" || err == nil || err.Error() != want {
			t.Errorf("%q, %v, want %s", got, err, want)
		}
		_ = r.Close()
	}
}
