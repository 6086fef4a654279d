package okmultipart

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

func newReader(t testing.TB, r io.Reader, boundary string) *Reader {
	t.Helper()
	reader, err := NewReader(okio.FromReader(r), boundary)
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

// read returns each part as its headers and its content, and the error that ended the reading.
func read(r *Reader) (parts []string, err error) {
	for p, err := range r.All() {
		if err != nil {
			return parts, err
		}
		content, err := io.ReadAll(p)
		if err != nil {
			return parts, err
		}
		parts = append(parts, p.Headers().String()+"|"+string(content))
	}
	return parts, nil
}

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		body string
		want []string
	}{
		{lines("--b", "Content-Type: text/plain", "Content-Length: 3", "", "content", "--b--", ""), []string{"Content-Type: text/plain\nContent-Length: 3\n|content"}},
		{lines("--b", "", "one", "--b", "", "two", "--b--"), []string{"|one", "|two"}},
		{lines("preamble", "--b", "", "x", "--b--"), []string{"|x"}},
		{lines("", "--b", "", "x", "--b--"), []string{"|x"}},
		{lines("x--b", "--b", "", "x", "--b--"), []string{"|x"}},
		{lines("--b", "", "x", "--b--", "epilogue", "--b", "", "y", "--b--"), []string{"|x"}},
		{lines("--b", "", "x", "--b--epilogue"), []string{"|x"}},
		{lines("--b", "", "x", "--b--  ", "y"), []string{"|x"}},                      // fact 96
		{lines("--b \t ", "", "x", "--b  ", "", "y", "--b--"), []string{"|x", "|y"}}, // fact 96
		{lines("--b", "", "", "--b", "", "", "", "--b--"), []string{"|", "|\r\n"}},
		{lines("--b", "", "--b", "X: y", "", "--b--"), []string{"|", "X: y\n|"}}, // no content, not even an empty one
		{lines("--b", "", " --b", "-- b", "--c", "--B", "x--b", "\r--b\n--b", "--b--"), []string{"| --b\r\n-- b\r\n--c\r\n--B\r\nx--b\r\n\r--b\n--b"}},
		{lines("--b", "", "\r\r", "\r", "-\r\n--", "--b--"), []string{"|\r\r\r\n\r\r\n-\r\n--"}},
		{lines("--b", "X:  a \t", "x:b", "Y:", "", "z", "--b--"), []string{"X: a\nx: b\nY: \n|z"}},
		{lines("--b", "X: a", "  b", "\tc", "Y: d", "", "z", "--b--"), []string{"X: a b c\nY: d\n|z"}},
		{lines("--b", "X: caf\u00e9", "", "z", "--b--"), []string{"X: caf\u00e9\n|z"}},
		{lines("--b", "Content-Type: multipart/mixed; boundary=c", "", "--c", "", "in", "--c--", "--b", "", "x", "--b--"),
			[]string{"Content-Type: multipart/mixed; boundary=c\n|--c\r\n\r\nin\r\n--c--", "|x"}},
		{lines("--b", "", strings.Repeat("0123456789", 10000), "--b--"), []string{"|" + strings.Repeat("0123456789", 10000)}},
		{lines("--b", "", strings.Repeat("\r\n--", 10000), "--b--"), []string{"|" + strings.Repeat("\r\n--", 10000)}},
	} {
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"whole":                 func(r io.Reader) io.Reader { return r },
			"bytes":                 iotest.OneByteReader,
			"data and EOF together": iotest.DataErrReader,
		} {
			got, err := read(newReader(t, wrap(strings.NewReader(tt.body)), "b"))
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%s, %.200q:\n got %.300q, %v\nwant %.300q", name, tt.body, got, err, tt.want)
			}
		}
	}
}

func TestReadDamaged(t *testing.T) {
	for _, tt := range []struct {
		body string
		want string // of the message
		eof  bool
		got  int // parts before it
	}{
		{"", "ended before a boundary", true, 0},
		{"preamble", "ended before a boundary", true, 0},
		{"--b", "ended before a part was complete", true, 0},
		{"--b\r", "ended before a part was complete", true, 0},
		{"--b-", "ended before a part was complete", true, 0},
		{"--b ", "ended before a part was complete", true, 0},
		{"--b\r\n", "ended in the headers", true, 0},
		{"--b\r\nX: y\r\n", "ended in the headers", true, 0},
		{lines("--b", "", "x"), "ended before a boundary", true, 0}, // fact 96
		{lines("--b", "", "x", ""), "ended before a boundary", true, 0},
		{lines("--b", "", "x", "--"), "ended before a boundary", true, 0},
		{lines("--b", "", "x", "--b"), "ended before a part was complete", true, 1},
		{lines("--b", "", "x", "--b", "", "y"), "ended before a boundary", true, 1}, // fact 96
		{"--b--", "expected at least 1 part", false, 0},
		{"preamble\r\n--b--\r\n", "expected at least 1 part", false, 0},
		{"--bc\r\n", "unexpected characters after boundary", false, 0},
		{"--b\n\nx\n--b--\n", "unexpected characters after boundary", false, 0}, // lines do not end in LF alone
		{"--b\rx", "unexpected characters after boundary", false, 0},
		{"--b-x", "unexpected characters after boundary", false, 0},
		{lines("--b", "", "x", "--b --"), "unexpected characters after boundary", false, 1}, // fact 96
		{lines("--b", "", "x", "--bc", "y", "--b--"), "unexpected characters after boundary", false, 1},
		{lines("--b", "", "x", "--b\n", "y", "--b--"), "unexpected characters after boundary", false, 1},
		{lines("--b", "no colon", "", "x", "--b--"), "expected a header of a part", false, 0},
		{lines("--b", ": y", "", "x", "--b--"), "expected a header of a part", false, 0},
		{lines("--b", "X : y", "", "x", "--b--"), "expected a header of a part", false, 0},
		{lines("--b", " X: y", "", "x", "--b--"), "begin with a continuation line", false, 0},
		{lines("--b", "X y: z", "", "x", "--b--"), "unexpected char 0x20", false, 0},
		{lines("--b", "X: y\nZ: a", "", "x", "--b--"), "unexpected char 0x0a", false, 0},
		{lines("--b", "X: \x00", "", "x", "--b--"), "unexpected char 0x00", false, 0},
		{"--b\r\n" + strings.Repeat("X: y\r\n", 1001) + "\r\nx\r\n--b--", "expected at most 1000 headers", false, 0},
	} {
		for name, wrap := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader} {
			r := newReader(t, wrap(strings.NewReader(tt.body)), "b")
			got, err := read(r)
			var damage *okhttp.ProtocolError
			if !errors.As(err, &damage) || !strings.Contains(err.Error(), tt.want) || errors.Is(err, io.ErrUnexpectedEOF) != tt.eof || len(got) != tt.got {
				t.Errorf("%s, %.80q: got %d parts, %v, want %d, %s", name, tt.body, len(got), err, tt.got, tt.want)
			}
			if _, again := r.NextPart(); again != err {
				t.Errorf("%.80q: then %v", tt.body, again)
			}
		}
	}
}

func TestHeadLimit(t *testing.T) {
	fits := "X: " + strings.Repeat("v", maxHead-len("X: \r\n\r\n"))
	for line, ok := range map[string]bool{fits: true, fits + "v": false, fits[:1000] + "\r\n" + fits: false} {
		body := lines("--b", line, "", "x", "--b--")
		_, err := read(newReader(t, strings.NewReader(body), "b"))
		var large *okhttp.TooLargeError
		if ok && err != nil || !ok && (!errors.As(err, &large) || large.Limit != 256<<10) {
			t.Errorf("%d bytes: %v", len(line), err)
		}
	}
	endless := io.MultiReader(strings.NewReader("--b\r\nX: "), endlessReader('v'))
	var large *okhttp.TooLargeError
	if _, err := newReader(t, endless, "b").NextPart(); !errors.As(err, &large) {
		t.Error(err)
	}
	if _, err := newReader(t, io.MultiReader(strings.NewReader("--b"), endlessReader(' ')), "b").NextPart(); err == nil {
		t.Error("endless padding is no end of a line")
	}
}

type endlessReader byte

func (e endlessReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// Large parts go through in a few segments, whatever is in them.
func TestBoundedMemory(t *testing.T) {
	const size = 1 << 25
	watch := &watcher{t: t, Reader: io.MultiReader(io.LimitReader(endlessReader('\n'), size), strings.NewReader("\r\n--b\r\n\r\n"),
		io.LimitReader(endlessReader('\r'), size), strings.NewReader("\r\n--b\r\n\r\nend\r\n--b--"))}
	watch.r = newReader(t, watch, "b")
	if _, err := watch.r.NextPart(); err != nil {
		t.Fatal(err)
	}
	p, err := watch.r.NextPart()
	if err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(p); err != nil || string(content) != "end" {
		t.Errorf("%q, %v", content, err)
	}
}

// watcher looks, whenever more is asked for, at how much is held already.
type watcher struct {
	io.Reader
	t *testing.T
	r *Reader
}

func (w *watcher) Read(p []byte) (int, error) {
	if n := w.r.src.Buffer().Len(); n > 64<<10 {
		w.t.Fatalf("%d bytes are held", n)
	}
	return w.Reader.Read(p)
}

func TestPartLife(t *testing.T) {
	closes := 0
	body := closeCounter{strings.NewReader(lines("--b", "", "first part", "--b", "", "second", "--b", "", "third", "--b--")), &closes}
	r := newReader(t, body, "b")
	first, err := r.NextPart()
	if err != nil {
		t.Fatal(err)
	}
	var buf okio.Buffer
	if n, err := first.ReadBuffer(&buf, 5); n != 5 || err != nil || buf.Snapshot() != "first" {
		t.Error(n, err)
	}
	if n, err := first.ReadBuffer(&buf, 0); n != 0 || err != nil {
		t.Error(n, err)
	}
	if _, err := first.ReadBuffer(&buf, -1); err == nil {
		t.Error("a negative count was taken")
	}
	if n, err := first.Read(nil); n != 0 || err != nil {
		t.Error(n, err)
	}
	second, err := r.NextPart()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Read(make([]byte, 1)); err != okio.ErrClosed {
		t.Error(err)
	}
	if _, err := first.ReadBuffer(&buf, 1); err != okio.ErrClosed {
		t.Error(err)
	}
	content, err := io.ReadAll(second)
	if err != nil || string(content) != "second" {
		t.Errorf("%q, %v", content, err)
	}
	if n, err := second.ReadBuffer(&buf, 1); n != 0 || err != io.EOF {
		t.Error(n, err)
	}
	third, err := r.NextPart()
	if err != nil || third.Close() != nil || closes != 0 {
		t.Fatal(err, closes)
	}
	if _, err := third.Read(make([]byte, 1)); err != okio.ErrClosed {
		t.Error(err)
	}
	for range 3 {
		if p, err := r.NextPart(); p != nil || err != io.EOF {
			t.Error(p, err)
		}
	}
	for range 2 {
		if err := r.Close(); err != nil || closes != 1 {
			t.Error(err, closes)
		}
	}
	if _, err := r.NextPart(); err != okio.ErrClosed {
		t.Error(err)
	}

	r = newReader(t, strings.NewReader(lines("--b", "", "x", "--b--")), "b")
	p, err := r.NextPart()
	if err != nil || r.Close() != nil {
		t.Fatal(err)
	}
	if _, err := p.Read(make([]byte, 1)); err != okio.ErrClosed {
		t.Error(err)
	}
}

// A failure of the source while a part is read is not the end of it: what can be tried again may be.
func TestSourceFails(t *testing.T) {
	broken := errors.New("broken")
	flaky := &flakyReader{pieces: []any{"--b\r\n\r\nab", broken, "cd\r", broken, "\n--b--"}}
	r := newReader(t, flaky, "b")
	p, err := r.NextPart()
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	failures := 0
	for {
		b := make([]byte, 10)
		n, err := p.Read(b)
		got = append(got, b[:n]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			if failures++; err != broken || failures > 2 {
				t.Fatal(err)
			}
		}
	}
	if string(got) != "abcd" || failures != 2 {
		t.Errorf("%q, %d failures", got, failures)
	}
	if _, err := r.NextPart(); err != io.EOF {
		t.Error(err)
	}
}

type flakyReader struct{ pieces []any }

func (f *flakyReader) Read(p []byte) (int, error) {
	if len(f.pieces) == 0 {
		return 0, io.EOF
	}
	piece := f.pieces[0]
	f.pieces = f.pieces[1:]
	switch piece := piece.(type) {
	case error:
		return 0, piece
	case string:
		return copy(p, piece), nil
	}
	return 0, io.EOF
}

// What has come of a part is delivered before the next bytes do: endless streams of parts are read as they happen.
func TestReadsAsItComes(t *testing.T) {
	in, out := io.Pipe()
	r := newReader(t, in, "b")
	step := make(chan string, 10)
	go func() {
		for s := range step {
			_, _ = out.Write([]byte(s))
		}
		_ = out.Close()
	}()
	step <- "--b\r\nX: y\r\n\r\n"
	p, err := r.NextPart() // needs nothing of the content
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"a", "\r", "\n--", "x", "\r\n-", "y"} {
		step <- s
		want := map[string]string{"a": "a", "x": "\r\n--x", "y": "\r\n-y"}[s]
		if want == "" {
			continue // it may be a delimiter
		}
		got := make([]byte, len(want))
		if _, err := io.ReadFull(p, got); err != nil || string(got) != want {
			t.Fatalf("%q, %v", got, err)
		}
	}
	step <- "\r\n--b--"
	close(step)
	if n, err := p.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Error(n, err)
	}
}

func TestBoundaries(t *testing.T) {
	for _, boundary := range []string{"", "a\r", "a\nb", strings.Repeat("x", 257)} {
		var refused *okhttp.ProtocolError
		if _, err := NewReader(new(okio.Buffer), boundary); !errors.As(err, &refused) {
			t.Errorf("%q: %v", boundary, err)
		}
	}
	long := strings.Repeat("x", 256)
	got, err := read(newReader(t, strings.NewReader(lines("--"+long, "", "\r\n--"+long[1:], "--"+long+"--")), long))
	if err != nil || !slices.Equal(got, []string{"|\r\n--" + long[1:]}) {
		t.Error(got, err)
	}
	for contentType, want := range map[string]string{
		"multipart/mixed; boundary=abc":                "abc",
		"MULTIPART/mixed; charset=x; BOUNDARY=\"a b\"": "a b",
		"multipart/mixed":                              "",
		"multipart/mixed; boundary=":                   "",
		"multipart/mixed; boundary=\"\"":               "",
		"":                                             "",
		"multipart/mixed; boundary=a; boundary=b":      "", // who would know
	} {
		got, err := BoundaryOf(contentType)
		var missing *okhttp.ProtocolError
		if got != want || want == "" && (!errors.As(err, &missing) || !strings.Contains(err.Error(), "expected the Content-Type to have a boundary parameter")) {
			t.Errorf("%s: %q, %v", contentType, got, err)
		}
	}
}

func TestFromResponse(t *testing.T) {
	req, err := okhttp.NewRequest("GET", "http://example.com/")
	if err != nil {
		t.Fatal(err)
	}
	body := okio.NewBufferString(lines("--b", "", "x", "--b--"))
	resp := okhttp.NewResponse(req, 200, okhttp.ResponseBodyFrom("multipart/mixed; boundary=b", -1, body))
	r, err := FromResponse(resp)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := read(r); err != nil || !slices.Equal(got, []string{"|x"}) {
		t.Error(got, err)
	}
	var missing *okhttp.ProtocolError
	if _, err := FromResponse(okhttp.NewResponse(req, 200)); !errors.As(err, &missing) {
		t.Error(err)
	}
}

func TestDisposition(t *testing.T) {
	for value, want := range map[string][2]string{
		`form-data; name="a"`:                              {"a", ""},
		`form-data; name="a"; filename="b.txt"`:            {"a", "b.txt"},
		`form-data; name=a; filename=b`:                    {"a", "b"},
		`form-data; name="a%22b"; filename="c%0Ad"`:        {"a%22b", "c%0Ad"},
		`form-data; name="caf` + "\u00e9" + `"`:            {"caf\u00e9", ""},
		`form-data; name="a"; filename="../../etc/passwd"`: {"a", "passwd"},
		`form-data; name="a"; filename="C:\dir\f.txt"`:     {"a", "f.txt"},
		`form-data; name="a"; filename=".."`:               {"a", ""},
		`form-data; name="a"; filename="x/"`:               {"a", ""},
		`form-data; name="a"; filename*=UTF-8''%e2%82%ac`:  {"a", "\u20ac"},
		`attachment; name="a"; filename="b"`:               {"", "b"},
		`form-data; name="a`:                               {"", ""},
		`form-data; name="a\"b\\c"`:                        {`a"b\c`, ""},
		`form-data; name="a\b\"`:                           {`a\b\`, ""},
		`form-data; name="a\"; filename="b\c.txt"`:         {`a\`, "c.txt"},
		`form-data; name="a"; filename="C:\dir\"`:          {"a", ""},
		``: {"", ""},
	} {
		body := lines("--b", "Content-Disposition: "+value, "Content-Type: a/b", "", "x", "--b--")
		p, err := newReader(t, strings.NewReader(body), "b").NextPart()
		if err != nil || p.FormName() != want[0] || p.FileName() != want[1] || p.ContentType() != "a/b" {
			t.Errorf("%s: got %q, %q, %v, want %q", value, p.FormName(), p.FileName(), err, want)
		}
	}
}

// The file is what curl 7.88.1 sent for
//
//	curl -F 'title=Square Logo' -F 'quo"te=a' -F $'n\nl=b' -F 'café=ü' -F 'file=@"we\"ird.txt";type=text/x-odd' -F 'empty=' \
//	  -F 'j=<j.json;type=application/json;headers="X-Extra: 1"' -F '=(;type=multipart/alternative' -F '=plain' \
//	  -F '= <b>html</b>;type=text/html' -F '=)'
func TestReadCurl(t *testing.T) {
	f, err := os.Open("testdata/curl-7.88.1-form.bin")
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(t, f, "------------------------ee8a196c8bc91899")
	defer func() { _ = r.Close() }()
	var got []string
	for p, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		if boundary, err := BoundaryOf(p.ContentType()); err == nil {
			inner, err := NewReader(p, boundary)
			if err != nil {
				t.Fatal(err)
			}
			parts, err := read(inner)
			got = append(got, fmt.Sprintf("%q, %v", parts, err))
			continue
		}
		content, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%q %q %s %q", p.FormName(), p.FileName(), p.ContentType(), content))
	}
	want := []string{
		`"title" ""  "Square Logo"`,
		`"quo%22te" ""  "a"`,
		`"n%0Al" ""  "b"`,
		`"café" ""  "ü"`,
		`"file" "we%22ird.txt" text/x-odd "line\r\n--not\r\n\r\n"`,
		`"empty" ""  ""`,
		`"j" "" application/json "{\"a\":1}"`,
		`["|plain" "Content-Type: text/html\n|<b>html</b>"], <nil>`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
