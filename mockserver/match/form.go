package match

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/memo"
	"github.com/okhttp-go/ok/mockserver/internal/target"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okmultipart"
	"github.com/okhttp-go/ok/okio"
)

// Form matches requests with a form as their body (application/x-www-form-urlencoded) that has a field which p describes.
func Form(name string, p Pattern) mockserver.Matcher {
	what := "form field " + name
	shown := valuesMatcher(what, p, target.Secret(name), nil).text
	return &matcher{text: shown, err: p.err, body: true, match: func(r *mockserver.Request) []mockserver.Mismatch {
		if wrong := typed(r, "application/x-www-form-urlencoded"); wrong != nil {
			return wrong
		}
		fields, wrong := found(r, formKind{}, func(body []byte) (map[string][]string, []mockserver.Mismatch) {
			return allParameters(string(body)), nil
		})
		if wrong != nil {
			return wrong
		}
		return valuesMatcher(what, p, target.Secret(name), func(*mockserver.Request) []string { return fields[name] }).match(r)
	}}
}

func typed(r *mockserver.Request, want string) []mockserver.Mismatch {
	given, there := r.Headers.Last("Content-Type")
	kind, _, _ := strings.Cut(given, ";")
	if strings.EqualFold(strings.TrimSpace(kind), want) {
		return nil
	}
	return one("header Content-Type", want, got(given, there), distance(want, kind))
}

// PartRules describe a part of a multipart body. What is not set is not compared.
type PartRules struct {
	// Name and FileName are those of Content-Disposition, compared with [Is].
	Name, FileName string
	// Headers are those of the part, by name.
	Headers map[string]Pattern
	// Body is the content of the part; nil for any.
	Body *Pattern
	// JSON is JSON that the content of the part is, as [JSON] compares it; "" for any.
	JSON string
}

// maxParts bounds how many parts of a body are looked at.
const maxParts = 1000

// Part matches requests with a multipart body (RFC 2046 section 5.1, RFC 7578) of which one part is as the rules say.
func Part(rules PartRules) mockserver.Matcher {
	inner, text, err := rules.matcher()
	what := "part"
	if rules.Name != "" {
		what += " " + rules.Name
	}
	return &matcher{text: text, err: err, body: true, match: func(r *mockserver.Request) []mockserver.Mismatch {
		parts, wrong := partsOf(r)
		if wrong != nil {
			return wrong
		}
		var closest []mockserver.Mismatch
		least := 0.0
		for _, part := range parts {
			if rules.Name != "" && part.name != rules.Name {
				continue
			}
			list, sum := inner.Match(part.request), 0.0
			if target.Secret(part.name) {
				list = concealed(list)
			}
			if rules.FileName != "" && part.file != rules.FileName {
				list = append(list, one("file name", short(rules.FileName), short(part.file), distance(rules.FileName, part.file))...)
			}
			if len(list) == 0 {
				return nil
			}
			for i := range list {
				sum += list[i].Distance
				list[i].What = what + ": " + list[i].What
			}
			if closest == nil || sum < least {
				closest, least = list, sum
			}
		}
		if closest == nil {
			return one(what, "one", fmt.Sprintf("missing among %d parts", len(parts)), 1)
		}
		return spread(closest)
	}}
}

// matcher compares a part as if it were a request.
func (rules PartRules) matcher() (mockserver.Matcher, string, error) {
	text := "part"
	if rules.Name != "" {
		text += " " + rules.Name
	}
	if rules.FileName != "" {
		text += " of file " + short(rules.FileName)
	}
	var parts []mockserver.Matcher
	for _, name := range slices.Sorted(maps.Keys(rules.Headers)) {
		parts = append(parts, Header(name, rules.Headers[name]))
	}
	if rules.Body != nil {
		parts = append(parts, rules.named(Body(*rules.Body), "body "+rules.Body.shown(true)))
	}
	if rules.JSON != "" {
		parts = append(parts, rules.named(JSON(rules.JSON), "body of certain JSON"))
	}
	inner := All(parts...)
	if len(parts) > 0 {
		text += " with " + inner.String()
	}
	return inner, text, Err(inner)
}

// named gives a matcher of the content of a secret part a name that does not show what is expected.
func (rules PartRules) named(m mockserver.Matcher, text string) mockserver.Matcher {
	if !target.Secret(rules.Name) {
		return m
	}
	return &matcher{text: text, err: Err(m), body: true, match: m.Match}
}

// concealed is what is wrong with the content of a secret part, without what came and what is expected.
func concealed(list []mockserver.Mismatch) []mockserver.Mismatch {
	for i, m := range list {
		if strings.HasPrefix(m.What, "body") {
			list[i].What, list[i].Want, list[i].Got = "body", "a certain value", "another one, hidden"
		}
	}
	return list
}

// part is a part of a multipart body.
type part struct {
	name, file string
	request    *mockserver.Request
}

func partsOf(r *mockserver.Request) (list []part, wrong []mockserver.Mismatch) {
	contentType, there := r.Headers.Last("Content-Type")
	boundary, err := okmultipart.BoundaryOf(contentType)
	if err != nil {
		return nil, one("header Content-Type", "multipart with a boundary", got(contentType, there), 1)
	}
	return found(r, partsKind{}, func(body []byte) ([]part, []mockserver.Mismatch) {
		list, wrong := readParts(body, boundary)
		for _, p := range list {
			memo.Within(r, p.request)
		}
		return list, wrong
	})
}

func readParts(body []byte, boundary string) (list []part, wrong []mockserver.Mismatch) {
	failed := func(err error) ([]part, []mockserver.Mismatch) {
		return nil, one("body", "a multipart body", err.Error(), 1)
	}
	buffer := new(okio.Buffer)
	if _, err := buffer.Write(body); err != nil {
		return failed(err)
	}
	reader, err := okmultipart.NewReader(buffer, boundary)
	if err != nil {
		return failed(err)
	}
	defer reader.Close()
	for {
		p, err := reader.NextPart()
		if err == io.EOF {
			return list, nil
		}
		if err == nil && len(list) == maxParts {
			err = fmt.Errorf("more than %d parts", maxParts)
		}
		var text []byte
		if err == nil {
			text, err = io.ReadAll(p)
		}
		if err != nil {
			return failed(err)
		}
		list = append(list, part{p.FormName(), p.FileName(), partRequest(p.Headers(), text)})
	}
}

func partRequest(h okhttp.Headers, body []byte) *mockserver.Request {
	if body == nil {
		body = []byte{}
	}
	return &mockserver.Request{Headers: h, Body: body, BodySize: int64(len(body))}
}

// BasicAuth matches requests with those credentials (RFC 7617), in UTF-8. Reports do not show them.
func BasicAuth(user, password string) mockserver.Matcher {
	credentials, err := okhttp.BasicCredentials(user, password, "UTF-8")
	if err != nil {
		err = errors.New("match: BasicAuth: the credentials cannot be sent")
	}
	m := Header("Authorization", Is(credentials)).(*matcher)
	m.text, m.err = "basic credentials", err
	return m
}
