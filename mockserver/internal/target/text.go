package target

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
)

// Redacted stands for what is not shown, and not kept.
const Redacted = "redacted"

// What secrets stand in within text that is no whole value of JSON and no form: a=b of URLs and of lines, "a": b of JSON that is broken or one of several, and
// the user information of URLs.
var (
	assignment = regexp.MustCompile(`(^|[?&#;\s"'(<])([\w.%\[\]-]+)=`)
	member     = regexp.MustCompile(`"((?:[^"\\]|\\.)+)"\s*:\s*`)
	// the head of a part of a multipart body
	disposition = regexp.MustCompile(`(?i)content-disposition:[^\r\n]*[;\s]name="?([^"\r\n;]*)[^\r\n]*(?:\r?\n[^\r\n]+)*\r?\n\r?\n`)
	userInfo    = regexp.MustCompile(`(://[^/?#@\s":]*):[^/?#@\s"]+@`)
)

// Text returns text, of whatever kind, with a word in place of the secrets in it that can be told by their names.
func Text(text string) string { return TextWithout(text, Secret) }

// TextWithout is [Text] with other names.
func TextWithout(text string, secret func(name string) bool) string {
	// Reports quote many a text for each one that is read: expressions look only where what they begin with is.
	if strings.Contains(text, "\n") {
		text = parts(text, secret)
	}
	if strings.Contains(text, "=") {
		text = assignments(text, secret)
	}
	if strings.Contains(text, `"`) {
		text = members(text, secret)
	}
	if strings.Contains(text, "://") {
		text = userInfo.ReplaceAllString(text, "$1:"+Redacted+"@")
	}
	return text
}

// Form returns text of the form a=b&c=d without the values of secret names, and otherwise as it is.
func Form(text string) string {
	pairs := strings.Split(text, "&")
	for i, pair := range pairs {
		name, _, hasValue := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		if err != nil {
			plain = name
		}
		if hasValue && Secret(plain) {
			pairs[i] = name + "=" + Redacted
		}
	}
	return strings.Join(pairs, "&")
}

// assignments takes the values of a=b out of text.
func assignments(text string, secret func(string) bool) string {
	var b strings.Builder
	for {
		at := assignment.FindStringSubmatchIndex(text)
		if at == nil {
			return b.String() + text
		}
		end, name := at[1], text[at[4]:at[5]]
		if plain, err := url.QueryUnescape(name); err == nil {
			name = plain
		}
		b.WriteString(text[:end])
		if text = text[end:]; secret(strings.TrimLeft(name, "]")) { // a regular expression may say [?]token=
			value := strings.IndexAny(text, "&#;\"'<> \t\r\n")
			if value < 0 {
				value = len(text)
			}
			if text = text[value:]; value > 0 {
				b.WriteString(Redacted)
			}
		}
	}
}

// parts takes the contents of parts of multipart bodies out of text.
func parts(text string, secret func(string) bool) string {
	var b strings.Builder
	for {
		at := disposition.FindStringSubmatchIndex(text)
		if at == nil {
			return b.String() + text
		}
		name := text[at[2]:at[3]]
		b.WriteString(text[:at[1]])
		if text = text[at[1]:]; secret(name) {
			end := strings.Index(text, "\n--")
			if end < 0 {
				end = len(text)
			}
			if end = len(strings.TrimSuffix(text[:end], "\r")); end > 0 {
				b.WriteString(Redacted)
			}
			text = text[end:]
		}
	}
}

// members takes the values of "a": b out of text, which need not be JSON as a whole: a value that does not end goes to the end of the text.
func members(text string, secret func(string) bool) string {
	var b strings.Builder
	for {
		at := member.FindStringSubmatchIndex(text)
		if at == nil {
			return b.String() + text
		}
		name := text[at[2]:at[3]]
		if strings.Contains(name, `\`) {
			_ = json.Unmarshal([]byte(`"`+name+`"`), &name) // else it is taken as it is
		}
		b.WriteString(text[:at[1]])
		if text = text[at[1]:]; secret(name) || secret(name[strings.LastIndexByte(name, '"')+1:]) { // the quote before may be one of broken text
			if end := valueEnd(text); end > 0 {
				b.WriteString(`"` + Redacted + `"`)
				text = text[end:]
			}
		}
	}
}

// valueEnd returns where the value of JSON ends that a text begins with.
func valueEnd(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return min(i+1, len(text))
			}
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth <= 0 {
				return i + 1 + min(depth, 0)
			}
		case depth == 0 && strings.IndexByte(", \t\r\n", c) >= 0:
			return i
		}
	}
	return len(text)
}
