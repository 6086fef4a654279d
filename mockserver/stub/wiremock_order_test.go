package stub_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/mockserver/stub"
)

// mappingsOf writes a file of mappings of everything: "a" is a name, "a@3" has an insertionIndex, "a/1" a priority.
func mappingsOf(list string) string {
	var all []string
	for one := range strings.FieldsSeq(list) {
		more := ""
		one, priority, ok := strings.Cut(one, "/")
		if ok {
			more += `, "priority": ` + priority
		}
		name, index, ok := strings.Cut(one, "@")
		if ok {
			more += `, "insertionIndex": ` + index
		}
		all = append(all, fmt.Sprintf(`{"name": %q, "request": {}, "response": {"body": %q}%s}`, name, name, more))
	}
	return `{"mappings": [` + strings.Join(all, ",\n") + `]}`
}

// order is that in which routes are asked.
func order(t *testing.T, routes []route.Route) string {
	t.Helper()
	var names []string
	for _, s := range route.New(routes...).Status() {
		names = append(names, s.Name)
	}
	return strings.Join(names, " ")
}

// TestImportOrder writes files of mappings as stub files of the same names, and asks what is loaded from them.
func TestImportOrder(t *testing.T) {
	for _, tt := range []struct {
		name       string
		files      []string
		order      string
		priorities string // where they are not those of WireMock less 5
	}{
		{"one", []string{"a"}, "a", ""},
		{"the last one of a file wins", []string{"a b c"}, "c b a", ""},
		{"the last file wins", []string{"a", "b", "c"}, "c b a", "a:2 b:1 c:0"},
		{"files of several", []string{"a b", "c d"}, "d c b a", "a:1 b:1 c:0 d:0"},
		{"priorities come first", []string{"a/1 b", "c d/9"}, "a c b d", "a:-4 b:1 c:0 d:4"},
		{"priorities of each file", []string{"a/1 b/2", "c/1 d/2"}, "c a d b", "a:-4 b:-2 c:-5 d:-3"},
		{"larger priorities make room", []string{"a b/6", "c d/6", "e f/7"}, "e c a d b f", "a:2 b:4 c:1 d:3 e:0 f:5"},
		{"those that have room stay", []string{"a/1 b/20", "c/4 d/20"}, "a c d b", "a:-4 b:16 c:-1 d:15"},
		{"an index within a file", []string{"a@7 b@3 c@5"}, "a c b", ""},
		{"indices across files", []string{"a@9", "b@1", "c@5"}, "a c b", "a:0 b:2 c:1"},
		{"indices between those of another file", []string{"a@1 b@4", "c@3 d@2"}, "b c d a", "a:2 b:0 c:1 d:1"},
		{"equal indices", []string{"a@0", "b@0", "c@0"}, "c b a", "a:2 b:1 c:0"},
		{"those without one keep their places", []string{"a@9 b", "c@1 d"}, "d a b c", ""},
		{"an index counts for its priority", []string{"a@1/1 b@9", "c@8/1 d@2"}, "c a b d", ""},
		{"an index that says what the files say", []string{"a@0", "b@1"}, "b a", "a:1 b:0"},
		{"far priorities", []string{"a/-1073741824 b/1073741824", "c/-1073741824 d/1073741824"}, "c a d b", ""},
		{"the ends of an int", []string{"a/-2147483648 b/2147483647", "c/-2147483648 d/2147483647", "e/-2147483642 f/2147483646"}, "c a e f d b",
			"a:-2147483647 b:2147483643 c:-2147483648 d:2147483642 e:-2147483646 f:2147483641"},
		{"more files than room at the end", []string{"a/2147483647", "b/2147483647", "c/2147483647", "d/2147483647", "e/2147483647", "f/2147483647", "g/2147483647 x/2147483646"}, "x g f e d c b a",
			"a:2147483647 b:2147483646 c:2147483645 d:2147483644 e:2147483643 f:2147483642 g:2147483641 x:2147483640"},
		{"nothing", []string{"", "a", ""}, "a", "a:0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var files [][]stub.Stub
			for i, list := range tt.files {
				stubs, err := stub.Import(fmt.Sprint(i), []byte(mappingsOf(list)))
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, stubs)
			}
			stub.Rank(files...)
			dir := t.TempDir()
			priorities := map[string]int{}
			for i, stubs := range files {
				for _, s := range stubs {
					priorities[s.Name] = s.Priority
				}
				text, err := stub.Marshal(stubs...)
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.json", i)), text, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			routes, err := stub.Load(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := order(t, routes); got != tt.order {
				t.Errorf("loaded: got %s, want %s", got, tt.order)
			}
			slices.Reverse(files) // in whatever order they are read
			if routes, err = stub.Routes(nil, slices.Concat(files...)...); err != nil {
				t.Fatal(err)
			}
			if got := order(t, routes); got != tt.order {
				t.Errorf("read from the last to the first: got %s, want %s", got, tt.order)
			}
			var list []string
			for _, name := range slices.Sorted(maps.Keys(priorities)) {
				list = append(list, fmt.Sprintf("%s:%d", name, priorities[name]))
			}
			if got := strings.Join(list, " "); tt.priorities != "" && got != tt.priorities {
				t.Errorf("priorities: got %s, want %s", got, tt.priorities)
			}
		})
	}
}

// A request to import is not a file: WireMock adds its mappings from the last to the first.
func TestImportOrderOfRequest(t *testing.T) {
	text := strings.TrimSuffix(mappingsOf("a b c"), "}") + `, "importOptions": {"duplicatePolicy": "OVERWRITE"}}`
	stubs, err := stub.Import("m", []byte(text))
	if err != nil || len(stubs) != 3 || stubs[0].Name != "a" || stubs[2].Name != "c" {
		t.Errorf("%+v, %v", stubs, err)
	}
}
