package okhttp

import (
	"bufio"
	"errors"
	"io"
	"net/textproto"
	"slices"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
)

func FuzzHeaders(f *testing.F) {
	f.Add("Name", "value", "Other", " spaced\t")
	f.Add("a b", "x", "", "y")
	f.Add("X", "a\r\nInjected: b", "Y", "caf\u00e9")
	f.Add("Authorization", "secret\n", "Authorization: x", "")
	f.Fuzz(func(t *testing.T, n1, v1, n2, v2 string) {
		h, err := NewHeaders(n1, v1, n2, v2)
		if err != nil {
			var e *HeaderError
			if !errors.As(err, &e) || e.Part == "" || strings.ContainsAny(err.Error(), "\r\n\x00") {
				t.Fatalf("%q: %q, %q: %q gives %q", n1, v1, n2, v2, err)
			}
			return
		}
		// What is accepted reads back the same through another parser: nothing can be injected.
		var b strings.Builder
		for name, value := range h.All() {
			b.WriteString(name + ": " + value + "\r\n")
		}
		read, err := textproto.NewReader(bufio.NewReader(strings.NewReader(b.String() + "\r\n"))).ReadMIMEHeader()
		if err != nil && err != io.EOF {
			t.Fatalf("%q does not read back: %v", h.nv, err)
		}
		if got, want := HeadersFrom(map[string][]string(read)).nv, HeadersFrom(h.HTTP()).nv; !slices.Equal(got, want) {
			t.Fatalf("%q reads back as %q", want, got)
		}
		if err := h.check(); err != nil {
			t.Fatal(err)
		}
		if again, err := NewHeaders(h.nv...); err != nil || !slices.Equal(again.nv, h.nv) {
			t.Fatalf("%q becomes %q, %v", h.nv, again.nv, err)
		}
		with, err := h.With(n1, v1)
		if err == nil && (with.Get(n1) != ascii.TrimOWS(v1) || len(slices.Collect(with.Values(n1))) != 1) {
			t.Fatalf("With: %q", with.nv)
		}
		if rest := h.Without(n1); rest.has(n1) && ascii.TrimOWS(n1) == n1 || rest.Len()+len(slices.Collect(h.Values(n1))) != h.Len() {
			t.Fatalf("Without: %q", rest.nv)
		}
	})
}
