package okmultipart

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/okhttp-go/ok/okhttp"
)

func headers(t testing.TB, nameValue ...string) okhttp.Headers {
	t.Helper()
	h, err := okhttp.NewHeaders(nameValue...)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// written lays out a body and returns what goes over the wire, checked against its length.
func written(t testing.TB, c *Config, parts ...Part) string {
	t.Helper()
	body, err := New(c, parts...)
	if err != nil {
		t.Fatal(err)
	}
	l, err := newLayout(c, parts)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := l.write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if n := body.Len(); n >= 0 && n != int64(b.Len()) {
		t.Errorf("length is said to be %d and is %d", n, b.Len())
	}
	return b.String()
}

func opened(s string) func(context.Context) (io.ReadCloser, error) {
	return func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }
}

func lines(s ...string) string { return strings.Join(s, "\r\n") }

func TestWire(t *testing.T) {
	for _, tt := range []struct {
		parts []Part
		want  string
	}{
		{[]Part{NewPart(PartConfig{Len: 11, Open: opened("Hello World")})},
			lines("--123", "", "Hello World", "--123--", "")},
		{[]Part{
			NewPart(PartConfig{Headers: headers(t, "Foo", "Bar", "x", "y"), ContentType: "text/plain", Len: 4, Open: opened("Quux")}),
			NewPart(PartConfig{Len: -1, Write: func(_ context.Context, w io.Writer) error {
				_, err := io.WriteString(w, "Corge")
				return err
			}}),
		}, lines("--123", "Foo: Bar", "x: y", "Content-Type: text/plain", "", "Quux", "--123", "", "Corge", "--123--", "")},
		{[]Part{NewPart(PartConfig{Open: opened("")})}, lines("--123", "", "", "--123--", "")},
		{[]Part{
			Field("title", "Square Logo"),
			Bytes("image", "logo.png", "", []byte{0, 1, '\r', '\n'}),
		}, lines("--123", `Content-Disposition: form-data; name="title"`, "", "Square Logo",
			"--123", `Content-Disposition: form-data; name="image"; filename="logo.png"`, "Content-Type: application/octet-stream", "", "\x00\x01\r\n",
			"--123--", "")},
		{[]Part{
			Field("a", "1"),
			Nested(headers(t, "Content-Disposition", `form-data; name="files"`), &Config{Boundary: "456"},
				NewPart(PartConfig{ContentType: "text/plain", Len: 1, Open: opened("x")}), NewPart(PartConfig{Len: 1, Open: opened("y")})),
		}, lines("--123", `Content-Disposition: form-data; name="a"`, "", "1",
			"--123", `Content-Disposition: form-data; name="files"`, "Content-Type: multipart/mixed; boundary=456", "",
			"--456", "Content-Type: text/plain", "", "x", "--456", "", "y", "--456--", "",
			"--123--", "")},
	} {
		if got := written(t, &Config{Boundary: "123"}, tt.parts...); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
	}
}

// Names as browsers write them (fact 95).
func TestFormQuoting(t *testing.T) {
	for name, want := range map[string]string{
		`a"b`:                    "a%22b",
		"a\nb":                   "a%0Ab",
		"a\rb":                   "a%0Db",
		"a\r\nX-Injected: y":     "a%0D%0AX-Injected: y",
		`a\b`:                    `a\b`,
		`\`:                      `\`,
		"a%22b":                  "a%22b",
		"caf\u00e9 \u65e5\u672c": "caf\u00e9 \u65e5\u672c",
		"a;b=c":                  "a;b=c",
		"":                       "",
		"\x80\xff":               "\x80\xff",
		"tab\tinside":            "tab\tinside",
	} {
		got := written(t, &Config{Boundary: "123"}, Bytes(name, name, "text/plain", nil))
		if line := `Content-Disposition: form-data; name="` + want + `"; filename="` + want + `"`; !strings.Contains(got, "\r\n"+line+"\r\n") {
			t.Errorf("%q: got %q, want %s", name, got, line)
		}
	}
	for _, name := range []string{"a\x00b", "\x1b", "\x7f", "a\vb"} {
		var refused *BuildError
		var header *okhttp.HeaderError
		if _, err := Form(Field("fine", ""), Field(name, "x")); !errors.As(err, &refused) || refused.Part != 1 || !errors.As(err, &header) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestContentType(t *testing.T) {
	for _, tt := range []struct {
		config *Config
		want   string
	}{
		{&Config{Boundary: "123"}, "multipart/mixed; boundary=123"},
		{&Config{Boundary: "123", Type: FormData}, "multipart/form-data; boundary=123"},
		{&Config{Boundary: "123", Type: "Multipart/X-Mine"}, "Multipart/X-Mine; boundary=123"},
		{&Config{Boundary: "123", Type: `multipart/related; type="text/xml";`}, `multipart/related; type="text/xml"; boundary=123`},
		{&Config{Boundary: "a b?c"}, `multipart/mixed; boundary="a b?c"`},
		{&Config{Boundary: "'()+_,-./:=?"}, `multipart/mixed; boundary="'()+_,-./:=?"`},
		{&Config{Boundary: strings.Repeat("x", 70)}, "multipart/mixed; boundary=" + strings.Repeat("x", 70)},
	} {
		body, err := New(tt.config, Field("a", "b"))
		if err != nil || body.ContentType() != tt.want {
			t.Errorf("got %v, %v, want %s", body, err, tt.want)
			continue
		}
		if boundary, err := BoundaryOf(body.ContentType()); err != nil || boundary != tt.config.Boundary {
			t.Errorf("%s reads back as %q, %v", tt.want, boundary, err)
		}
	}
	one, err1 := New(nil, Field("a", "b"))
	two, err2 := New(new(Config), Field("a", "b"))
	if err1 != nil || err2 != nil || one.ContentType() == two.ContentType() {
		t.Error("boundaries are not random")
	}
	boundary, err := BoundaryOf(one.ContentType())
	if err != nil || len(boundary) != 36 || boundary[14] != '4' {
		t.Errorf("%q is no random UUID, %v", boundary, err)
	}
}

func TestBuildErrors(t *testing.T) {
	unchecked := func(name, value string) Part {
		return NewPart(PartConfig{Headers: okhttp.HeadersFrom(map[string][]string{name: {value}}), Open: opened("")})
	}
	ok := Field("a", "b")
	given := func(parts ...Part) []Part { return parts }
	for _, tt := range []struct {
		config Config
		parts  []Part
		want   string
	}{
		{Config{}, nil, "okmultipart: multipart body must have at least one part"},
		{Config{Type: "text/plain"}, given(ok), `multipart != "text/plain"`},
		{Config{Type: "multipart"}, given(ok), `multipart != "multipart"`},
		{Config{Type: "multipart/"}, given(ok), "multipart !="},
		{Config{Type: "multipart/mixed\r\nX: y"}, given(ok), "multipart !="},
		{Config{Type: "multipart/mixed; a"}, given(ok), "multipart !="},
		{Config{Type: "multipart/mixed; boundary=1"}, given(ok), "unexpected boundary in the type"},
		{Config{Boundary: "a\r\nb"}, given(ok), "unexpected character 0x0d in the boundary"},
		{Config{Boundary: "a\"b"}, given(ok), "unexpected character 0x22"},
		{Config{Boundary: "\u00e9"}, given(ok), "unexpected character 0xc3"},
		{Config{Boundary: "a "}, given(ok), "does not end in a space"},
		{Config{Boundary: strings.Repeat("x", 71)}, given(ok), "1 to 70 characters"},
		{Config{}, given(ok, unchecked("content-type", "a/b")), "okmultipart: part 1: unexpected header: content-type"},
		{Config{}, given(unchecked("Content-Length", "1")), "okmultipart: part 0: unexpected header: Content-Length"},
		{Config{}, given(unchecked("X", "a\r\nb: c")), "okmultipart: part 0: unexpected char 0x0d"},
		{Config{}, given(unchecked("X\r\n", "a")), "in header name"},
		{Config{}, given(Bytes("a", "b", "text/plain\r\nX: y", nil)), "unexpected char 0x0d at 10 in Content-Type value"},
		{Config{}, given(Part{}), "expected a part, got the zero value"},
		{Config{}, given(NewPart(PartConfig{})), "exactly one of Open and Write"},
		{Config{}, given(NewPart(PartConfig{Len: -2, Open: opened("")})), "-1 or more"},
		{Config{}, given(NewPart(PartConfig{Len: 1 << 62, Open: opened("")}), NewPart(PartConfig{Len: 1 << 62, Open: opened("")})), "part 1: the body would be longer"},
		{Config{}, given(ok, Nested(okhttp.Headers{}, nil)), "okmultipart: part 1: multipart body must have at least one part"},
		{Config{}, given(Nested(okhttp.Headers{}, nil, ok, Part{})), "okmultipart: part 0: part 1: expected a part"},
		{Config{Boundary: "xy"}, given(Field("a", "--xy")), "the content has the boundary"},
		{Config{Boundary: "xy"}, given(Field("a", "b\r\n--xyz")), "the content has the boundary"},
		{Config{Boundary: "xy"}, given(Nested(okhttp.Headers{}, nil, Field("a", "\r\n--xy"))), "the content has the boundary"},
		{Config{Boundary: "xy"}, given(Nested(okhttp.Headers{}, &Config{Boundary: "xyz"}, ok)), "begins with that of the outer ones"},
		{Config{}, given(File("a", filepath.Join(t.TempDir(), "absent"), "")), "part 0: stat "},
		{Config{}, given(File("a", t.TempDir(), "")), "is a directory"},
		{Config{}, given(FileFS("a", fstest.MapFS{}, "absent", "")), "file does not exist"},
	} {
		var refused *BuildError
		if body, err := New(&tt.config, tt.parts...); !errors.As(err, &refused) || body != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: got %v, want %s", tt.config, err, tt.want)
		}
	}
	if _, err := Form(File("a", filepath.Join(t.TempDir(), "absent"), "")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if got := written(t, &Config{Boundary: "xy"}, Field("a", "xy --xy\n--xy\r--xy")); !strings.Contains(got, "\n--xy\r--xy\r\n--xy--") {
		t.Errorf("what is no delimiter is content: %q", got)
	}
}

func TestLength(t *testing.T) {
	known := NewPart(PartConfig{Len: 5, Open: opened("12345")})
	unknown := NewPart(PartConfig{Len: -1, Open: opened("12345")})
	for _, tt := range []struct {
		parts []Part
		known bool
	}{
		{[]Part{known, known}, true},
		{[]Part{known, unknown}, false},
		{[]Part{unknown, known}, false},
		{[]Part{known, Nested(okhttp.Headers{}, nil, known)}, true},
		{[]Part{known, Nested(okhttp.Headers{}, nil, unknown)}, false},
	} {
		body, err := New(nil, tt.parts...)
		if err != nil || body.Len() >= 0 != tt.known {
			t.Errorf("%v, %v", body.Len(), err)
		}
		written(t, nil, tt.parts...)
	}
}

// A part that is not as long as it said must not pass, even where another one makes up for it.
func TestWrongLength(t *testing.T) {
	writes := func(s string, n int64) Part {
		return NewPart(PartConfig{Len: n, Write: func(_ context.Context, w io.Writer) error {
			for i := range len(s) {
				_, _ = w.Write([]byte{s[i]}) // and forgets the error
			}
			return nil
		}})
	}
	opens := func(s string, n int64) Part { return NewPart(PartConfig{Len: n, Open: opened(s)}) }
	for _, make := range []func(string, int64) Part{writes, opens} {
		for _, tt := range []struct {
			content string
			length  int64
			want    string
		}{
			{"12345", 5, ""},
			{"", 0, ""},
			{"12345", 4, "protocol error: multipart part 1: expected 4 bytes but received 5"},
			{"1", 0, "protocol error: multipart part 1: expected 0 bytes but received 1"},
			{"12345", 6, "protocol error: multipart part 1: expected 6 bytes but received 5"},
		} {
			l, err := newLayout(nil, []Part{Field("a", "b"), make(tt.content, tt.length), make("", 0)})
			if err != nil {
				t.Fatal(err)
			}
			err = l.write(t.Context(), io.Discard)
			var wrong *okhttp.ProtocolError
			if tt.want == "" && err != nil || tt.want != "" && (!errors.As(err, &wrong) || err.Error() != tt.want) {
				t.Errorf("%q as %d bytes: %v", tt.content, tt.length, err)
			}
			if short := int64(len(tt.content)) < tt.length; errors.Is(err, io.ErrUnexpectedEOF) != short {
				t.Errorf("%q as %d bytes: %v", tt.content, tt.length, err)
			}
		}
	}
}

type closeCounter struct {
	io.Reader
	closed *int
}

func (c closeCounter) Close() error {
	*c.closed++
	return nil
}

// Files are opened when it is their turn and closed before the next, in every attempt.
func TestPartsAreOpenedAnew(t *testing.T) {
	opens, closes := 0, 0
	part := NewPart(PartConfig{Len: 3, Open: func(context.Context) (io.ReadCloser, error) {
		if opens != closes {
			t.Error("the part before is still open")
		}
		opens++
		return closeCounter{strings.NewReader("abc"), &closes}, nil
	}})
	l, err := newLayout(&Config{Boundary: "x"}, []Part{part, part})
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	if l.write(t.Context(), &first) != nil || l.write(t.Context(), &second) != nil || first.String() != second.String() {
		t.Errorf("%q, then %q", first.String(), second.String())
	}
	if opens != 4 || closes != 4 {
		t.Error(opens, closes)
	}

	// It is closed also when it fails, and when the connection does.
	broken := errors.New("broken")
	failing := NewPart(PartConfig{Len: -1, Open: func(context.Context) (io.ReadCloser, error) {
		opens++
		return closeCounter{io.MultiReader(strings.NewReader("abc"), errReader{broken}), &closes}, nil
	}})
	l, err = newLayout(nil, []Part{failing})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.write(t.Context(), io.Discard); !errors.Is(err, broken) || opens != closes {
		t.Error(err, opens, closes)
	}
	l, err = newLayout(nil, []Part{part})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.write(t.Context(), errWriter{broken}); !errors.Is(err, broken) || opens != closes {
		t.Error(err, opens, closes)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.write(ctx, io.Discard); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

type errReader struct{ err error }

func (e errReader) Read([]byte) (int, error) { return 0, e.err }

type errWriter struct{ err error }

func (e errWriter) Write([]byte) (int, error) { return 0, e.err }

func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lo\"go.png")
	if err := os.WriteFile(path, []byte("pixels"), 0o600); err != nil {
		t.Skip("no such names here: ", err)
	}
	fsys := fstest.MapFS{"dir/a.txt": {Data: []byte("text")}}
	got := written(t, &Config{Boundary: "1", Type: FormData}, File("f", path, "image/png"), FileFS("g", fsys, "dir/a.txt", ""),
		FromReader("h", "r", "", 2, strings.NewReader("ab")))
	want := lines("--1", `Content-Disposition: form-data; name="f"; filename="lo%22go.png"`, "Content-Type: image/png", "", "pixels",
		"--1", `Content-Disposition: form-data; name="g"; filename="a.txt"`, "Content-Type: application/octet-stream", "", "text",
		"--1", `Content-Disposition: form-data; name="h"; filename="r"`, "Content-Type: application/octet-stream", "", "ab", "--1--", "")
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	l, err := newLayout(nil, []Part{File("f", path, "")})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("more pixels"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.write(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "expected 6 bytes but received 7") {
		t.Error(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := l.write(t.Context(), io.Discard); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestOneShot(t *testing.T) {
	closes := 0
	part := FromReader("a", "b", "", -1, closeCounter{strings.NewReader("abc"), &closes})
	for _, parts := range [][]Part{{part}, {Field("x", "y"), Nested(okhttp.Headers{}, nil, part)}} {
		l, err := newLayout(nil, parts)
		if err != nil || !l.oneShot {
			t.Error("not one-shot", err)
		}
	}
	l, err := newLayout(nil, []Part{part})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.write(t.Context(), io.Discard); err != nil || closes != 1 {
		t.Error(err, closes)
	}
	if err := l.write(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "one-shot") || closes != 1 {
		t.Error(err, closes)
	}
	if l, err := newLayout(nil, []Part{Field("x", "y")}); err != nil || l.oneShot {
		t.Error("one-shot", err)
	}
}

// Package mime/multipart reads what was written here, names of all kinds among it.
func TestReadByStandardLibrary(t *testing.T) {
	names := []string{"plain", "with space", `quote"inside`, "new\nline", "caf\u00e9", "\u65e5\u672c", "semi;colon=x", "back\\slash"}
	var parts []Part
	for i, name := range names {
		parts = append(parts, Bytes(name, name+".bin", "", bytes.Repeat([]byte("\r\n--x"), i*1000)))
	}
	body := written(t, &Config{Boundary: "a b", Type: FormData}, parts...)
	_, params, err := mime.ParseMediaType(`multipart/form-data; boundary="a b"`)
	if err != nil {
		t.Fatal(err)
	}
	r := multipart.NewReader(strings.NewReader(body), params["boundary"])
	for i, name := range names {
		p, err := r.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		want := formQuotes.Replace(name)
		content, err := io.ReadAll(p)
		if err != nil || p.FormName() != want || p.FileName() != want+".bin" || !bytes.Equal(content, bytes.Repeat([]byte("\r\n--x"), i*1000)) {
			t.Errorf("%q: %q, %q, %d bytes, %v", name, p.FormName(), p.FileName(), len(content), err)
		}
	}
	if _, err := r.NextPart(); err != io.EOF {
		t.Error(err)
	}
}
