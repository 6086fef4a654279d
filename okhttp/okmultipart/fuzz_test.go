package okmultipart

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/okhttp-go/ok/okhttp"
)

var bareLF = regexp.MustCompile(`(^|[^\r])\n`)

// Where this reader and package mime/multipart both take a body, they find the same parts in it. Theirs takes LF for the end of a line, too.
func FuzzReader(f *testing.F) {
	f.Add([]byte("--b\r\nX: y\r\n\r\none\r\n--b \r\n\r\ntwo\r\n--b--\r\n"))
	f.Add([]byte("preamble\r\n--b\r\n\r\n--b\r\nX: y\r\n z\r\n\r\n\r\n--bc\r\n--b--epilogue"))
	f.Add([]byte("--b\r\n\r\n\r\r\n-\r\n--\r\n--a\r\n--b--"))
	f.Fuzz(func(t *testing.T, body []byte) {
		ours, err := read(newReader(t, bytes.NewReader(body), "b"))
		if bytewise, again := read(newReader(t, iotest.OneByteReader(bytes.NewReader(body)), "b")); (again == nil) != (err == nil) ||
			strings.Join(bytewise, "\x00") != strings.Join(ours, "\x00") {
			t.Fatalf("at once %q, %v, byte by byte %q, %v", ours, err, bytewise, again)
		}
		if err != nil {
			var damage *okhttp.ProtocolError
			var large *okhttp.TooLargeError
			if !errors.As(err, &damage) && !errors.As(err, &large) {
				t.Fatal(err)
			}
			return
		}
		if bareLF.Match(body) {
			return
		}
		r := multipart.NewReader(bytes.NewReader(body), "b")
		var theirs []string
		for {
			p, err := r.NextRawPart()
			if err == io.EOF {
				break
			}
			if err != nil {
				return
			}
			content, err := io.ReadAll(p)
			if err != nil {
				return
			}
			theirs = append(theirs, string(content))
		}
		if len(theirs) != len(ours) {
			t.Fatalf("%d parts, theirs %d: %q", len(ours), len(theirs), theirs)
		}
		for i, content := range theirs {
			if !strings.HasSuffix(ours[i], "|"+content) {
				t.Fatalf("part %d: %q, theirs %q", i, ours[i], content)
			}
		}
	})
}

// What is written is read back the same by both readers.
func FuzzWriteAndRead(f *testing.F) {
	f.Add("name", "file.txt", []byte("one"), []byte("\r\n--two"))
	f.Add("q\"\r\n", "caf\u00e9\\", []byte("\r"), []byte("\r\n--"))
	f.Add("", "", []byte{}, []byte("--\r\n\r\n"))
	f.Fuzz(func(t *testing.T, name, filename string, one, two []byte) {
		c := &Config{Boundary: "b", Type: FormData}
		parts := []Part{Bytes(name, filename, "a/b", one), Field(name, string(two))}
		if _, err := New(c, parts...); err != nil {
			var refused *BuildError
			if !errors.As(err, &refused) || strings.ContainsAny(err.Error(), "\r\n\x00") {
				t.Fatalf("%q", err)
			}
			return
		}
		body := written(t, c, parts...)
		ours, theirs := newReader(t, strings.NewReader(body), "b"), multipart.NewReader(strings.NewReader(body), "b")
		for i, content := range [][]byte{one, two} {
			our, err := ours.NextPart()
			if err != nil {
				t.Fatal(err)
			}
			their, err := theirs.NextRawPart()
			if err != nil {
				t.Fatal(err)
			}
			if disposition := our.Headers().Get("Content-Disposition"); disposition != their.Header.Get("Content-Disposition") ||
				!strings.HasPrefix(disposition, `form-data; name="`+formQuotes.Replace(name)+`"`) {
				t.Fatalf("%q", disposition)
			}
			if got, err := io.ReadAll(our); err != nil || !bytes.Equal(got, content) {
				t.Fatalf("part %d: %q, %v", i, got, err)
			}
			if got, err := io.ReadAll(their); err != nil || !bytes.Equal(got, content) {
				t.Fatalf("part %d, theirs: %q, %v", i, got, err)
			}
		}
		if _, err := ours.NextPart(); err != io.EOF {
			t.Fatal(err)
		}
		if _, err := theirs.NextRawPart(); err != io.EOF {
			t.Fatal(err)
		}
	})
}
