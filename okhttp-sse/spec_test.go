package oksse

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// specification is what this package has to do, fact by fact, and the test that shows it. Where that is a table, the row begins with the number.
var specification = []struct {
	from, to int
	fact     string
	test     string
}{
	{1, 3, "data lines are joined by LF, with any line end", "TestFacts"},
	{4, 6, "types; comments; ids, which a bare id takes back", "TestFacts"},
	{7, 10, "empty data; one space at the most is dropped; ids are used again", "TestFacts"},
	{11, 11, "an id without data counts in the standard, not for OkHttp", "TestFacts"},
	{12, 16, "retry fields; names that only begin alike; fields without a value", "TestFacts"},
	{17, 17, "all of the input is consumed", "TestFacts"},
	{18, 19, "byte order mark; NUL in an id", "TestFacts"},
	{20, 21, "an event is there with its blank line, also after CR; CRLF may be cut in two", "TestPromptness"},
	{22, 29, "streams that are cut off; retry values; UTF-8; names are exact", "TestFacts"},
	{30, 30, "open, event, closed", "TestEventSource"},
	{31, 31, "canceled in OnOpen", "TestEventSourceCancel"},
	{32, 37, "wrong type; status; JSON; authenticator; call timeout over body and head", "TestEventSource"},
	{38, 38, "Accept of the application, or that of streams", "TestEventSourceHeaders"},
	{39, 39, "events of the call", "TestEventSourceEvents"},
	{40, 40, "a response that was looked at and handed over", "TestProcessResponse"},
	{41, 41, "charset parameter", "TestEventSource"},
	{42, 42, "listeners that panic", "TestListenerPanics"},
	{43, 43, "read timeout", "TestEventSource"},
	{44, 46, "when and from where a stream goes on", "TestReconnect"},
	{47, 47, "back-off", "TestBackOff"},
	{48, 48, "204", "TestReconnect"},
	{49, 49, "500, listed and not", "TestRetryStatus"},
	{50, 50, "Close during the wait", "TestEndDuringWait"},
	{51, 51, "an event that was cut in two by the end of its connection", "TestReconnect"},
	{52, 52, "comments, silence and the idle timeout", "TestIdleTimeout"},
	{53, 53, "the limit and one byte more", "TestLimit"},
	{54, 54, "the loop is left: the server sees it", "TestBreak"},
	{55, 55, "a server that closes at once", "TestServerClosesAtOnce"},
}

// Each fact has a test: the numbers are without gaps, and the tests are there.
func TestSpecification(t *testing.T) {
	tests, last := testNames(t), 0
	for _, f := range specification {
		if f.from != last+1 || f.to < f.from {
			t.Errorf("%d to %d after %d", f.from, f.to, last)
		}
		last = f.to
		if !tests[f.test] {
			t.Errorf("%d to %d: there is no %s", f.from, f.to, f.test)
		}
	}
	if last != 55 {
		t.Errorf("%d facts, want 55", last)
	}
}

// testNames returns the names of this package's tests.
func testNames(t *testing.T) map[string]bool {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}
