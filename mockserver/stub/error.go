package stub

import (
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
}

// Error names all of it but the column.
func (e *Error) Error() string {
	text := e.File + ":" + strconv.Itoa(e.Line) + ": "
	if e.Path != "" {
		text += e.Path + ": "
	}
	return text + e.Detail
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

// maxErrors bounds how many faults of a file are listed.
const maxErrors = 20

// reader collects the faults of one file.
type reader struct {
	file string
	text []byte
	errs Errors
}

func (rd *reader) fail(offset int, path, format string, args ...any) {
	if len(rd.errs) < maxErrors {
		line, column := jsontree.Position(rd.text, offset)
		rd.errs = append(rd.errs, &Error{rd.file, line, column, path, fmt.Sprintf(format, args...)})
	}
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
	step := name
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-$") != "" {
		step = strconv.Quote(name)
	}
	if v.path == "" {
		return step
	}
	return v.path + "." + step
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
			continue
		}
		names := make([]string, 0, len(known))
		for name := range known {
			names = append(names, name)
		}
		slices.Sort(names)
		v.rd.fail(m.Start, v.member(m.Name), "unknown key: expected one of %s", strings.Join(names, ", "))
	}
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
