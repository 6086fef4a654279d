package okmultipart

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
)

func mustBody(t testing.TB, c okhttp.BodyConfig) *okhttp.Body {
	t.Helper()
	b, err := okhttp.NewBody(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writes(s string) func(context.Context, io.Writer) error {
	return func(_ context.Context, w io.Writer) error {
		for i := range len(s) {
			if _, err := w.Write([]byte{s[i]}); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestBodyPartWire(t *testing.T) {
	var none okhttp.Headers
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("of a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	json, err := okhttp.JSON(map[string]int{"a": 1})
	if err != nil {
		t.Fatal(err)
	}
	inner, err := New(&Config{Boundary: "456"}, Field("x", "y"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		part Part
		want string // the head and the content
	}{
		{BodyPart(none, json), lines("Content-Type: application/json", "", `{"a":1}`)},
		{BodyPart(headers(t, "Content-ID", "<1>"), okhttp.Text("Hi?")), lines("Content-ID: <1>", "Content-Type: text/plain; charset=utf-8", "", "Hi?")},
		{BodyPart(none, okhttp.Bytes("", nil)), lines("", "")},
		{BodyPart(none, okhttp.File(path, "text/x")), lines("Content-Type: text/x", "", "of a file")},
		{BodyPart(none, okhttp.Streamed("", writes("streamed"))), lines("", "streamed")},
		{BodyPart(none, mustBody(t, okhttp.BodyConfig{Len: 7, Write: writes("written")})), lines("", "written")},
		{BodyPart(none, mustBody(t, okhttp.BodyConfig{Len: 6, Open: opened("opened")})), lines("", "opened")},
		{BodyPart(none, okhttp.Progress(okhttp.Text("told"), func(int64, int64) {})), lines("Content-Type: text/plain; charset=utf-8", "", "told")},
		{BodyPart(none, inner), lines("Content-Type: multipart/mixed; boundary=456", "", "--456", `Content-Disposition: form-data; name="x"`, "", "y", "--456--", "")},
		{FromBody("n\"", "", json), lines(`Content-Disposition: form-data; name="n%22"`, "Content-Type: application/json", "", `{"a":1}`)},
		{FromBody("n", "f\".bin", okhttp.Bytes("", []byte("x"))), lines(`Content-Disposition: form-data; name="n"; filename="f%22.bin"`, "Content-Type: application/octet-stream", "", "x")},
		{FromBody("n", "", okhttp.Bytes("", []byte("x"))), lines(`Content-Disposition: form-data; name="n"`, "", "x")},
	} {
		want := lines("--123", tt.want, "--123--", "")
		for range 2 { // a part may be used again
			if got := written(t, &Config{Boundary: "123"}, tt.part); got != want {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		}
	}
}

func TestBodyPartProperties(t *testing.T) {
	var none okhttp.Headers
	known, unknown := BodyPart(none, okhttp.Text("12345")), BodyPart(none, okhttp.Streamed("", writes("12345")))
	once := BodyPart(none, okhttp.OneShot("", 5, strings.NewReader("12345")))
	for _, tt := range []struct {
		parts          []Part
		known, oneShot bool
	}{
		{[]Part{known, known}, true, false},
		{[]Part{known, unknown}, false, false},
		{[]Part{known, once}, true, true},
		{[]Part{once, unknown}, false, true},
		{[]Part{known, Nested(none, nil, once)}, true, true},
		{[]Part{Nested(none, nil, unknown)}, false, false},
	} {
		body, err := New(nil, tt.parts...)
		if err != nil || body.Len() >= 0 != tt.known || body.IsOneShot() != tt.oneShot {
			t.Errorf("%v: length %d, one-shot %t", err, body.Len(), body.IsOneShot())
		}
	}
	l, err := newLayout(nil, []Part{once})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.write(t.Context(), io.Discard); err != nil {
		t.Error(err)
	}
	if err := l.write(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "one-shot") {
		t.Error(err)
	}
}

func TestBodyPartRefused(t *testing.T) {
	duplex := mustBody(t, okhttp.BodyConfig{Len: -1, Duplex: true, Write: writes("")})
	for _, tt := range []struct {
		part Part
		want string
	}{
		{BodyPart(okhttp.Headers{}, nil), "expected a body, got nil"},
		{FromBody("a", "b", nil), "expected a body, got nil"},
		{BodyPart(okhttp.Headers{}, duplex), "got a duplex one"},
		{FromBody("a", "", duplex), "got a duplex one"},
		{BodyPart(headers(t, "Content-Type", "a/b"), okhttp.Text("")), "unexpected header: Content-Type"},
		{BodyPart(okhttp.Headers{}, okhttp.Bytes("a\r\nb: c", nil)), "Content-Type value"},
		{FromBody("a\x00", "", okhttp.Text("")), "Content-Disposition value"},
	} {
		var refused *BuildError
		if _, err := New(nil, Field("a", "b"), tt.part); !errors.As(err, &refused) || refused.Part != 1 || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
}

// A body that is not as long as it says does not shift the parts behind it, and one that fails fails the whole.
func TestBodyPartFails(t *testing.T) {
	why := errors.New("why")
	for _, tt := range []struct {
		config okhttp.BodyConfig
		want   string // "": why
	}{
		{okhttp.BodyConfig{Len: 4, Write: writes("12345")}, "expected 4 bytes but received 5"},
		{okhttp.BodyConfig{Len: 6, Write: writes("12345")}, "expected 6 bytes but received 5"},
		{okhttp.BodyConfig{Len: 4, Open: opened("12345")}, "expected 4 bytes but received 5"},
		{okhttp.BodyConfig{Len: 6, Open: opened("12345")}, "expected 6 bytes but received 5"},
		{okhttp.BodyConfig{Len: 1 << 20, Open: opened(strings.Repeat("x", 1<<20+1))}, "expected 1048576 bytes but received 1048577"},
		{okhttp.BodyConfig{Len: -1, Write: func(context.Context, io.Writer) error { return why }}, ""},
		{okhttp.BodyConfig{Len: 3, Open: func(context.Context) (io.ReadCloser, error) { return nil, why }}, ""},
	} {
		l, err := newLayout(nil, []Part{Field("a", "b"), BodyPart(okhttp.Headers{}, mustBody(t, tt.config)), Field("c", "d")})
		if err != nil {
			t.Fatal(err)
		}
		err = l.write(t.Context(), io.Discard)
		var wrong *okhttp.ProtocolError
		if tt.want == "" && !errors.Is(err, why) || tt.want != "" && (!errors.As(err, &wrong) || !strings.Contains(err.Error(), "multipart part 1: "+tt.want)) {
			t.Errorf("%+v: %v", tt.config.Len, err)
		}
	}
	l, err := newLayout(nil, []Part{BodyPart(okhttp.Headers{}, okhttp.Text("x"))})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.write(t.Context(), errWriter{why}); !errors.Is(err, why) {
		t.Error(err)
	}
}

// A body that writes itself does so on the goroutine of the call.
func TestBodyPartGoroutine(t *testing.T) {
	before, within := runtime.NumGoroutine(), 0
	part := BodyPart(okhttp.Headers{}, okhttp.Streamed("", func(_ context.Context, w io.Writer) error {
		within = runtime.NumGoroutine()
		_, err := w.Write(bytes.Repeat([]byte("x"), 100_000))
		return err
	}))
	if n := len(written(t, &Config{Boundary: "1"}, part)); n != 100_000+len("--1\r\n\r\n\r\n--1--\r\n") || within != before {
		t.Errorf("%d bytes, %d goroutines instead of %d", n, within, before)
	}
}
