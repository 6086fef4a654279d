package servecli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp/http2"
)

// A scriptError is a fault in a line of a script.
type scriptError struct {
	path string
	line int
	text string
}

func (e *scriptError) Error() string { return fmt.Sprintf("%s:%d: %s", e.path, e.line, e.text) }

// parser goes through a script line by line.
type parser struct {
	path   string
	lines  []string
	line   int // number of the current line, from 1
	routes []*scriptRoute
	at     map[string]int // lines of the routes
	answer *answer        // under way
	given  map[string]int // lines of what the answer was told
}

// parseScript reads a script. The format is in the package's documentation.
func parseScript(path, text string) ([]*scriptRoute, error) {
	p := &parser{path: path, lines: strings.Split(text, "\n"), at: map[string]int{}}
	for line, ok := p.next(); ok; line, ok = p.next() {
		trimmed := strings.Trim(line, " \t")
		var err error
		switch {
		case trimmed == "" || trimmed[0] == '#':
		case line[0] == ' ' || line[0] == '\t':
			err = p.directive(trimmed)
		case trimmed == "then":
			err = p.then()
		default:
			err = p.route(trimmed)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(p.routes) == 0 {
		return nil, p.errorf("no routes: expected a method and a path, such as GET /")
	}
	return p.routes, nil
}

func (p *parser) next() (line string, ok bool) {
	if p.line == len(p.lines) {
		return "", false
	}
	p.line++
	return strings.TrimSuffix(p.lines[p.line-1], "\r"), true
}

func (p *parser) errorf(format string, args ...any) error {
	return &scriptError{p.path, p.line, fmt.Sprintf(format, args...)}
}

func (p *parser) route(line string) error {
	words := strings.Fields(line)
	if len(words) != 2 {
		return p.errorf("expected a method and a path but got %q; what a route answers is indented", line)
	}
	method, path := words[0], words[1]
	if strings.Trim(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") != "" && method != "*" {
		return p.errorf("method %q: expected capital letters, or * for any", method)
	}
	if path[0] != '/' && path != "*" {
		return p.errorf("path %q: expected it to begin with /", path)
	}
	if i := strings.IndexByte(path, '*'); i >= 0 && i != len(path)-1 {
		return p.errorf("path %q: expected * at the end only", path)
	}
	key := method + " " + path
	if at := p.at[key]; at != 0 {
		return p.errorf("%s is a route already, in line %d", key, at)
	}
	p.at[key] = p.line
	prefix, isPrefix := strings.CutSuffix(path, "*")
	p.routes = append(p.routes, &scriptRoute{method: method, path: prefix, prefix: isPrefix, query: strings.Contains(path, "?")})
	p.begin()
	return nil
}

func (p *parser) then() error {
	if p.answer == nil {
		return p.errorf("then: expected a route before it")
	}
	p.begin()
	return nil
}

// begin starts an answer of the last route.
func (p *parser) begin() {
	p.answer, p.given = &answer{response: mockserver.Reply(200)}, map[string]int{}
	r := p.routes[len(p.routes)-1]
	r.answers = append(r.answers, p.answer)
}

// slots are the directives of which an answer has one at the most, by what they decide.
var slots = map[string]string{
	"status": "status", "redirect": "status",
	"body": "body", "file": "body", "echo": "body", "raw": "body",
	"chunked": "framing", "until-close": "framing",
	"continue": "continue",
	"delay":    "delay", "body-delay": "body-delay", "throttle": "throttle",
	"close": "effect", "disconnect": "effect", "reset": "effect", "reset-stream": "effect", "stall": "effect",
}

// directive adds an indented line to the answer.
func (p *parser) directive(line string) error {
	if p.answer == nil {
		return p.errorf("%q: expected a route before it, a method and a path at the start of the line", line)
	}
	name, rest, _ := strings.Cut(line, " ")
	rest = strings.Trim(rest, " \t")
	if slot := slots[name]; slot != "" {
		if at := p.given[slot]; at != 0 {
			return p.errorf("%s: line %d has said already what the %s is", name, at, slot)
		}
		p.given[slot] = p.line
	}
	begun := p.line
	resp, err := p.apply(p.answer.response, name, rest)
	if err == nil && resp.Err() != nil {
		err = &scriptError{p.path, begun, name + ": " + strings.TrimPrefix(resp.Err().Error(), "mockserver: ")}
	}
	p.answer.response = resp
	return err
}

// apply returns r as the directive changes it.
func (p *parser) apply(r mockserver.Response, name, rest string) (mockserver.Response, error) {
	var err error
	switch name {
	case "status":
		return p.status(r, rest)
	case "redirect":
		code, target, _ := strings.Cut(rest, " ")
		if len(code) != 3 || code[0] != '3' || target == "" {
			return r, p.errorf("redirect %q: expected a status 3xx and a target, such as 302 /new", rest)
		}
		if r, err = p.status(r, code); err != nil {
			return r, err
		}
		return r.Header("Location", strings.Trim(target, " \t")), nil
	case "header", "trailer":
		field, value, ok := strings.Cut(rest, ":")
		if !ok {
			return r, p.errorf("%s %q: expected NAME: VALUE", name, rest)
		}
		if name == "trailer" {
			return r.Trailer(field, value), nil
		}
		p.answer.typed = p.answer.typed || strings.EqualFold(strings.TrimSpace(field), "Content-Type")
		return r.AddHeader(field, value), nil
	case "informational":
		code, field, _ := strings.Cut(rest, " ")
		n, err := p.number(name, code)
		if err != nil {
			return r, err
		}
		if field == "" {
			return r.Informational(int(n)), nil
		}
		key, value, ok := strings.Cut(field, ":")
		if !ok {
			return r, p.errorf("informational %q: expected CODE [NAME: VALUE]", rest)
		}
		return r.Informational(int(n), key, value), nil
	case "body", "raw":
		text, err := p.text(name, rest)
		if err != nil {
			return r, err
		}
		if name == "raw" {
			return r.Raw([]byte(text)), nil
		}
		return r.Text(text), nil
	case "file":
		if rest == "" {
			return r, p.errorf("file: expected a name")
		}
		p.answer.file, p.answer.fileLine = rest, p.line
		return r, nil
	case "chunked":
		var sizes []int64
		for _, word := range strings.Fields(rest) {
			n, err := p.number(name, word)
			if err != nil {
				return r, err
			}
			sizes = append(sizes, n)
		}
		return r.Chunked(sizes...), nil
	case "delay", "body-delay":
		d, err := p.duration(name, rest)
		if err != nil {
			return r, err
		}
		if name == "delay" {
			return r.HeadDelay(d), nil
		}
		return r.BodyDelay(d), nil
	case "throttle":
		count, period, _ := strings.Cut(rest, " ")
		n, err := p.number(name, count)
		if err != nil {
			return r, err
		}
		d, err := p.duration(name, strings.Trim(period, " \t"))
		if err != nil {
			return r, err
		}
		return r.Throttle(n, d), nil
	case "disconnect":
		return p.effect(r, name, rest, mockserver.CloseSocket{})
	case "reset":
		return p.effect(r, name, rest, mockserver.Reset{})
	case "reset-stream":
		code, bytes, _ := strings.Cut(rest, " ")
		n, err := strconv.ParseUint(code, 0, 32)
		if err != nil {
			return r, p.errorf("reset-stream %q: expected an error code of HTTP/2, such as 8 or 0xb", rest)
		}
		return p.effect(r, name, strings.Trim(bytes, " \t"), mockserver.CloseStream{Code: http2.ErrorCode(n)})
	case "stall":
		return p.effect(r, name, rest, mockserver.Stall{})
	case "echo", "until-close", "continue", "close":
		if rest != "" {
			return r, p.errorf("%s: expected nothing after it but got %q", name, rest)
		}
	default:
		return r, p.errorf("%q is no directive", name)
	}
	switch name {
	case "echo":
		p.answer.echo = true
	case "until-close":
		r = r.UntilClose()
	case "continue":
		p.answer.continued = true
		r = r.Continue()
	case "close":
		r = r.On(mockserver.ResponseEnd, mockserver.ShutdownConnection{})
	}
	return r, nil
}

// status sets the status and, if there is one, the reason.
func (p *parser) status(r mockserver.Response, rest string) (mockserver.Response, error) {
	code, reason, reasoned := strings.Cut(rest, " ")
	n, err := strconv.Atoi(code)
	if err != nil || len(code) != 3 {
		return r, p.errorf("status %q: expected three digits and perhaps a reason", rest)
	}
	if r = r.Status(n); reasoned {
		r = r.Reason(strings.Trim(reason, " \t"))
	}
	return r, nil
}

// text reads the rest of a line, a quoted string, or the lines that follow.
func (p *parser) text(name, rest string) (string, error) {
	switch {
	case rest == "":
		return "", p.errorf(`%s: expected text, or "" for none`, name)
	case rest[0] == '"' || rest[0] == '`':
		text, err := strconv.Unquote(rest)
		if err != nil {
			return "", p.errorf("%s %s: expected a quoted Go string", name, rest)
		}
		return text, nil
	case strings.HasPrefix(rest, "<<"):
		word, begun := rest[2:], p.line
		if word == "" || strings.ContainsAny(word, " \t") {
			return "", p.errorf("%s %s: expected one word after <<", name, rest)
		}
		var text strings.Builder
		for line, ok := p.next(); ok; line, ok = p.next() {
			if line == word {
				return text.String(), nil
			}
			text.WriteString(line + "\n")
		}
		p.line = begun
		return "", p.errorf("%s %s: expected a line %q at the end of the text", name, rest, word)
	}
	return rest, nil
}

func (p *parser) number(name, word string) (int64, error) {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < 0 {
		return 0, p.errorf("%s: expected a number but got %q", name, word)
	}
	return n, nil
}

func (p *parser) duration(name, word string) (time.Duration, error) {
	d, err := time.ParseDuration(word)
	if err != nil || d < 0 {
		return 0, p.errorf("%s: expected a time such as 200ms or 1.5s but got %q", name, word)
	}
	return d, nil
}

// effect puts e in place of the response, or after a number of bytes of the body.
func (p *parser) effect(r mockserver.Response, name, rest string, e mockserver.Effect) (mockserver.Response, error) {
	if rest == "" {
		return r.On(mockserver.ResponseStart, e), nil
	}
	n, err := p.number(name, rest)
	if err != nil {
		return r, err
	}
	return r.OnBytes(mockserver.ResponseBody, n, e), nil
}
