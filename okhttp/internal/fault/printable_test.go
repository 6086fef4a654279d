package fault

import (
	"strings"
	"testing"
)

func TestPrintable(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"CN=a b, Ä", "CN=a b, Ä"},
		{"a\nb\x00c\x7f", "a\ufffdb\ufffdc\ufffd"},
		{"a\u202eb", "a\ufffdb"}, // would turn the rest of the line around
		{"a\xffb", "a\ufffdb"},
		{"1234567890", "1234567890"},
		{"12345678901", "1234567890..."},
		{"123456789é", "123456789..."}, // two bytes, of which one has room
		{"12345678€x", "12345678..."},
		{strings.Repeat("\xff", 11), strings.Repeat("\ufffd", 7) + "..."},
	} {
		if got := Printable(tt.in, 10); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
}
