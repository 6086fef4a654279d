package okhttp

import (
	"errors"
	"strings"
	"testing"
)

// Section 13.11: the byte order mark counts more than the Content-Type, which counts more than UTF-8.
func TestText(t *testing.T) {
	const textOf = "aä€😀"
	encodings := map[string]string{ // of textOf, without a mark
		"utf-8":      textOf,
		"utf-16be":   "\x00a\x00\xe4\x20\xac\xd8\x3d\xde\x00",
		"utf-16le":   "a\x00\xe4\x00\xac\x20\x3d\xd8\x00\xde",
		"utf-32be":   "\x00\x00\x00a\x00\x00\x00\xe4\x00\x00\x20\xac\x00\x01\xf6\x00",
		"utf-32le":   "a\x00\x00\x00\xe4\x00\x00\x00\xac\x20\x00\x00\x00\xf6\x01\x00",
		"iso-8859-1": "a\xe4",
	}
	marks := map[string]string{"utf-8": "\xef\xbb\xbf", "utf-16be": "\xfe\xff", "utf-16le": "\xff\xfe", "utf-32be": "\x00\x00\xfe\xff", "utf-32le": "\xff\xfe\x00\x00"}
	type row struct{ contentType, content, want string }
	rows := map[string]row{
		"nothing said":              {"", textOf, textOf},
		"no charset":                {"text/plain", textOf, textOf},
		"invalid type":              {"text/", textOf, textOf},
		"empty charset":             {"text/plain; charset=", textOf, textOf},
		"quoted charset":            {`text/plain; charset="ISO-8859-1"`, "a\xe4", "aä"},
		"other parameters":          {"text/plain; a=b; Charset=Latin1; c=d", "\xe4", "ä"},
		"empty":                     {"text/plain; charset=utf-16", "", ""},
		"only a mark":               {"", "\xff\xfe", ""},
		"half a mark":               {"", "\xef\xbb", "\xef\xbb"},
		"utf-16 without a mark":     {"text/plain; charset=UTF-16", encodings["utf-16be"], textOf},
		"utf-32 without a mark":     {"text/plain; charset=utf-32", encodings["utf-32be"], textOf},
		"ascii":                     {"text/plain; charset=us-ascii", "abc", "abc"},
		"malformed utf-8":           {"", "a\xffb", "a\xffb"},
		"a mark inside":             {"", "a\ufeffb", "a\ufeffb"},
		"two marks":                 {"", "\ufeff\ufeffa", "\ufeffa"},
		"odd utf-16":                {"text/plain; charset=utf-16be", "\x00a\x00", "a\ufffd"},
		"lone surrogate":            {"text/plain; charset=utf-16be", "\xd8\x3d\x00a", "\ufffda"},
		"utf-32 cut short":          {"text/plain; charset=utf-32be", "\x00\x00\x00a\x00\x00", "a\ufffd"},
		"utf-32 of no character":    {"text/plain; charset=utf-32be", "\xff\xff\xff\xff\x00\x11\x00\x00\x00\x00\xd8\x00", "\ufffd\ufffd\ufffd"},
		"utf-16le beside utf-32le":  {"", "\xff\xfea\x00", "a"},
		"utf-32le, not utf-16le":    {"", "\xff\xfe\x00\x00a\x00\x00\x00", "a"},
		"a mark against the header": {"text/plain; charset=iso-8859-1", "\xef\xbb\xbfä", "ä"},
		"a mark saves an unknown":   {"text/plain; charset=klingon", "\xef\xbb\xbfä", "ä"},
	}
	for charset, content := range encodings {
		want := textOf
		if charset == "iso-8859-1" {
			want = "aä"
		}
		rows[charset+" by type"] = row{"text/plain; charset=" + strings.ToUpper(charset), content, want}
		if mark := marks[charset]; mark != "" {
			rows[charset+" by mark"] = row{"text/plain", mark + content, want}
			rows[charset+" by mark, against the type"] = row{"text/plain; charset=utf-16be", mark + content, want}
		}
	}
	for name, c := range rows {
		t.Run(name, func(t *testing.T) {
			if got, err := bodyOf(c.contentType, int64(len(c.content)), c.content).Body.Text(); got != c.want || err != nil {
				t.Errorf("%q as %q is %q, %v, want %q", c.content, c.contentType, got, err, c.want)
			}
			if got, err := bodyOf(c.contentType, -1, c.content).Body.Bytes(); string(got) != c.content || err != nil {
				t.Errorf("bytes %q, %v", got, err)
			}
		})
	}
	for _, contentType := range []string{"text/plain; charset=klingon", "text/plain; charset=windows-1252"} {
		var ce *CharsetError
		if text, err := bodyOf(contentType, 1, "x").Body.Text(); !errors.As(err, &ce) || text != "" || !strings.HasSuffix(contentType, ce.Charset) || !strings.Contains(err.Error(), ce.Charset) {
			t.Errorf("%s: %q, %v", contentType, text, err)
		}
	}
}

func FuzzDecodeText(f *testing.F) {
	f.Add("text/plain; charset=utf-16", "\xd8\x3d\xde\x00")
	f.Add("text/plain; charset=utf-32le", "a\x00\x00\x00\xff")
	f.Add("", "\xff\xfe\x00\x00a")
	f.Add("charset", "\xef\xbb\xbfx")
	f.Add(`text/plain; charset="latin1"`, "\xe4")
	f.Fuzz(func(t *testing.T, contentType, content string) {
		text, err := decodeText(content, contentType)
		var ce *CharsetError
		if err != nil && (!errors.As(err, &ce) || text != "" || len(err.Error()) > 1000) {
			t.Fatalf("%q, error %v", text, err)
		}
		if len(text) > 3*len(content) {
			t.Fatalf("%d bytes grew to %d", len(content), len(text))
		}
		if again, _ := decodeText(content, contentType); again != text {
			t.Fatal("not the same twice")
		}
	})
}
