package jsontree

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// print writes a tree with the raw text of its leaves.
func print(text []byte, n *Node) string {
	switch n.Kind {
	case Array:
		var list []string
		for _, e := range n.Elements {
			list = append(list, print(text, e))
		}
		return "[" + strings.Join(list, " ") + "]"
	case Object:
		var list []string
		for _, m := range n.Members {
			list = append(list, m.Name+"="+print(text, m.Value))
		}
		return "{" + strings.Join(list, " ") + "}"
	}
	return string(text[n.Start:n.End])
}

func TestParse(t *testing.T) {
	text := []byte("\n{ \"a\" : [ 1 , \"x\\n\" ,null, true,{ } ] ,\n\t\"b\":-1.50e3}\n")
	root, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := print(text, root); got != `{a=[1 "x\n" null true {}] b=-1.50e3}` {
		t.Errorf("got %s", got)
	}
	if line, column := Position(text, root.Get("b").Start); line != 3 || column != 6 {
		t.Errorf("b is at %d:%d", line, column)
	}
	if root.Get("c") != nil || root.Get("a").Elements[1].Text != "x\n" || !root.Get("a").Elements[3].True || string(text[root.Start:root.End]) != strings.TrimSpace(string(text)) {
		t.Errorf("root %+v", root)
	}
}

func TestMalformed(t *testing.T) {
	for _, tt := range []struct {
		text   string
		offset int
		detail string
	}{
		{"", 0, "unexpected end"}, {"{", 1, "unexpected end"}, {`{"a":`, 5, "unexpected end"}, {`{"a":1,}`, 7, "invalid character"}, {"[1 2]", 3, "invalid character"},
		{"1 2", 2, "the end"}, {"{} x", 3, "the end"}, {`{"a":1,"a":2}`, 7, "second time"}, {`{1:2}`, 1, "invalid character"}, {"nul", 3, "unexpected end"}, {"\xff", 0, "UTF-8"}, {"\"a\xc0\"", 2, "UTF-8"},
		{"[" + strings.Repeat("0,", MaxNodes) + "0]", 2*MaxNodes - 1, "at most 1048576 values"}, {strings.Repeat("[", 300), 200, "levels"}, {strings.Repeat(`{"a":`, 300), 1000, "levels"},
	} {
		_, err := Parse([]byte(tt.text))
		wrong := (*SyntaxError)(nil)
		if !errors.As(err, &wrong) || wrong.Offset != tt.offset || !strings.Contains(wrong.Detail, tt.detail) {
			t.Errorf("%.20q: %v, want %s at %d", tt.text, err, tt.detail, tt.offset)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"x",null,true,{}]}`, `"\ud83d\ude00"`, `[[[]]]`, `{"a":1,"a":2}`, ` 1e5 `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		root, err := Parse(text)
		if wrong := (*SyntaxError)(nil); err != nil && !errors.As(err, &wrong) {
			t.Fatalf("%T", err)
		}
		if err != nil {
			return
		}
		if !json.Valid(text) {
			t.Errorf("took %q", text)
		}
		if !json.Valid(text[root.Start:root.End]) {
			t.Errorf("the root is %q", text[root.Start:root.End])
		}
		_ = fmt.Sprint(print(text, root))
	})
}
