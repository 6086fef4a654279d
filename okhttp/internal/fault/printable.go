package fault

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable renders a name that a peer gave itself for an error message, where quotes would be in the way: what is not a graphic
// character of UTF-8 is replaced, and what is beyond most bytes is cut off.
func Printable(s string, most int) string {
	cut := ""
	if len(s) > most {
		s, cut = s[:most], "..."
		for range utf8.UTFMax - 1 { // not within a character
			if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size != 1 {
				break
			}
			s = s[:len(s)-1]
		}
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return utf8.RuneError
	}, s) + cut
}
