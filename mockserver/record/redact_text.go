package record

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/okhttp-go/ok/mockserver/internal/jsonvalue"
)

// What secrets stand in within text that is no whole value of JSON and no form: a=b of URLs and of lines, "a": b of JSON that is broken or one of several, and
// the user information of URLs.
var (
	assignment = regexp.MustCompile(`(^|[?&#;\s"'(<])([\w.%\[\]-]+)=`)
	member     = regexp.MustCompile(`"([\w.-]+)"(\s*:\s*)("(?:[^"\\]|\\.)*"?|[^\s",}\]]+)`)
	userInfo   = regexp.MustCompile(`(://[^/?#@\s":]*):[^/?#@\s"]+@`)
)

// loose takes secrets out of such text.
func (r redactor) loose(text string) string {
	text = r.assignments(text)
	text = replaced(member, text, func(part []string) string {
		if r.field(part[1]) {
			return `"` + part[1] + `"` + part[2] + `"` + redacted + `"`
		}
		return part[0]
	})
	return userInfo.ReplaceAllString(text, "$1:"+redacted+"@")
}

// assignments takes the values of a=b out of text.
func (r redactor) assignments(text string) string {
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
		if text = text[end:]; r.field(name) {
			value := strings.IndexAny(text, "&#;\"'<>, \t\r\n")
			if value < 0 {
				value = len(text)
			}
			if text = text[value:]; value > 0 {
				b.WriteString(redacted)
			}
		}
	}
}

// replaced puts in place of each match what f makes of it and of its groups.
func replaced(e *regexp.Regexp, text string, f func(part []string) string) string {
	var b strings.Builder
	end := 0
	for _, at := range e.FindAllStringSubmatchIndex(text, -1) {
		part := make([]string, len(at)/2)
		for i := range part {
			part[i] = text[at[2*i]:at[2*i+1]]
		}
		b.WriteString(text[end:at[0]])
		b.WriteString(f(part))
		end = at[1]
	}
	return b.String() + text[end:]
}

// prose reports whether text of a media type may be looked through, and changed, word by word: what has a grammar of its own, as scripts have, would break.
func prose(kind string) bool {
	switch kind {
	case "", "text/plain", "text/json", "text/event-stream", "application/x-www-form-urlencoded":
		return true
	}
	return strings.Contains(kind, "json")
}

// content takes secrets out of the content of a response.
func (r redactor) content(kind, text string) string {
	if value, err := jsonvalue.Parse([]byte(text)); err == nil {
		if without, hidden := r.json(value, true); hidden {
			return jsonvalue.Text(without)
		}
		return text
	}
	switch {
	case !prose(kind):
		return text
	case kind == "application/x-www-form-urlencoded":
		if r.pairs(text, func(string, string, bool) {}) {
			text = r.form(text)
		}
	}
	lines := strings.SplitAfter(text, "\n") // of NDJSON, and of events
	for i, line := range lines {
		begin := strings.IndexByte(line, '{')
		if begin < 0 {
			lines[i] = r.loose(line)
			continue
		}
		head, rest := line[:begin], strings.TrimRight(line[begin:], "\r\n")
		if value, err := jsonvalue.Parse([]byte(rest)); err != nil {
			lines[i] = r.loose(line)
		} else if without, hidden := r.json(value, true); hidden {
			lines[i] = r.loose(head) + jsonvalue.Text(without) + line[begin+len(rest):]
		} else {
			lines[i] = r.loose(head) + line[begin:]
		}
	}
	return strings.Join(lines, "")
}
