package match

import (
	"fmt"
	"net/url"
	"strings"
)

// template is a path with variables.
type template struct {
	segments []segment
	rest     string // the variable for what follows, "" for none
	open     bool   // something may follow
}

// segment is what stands between two slashes, with a variable in it or not.
type segment struct {
	before, name, after string
	variable            bool
}

// maxTemplate bounds the length of templates.
const maxTemplate = 8 << 10

// parseTemplate reads a path such as /users/{id}/files/{name}.txt or /static/{path...}.
func parseTemplate(text string) (*template, error) {
	wrong := func(format string, args ...any) (*template, error) {
		return nil, fmt.Errorf("path %s: %s", short(text), fmt.Sprintf(format, args...))
	}
	if !strings.HasPrefix(text, "/") {
		return wrong("expected it to begin with /")
	}
	if len(text) > maxTemplate {
		return wrong("expected at most %d bytes but it has %d", maxTemplate, len(text))
	}
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		return wrong("expected no %q in a path", text[i:i+1])
	}
	t, names := new(template), map[string]bool{}
	parts := strings.Split(text[1:], "/")
	for i, part := range parts {
		before, rest, variable := strings.Cut(part, "{")
		name, after, closed := strings.Cut(rest, "}")
		switch {
		case !variable && strings.Contains(part, "}"), variable && !closed:
			return wrong("expected { and } in pairs within %q", part)
		case strings.ContainsAny(after, "{}") || strings.ContainsAny(before, "}") || strings.Contains(name, "{"):
			return wrong("expected one variable in %q", part)
		}
		if variable {
			bare, open := strings.CutSuffix(name, "...")
			if !identifier(bare) {
				return wrong("variable {%s}: expected a name of letters, digits, - and _", name)
			}
			if names[bare] {
				return wrong("variable {%s}: expected each name once", bare)
			}
			names[bare] = true
			if open {
				if before != "" || after != "" || i != len(parts)-1 {
					return wrong("expected {%s} to be all after the last slash", name)
				}
				t.rest, t.open = bare, true
				return t, nil
			}
			name = bare
		}
		var err error
		if before, err = url.PathUnescape(before); err == nil {
			after, err = url.PathUnescape(after)
		}
		if err != nil {
			return wrong("%v", err)
		}
		t.segments = append(t.segments, segment{before, name, after, variable})
	}
	return t, nil
}

func identifier(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

// fit matches an encoded path and returns the decoded values of the variables.
func (t *template) fit(path string) (values map[string]string, ok bool) {
	path, ok = strings.CutPrefix(path, "/")
	if !ok {
		return nil, false
	}
	more := true // of the path, for the next segment
	for _, s := range t.segments {
		if !more {
			return nil, false
		}
		var part string
		part, path, more = strings.Cut(path, "/")
		decoded, err := url.PathUnescape(part)
		if err != nil {
			return nil, false
		}
		if !s.variable {
			if decoded != s.before {
				return nil, false
			}
			continue
		}
		if len(decoded) <= len(s.before)+len(s.after) || !strings.HasPrefix(decoded, s.before) || !strings.HasSuffix(decoded, s.after) {
			return nil, false
		}
		if values == nil {
			values = map[string]string{}
		}
		values[s.name] = decoded[len(s.before) : len(decoded)-len(s.after)]
	}
	if !t.open {
		return values, !more
	}
	if !more {
		return nil, false
	}
	rest, err := url.PathUnescape(path)
	if err != nil {
		return nil, false
	}
	if values == nil {
		values = map[string]string{}
	}
	values[t.rest] = rest
	return values, true
}
