package ascii

import (
	"strings"
	"testing"
)

// The characters of a token are the letters, the digits and fifteen others.
func TestToken(t *testing.T) {
	const others = "!#$%&'*+-.^_`|~"
	for c := range 256 {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		want := letter || c < 0x80 && strings.ContainsRune(others, rune(c))
		if IsTokenByte(byte(c)) != want || IsToken("x"+string([]byte{byte(c)})+"x") != want {
			t.Errorf("%q: token character: %v, want %v", byte(c), !want, want)
		}
	}
	for s, want := range map[string]bool{"": false, "GET": true, "x-y.z": true, "a b": false, "a:": false, "ä": false, "(": false} {
		if IsToken(s) != want {
			t.Errorf("%q: %v, want %v", s, !want, want)
		}
	}
}

func TestEqualFold(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"", "", true},
		{"Content-Length", "content-length", true},
		{"CONTENT-LENGTH", "content-length", true},
		{"content-length", "content-lengtH", true},
		{"content-length", "content-lengths", false},
		{"content-length", "content_length", false},
		{"@", "`", false}, // beside A and a
		{"[", "{", false}, // beside Z and z
		{"\u212a", "k", false},
		{"\u212a", "\u212a", true},
		{"Ä", "ä", false},
		{"\xc1", "\xe1", false},
	} {
		if EqualFold(c.a, c.b) != c.want || EqualFold(c.b, c.a) != c.want {
			t.Errorf("%q, %q: %v, want %v", c.a, c.b, !c.want, c.want)
		}
	}
}

func TestTrimOWS(t *testing.T) {
	for s, want := range map[string]string{
		"": "", " ": "", " \t ": "", "a": "a", " a": "a", "a\t": "a", "\t a b \t": "a b", "\na\r": "\na\r", "\u00a0a": "\u00a0a", "\x00a": "\x00a",
	} {
		if got := TrimOWS(s); got != want {
			t.Errorf("%q became %q, want %q", s, got, want)
		}
	}
}
