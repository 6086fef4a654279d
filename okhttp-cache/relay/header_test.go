package relay

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okio"
)

// R10: whatever is not a whole and complete file is refused at once.
func TestUnreadableFiles(t *testing.T) {
	lengths := func(n, m string) string { return cleanPrefix + n + m }
	const zero, five, four = "\x00\x00\x00\x00\x00\x00\x00\x00", "\x00\x00\x00\x00\x00\x00\x00\x05", "\x00\x00\x00\x00\x00\x00\x00\x04"
	const huge, negative = "\x7f\xff\xff\xff\xff\xff\xff\xff", "\xff\xff\xff\xff\xff\xff\xff\xfb"
	for name, file := range map[string]string{
		"empty":                   "",
		"half a header":           cleanPrefix,
		"another prefix":          "OkHttp cache v2\n" + zero + zero,
		"dirty":                   dirtyPrefix + zero + zero,
		"cut in the metadata":     lengths(five, four) + "hellomet",
		"cut in the content":      lengths(five, four) + "hel",
		"a byte too many":         lengths(five, four) + "hellometa!",
		"a huge content":          lengths(huge, zero) + "hello",
		"huge metadata":           lengths(five, huge) + "hello",
		"both huge":               lengths(huge, huge) + "hello",
		"negative content":        lengths(negative, four) + "hello",
		"negative metadata":       lengths(five, negative) + "hello",
		"negative sum":            lengths(huge, negative),
		"dirty with good lengths": dirtyPrefix + five + four + "hellometa",
	} {
		m := newMemory(t)
		m.write(file)
		_, err := Read(m.open())
		var format *FormatError
		if !errors.As(err, &format) || format.Detail == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file that is cut while it is read ends the reading.
func TestCutWhileRead(t *testing.T) {
	m := newMemory(t)
	m.write(cleanPrefix + strings.Repeat("\x00", 7) + "\x05" + strings.Repeat("\x00", 8) + "hello")
	r, err := Read(m.open())
	if err != nil {
		t.Fatal(err)
	}
	s := sourceOf(t, r)
	defer s.Close()
	want(t, s, 2, "he")
	h := m.open()
	h.Truncate(34)
	h.Close()
	wantEnd(t, s, io.ErrUnexpectedEOF)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(cleanPrefix + strings.Repeat("\x00", 7) + "\x05" + strings.Repeat("\x00", 7) + "\x04hellometa"))
	f.Add([]byte(dirtyPrefix + strings.Repeat("\xff", 16) + "hel"))
	f.Fuzz(func(t *testing.T, file []byte) {
		m := newMemory(t)
		m.write(string(file))
		r, err := Read(m.open())
		if err != nil {
			if !errors.As(err, new(*FormatError)) {
				t.Fatalf("error %v", err)
			}
			return
		}
		s := sourceOf(t, r)
		defer s.Close()
		content := okio.NewBufferedSource(s)
		p, err := content.ReadByteString(r.pos)
		if err != nil {
			t.Fatal(err)
		}
		wantEnd(t, s, io.EOF)
		again := header{r.pos, int64(len(r.Metadata()))}.encode()
		if string(again[:])+string(p)+string(r.Metadata()) != string(file) {
			t.Fatalf("%q does not read back", file)
		}
	})
}
