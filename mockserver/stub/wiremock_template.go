package stub

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// converted turns the expressions of WireMock's templates into those of text/template.
func (v value) converted(r *Response) {
	if r.Body != nil {
		if text, err := convert(*r.Body); err == nil {
			r.Body = &text
		} else {
			v.fail("body: %v", err)
		}
	}
	if r.JSON != nil {
		text, err := convert(string(r.JSON))
		if err != nil {
			v.fail("jsonBody: %v", err)
		}
		r.JSON, r.Body = nil, &text
		r.Headers = append(r.Headers, "Content-Type", "application/json")
	}
	for i := 1; i < len(r.Headers); i += 2 {
		text, err := convert(r.Headers[i])
		if err != nil {
			v.fail("header %s: %v", r.Headers[i-1], err)
		}
		r.Headers[i] = text
	}
	if r.File != "" {
		v.fail("a body file that is a template is not converted")
	}
	if r.Base64 != nil {
		v.fail("expected a template as body, not as base64Body")
	}
}

// expression finds {{…}} and {{{…}}}.
var expression = regexp.MustCompile(`\{\{\{?([^{}]*)\}\}\}?`)

func convert(text string) (string, error) {
	var wrong error
	out := expression.ReplaceAllStringFunc(text, func(found string) string {
		inner := strings.TrimSpace(strings.Trim(found, "{}"))
		with, ok := convertExpression(inner)
		if !ok && wrong == nil {
			wrong = fmt.Errorf("the expression {{%s}} is not understood", inner)
		}
		return "{{" + with + "}}"
	})
	return out, wrong
}

// fixed are expressions as they are.
var fixed = map[string]string{
	"request.method": ".Method", "request.url": ".Target", "request.path": ".Path", "request.host": ".Host", "request.scheme": ".Scheme", "request.body": ".Body", "now": "now",
	"randomValue type='UUID'": "uuid", `randomValue type="UUID"`: "uuid",
}

// forms are expressions with a part that differs.
var forms = []struct {
	re   *regexp.Regexp
	make func(string) string
}{
	{regexp.MustCompile(`^request\.(?:path|pathSegments)\.\[?(\d+)\]?$`), func(n string) string { return ".Segment " + n }},
	{regexp.MustCompile(`^request\.path\.([A-Za-z_][\w-]*)$`), func(s string) string { return ".Param " + strconv.Quote(s) }},
	{regexp.MustCompile(`^request\.query\.\[?'?([\w-]+)'?\]?(?:\.\[?0\]?)?$`), func(s string) string { return ".Query " + strconv.Quote(s) }},
	{regexp.MustCompile(`^request\.headers\.\[?'?([\w-]+)'?\]?(?:\.\[?0\]?)?$`), func(s string) string { return ".Header " + strconv.Quote(s) }},
	{regexp.MustCompile(`^request\.cookies\.\[?'?([\w-]+)'?\]?$`), func(s string) string { return ".Cookie " + strconv.Quote(s) }},
	// Paths that may select several values make a list there, and are not understood.
	{regexp.MustCompile(`^jsonPath\s+request\.body\s+'((?:\.?[^'.?*:,])*)'$`), func(s string) string { return ".JSON " + strconv.Quote(s) }},
	{regexp.MustCompile(`^jsonPath\s+request\.body\s+"((?:\.?[^"\\.?*:,])*)"$`), func(s string) string { return ".JSON " + strconv.Quote(s) }},
}

func convertExpression(text string) (string, bool) {
	if with, ok := fixed[strings.Join(strings.Fields(text), " ")]; ok {
		return with, true
	}
	for _, form := range forms {
		if found := form.re.FindStringSubmatch(text); found != nil {
			return form.make(found[1]), true
		}
	}
	return "", false
}
