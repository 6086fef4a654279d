package stub

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/mockserver/internal/jsontree"
)

// An Error is a fault in a stub file.
type Error struct {
	File         string
	Line, Column int    // from 1; the column is in bytes
	Path         string // of the key, such as stubs[2].request.headers.Accept; "" for the file
	Detail       string

	cause error
}

// Error names all of it but the column.
func (e *Error) Error() string {
	text := e.File + ":" + strconv.Itoa(e.Line) + ": "
	if e.Path != "" {
		text += e.Path + ": "
	}
	return text + e.Detail
}

// Unwrap returns what is wrong with a file that a response names, nil for other faults.
func (e *Error) Unwrap() error { return e.cause }

// place is where a part of a stub was read; the zero value is for none.
type place struct {
	file, path   string
	line, column int
}

// fault is what is wrong there.
func (p place) fault(cause error) *Error {
	return &Error{p.file, p.line, p.column, p.path, cause.Error(), cause}
}

func (p place) String() string {
	if p.path == "" {
		return fmt.Sprintf("%s:%d", p.file, p.line)
	}
	return fmt.Sprintf("%s:%d: %s", p.file, p.line, p.path)
}

// Errors are the faults of a file, in its order.
type Errors []*Error

// Error lists them, a line each.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns them.
func (e Errors) Unwrap() []error {
	list := make([]error, len(e))
	for i, one := range e {
		list[i] = one
	}
	return list
}

// Bounds of the faults of a file: how many are listed, and how long their parts are in bytes.
const (
	maxErrors = 20
	maxPath   = 200
	maxDetail = 600
)

// reader collects the faults of one file.
type reader struct {
	file string
	text []byte
	errs Errors

	lines, begin, counted int  // how many lines end before an offset, and where its own begins; lines are counted from there on
	wire                  bool // it is a mapping of WireMock
}

func (rd *reader) fail(offset int, path, format string, args ...any) {
	if len(rd.errs) < maxErrors {
		line, column := jsontree.Position(rd.text, offset)
		rd.errs = append(rd.errs, &Error{rd.file, line, column, shorten(path, maxPath), shorten(fmt.Sprintf(format, args...), maxDetail), nil})
	}
}

// shorten leaves the middle of a long text out.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most/2], "") + "…" + strings.ToValidUTF8(text[len(text)-most/2:], "")
}

// place is where a value stands. A file is not counted through for each of its values as long as they come in their order.
func (v value) place() place {
	rd := v.rd
	if v.Start < rd.counted {
		rd.lines, rd.begin, rd.counted = 0, 0, 0
	}
	if more := bytes.Count(rd.text[rd.counted:v.Start], []byte("\n")); more > 0 {
		rd.lines += more
		rd.begin = rd.counted + bytes.LastIndexByte(rd.text[rd.counted:v.Start], '\n') + 1
	}
	rd.counted = v.Start
	return place{rd.file, v.path, rd.lines + 1, v.Start - rd.begin + 1}
}

func (rd *reader) err() error {
	if len(rd.errs) == 0 {
		return nil
	}
	slices.SortStableFunc(rd.errs, func(a, b *Error) int { return a.Line - b.Line })
	return rd.errs
}

// value is a node with its path.
type value struct {
	*jsontree.Node
	rd   *reader
	path string
}

func (v value) fail(format string, args ...any) { v.rd.fail(v.Start, v.path, format, args...) }

// is reports whether the value is of a kind, and complains if it is not.
func (v value) is(k jsontree.Kind) bool {
	if v.Kind != k {
		v.fail("expected %v but it is %v", k, v.Kind)
	}
	return v.Kind == k
}

// member returns the path of a member.
func (v value) member(name string) string {
	return jsontree.Step(v.path, name)
}

// each calls f for the members of an object.
func (v value) each(f func(name string, member value)) {
	if !v.is(jsontree.Object) {
		return
	}
	for _, m := range v.Members {
		f(m.Name, value{m.Value, v.rd, v.member(m.Name)})
	}
}

// keys calls the functions by the names of the members; members without a function are faults.
func (v value) keys(known map[string]func(value)) {
	if !v.is(jsontree.Object) {
		return
	}
	for _, m := range v.Members {
		if f := known[m.Name]; f != nil {
			f(value{m.Value, v.rd, v.member(m.Name)})
		} else if len(v.rd.errs) < maxErrors {
			v.rd.fail(m.Start, v.member(m.Name), "%s", unknown(m.Name, sorted(known), v.rd.wire))
		}
	}
}

// atMost complains about more elements than an array may have.
func (v value) atMost(n int) bool {
	if len(v.Elements) > n {
		v.fail("expected at most %d but there are %d", n, len(v.Elements))
	}
	return len(v.Elements) <= n
}

// list returns the elements of an array.
func (v value) list() (list []value) {
	if v.is(jsontree.Array) {
		for i, n := range v.Elements {
			list = append(list, value{n, v.rd, v.path + "[" + strconv.Itoa(i) + "]"})
		}
	}
	return list
}

// oneOrMore returns the elements of an array, or the value itself.
func (v value) oneOrMore() []value {
	if v.Kind == jsontree.Array {
		return v.list()
	}
	return []value{v}
}

func (v value) str() string {
	v.is(jsontree.String)
	return v.Text
}

func (v value) strs() (list []string) {
	for _, one := range v.oneOrMore() {
		list = append(list, one.str())
	}
	return list
}

func (v value) boolean() bool {
	v.is(jsontree.Bool)
	return v.True
}

// integer reads a number between two bounds.
func (v value) integer(least, most int64) int64 {
	if !v.is(jsontree.Number) {
		return least
	}
	n, err := strconv.ParseInt(v.Text, 10, 64)
	if err != nil || n < least || n > most {
		v.fail("expected an integer from %d to %d but it is %s", least, most, v.Text)
		return least
	}
	return n
}

// raw returns the text of the value.
func (v value) raw() []byte { return slices.Clone(v.rd.text[v.Start:v.End]) }
