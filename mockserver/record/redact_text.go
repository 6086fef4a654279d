package record

import (
	"strings"

	"github.com/okhttp-go/ok/mockserver/internal/jsonvalue"
	"github.com/okhttp-go/ok/mockserver/internal/target"
)

// loose takes secrets out of text that is no whole value of JSON and no form.
func (r redactor) loose(text string) string { return target.TextWithout(text, r.field) }

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
