package examples

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okcurl/cli"
	"github.com/okhttp-go/ok/okhttp"
)

// What a page claims to list whole is compared with what there is.

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestOptionsPage(t *testing.T) {
	text := page(t, "../okhttp/options.md")
	listed := regexp.MustCompile("(?m)^\\| `(With\\w+)` \\|.* \\|([✓ ]+)\\|([✓ ]+)\\|([✓ ]+)\\|$").FindAllStringSubmatch(text, -1)
	scopes := map[string][]string{}
	for _, row := range listed {
		scopes[row[1]] = row[2:]
	}
	found := regexp.MustCompile(`(?m)^func (With\w+)\(.*\) (Option|CallOption)$`).FindAllStringSubmatch(page(t, "../../tests/api/okhttp.txt"), -1)
	if len(found) < 20 {
		t.Fatalf("found %d options, the pattern is wrong", len(found))
	}
	for _, f := range found {
		name, call := f[1], f[2] == "CallOption"
		s, ok := scopes[name]
		if !ok {
			t.Errorf("the page lacks %s", name)
			continue
		}
		delete(scopes, name)
		if s[0] != " ✓ " || (s[1] == " ✓ ") != call || s[2] == " ✓ " && !call {
			t.Errorf("%s is a %s, and the page gives it the scopes %q", name, f[2], s)
		}
	}
	for name := range scopes {
		t.Errorf("the page has %s, which is no option", name)
	}
}

func TestEventsPage(t *testing.T) {
	text := page(t, "../okhttp/events.md")
	for f := range reflect.TypeFor[okhttp.EventListener]().Fields() {
		if !regexp.MustCompile(`\b` + f.Name + `\b`).MatchString(text) {
			t.Errorf("the page lacks %s", f.Name)
		}
	}
}

func TestStrictnessPage(t *testing.T) {
	text := page(t, "../okhttp/http1.md")
	differs := 0
	for _, record := range strings.Split(page(t, "../../tests/conformance/http1/testdata/results.txt"), "\n\n") {
		if strings.Contains(record, "  differs:") {
			differs++
			if id, _, _ := strings.Cut(record, " "); !strings.Contains(text, "`"+id+"`") {
				t.Errorf("the page lacks %s", id)
			}
		} else if alike, ok := strings.CutSuffix(record, " as llhttp"); ok && !strings.Contains(text, alike+" are decided alike") {
			t.Errorf("the page does not say that %s are decided alike", alike)
		}
	}
	if differs == 0 {
		t.Error("no case differs: the records have another form")
	}
}

func TestOkcurlPage(t *testing.T) {
	var help, complaints bytes.Buffer
	if code := cli.Main([]string{"--help"}, nil, &help, &complaints); code != 0 {
		t.Fatalf("exit code %d: %s", code, &complaints)
	}
	// An option begins with its forms, and what it does follows after two spaces and in deeper lines.
	option := regexp.MustCompile(`^  (?:    )?(-.*?)  +(\S.*)$`)
	var table []string
	for _, line := range strings.Split(help.String(), "\n") {
		if m := option.FindStringSubmatch(line); m != nil {
			table = append(table, "| `"+m[1]+"` | "+m[2])
		} else if more := strings.TrimSpace(line); len(table) > 0 && more != "" && strings.HasPrefix(line, "    ") {
			table[len(table)-1] += " " + more
		}
	}
	if len(table) < 25 {
		t.Fatalf("found %d options in the help, the pattern is wrong:\n%s", len(table), &help)
	}
	want := strings.Join(table, " |\n") + " |\n"
	if text := page(t, "../okcurl.md"); !strings.Contains(text, "|---|---|\n"+want) {
		t.Errorf("the page does not have this table:\n%s", want)
	}
}

// The page's comparison with curl names each option that curl has too. What it calls absent okcurl does not know, everything else it does.
func TestOkcurlComparison(t *testing.T) {
	_, table, ok := strings.Cut(page(t, "../okcurl.md"), "| curl | here |\n|---|---|\n")
	if !ok {
		t.Fatal("no table")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var help bytes.Buffer
	cli.Main([]string{"--help"}, nil, &help, io.Discard)
	missing := map[string]string{} // by each form, all of an option that is to be in the table
	for _, m := range regexp.MustCompile(`(?m)^  (?:(-.), |    )(--[\w.-]+)`).FindAllStringSubmatch(help.String(), -1) {
		missing[m[2]] = m[1] + " " + m[2]
		if m[1] != "" {
			missing[m[1]] = missing[m[2]]
		}
	}
	known := maps.Clone(missing)
	for _, m := range regexp.MustCompile(`--no(-\w+)`).FindAllStringSubmatch(help.String(), -1) {
		if positive := "-" + m[1]; known[positive] != "" { // --no-clobber is told of with --clobber
			known[m[0]] = m[0]
		}
	}
	option := regexp.MustCompile("`(--?[\\w.#][\\w.-]*)[^`]*`")
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		if len(cells) != 4 {
			t.Errorf("not a row of two cells: %s", row)
			continue
		}
		here, absent, _ := strings.Cut(cells[2], " Absent: ")
		if strings.HasPrefix(here, " absent") {
			absent += cells[1]
		} else {
			here += cells[1]
		}
		for _, m := range option.FindAllStringSubmatch(here, -1) {
			if known[m[1]] == "" {
				t.Errorf("%s is not known, in %s", m[1], row)
			}
			for _, form := range strings.Fields(known[m[1]]) {
				delete(missing, form)
			}
		}
		for _, m := range option.FindAllStringSubmatch(absent, -1) {
			if known[m[1]] != "" {
				t.Errorf("%s is known, in %s", m[1], row)
			}
		}
	}
	// What curl does not have.
	for _, name := range strings.Fields("--cache --cache-size --close-timeout --completion --compress --frames --har-redact --last-event-id --ping --sse --sse-json") {
		delete(missing, name)
	}
	for name := range missing {
		t.Errorf("%s is not in the table", name)
	}
}

// The table of modules says what each requires of the others, and those stand before it.
func TestModulesPage(t *testing.T) {
	rows := regexp.MustCompile("(?m)^\\| `([\\w-]+)` \\| [^|]+ \\| ([^|]*) \\|").FindAllStringSubmatch(page(t, "../modules.md"), -1)
	var before []string
	for _, row := range rows {
		module, cell := row[1], strings.Split(row[2], ", ")
		direct := map[string]bool{}
		for _, m := range regexp.MustCompile(`(?m)^\s*(?:require )?github\.com/okhttp-go/ok/(\S+) v\S+$`).FindAllStringSubmatch(page(t, "../../"+module+"/go.mod"), -1) {
			direct[m[1]] = true
			if !slices.Contains(before, m[1]) || !slices.Contains(cell, m[1]) {
				t.Errorf("%s requires %s: expected it before, and in its cell %q", module, m[1], cell)
			}
		}
		for _, name := range cell {
			if slices.Contains(before, name) && !direct[name] {
				t.Errorf("%s does not require %s", module, name)
			}
		}
		before = append(before, module)
	}
	if len(before) < 8 {
		t.Errorf("%d modules: %q", len(before), before)
	}
}

// Each recipe of the cookbook has code that is run, and none is there twice.
func TestCookbookPages(t *testing.T) {
	names, err := filepath.Glob("../cookbook/*.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	recipes := 0
	for _, name := range names {
		for _, recipe := range strings.Split(page(t, name), "\n## ")[1:] {
			title, _, _ := strings.Cut(recipe, "\n")
			code := regexp.MustCompile(`(?m)^<<< @/examples/(\S+)\{go\}$`).FindAllStringSubmatch(recipe, -1)
			if len(code) == 0 {
				t.Errorf("%s: %q has no code", name, title)
			}
			for _, c := range code {
				if other := seen[c[1]]; other != "" {
					t.Errorf("%s: %q has the code of %q", name, title, other)
				}
				seen[c[1]] = title
			}
			recipes++
		}
	}
	if recipes < 40 {
		t.Errorf("%d recipes", recipes)
	}
	t.Logf("%d recipes", recipes)
}

// What the migration pages call ours exists: each name with a capital in the right column of their tables is one of an exported surface.
func TestMigrationNames(t *testing.T) {
	names := map[string]bool{} // those of the standard library that the pages use
	for _, name := range strings.Fields("CookieJar EOF MaxBytesReader Reader RoundTripper Sub Writer") {
		names[name] = true
	}
	surfaces, err := filepath.Glob("../../tests/api/*.txt")
	if err != nil || len(surfaces) < 8 {
		t.Fatal(surfaces, err)
	}
	for _, surface := range surfaces {
		for _, name := range regexp.MustCompile(`\b[A-Z]\w+`).FindAllString(page(t, surface), -1) {
			names[name] = true
		}
	}
	code, literal, name := regexp.MustCompile("`[^`]+`"), regexp.MustCompile(`"[^"]*"`), regexp.MustCompile(`\b[A-Z]\w+`)
	for _, from := range []string{"net-http", "resty", "okhttp"} {
		count := 0
		for row := range strings.Lines(page(t, "../migration/"+from+".md")) {
			cells := strings.Split(row, "|")
			if len(cells) != 4 {
				continue
			}
			for _, c := range code.FindAllString(cells[2], -1) {
				for _, n := range name.FindAllString(literal.ReplaceAllString(c, ""), -1) {
					if count++; !names[n] {
						t.Errorf("%s: there is no %s: %s", from, n, strings.TrimSpace(row))
					}
				}
			}
		}
		if count < 30 {
			t.Errorf("%s: %d names were found, the pattern is wrong", from, count)
		}
	}
}
