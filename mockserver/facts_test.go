package mockserver_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// facts are the test facts of the specification by their numbers, and the tests that prove them. What follows a slash is the name of a case.
//
// Fact 2 holds of the statuses that a response can have. Those of 0 to 99 are none (RFC 9110 section 15), and those of 1xx but 101 come before a response and do not stand for one:
// they have their reason, Informational, where they are sent as such, and Reply of any of them is an error, as a client would wait for the response ever after.
var facts = [...][]string{
	1:  {"TestResponseBytes/nothing set"},
	2:  {"TestReasonFollowsTheHundred"},
	3:  {"TestResponseBytes/reason"},
	4:  {"TestResponseBytes/bytes"},
	5:  {"TestResponseBytes/cleared headers"},
	6:  {"TestResponseBytes/set header"},
	7:  {"TestResponseBytes/replaced headers"},
	8:  {"TestRequestsAreRecordedInOrder", "TestHeadersAreRecordedAsTheyCame", "TestTakeRequestWaits"},
	9:  {"TestRequestsAreRecordedInOrder"},
	10: {"TestRequestWaitsForItsResponse"},
	11: {"TestClientOfScripts/a size line that is none"},
	12: {"TestClientOfScripts/a body that is too short"},
	13: {"TestClearDropsResponses"},
	14: {"TestDelaysAndThrottle/throttle by 3", "TestDelaysAndThrottle/throttle of the request"},
	15: {"TestDelaysAndThrottle/body"},
	16: {"TestUploadIsCutAtHalf"},
	17: {"TestEffectsWithinBodies/half of two", "TestClientOfScripts/half of two"},
	18: {"TestLife"},
	19: {"TestLife"},
	20: {"TestServersHavePortsOfTheirOwn"},
	21: {"TestLife"},
	22: {"TestLife"},
	23: {"TestCloseReleasesEverything", "TestHTTP2Close"},
	24: {"TestShutdownServer"},
	25: {"TestRequestURL"},
	26: {"TestExpectContinue/scripted", "TestExpectContinue/scripted, chunked"},
	27: {"TestResponseBytes/two informational", "TestClientOfScripts/two informational"},
	28: {"TestRequestBytes/no body"},
	29: {"TestSkipRequestBody", "TestLargeUploadSeesTheResponse"},
	30: {"TestRequestBytes/body of length 0", "TestRequestBytes/body"},
	31: {"TestHTTPProxy/cleartext", "TestRequestURL"},
	32: {"TestRequestURL"},
	33: {"TestRequestBytes/absolute form"},
	34: {"TestRequestBytes/asterisk", "TestRequestURL"},
	35: {"TestRequestURL"},
	36: {"TestTLSIsRecorded"},
	37: {"TestClientAuth/asked, given", "TestClientAuth/required, given"},
	38: {"TestTLSIsRecorded"},
	39: {"TestHandshakesThatFail"},
	40: {"TestStartFails"},
	41: {"TestClientInTunnel"},
	42: {"TestScriptedTunnel"},
	43: {"TestDispatchersRunAtTheSameTime"},
	44: {"TestDispatchersRunAtTheSameTime"},
	45: {"TestFailFast"},
	46: {"TestFaviconTakesNothing"},
	47: {"TestPush"},
	48: {"TestClientOfScripts/a goodbye"},
	49: {"TestRefusedStreamIsSentAgain"},
	50: {"TestStallOfAConnectionIsOneOfItsStreams"},
	51: {"TestSettingsBeforeTheHead"},
	52: {"TestDuplexOverHTTP2"},
	53: {"TestHTTP2Deliveries/no body", "TestHTTP2Deliveries/empty body"},
	54: {"TestFaultsOfScriptsFailTheTest/trailers of nothing"},
	55: {"TestSocketsOverHTTP1/upgrade"},
	56: {"TestSocketsOverHTTP1/upgrade"},
	57: {"TestWebSocketOpens"},
	58: {"TestClientOfScripts/stall"},
	59: {"TestEndings"},
	60: {"TestEffectsWithinBodies/half of one"},
	61: {"TestChoices", "TestGarbage"},
	62: {"route.TestMiss", "TestVerify"},
}

// TestFacts finds the tests that the table names.
func TestFacts(t *testing.T) {
	tests := testsOf(t, "*_test.go", "")
	for name, cases := range testsOf(t, "route/*_test.go", "route.") {
		tests[name] = cases
	}
	for number, list := range facts[1:] {
		if len(list) == 0 {
			t.Errorf("no test of fact %d", number+1)
		}
		for _, name := range list {
			name, sub, _ := strings.Cut(name, "/")
			if cases, ok := tests[name]; !ok || sub != "" && !cases[sub] {
				t.Errorf("fact %d: there is no %s with a case %q", number+1, name, sub)
			}
		}
	}
}

// testsOf returns the tests of some files, and the texts in each, which the names of its cases are among.
func testsOf(t *testing.T, files, prefix string) map[string]map[string]bool {
	t.Helper()
	paths, err := filepath.Glob(files)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no tests in %s: %v", files, err)
	}
	found := map[string]map[string]bool{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") {
				continue
			}
			texts := map[string]bool{}
			ast.Inspect(f, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if text, err := strconv.Unquote(lit.Value); err == nil {
						texts[text] = true
					}
				}
				return true
			})
			found[prefix+f.Name.Name] = texts
		}
	}
	return found
}
