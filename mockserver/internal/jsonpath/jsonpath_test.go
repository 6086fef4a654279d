package jsonpath

import (
	"errors"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver/internal/jsonvalue"
)

// store is the example of RFC 9535 section 1.5.
const store = `{"store": {
	"book": [
		{"category": "reference", "author": "Nigel Rees", "title": "Sayings of the Century", "price": 8.95},
		{"category": "fiction", "author": "Evelyn Waugh", "title": "Sword of Honour", "price": 12.99},
		{"category": "fiction", "author": "Herman Melville", "title": "Moby Dick", "isbn": "0-553-21311-3", "price": 8.99},
		{"category": "fiction", "author": "J. R. R. Tolkien", "title": "The Lord of the Rings", "isbn": "0-395-19395-8", "price": 22.99}],
	"bicycle": {"color": "red", "price": 399}}}`

const mixed = `{"obj": {"x": "y"}, "arr": [2, 3]}`

const filtered = `{"a": [3, 5, 1, 2, 4, 6, {"b": "j"}, {"b": "k"}, {"b": {}}, {"b": "kilo"}], "o": {"p": 1, "q": 2, "r": 3, "s": 5, "t": {"u": 6}}, "e": "f"}`

func TestSelect(t *testing.T) {
	for _, tt := range []struct{ value, path, want string }{
		// RFC 9535 section 1.5.
		{store, "$.store.book[*].author", `["Nigel Rees","Evelyn Waugh","Herman Melville","J. R. R. Tolkien"]`},
		{store, "$..author", `["Nigel Rees","Evelyn Waugh","Herman Melville","J. R. R. Tolkien"]`},
		{store, "$.store..price", `[399,8.95,12.99,8.99,22.99]`},
		{store, "$..book[2].title", `["Moby Dick"]`},
		{store, "$..book[2].publisher", `[]`},
		{store, "$..book[-1].title", `["The Lord of the Rings"]`},
		{store, "$..book[0,1].price", `[8.95,12.99]`},
		{store, "$..book[:2].price", `[8.95,12.99]`},
		{store, "$..book[?@.isbn].title", `["Moby Dick","The Lord of the Rings"]`},
		{store, "$..book[?@.price<10].title", `["Sayings of the Century","Moby Dick"]`},
		{store, "$..book[?(@.price < 10 && @.category == 'fiction')].title", `["Moby Dick"]`},
		// Section 2.3.1.3 and the like.
		{`{"o": {"j j": {"k.k": 3}}, "'": {"@": 2}}`, "$.o['j j']['k.k']", `[3]`},
		{`{"o": {"j j": {"k.k": 3}}, "'": {"@": 2}}`, `$.o["j j"]["k.k"]`, `[3]`},
		{`{"o": {"j j": {"k.k": 3}}, "'": {"@": 2}}`, `$["'"]["@"]`, `[2]`},
		{`{"\u263a": 1, "a-b": 2, "☺": 3}`, `$['\u263A']`, `[3]`},
		{`{"😀": 1}`, `$["\uD83D\uDE00"]`, `[1]`},
		{`{"a-b": 2}`, `$.a-b`, `[2]`},
		{`{"☺": 3}`, `$.☺`, `[3]`},
		{`["a","b","c","d","e","f","g"]`, "$[1:3]", `["b","c"]`},
		{`["a","b","c","d","e","f","g"]`, "$[5:]", `["f","g"]`},
		{`["a","b","c","d","e","f","g"]`, "$[1:5:2]", `["b","d"]`},
		{`["a","b","c","d","e","f","g"]`, "$[5:1:-2]", `["f","d"]`},
		{`["a","b","c","d","e","f","g"]`, "$[::-1]", `["g","f","e","d","c","b","a"]`},
		{`["a","b"]`, "$[::0]", `[]`},
		{`["a","b"]`, "$[ 0 : 1 ]", `["a"]`},
		{`["a","b"]`, "$[-3,5,1]", `["b"]`},
		{`["a","b"]`, "$[-9007199254740991:9007199254740991]", `["a","b"]`},
		{`"x"`, "$", `["x"]`},
		{`"x"`, "$.a[0][*]..b", `[]`},
		// Section 2.3.5.3: comparisons.
		{mixed, "$[?$.absent1 == $.absent2]", `[[2,3],{"x":"y"}]`},
		{mixed, "$[?$.absent1 <= $.absent2]", `[[2,3],{"x":"y"}]`},
		{mixed, "$[?$.absent == 'g']", `[]`},
		{mixed, "$[?$.absent1 != $.absent2]", `[]`},
		{mixed, "$[?$.absent != 'g']", `[[2,3],{"x":"y"}]`},
		{mixed, "$[?1 <= 2]", `[[2,3],{"x":"y"}]`},
		{mixed, "$[?1 > 2]", `[]`},
		{mixed, "$[?13 == '13']", `[]`},
		{mixed, "$[?'a' <= 'b']", `[[2,3],{"x":"y"}]`},
		{mixed, "$[?$.obj == $.arr]", `[]`},
		{mixed, "$[?$.obj == $.obj]", `[[2,3],{"x":"y"}]`},
		{mixed, "$[?$.arr == $.arr]", `[[2,3],{"x":"y"}]`},
		{mixed, "$[?$.obj <= $.arr]", `[]`},
		{mixed, "$[?$.arr <= $.arr]", `[[2,3],{"x":"y"}]`},
		{mixed, "$[?1 <= $.arr]", `[]`},
		{mixed, "$[?true <= true]", `[[2,3],{"x":"y"}]`},
		{mixed, "$[?true > true]", `[]`},
		{filtered, "$.a[?@.b == 'kilo']", `[{"b":"kilo"}]`},
		{filtered, "$.a[?(@.b == 'kilo')]", `[{"b":"kilo"}]`},
		{filtered, "$.a[?@>3.5]", `[5,4,6]`},
		{filtered, "$.a[?@.b]", `[{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}]`},
		{filtered, "$[?@.*]", `[[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}],{"p":1,"q":2,"r":3,"s":5,"t":{"u":6}}]`},
		{filtered, "$.a[?@<2 || @.b == \"k\"]", `[1,{"b":"k"}]`},
		{filtered, `$.a[?match(@.b, "[jk]")]`, `[{"b":"j"},{"b":"k"}]`},
		{filtered, `$.a[?search(@.b, "[jk]")]`, `[{"b":"j"},{"b":"k"},{"b":"kilo"}]`},
		{filtered, `$.a[?!match(@.b, "[jk]") && @.b]`, `[{"b":{}},{"b":"kilo"}]`},
		{filtered, "$.o[?@>1 && @<4]", `[2,3]`},
		{filtered, "$.o[?@.u || @.x]", `[{"u":6}]`},
		{filtered, "$.a[?@.b == $.x]", `[3,5,1,2,4,6]`},
		{filtered, "$.a[?@ == @]", `[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}]`},
		{filtered, "$.a[?!(@.b) && @ != 5]", `[3,1,2,4,6]`},
		{`[[1,2,3],[1]]`, "$[?length(@) < 3]", `[[1]]`},
		{`["☺","ab",{"a":1}]`, "$[?length(@) == 1]", `["☺",{"a":1}]`},
		{`[{"a":[1,2]},{"a":[1]}]`, "$[?count(@.a[*]) == 2]", `[{"a":[1,2]}]`},
		{`[{"a":{"c":1}},{"a":{"b":{"c":2}}}]`, "$[?value(@..c) == 2]", `[{"a":{"b":{"c":2}}}]`},
		{`[1, 1.0, 10e-1, 2]`, "$[?@ == 1]", `[1,1.0,10e-1]`},
		{`[1e400, 1e399, -1e400]`, "$[?@ > 1e399]", `[1e400]`},
		{`[{"p":"[a"}]`, "$[?search('x', @.p)]", `[]`},
		{`["a)(b","ab"]`, "$[?match(@, 'a)(b')]", `[]`},
		{`["a.b","axb","a\rb"]`, `$[?match(@, 'a\\.b') || match(@, 'a[.]b')]`, `["a.b"]`},
		{`["a.b","axb","a\rb"]`, `$[?match(@, 'a.b')]`, `["a.b","axb"]`},
	} {
		p, err := Parse(tt.path)
		if err != nil {
			t.Errorf("%s: %v", tt.path, err)
			continue
		}
		value, err := jsonvalue.Parse([]byte(tt.value))
		if err != nil {
			t.Fatal(err)
		}
		found, err := p.Select(value)
		if found == nil {
			found = []any{}
		}
		if got := jsonvalue.Text(found); got != tt.want || err != nil {
			t.Errorf("%s: got %s, %v\nwant %s", tt.path, got, err, tt.want)
		}
	}
}

func TestMalformed(t *testing.T) {
	for _, tt := range []struct{ path, detail string }{
		{"", `expected "$"`}, {"a", `expected "$"`}, {" $", `expected "$"`}, {"$ ", "expected a segment"}, {"$.", "expected a name"}, {"$..", "expected a name"},
		{"$.1", "expected a name"}, {"$a", "expected a segment"}, {"$[", "expected a name, an index"}, {"$[]", "expected a name, an index"}, {"$[1", `expected ","`},
		{"$['a]", `expected "'"`}, {"$['\\x']", "expected an escape"}, {"$['\\u12']", "hexadecimal"}, {"$['\\uD800']", "surrogates"}, {`$["\'"]`, "expected an escape"},
		{"$['\n']", "control"}, {"$[01]", "integer"}, {"$[-0]", "integer"}, {"$[9007199254740992]", "integer"}, {"$[-]", "integer"}, {"$[1:2:3:4]", `expected ","`},
		{"$[?]", "expected @"}, {"$[?@.a ==]", "expected @"}, {"$[?1]", "comparison with the literal"}, {"$[?@.a == b]", `got "b"`}, {"$[?@.* == 1]", "query of one value"},
		{"$[?(@.a]", `expected ")"`}, {"$[?@.a &&]", "expected @"}, {"$[?foo(@)]", `function "foo"`}, {"$[?length(@)]", "what length() returns"},
		{"$[?match(@.a)]", `expected ","`}, {"$[?match(@.a,'b') == true]", "which match() does not return"}, {"$[?count(1) == 1]", "another kind"},
		{"$[?length(@.*) == 1]", "another kind"}, {"$[?!1]", "comparison with the literal"}, {"$\xff", "UTF-8"}, {"$[?@ == 1.]", `expected ","`}, {"$[?@ == -]", "number"},
		{"$" + strings.Repeat("[?@", 100), "levels"}, {"$[?" + strings.Repeat("(", 100), "levels"}, {"$" + strings.Repeat(".a", 4000), "at most"},
	} {
		p, err := Parse(tt.path)
		wrong := (*SyntaxError)(nil)
		if p != nil || !errors.As(err, &wrong) || !strings.Contains(err.Error(), tt.detail) {
			t.Errorf("%.60s: %v, %v, want %s", tt.path, p, err, tt.detail)
		}
	}
}

func TestWorkIsBounded(t *testing.T) {
	value, err := jsonvalue.Parse([]byte(strings.Repeat("[", 900) + strings.Repeat("]", 900)))
	if err != nil {
		t.Fatal(err)
	}
	wide, err := jsonvalue.Parse([]byte("[" + strings.Repeat("[0,0,0,0,0,0,0,0],", 1000) + "0]"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"$" + strings.Repeat("..*", 50), "$..*[?count($..*[?count($..*)>0])>0]", "$" + strings.Repeat("[*,*,*,*,*,*,*,*,*]", 20), "$" + strings.Repeat("["+strings.Repeat("0,", 60)+"0]", 20),
	} {
		p, err := Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		_, deep := p.Select(value)
		_, flat := p.Select(wide)
		if deep == nil && flat == nil {
			t.Errorf("%s was not stopped", path)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"$", "$.a[0]['b',*]..c[1:2:3]", "$[?@.a == 'b' && !(@.c < -1.5e3 || $..d)]", "$[?match(@, 'a.*') || count(@.*) > length(@)]", `$["\uD83D\uDE00"]`} {
		f.Add(seed)
	}
	value, err := jsonvalue.Parse([]byte(store))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if wrong := (*SyntaxError)(nil); err != nil && !errors.As(err, &wrong) {
			t.Errorf("%T: %v", err, err)
		}
		if err == nil {
			if p.String() != text {
				t.Errorf("got %q", p)
			}
			_, _ = p.Select(value)
		}
	})
}
