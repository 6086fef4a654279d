package stub_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/stub"
)

// said are the methods of responses with the member of a file that says the same, or "" and why there is none.
var said = map[string][2]string{
	"Status": {"status"}, "Reason": {"reason"}, "Header": {"headers"}, "AddHeader": {"headers"}, "Headers": {"headers"}, "AddHeaderRaw": {"rawHeaders"}, "Trailer": {"trailers"},
	"Body": {"base64"}, "Text": {"body"}, "Stream": {"file"}, "Chunked": {"chunked"}, "MalformedChunk": {"malformedChunk"}, "WrongLength": {"wrongLength"}, "UntilClose": {"untilClose"},
	"Informational": {"informational"}, "InformationalAfter": {"informational"}, "Continue": {"informational"}, "Raw": {"rawBase64"}, "On": {"effects"}, "OnBytes": {"effects"},
	"OnChunk": {"effects"}, "SkipRequestBody": {"skipRequestBody"}, "ShutdownServer": {"shutdownServer"}, "HeadDelay": {"delay"}, "HeadDelayOf": {"delay"}, "BodyDelay": {"bodyDelay"},
	"BodyDelayOf": {"bodyDelay"}, "TrailersDelay": {"trailersDelay"}, "Throttle": {"throttle"}, "Dribble": {"dribble"}, "SlowHead": {"slowHead"}, "InTunnel": {"inTunnel"},
	"Push": {"pushes"}, "Settings": {"settings"},
	"Adapt":        {"", "code; what files have of it are templates"},
	"Socket":       {"", "code"},
	"LateTrailers": {"", "code"},
	"ThrottleBy":   {"", "shares one rate among responses, which a file has no name for"},
	"Unexpected":   {"", "marks the answer to a request that nothing was scripted for, and is no part of a script"},
	"Code":         {"", "asks"}, "Err": {"", "asks"}, "StartsConnection": {"", "asks"},
}

// A response of a file can be what one of code can be; a new method of code has to be thought of here.
func TestResponsesOfCode(t *testing.T) {
	comment, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	of := members(reflect.TypeFor[stub.Response]())
	response := reflect.TypeFor[mockserver.Response]()
	for i := range response.NumMethod() {
		name := response.Method(i).Name
		how, known := said[name]
		switch _, there := of[how[0]]; {
		case !known:
			t.Errorf("Response.%s: no member of a file says it", name)
		case how[0] != "" && !there:
			t.Errorf("Response.%s: there is no member %s", name, how[0])
		case strings.HasPrefix(how[1], "code") && !strings.Contains(string(comment), "Response."+name):
			t.Errorf("Response.%s: the package comment does not say that it is for code only", name)
		}
	}
}

// effectsOfCode are the effects of package mockserver with a name in files.
var effectsOfCode = map[string]string{
	"CloseSocket": "closeSocket", "Reset": "reset", "ShutdownConnection": "shutdownConnection", "CloseStream": "closeStream", "Stall": "stall", "Garbage": "garbage",
	"PartialRecord": "partialRecord", "Wait": "wait", "WaitBetween": "wait", "WaitLogNormal": "wait", "Write": "write", "GoAway": "goAway", "SendSettings": "sendSettings",
	"RefuseConnections": "refuseConnections", "IgnoreConnections": "ignoreConnections", "FailHandshake": "failHandshake", "BadCertificate": "badCertificate",
	"sequence": "", "Sometimes": "", "counted": "", // several at one moment, probability, everyNth and first
}

// An effect is a type with a method effect.
func TestEffectsOfCode(t *testing.T) {
	_, err := stub.Parse("f", []byte(`{"response": {"effects": [{"at": "responseEnd", "do": ""}]}}`))
	_, list, _ := strings.Cut(err.Error(), "expected one of ")
	list, _, _ = strings.Cut(list, " but ")
	named := strings.Split(list, ", ")
	files, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), "../"+file.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || f.Name.Name != "effect" {
				continue
			}
			of := f.Recv.List[0].Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			name := of.(*ast.Ident).Name
			if at, known := effectsOfCode[name]; !known || at != "" && !slices.Contains(named, at) {
				t.Errorf("effect %s: files have %q, of %s", name, at, list)
			}
			found++
		}
	}
	if found != len(effectsOfCode) {
		t.Errorf("found %d effects, not %d", found, len(effectsOfCode))
	}
}

// matchersOfCode are the functions of package match, which return a matcher or a pattern, with the member of a request, body or text that says the same.
var matchersOfCode = map[string]string{
	"Method": "method", "Path": "path", "RawPath": "rawPath", "Target": "target", "Query": "query", "Header": "headers", "Cookie": "cookies", "Host": "host", "BasicAuth": "basicAuth",
	"Proto": "protocol", "TLS": "tls", "ServerName": "serverName", "ClientCertificate": "clientCertificate", "Connection": "connection", "Not": "not", "Any": "any",
	"Body": "text", "Bytes": "base64", "JSON": "json", "JSONSubset": "jsonSubset", "JSONWith": "anyOrder", "JSONPath": "jsonPath", "JSONPathIs": "jsonPath", "Form": "form", "Part": "parts",
	"Is": "equal", "IsFold": "equalFold", "Contains": "contains", "HasPrefix": "prefix", "HasSuffix": "suffix", "Regexp": "regexp", "Present": "present", "Absent": "present", "IsNot": "not",
	"Both": "all", "Either": "any",
	"All": "", "Everything": "", // what is said of a request has all to hold, and nothing need be
	"Request": "", // method and path
	"Head":    "", // asks at another time, not for something else
	"Func":    "", // code
}

func TestMatchersOfCode(t *testing.T) {
	known := map[string]reflect.Type{}
	for _, of := range []reflect.Type{reflect.TypeFor[stub.Request](), reflect.TypeFor[stub.Body](), reflect.TypeFor[stub.Text]()} {
		for name, t := range members(of) {
			known[name] = t
		}
	}
	files, err := os.ReadDir("../match")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), "../match/"+file.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !f.Name.IsExported() || f.Type.Results == nil || len(f.Type.Results.List) != 1 {
				continue
			}
			switch of := f.Type.Results.List[0].Type.(type) {
			case *ast.Ident:
				if of.Name != "Pattern" {
					continue
				}
			case *ast.SelectorExpr:
				if of.Sel.Name != "Matcher" {
					continue
				}
			default:
				continue
			}
			if at, there := matchersOfCode[f.Name.Name]; !there || at != "" && known[at] == nil {
				t.Errorf("match.%s: files have %q", f.Name.Name, at)
			}
			found++
		}
	}
	if found != len(matchersOfCode) {
		t.Errorf("found %d matchers, not %d", found, len(matchersOfCode))
	}
}
