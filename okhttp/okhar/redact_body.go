package okhar

import (
	"encoding/json"
	"mime"
	"strings"
)

// body hides the secrets of a body, or of the beginning of one: of forms in either format, and of JSON. All else is left as it is.
func (r *redactor) body(text, contentType string) string {
	if r.keep {
		return text
	}
	_, parameters, err := mime.ParseMediaType(contentType)
	if boundary := parameters["boundary"]; err == nil && boundary != "" { // whatever the form is called
		return r.parts(text, boundary)
	}
	return r.simple(text, contentType)
}

// simple is body for what has no parts.
func (r *redactor) simple(text, contentType string) string {
	kind, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	kind = strings.TrimSpace(kind)
	if kind == "application/x-www-form-urlencoded" {
		return r.pairs(text)
	}
	if looks := strings.IndexAny(strings.TrimLeft(text, "\ufeff \t\r\n"), "{[") == 0; looks || strings.HasSuffix(kind, "json") { // many types are wrong
		return r.json(text)
	}
	return text
}

// parts hides the contents of parts by their names (RFC 7578 section 4.2), and secrets within the others.
func (r *redactor) parts(text, boundary string) string {
	delimiter := "\r\n--" + boundary
	list := strings.Split("\r\n"+text, delimiter)
	for i, part := range list {
		head, content, ok := strings.Cut(part, "\r\n\r\n")
		if i == 0 || !ok {
			continue
		}
		name, contentType := partHead(head)
		if r.query[plain(name)] {
			content = blocks
		} else {
			content = r.simple(content, contentType)
		}
		list[i] = head + "\r\n\r\n" + content
	}
	return strings.TrimPrefix(strings.Join(list, delimiter), "\r\n")
}

// partHead finds what the head of a part says of it.
func partHead(head string) (name, contentType string) {
	for line := range strings.SplitSeq(head, "\r\n") {
		field, value, _ := strings.Cut(line, ":")
		switch strings.ToLower(strings.TrimSpace(field)) {
		case "content-disposition":
			if _, parameters, err := mime.ParseMediaType(value); err == nil {
				name = parameters["name"]
			}
		case "content-type":
			contentType = strings.TrimSpace(value)
		}
	}
	return name, contentType
}

// json hides the values of members by their names. It needs no valid document: what was cut, and several documents one after another, are as good.
func (r *redactor) json(text string) string {
	var b strings.Builder
	done := 0 // what is in b
	for i := 0; i < len(text); {
		if text[i] != '"' {
			i++
			continue
		}
		end := stringEnd(text, i)
		colon := spaceEnd(text, end)
		if colon == len(text) || text[colon] != ':' || !r.member(text[i:end]) {
			i = end
			continue
		}
		start := spaceEnd(text, colon+1)
		if i = valueEnd(text, start); i > start {
			b.WriteString(text[done:start] + `"` + blocks + `"`)
			done = i
		}
	}
	if done == 0 {
		return text
	}
	return b.String() + text[done:]
}

// member reports whether a name, as it is in JSON, is that of a secret.
func (r *redactor) member(quoted string) bool {
	var name string
	return json.Unmarshal([]byte(quoted), &name) == nil && r.members[plain(name)]
}

// spaceEnd returns where the space at i ends.
func spaceEnd(text string, i int) int {
	for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
		i++
	}
	return i
}

// stringEnd returns where the string ends whose quote is at i.
func stringEnd(text string, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// valueEnd returns where the value at i ends.
func valueEnd(text string, i int) int {
	for depth := 0; i < len(text); {
		switch text[i] {
		case '"':
			i = stringEnd(text, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}
