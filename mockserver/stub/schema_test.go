package stub_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/mockserver/stub"
)

// key is a key that a stub file may have.
type key struct {
	path string
	line int                   // where its value stands in text
	text func(v string) string // a file with that value, each key on a line of its own
	kind reflect.Type          // what the value is read into
}

// delayKeys are the members of a delay, which has no names for JSON as it may be a string.
var delayKeys = map[string]any{"from": stub.Duration(0), "to": stub.Duration(0), "median": stub.Duration(0), "sigma": 0.0, "max": stub.Duration(0)}

// members are the keys of an object that is read into a type, with what their values are; none if it is no object of fixed keys.
func members(t reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	if t == reflect.TypeFor[stub.Delay]() {
		for name, v := range delayKeys {
			all[name] = reflect.TypeOf(v)
		}
		return all
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		return nil
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			for name, of := range members(f.Type) {
				all[name] = of
			}
		case f.IsExported():
			all[name] = f.Type
		}
	}
	if t == reflect.TypeFor[stub.Stub]() {
		all["response"] = reflect.TypeFor[stub.Response]()
	}
	return all
}

// keys calls f for each key below k. Types within themselves are gone into once.
func keys(k key, within []reflect.Type, f func(key)) {
	t := k.kind
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	below := func(name string, of reflect.Type, path string) {
		next := key{path, k.line + 1, func(v string) string { return k.text("{\n" + fmt.Sprintf("%q: %s", name, v) + "}") }, of}
		if len(within) > 0 && within[0] == reflect.TypeFor[stub.Stub]() && k.path == "" && name != "response" && name != "responses" {
			next.text = func(v string) string { return k.text(fmt.Sprintf("{\n%q: %s,\n\"response\": {}}", name, v)) }
		}
		f(next)
		keys(next, within, f)
	}
	if slices.Contains(within, t) {
		return
	}
	within = append(slices.Clip(within), t)
	named := members(t)
	for name, of := range named {
		path := name
		if k.path != "" {
			path = k.path + "." + name
		}
		below(name, of, path)
	}
	switch {
	case named != nil || t == reflect.TypeFor[json.RawMessage]() || t == reflect.TypeFor[[]byte]() || t == reflect.TypeFor[stub.Fields]():
	case t.Kind() == reflect.Slice:
		next := key{k.path + "[0]", k.line, func(v string) string { return k.text("[" + v + "]") }, t.Elem()}
		f(next)
		keys(next, within, f)
	case t.Kind() == reflect.Map:
		name := "X"
		path := k.path + ".X"
		if strings.HasSuffix(k.path, "jsonPath") {
			name, path = "$.a", k.path+`."$.a"`
		} else if strings.HasSuffix(k.path, "settings") {
			name, path = "0x9", k.path+".0x9"
		}
		below(name, t.Elem(), path)
	}
}

// allows are the kinds of JSON that may stand for a type; whether the value is one is another matter.
func allows(path string, t reflect.Type) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return []string{"null", "boolean", "number", "string", "array", "object"}
	case reflect.TypeFor[stub.Delay](), reflect.TypeFor[stub.Text](), reflect.TypeFor[stub.JSONValue]():
		return []string{"string", "object"}
	case reflect.TypeFor[stub.Duration](), reflect.TypeFor[time.Time](), reflect.TypeFor[[]byte]():
		return []string{"string"}
	case reflect.TypeFor[stub.Chunks]():
		return []string{"boolean", "array"}
	case reflect.TypeFor[stub.Fields]():
		return []string{"object"}
	}
	switch {
	case strings.HasSuffix(path, "code"):
		return []string{"number", "string"}
	case t == reflect.TypeFor[[]string](): // method and protocol
		return []string{"string", "array"}
	case path == "response", t.Kind() == reflect.Struct, t.Kind() == reflect.Map:
		return []string{"object"}
	}
	switch t.Kind() {
	case reflect.String:
		return []string{"string"}
	case reflect.Bool:
		return []string{"boolean"}
	case reflect.Slice:
		return []string{"array"}
	}
	return []string{"number"}
}

// number reports whether a key is one, and whether it has to be whole.
func number(t reflect.Type) (is, whole bool) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[stub.Duration]() {
		return false, false
	}
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64, t.Kind() != reflect.Float64
}

// TestWrongValues puts each kind of value, and numbers that are none, at each key that there is: what cannot stand there is named by file, line and key.
func TestWrongValues(t *testing.T) {
	kinds := map[string][]string{
		"null": {"null"}, "boolean": {"true", "false"}, "number": {"7", "-7", "0.5"}, "string": {`""`, `"x"`, `"\u0000\r\n"`, `"-1s"`, `"99999999999h"`, `"../x"`},
		"array": {"[]", "[null]", "[[[]]]", `["\r"]`, "[-1]", "[{}]"}, "object": {"{}", `{"?": null}`, `{"": {}}`, `{"\r\n": "\r\n"}`},
	}
	count := 0
	keys(key{text: func(v string) string { return v }, line: 1, kind: reflect.TypeFor[stub.Stub]()}, nil, func(k key) {
		count++
		check := func(v string, wrong bool) {
			_, err := stub.Parse("f.json", []byte(k.text(v)))
			all := stub.Errors(nil)
			switch {
			case err != nil && !errors.As(err, &all):
				t.Errorf("%s %s: %T", k.path, v, err)
			case wrong && (err == nil || !strings.Contains("\n"+err.Error()+"\n", fmt.Sprintf("\nf.json:%d: %s: expected ", k.line, k.path))):
				t.Errorf("%s %s is taken, or said to be wrong elsewhere than in line %d: %v\n%s", k.path, v, k.line, err, k.text(v))
			}
			for _, one := range all {
				if one.File != "f.json" || one.Line < 1 || one.Line > k.line+1 || one.Detail == "" || len(one.Error()) > 1000 {
					t.Errorf("%s %s: %v", k.path, v, one)
				}
			}
		}
		for kind, values := range kinds {
			for _, v := range values {
				check(v, !slices.Contains(allows(k.path, k.kind), kind))
			}
		}
		is, whole := number(k.kind)
		for _, v := range []string{"1e400", "-1e400", "99999999999999999999", "-99999999999999999999", "1.5", "1e2"} {
			check(v, is && (whole || strings.Contains(v, "e400")))
		}
	})
	if count < 250 {
		t.Errorf("went to %d keys", count)
	}
}

// TestKeysOfTypes has the keys that files may have be those that are written, and the package comment say each of them.
func TestKeysOfTypes(t *testing.T) {
	root := key{text: func(v string) string { return v }, line: 1, kind: reflect.TypeFor[stub.Stub]()}
	comment, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	check := func(k key) {
		of := k.kind
		for of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		named := members(of)
		if named == nil {
			return
		}
		_, err := stub.Parse("f", []byte(k.text(`{"zzzzzzzz": 1}`)))
		if err == nil {
			t.Errorf("%s: any key is taken", k.path)
			return
		}
		_, list, ok := strings.Cut(err.Error(), "zzzzzzzz: unknown key: expected one of ")
		list, _, _ = strings.Cut(list, "\n")
		for name := range named {
			if !regexp.MustCompile(`\b` + name + `\b`).Match(comment) {
				t.Errorf("the package comment does not say %s", k.path+"."+name)
			}
		}
		if want := sortedKeys(named); !ok || list != strings.Join(want, ", ") {
			t.Errorf("%s:\ngot  %s\nwant %s", k.path, err, strings.Join(want, ", "))
		}
	}
	check(root)
	keys(root, nil, check)
}

func sortedKeys[V any](m map[string]V) (list []string) {
	for name := range m {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
