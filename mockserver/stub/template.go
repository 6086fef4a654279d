package stub

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/okhttp-go/ok/mockserver"
)

// Bounds of templates.
const (
	maxTemplate = 1 << 20 // bytes of its text
	maxSteps    = 100_000 // turns of loops, calls of templates and of functions
	maxDepth    = 1000    // templates within each other, whose end takes long where there are many
	maxMade     = 8 << 20 // bytes that functions make on the way
	maxOutput   = 1 << 20 // bytes of the result
)

// ErrTemplate is wrapped by the failure of a template that was stopped because it runs for too long or makes too much.
var ErrTemplate = errors.New("stub: the template does too much")

// The functions that count: a step is put into each loop, the others around each template.
const (
	stepName  = "step_"
	enterName = "enter_"
	leaveName = "leave_"
)

// compile parses a template and puts its brakes in.
func compile(name, text string) (*template.Template, error) {
	if len(text) > maxTemplate {
		return nil, fmt.Errorf("template: expected at most %d bytes but there are %d", maxTemplate, len(text))
	}
	t, err := template.New(name).Option("missingkey=zero").Funcs(functions(new(budget), nil)).Parse(text)
	if err != nil {
		return nil, err
	}
	brakes, err := template.New("").Funcs(functions(new(budget), nil)).Parse("{{" + stepName + "}}{{" + enterName + "}}{{" + leaveName + "}}")
	if err != nil {
		return nil, err
	}
	step, enter, leave := brakes.Root.Nodes[0], brakes.Root.Nodes[1], brakes.Root.Nodes[2]
	for _, one := range t.Templates() {
		if one.Tree != nil && one.Root != nil {
			slow(one.Root, step)
			one.Root.Nodes = append(append([]parse.Node{enter}, one.Root.Nodes...), leave)
		}
	}
	return t, nil
}

// slow puts a step into all loops.
func slow(list *parse.ListNode, step parse.Node) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.RangeNode:
			slow(n.List, step)
			slow(n.ElseList, step)
			n.List.Nodes = append([]parse.Node{step}, n.List.Nodes...)
		case *parse.IfNode:
			slow(n.List, step)
			slow(n.ElseList, step)
		case *parse.WithNode:
			slow(n.List, step)
			slow(n.ElseList, step)
		}
	}
}

// run fills a template.
func run(t *template.Template, data *TemplateData) (string, error) {
	own, err := t.Clone()
	if err != nil {
		return "", err
	}
	var out output
	if err := own.Funcs(functions(data.budget, data.request.Rand())).Execute(&out, data); err != nil {
		return "", err
	}
	return out.String(), nil
}

// output is what a template writes.
type output struct{ strings.Builder }

func (o *output) Write(p []byte) (int, error) {
	if o.Len()+len(p) > maxOutput {
		return 0, fmt.Errorf("%w: more than %d bytes", ErrTemplate, maxOutput)
	}
	return o.Builder.Write(p)
}

// budget is what is left of what one run may do.
type budget struct{ steps, made, depth int }

func (b *budget) step(n int) error {
	if b.steps += n; b.steps > maxSteps {
		return fmt.Errorf("%w: more than %d steps", ErrTemplate, maxSteps)
	}
	return nil
}

// enter begins a template.
func (b *budget) enter() (string, error) {
	if b.depth++; b.depth > maxDepth {
		return "", fmt.Errorf("%w: more than %d templates within each other", ErrTemplate, maxDepth)
	}
	return "", b.step(1)
}

func (b *budget) leave() string {
	b.depth--
	return ""
}

// make counts text that a function made.
func (b *budget) make(text string) (string, error) {
	if b.made += len(text); b.made > maxMade {
		return "", fmt.Errorf("%w: more than %d bytes on the way", ErrTemplate, maxMade)
	}
	return text, b.step(1)
}

// afford fails if a text of such parts would be too long.
func (b *budget) afford(parts ...any) error {
	left := maxMade - b.made
	for _, part := range parts {
		left -= weight(part, left)
	}
	if left < 0 {
		return fmt.Errorf("%w: more than %d bytes on the way", ErrTemplate, maxMade)
	}
	return nil
}

// affordTimes is afford where each byte may become several.
func (b *budget) affordTimes(each int, parts ...any) error {
	left := maxMade - b.made
	for _, part := range parts {
		if left -= each * weight(part, left/each); left < 0 {
			return b.excess()
		}
	}
	return nil
}

func (b *budget) excess() error {
	return fmt.Errorf("%w: more than %d bytes on the way", ErrTemplate, maxMade)
}

// affordFormat is afford for a format of printf whose verbs were found: with their flags, widths and precisions. One with explicit indexes may use each argument in each verb.
func (b *budget) affordFormat(format string, verbs [][]string, args []any) error {
	each, width := 1, 0
	for _, verb := range verbs {
		if !strings.Contains("svd%", verb[3]) || strings.Contains(verb[0], "#") {
			each = quotedAs
		}
		for _, text := range verb[1:3] {
			n, _ := strconv.Atoi(text) // "" is none
			width = max(width, n)
		}
	}
	left := maxMade - b.made - len(format) - len(verbs)*(width+32)
	uses := 1
	if strings.Contains(format, "[") {
		uses = max(len(verbs), 1)
	}
	for _, arg := range args {
		cost := each * uses
		switch arg.(type) {
		case []any, []string, map[string]any: // each element has that width
			cost *= width + 1
		}
		if left < 0 {
			break
		}
		left -= cost * weight(arg, left/cost)
	}
	if left < 0 {
		return b.excess()
	}
	return nil
}

// weight is about the length of a value as text, counted until it is more than most.
func weight(v any, most int) int {
	sum := 0
	switch v := v.(type) {
	case string:
		sum = len(v)
	case json.Number:
		sum = len(v)
	case []string:
		for _, s := range v {
			sum += len(s) + 3
		}
	case []any:
		for _, one := range v {
			if sum += 1 + weight(one, most-sum); sum > most {
				break
			}
		}
	case map[string]any:
		for name, one := range v {
			if sum += 4 + len(name) + weight(one, most-sum); sum > most {
				break
			}
		}
	default:
		sum = 32
	}
	return sum
}

// templates are those of a response.
type templates struct {
	response Response
	body     *template.Template
	headers  []*template.Template // in place of values; nil for one that is none
}

// templates compiles those of a response, nil if it has none.
func (r Response) templates() (*templates, error) {
	if !r.Template {
		return nil, nil
	}
	t := &templates{response: r}
	var err error
	if r.Body != nil {
		if t.body, err = compile("body", *r.Body); err != nil {
			return nil, err
		}
	}
	for i := 0; i+1 < len(r.Headers); i += 2 {
		var one *template.Template
		if strings.Contains(r.Headers[i+1], "{{") {
			if one, err = compile(r.Headers[i], r.Headers[i+1]); err != nil {
				return nil, err
			}
		}
		t.headers = append(t.headers, one)
	}
	return t, nil
}

// fill runs the templates for a request.
func (t *templates) fill(resp mockserver.Response, dir string, data *TemplateData) mockserver.Response {
	body := t.body
	if name := t.response.File; name != "" { // read anew each time, as other files are
		resp = t.response.withFile(resp, dir)
		text, err := readTemplate(dir, name)
		if err == nil {
			body, err = compile(name, text)
		}
		if err != nil {
			return mockserver.Fault(err)
		}
	}
	if body != nil {
		text, err := run(body, data)
		if err != nil {
			return mockserver.Fault(err)
		}
		resp = resp.Text(text)
	}
	for i, one := range t.headers {
		if one != nil {
			resp = resp.Header(t.response.Headers[2*i], "") // that of the plain response
		}
	}
	for i, one := range t.headers {
		if one == nil {
			continue
		}
		text, err := run(one, data)
		if err != nil {
			return mockserver.Fault(err)
		}
		resp = resp.Header(t.response.Headers[2*i], text)
	}
	return resp
}

func readTemplate(dir, name string) (string, error) {
	f, err := os.OpenInRoot(folder(dir), filepath.FromSlash(name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxTemplate+1))
	return string(text), err
}
