package cli

import (
	"path/filepath"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"
)

// dispositionName is the name of a file that Content-Disposition gives a response (RFC 6266), "" if it gives none that can be one. The extended parameter goes
// before the plain one. What servers send that the grammar does not allow is read as curl and browsers do: spaces without quotes, and bytes beyond ASCII.
func dispositionName(value string) string {
	plain, extended := "", ""
	for value != "" {
		var name, content string
		name, content, value = dispositionParameter(value)
		switch {
		case strings.EqualFold(name, "filename") && plain == "":
			plain = content
		case strings.EqualFold(name, "filename*") && extended == "":
			extended = extendedValue(content)
		}
	}
	if name := safeName(extended); name != "" {
		return name
	}
	return safeName(plain)
}

// dispositionParameter takes what stands before the next semicolon. The type has no content, and neither has what is no parameter.
func dispositionParameter(text string) (name, content, rest string) {
	end := strings.IndexAny(text, "=;")
	if end < 0 {
		return "", "", ""
	}
	if text[end] == ';' {
		return "", "", text[end+1:]
	}
	name, text = strings.TrimSpace(text[:end]), strings.TrimLeft(text[end+1:], " \t")
	if !strings.HasPrefix(text, `"`) {
		content, rest, _ = strings.Cut(text, ";")
		return name, strings.TrimSpace(content), rest
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			_, rest, _ = strings.Cut(text[i:], ";")
			return name, b.String(), rest
		case c == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'): // others stand for themselves, in paths of Windows
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return name, b.String(), "" // the quote at the end is missing
}

// extendedValue decodes a value with its charset (RFC 8187 section 3.2), "" if it is none.
func extendedValue(text string) string {
	charset, text, _ := strings.Cut(text, "'")
	_, text, ok := strings.Cut(text, "'")
	if !ok {
		return ""
	}
	text, ok = percentDecoded(text)
	switch {
	case ok && strings.EqualFold(charset, "utf-8") && utf8.ValidString(text):
		return text
	case ok && strings.EqualFold(charset, "iso-8859-1"):
		return latin1(text)
	}
	return ""
}

func percentDecoded(text string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		if i+2 >= len(text) {
			return "", false
		}
		high, low := strings.IndexByte(hexDigits, text[i+1]), strings.IndexByte(hexDigits, text[i+2])
		if high < 0 || low < 0 {
			return "", false
		}
		b.WriteByte(byte(high%16<<4 | low%16))
		i += 2
	}
	return b.String(), true
}

// hexDigits has each digit at its value, modulo 16.
const hexDigits = "0123456789ABCDEF0123456789abcdef"

func latin1(text string) string {
	runes := make([]rune, len(text))
	for i := range len(text) {
		runes[i] = rune(text[i])
	}
	return string(runes)
}

// longestName is what file systems take, in bytes.
const longestName = 255

// safeName makes of a name that somebody else chose one that leads nowhere else and hides nothing (RFC 6266 section 4.3): without folders, without characters that
// steer a terminal or turn the text around, not hidden, not looking like an option or a home directory. It is "" where nothing is left.
func safeName(name string) string {
	if !utf8.ValidString(name) {
		name = latin1(name)
	}
	name = strings.TrimSpace(name[strings.LastIndexAny(name, `/\`)+1:])
	if strings.Trim(name, ".") == "" {
		return ""
	}
	name = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || runtime.GOOS == "windows" && strings.ContainsRune(`:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
	if strings.IndexByte(".-~", name[0]) >= 0 {
		name = "_" + name[1:]
	}
	name = withinBytes(name, longestName)
	if runtime.GOOS == "windows" {
		name = strings.TrimRight(name, ". ")
	}
	if !filepath.IsLocal(name) { // a device of Windows
		return ""
	}
	return name
}

// withinBytes cuts a name to a number of bytes, before its extension if that is one.
func withinBytes(name string, most int) string {
	if len(name) <= most {
		return name
	}
	extension := filepath.Ext(name)
	if len(extension) > 16 {
		extension = ""
	}
	end := most - len(extension)
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + extension
}
