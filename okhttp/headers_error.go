package okhttp

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
)

// A HeaderError reports a header field that cannot be sent.
type HeaderError struct {
	Part  string // what is wrong: "name", "value", or "count" for names and values that do not alternate
	Name  string // as given; values are not kept, since any may be a secret
	Index int    // position of the offending character in bytes, -1 if there is none
	Char  rune   // the offending character
	Count int    // how many strings were to be names and values
}

func (e *HeaderError) Error() string {
	switch {
	case e.Part == "count":
		return "okhttp: expected alternating header names and values, got " + strconv.Itoa(e.Count) + " strings"
	case e.Name == "":
		return "okhttp: header name is empty"
	case e.Part == "name":
		return fmt.Sprintf("okhttp: unexpected char 0x%02x at %d in header name: %s", e.Char, e.Index, quoteHeader(e.Name))
	}
	return fmt.Sprintf("okhttp: unexpected char 0x%02x at %d in %s value", e.Char, e.Index, e.Name)
}

// checkHeader checks a field. Names are tokens (RFC 9110, section 5.6.2). Values are tabs and printable ASCII (5.5),
// and bytes above ASCII if those are allowed.
func checkHeader(name, value string, nonASCII bool) error {
	if name == "" {
		return &HeaderError{Part: "name", Index: -1}
	}
	for i := range len(name) {
		if !ascii.IsTokenByte(name[i]) {
			char, _ := utf8.DecodeRuneInString(name[i:])
			if sensitiveHeader(name[:i]) {
				name = name[:i] // the value may follow
			}
			return &HeaderError{Part: "name", Name: name, Index: i, Char: char}
		}
	}
	for i := range len(value) {
		c := value[i]
		if ' ' <= c && c <= '~' || c == '\t' || c >= utf8.RuneSelf && nonASCII {
			continue
		}
		char, _ := utf8.DecodeRuneInString(value[i:])
		return &HeaderError{Part: "value", Name: name, Index: i, Char: char}
	}
	return nil
}

// check checks every field, bytes above ASCII in values allowed: for fields that come from [HeadersFrom].
func (h Headers) check() error {
	for name, value := range h.All() {
		if err := checkHeader(name, value, true); err != nil {
			return err
		}
	}
	return nil
}

// sensitiveHeader reports whether values of that name never appear in logs and errors.
func sensitiveHeader(name string) bool {
	switch len(name) {
	case len("Cookie"):
		return ascii.EqualFold(name, "Cookie")
	case len("Set-Cookie"):
		return ascii.EqualFold(name, "Set-Cookie")
	case len("Authorization"):
		return ascii.EqualFold(name, "Authorization")
	case len("Proxy-Authorization"):
		return ascii.EqualFold(name, "Proxy-Authorization")
	}
	return false
}

// quoteHeader makes any text fit for one line of a log.
func quoteHeader(s string) string { return strconv.Quote(abridge(s, 80)) }
