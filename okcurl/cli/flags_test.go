package cli

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	type check func(o *options) any
	method := func(o *options) any { return o.method }
	urls := func(o *options) any { return strings.Join(o.urls, " ") }
	switches := func(o *options) any { return []bool{o.silent, o.showError, o.location} }
	outputs := func(o *options) any { return o.outputs }
	maxTime := func(o *options) any { return o.maxTime }
	for _, c := range []struct {
		args  string
		check check
		want  any
	}{
		{"-X PUT u", method, "PUT"},
		{"-XPUT u", method, "PUT"},
		{"--request PUT u", method, "PUT"},
		{"--request=PUT u", method, "PUT"},
		{"-X PUT -X GET u", method, "GET"},
		{"-sSL u", switches, []bool{true, true, true}},
		{"-s -S -L u", switches, []bool{true, true, true}},
		{"--silent --show-error --location u", switches, []bool{true, true, true}},
		{"-sSL --no-silent u", switches, []bool{false, true, true}},
		{"-sLX PUT u", method, "PUT"},
		{"-sXPUT u", method, "PUT"},
		{"a -s b", urls, "a b"},
		{"a -- -s b", urls, "a -s b"},
		{"--url a b", urls, "a b"},
		{"- a", urls, "- a"},
		{"-o f -O -o - a", outputs, []output{{file: "f"}, {remote: true}, {file: "-"}}},
		{"-OO a", outputs, []output{{remote: true}, {remote: true}}},
		{"-O --no-remote-name a", outputs, []output{}},
		{"-m 5 a", maxTime, 5 * time.Second},
		{"-m.25 a", maxTime, 250 * time.Millisecond},
		{"--max-time=0 a", maxTime, time.Duration(0)},
		{"--max-time 1e-12 a", maxTime, time.Duration(1)},
		{"a", maxTime, unset},
		{"--max-redirs 3 a", func(o *options) any { return o.maxRedirects }, 3},
		{"--max-redirs -1 a", func(o *options) any { return o.maxRedirects }, 20},
		{"--max-redirs 50 a", func(o *options) any { return o.maxRedirects }, 20},
		{"-u n:p:q a", func(o *options) any { return *o.user }, credentials{"n", "p:q"}},
		{"--header=A:b a", func(o *options) any { return o.headers }, []headerLine{{name: "A", value: "b"}}},
	} {
		o, err := parse(strings.Fields(c.args))
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		if got := c.check(o); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.args, got, c.want)
		}
	}
}

func TestParseFailures(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "no arguments"},
		{"-s", "no URL was given"},
		{"--nope u", "unknown option --nope"},
		{"-s% u", "unknown option -%"},
		{"u -o", "option -o needs an argument: FILE"},
		{"u --output", "option --output needs an argument: FILE"},
		{"--silent=yes u", `option --silent takes no argument, got "yes"`},
		{"--no-output u", "unknown option --no-output"},
		{"-m x u", `option -m: expected seconds, got "x"`},
		{"-m -1 u", `option -m: expected seconds, got "-1"`},
		{"-m NaN u", `option -m: expected seconds, got "NaN"`},
		{"--max-redirs x u", `option --max-redirs: expected a number of redirects, got "x"`},
		{"-u secret u", "option -u: expected NAME:PASSWORD, got no colon"},
		{"-H secret u", `option -H: expected "Name: value", "Name:" or "Name;", got no colon and no semicolon at the end`},
		{"-H ä:b u", "option -H: unexpected char"},
		{"-H A:b\r\nC:d u", ""},
		{"-I -d x u", "--head and data exclude each other"},
		{"-X GET -d x u", `method "GET" must not have a request body`},
		{"-X (x u", `method "(x" is not a token`},
	} {
		args := strings.Fields(c.args)
		if strings.Contains(c.args, "\r") {
			args, c.want = []string{"-H", "A: b\r\nC: d", "u"}, "option -H: unexpected char 0x0d at 1 in A value"
		}
		got := okcurl(t, args...)
		if c.want == "no arguments" {
			if got.code != 2 || !strings.HasPrefix(got.err, "Usage: okcurl ") || got.out != "" {
				t.Errorf("no arguments: %+v", got)
			}
			continue
		}
		if got.code != 2 || got.out != "" || !strings.HasPrefix(got.err, "okcurl: (2) "+c.want) || strings.Count(got.err, "\n") != 1 {
			t.Errorf("%q: %+v, want %q", c.args, got, c.want)
		}
		if strings.Contains(got.err, "secret") {
			t.Errorf("%q: a secret in %q", c.args, got.err)
		}
	}
}

func TestFlagTable(t *testing.T) {
	long, short := map[string]bool{}, map[byte]bool{}
	manual, err := os.ReadFile("../doc.go")
	if err != nil {
		t.Fatal(err)
	}
	help := okcurl(t, "--help")
	if help.code != 0 || help.err != "" {
		t.Errorf("--help: exit %d, %q", help.code, help.err)
	}
	for line := range strings.Lines(help.out) {
		if len(line) > helpWidth+len("\n") {
			t.Errorf("a line of %d columns: %q", len(line)-1, line)
		}
	}
	last := ""
	for _, f := range flags {
		if (f.set == nil) == (f.turn == nil) || (f.arg == "") != (f.set == nil) {
			t.Errorf("--%s must have either an argument and set, or turn", f.long)
		}
		if long[f.long] || f.short != 0 && short[f.short] || slices.ContainsFunc(flags, func(other flag) bool { return "no-"+other.long == f.long }) {
			t.Errorf("--%s is ambiguous", f.long)
		}
		long[f.long], short[f.short] = true, true
		if f.long < last {
			t.Errorf("--%s stands after --%s", f.long, last)
		}
		last = f.long
		if !strings.Contains(help.out, " "+f.usage()[4:]) {
			t.Errorf("--%s is not in the help", f.long)
		}
		if !strings.Contains(string(manual), "--"+f.long) {
			t.Errorf("--%s is not in the manual", f.long)
		}
	}
	for name := range writeOutVariables {
		if !strings.Contains(string(manual), name) {
			t.Errorf("%%{%s} is not in the manual", name)
		}
	}
}

func TestVersion(t *testing.T) {
	got := okcurl(t, "-V")
	if got.code != 0 || !strings.HasPrefix(got.out, "okcurl 0.") || got.err != "" {
		t.Errorf("%+v", got)
	}
}
