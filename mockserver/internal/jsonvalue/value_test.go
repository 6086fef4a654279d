package jsonvalue

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
)

func TestDifferences(t *testing.T) {
	subset := Rules{ExtraMembers: true}
	anyOrder := Rules{AnyOrder: true}
	loose := Rules{ExtraMembers: true, ExtraElements: true, AnyOrder: true}
	for _, tt := range []struct {
		want, got string
		rules     Rules
		list      string // Path: Want / Got; …
	}{
		{`{"a":1,"b":[true,null]}`, ` { "b" : [ true , null ] , "a" : 1.0 } `, Rules{}, ""},
		{`{"a":1}`, `{"a":1,"b":2}`, Rules{}, `$.b: no such member / 2`},
		{`{"a":1}`, `{"a":1,"b":2}`, subset, ""},
		{`{"a":1,"b c":{"d":"x"}}`, `{"a":2,"b c":{}}`, subset, `$.a: 1 / 2; $["b c"].d: "x" / missing`},
		{`[1,2]`, `[1,2,3]`, subset, `$: 2 elements / 3 elements`},
		{`[1,2]`, `[1,2,3]`, Rules{ExtraElements: true}, ""},
		{`[1,2,3]`, `[1]`, Rules{}, `$[1]: 2 / missing; $[2]: 3 / missing`},
		{`[1,2]`, `[2,1]`, Rules{}, `$[0]: 1 / 2; $[1]: 2 / 1`},
		{`[1,2]`, `[2,1]`, anyOrder, ""},
		{`[1,1,2]`, `[2,1,2]`, anyOrder, `$[1]: 1 / in no element`},
		{`[{"a":1}]`, `[0,{"a":1,"b":2}]`, loose, ""},
		{`[{"a":1},{"a":1,"b":2}]`, `[{"a":1,"b":2},{"a":1}]`, Rules{ExtraMembers: true, AnyOrder: true}, ""},
		{`[{"a":1},{"b":2},{"c":3}]`, `[{"a":1,"b":2,"x":0},{"a":1,"c":3},{"b":2,"a":1}]`, Rules{ExtraMembers: true, AnyOrder: true}, ""},
		{`[{"a":1},{"a":1,"b":2}]`, `[{"a":1,"c":2},{"a":1}]`, Rules{ExtraMembers: true, AnyOrder: true}, `$[1]: {"a":1,"b":2} / in no element`},
		{`[[1,2],[2,3.0]]`, `[[3,2],[2,1]]`, anyOrder, ""},
		{`[1,1]`, `[1,1,1]`, anyOrder, `$: 2 elements / 3 elements`},
		{`[]`, `[]`, anyOrder, ""}, {`[1]`, `[]`, anyOrder, `$[0]: 1 / in no element`},
		{`null`, `false`, Rules{}, `$: null / false`},
		{`"1"`, `1`, Rules{}, `$: "1" / 1`},
		{`{}`, `[]`, Rules{}, `$: {} / []`},
		{`"<a>"`, `"<b>"`, Rules{}, `$: "<a>" / "<b>"`},
	} {
		want, err := Parse([]byte(tt.want))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse([]byte(tt.got))
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, d := range Differences(want, got, tt.rules) {
			lines = append(lines, fmt.Sprintf("%s: %s / %s", d.Path, d.Want, d.Got))
		}
		if list := strings.Join(lines, "; "); list != tt.list {
			t.Errorf("%s and %s, %+v: got %s, want %s", tt.want, tt.got, tt.rules, list, tt.list)
		}
	}
}

func TestDifferencesAreBounded(t *testing.T) {
	var want, got []any
	for i := range 5000 {
		want = append(want, []any{json.Number(fmt.Sprint(i))})
		got = append(got, []any{json.Number(fmt.Sprint(i + 100000))})
	}
	if n := len(Differences(want, got, Rules{AnyOrder: true})); n == 0 || n > maxDifferences {
		t.Errorf("%d differences", n)
	}
}

func TestLargeArraysInAnyOrder(t *testing.T) {
	var want, got []any
	for i := range 50_000 {
		want = append(want, json.Number(fmt.Sprint(i)))
		got = append(got, json.Number(fmt.Sprintf("%d.0", 50_000-1-i)))
	}
	if list := Differences(want, got, Rules{AnyOrder: true}); len(list) != 0 {
		t.Errorf("got %v", list)
	}
	want, got = nil, nil
	for i := range 3000 {
		want = append(want, map[string]any{"a": json.Number(fmt.Sprint(i))})
		got = append(got, map[string]any{"a": json.Number(fmt.Sprint(2999 - i)), "b": nil})
	}
	list := Differences(want, got, Rules{AnyOrder: true, ExtraMembers: true})
	if len(list) != 1 || list[0].Got != "more than can be compared" {
		t.Errorf("got %v", list)
	}
}

func TestMoreThan(t *testing.T) {
	for text, n := range map[string]int{`1`: 1, `[1,2]`: 3, `{"a,[":[]}`: 3, `"\"[[["`: 1} {
		if MoreThan([]byte(text), n) || !MoreThan([]byte(text), n-1) {
			t.Errorf("%s: expected %d values", text, n)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "too early"}, {`{"a"`, "too early"}, {"1 2", "more than one"}, {"{]", "invalid"}, {"nul", "too early"},
		{strings.Repeat("[", MaxDepth+1), "levels"},
	} {
		if _, err := Parse([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.20q: %v, want %s", tt.text, err, tt.want)
		}
	}
	if _, err := Parse([]byte(`"` + strings.Repeat(`[\"`, 2000) + `"`)); err != nil {
		t.Errorf("brackets in a string: %v", err)
	}
}

// TestCompareNumbers takes math/big for the truth.
func TestCompareNumbers(t *testing.T) {
	numbers := []json.Number{
		"0", "-0", "0.0", "0e5", "1", "1.0", "10e-1", "0.1e1", "-1", "-1.5", "2", "10", "9", "0.001", "1e-3", "123456789012345678901234567890", "1.23456789012345678901234567890e29",
		"123456789012345678901234567891", "1e300", "1e299", "-1e300", "100", "1e2", "99.999",
	}
	for _, a := range numbers {
		for _, b := range numbers {
			x, _ := new(big.Rat).SetString(string(a))
			y, _ := new(big.Rat).SetString(string(b))
			if got, want := CompareNumbers(a, b), x.Cmp(y); got != want {
				t.Errorf("%s and %s: got %d, want %d", a, b, got, want)
			}
		}
	}
	for _, tt := range []struct {
		a, b json.Number
		want int
	}{
		{"1e99999999999999999999", "1e9", 1}, {"1e99999999999999999999", "1e99999999999999999998", 1}, {"1e-99999999999999999999", "1e-99999999999999999998", -1},
		{"1e99999999999999999999", "1.0E+099999999999999999999", 0}, {"1e99999999999999999999", "1e-999999999999999999999", 1}, {"-1e99999999999999999999", "1", -1}, {"1e-99999999999999999999", "0", 1}, {"1e-99999999999999999999", "1", -1},
	} {
		if got := CompareNumbers(tt.a, tt.b); got != tt.want {
			t.Errorf("%s and %s: got %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
	sorted := slices.SortedFunc(slices.Values(numbers), CompareNumbers)
	if sorted[0] != "-1e300" || sorted[len(sorted)-1] != "1e300" {
		t.Errorf("sorted: %v", sorted)
	}
}

func FuzzDifferences(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}]}`, `{"a":[1.0,{"b":0}]}`, true)
	f.Fuzz(func(t *testing.T, a, b string, loose bool) {
		x, err := Parse([]byte(a))
		if err != nil {
			return
		}
		if d := Differences(x, x, Rules{AnyOrder: loose}); len(d) > 0 {
			t.Errorf("%s differs from itself: %v", a, d)
		}
		y, err := Parse([]byte(b))
		if err != nil {
			return
		}
		if same := len(Differences(x, y, Rules{})) == 0; same != Equal(x, y) {
			t.Errorf("%s and %s: no differences %v, equal %v", a, b, same, Equal(x, y))
		}
	})
}
