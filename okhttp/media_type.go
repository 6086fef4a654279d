package okhttp

import (
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
)

// MediaType is a media type such as "text/plain; charset=utf-8" (RFC 9110 section 8.3.1), as it stands in Content-Type. It keeps the text it
// was parsed from, and == compares that text: "text/plain;charset=utf-8" is not "text/plain; charset=utf-8". The zero value is no
// media type.
type MediaType struct {
	text              string
	mainType, subtype string // in lower case
	params            int    // where the parameters begin in text
}

// ParseMediaType reads a media type. Between semicolons there may be nothing, and spaces only after them; the value of a parameter
// is a token, or text between double quotes without any quote in it, where a backslash is itself. Anything else fails with a
// [*MediaTypeError].
func ParseMediaType(s string) (MediaType, error) {
	mainType := mediaToken(s)
	if mainType == "" || len(s) == len(mainType) || s[len(mainType)] != '/' {
		return MediaType{}, &MediaTypeError{Input: abridge(s, 80)}
	}
	subtype := mediaToken(s[len(mainType)+1:])
	if subtype == "" {
		return MediaType{}, &MediaTypeError{Input: abridge(s, 80)}
	}
	m := MediaType{s, strings.ToLower(mainType), strings.ToLower(subtype), len(mainType) + 1 + len(subtype)}
	for rest := s[m.params:]; rest != ""; {
		var ok bool
		if _, _, rest, ok = cutMediaParameter(rest); !ok {
			return MediaType{}, &MediaTypeError{Input: abridge(s, 80), Parameter: abridge(rest, 80)}
		}
	}
	return m, nil
}

// MediaTypeError reports text that is not a media type.
type MediaTypeError struct {
	Input     string // the text, abridged
	Parameter string // what is left of it where a parameter is malformed, abridged; "" if there is no "type/subtype" to begin with
}

func (e *MediaTypeError) Error() string {
	if e.Parameter == "" {
		return "okhttp: no subtype found for: " + strconv.Quote(e.Input)
	}
	return "okhttp: parameter is not formatted correctly: " + strconv.Quote(e.Parameter) + " for: " + strconv.Quote(e.Input)
}

// Type returns what stands before the slash, in lower case: "text".
func (m MediaType) Type() string { return m.mainType }

// Subtype returns what stands after the slash, in lower case: "plain".
func (m MediaType) Subtype() string { return m.subtype }

// Parameter returns the value of a parameter, without quotes, and whether there is one. The case of its name does not count; of several
// by that name it is the first. A value in single quotes, which HTTP does not know but servers send, loses those too.
func (m MediaType) Parameter(name string) (string, bool) {
	for rest := m.text[m.params:]; rest != ""; {
		var key, value string
		key, value, rest, _ = cutMediaParameter(rest) // all are well-formed
		if key != "" && ascii.EqualFold(key, name) {
			return value, true
		}
	}
	return "", false
}

// Charset returns the charset parameter in lower case, "" if there is none or it is not one of those that this package decodes: UTF-8,
// UTF-16, UTF-32, ISO-8859-1 and US-ASCII. A default is thus cmp.Or(m.Charset(), "utf-8").
func (m MediaType) Charset() string {
	charset, _ := m.Parameter("charset")
	if _, err := decodeCharset("", charset); err != nil {
		return ""
	}
	return strings.ToLower(charset)
}

// String returns the text that was parsed.
func (m MediaType) String() string { return m.text }

// cutMediaParameter takes a semicolon and the parameter after it, which may be missing. If that is not what comes, it returns the text
// unchanged.
func cutMediaParameter(s string) (name, value, rest string, ok bool) {
	if s == "" || s[0] != ';' {
		return "", "", s, false
	}
	rest = strings.TrimLeft(s[1:], " \t")
	if name = mediaToken(rest); name == "" || len(rest) == len(name) || rest[len(name)] != '=' {
		return "", "", rest, true
	}
	after := rest[len(name)+1:]
	if value = mediaToken(after); value != "" {
		after = after[len(value):]
		if len(value) > 2 && value[0] == '\'' && value[len(value)-1] == '\'' {
			value = value[1 : len(value)-1]
		}
		return name, value, after, true
	}
	if strings.HasPrefix(after, `"`) {
		if value, after, ok = strings.Cut(after[1:], `"`); ok {
			return name, value, after, true
		}
	}
	return "", "", rest, true
}

// mediaToken returns the token that s begins with. It may have braces, which those of RFC 9110 section 5.6.2 may not.
func mediaToken(s string) string {
	i := 0
	for i < len(s) && (ascii.IsTokenByte(s[i]) || s[i] == '{' || s[i] == '}') {
		i++
	}
	return s[:i]
}
