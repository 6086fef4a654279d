package stub_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/mockserver/stub"
)

// TestHostileText has text that is no stub be refused with file, line and, within a value, its key.
func TestHostileText(t *testing.T) {
	long := strings.Repeat("k", 1<<20)
	for _, tt := range []struct{ text, want string }{
		{"null", "f:1: expected an object but it is null"},
		{"[\nnull]", "f:2: [0]: expected an object but it is null"},
		{" \n\t", "f:2: unexpected end"},
		{"\xff\xfe[\x00]\x00", "f:1: expected UTF-8 but it begins as UTF-16 does"},
		{"\xfe\xff\x00[", "f:1: expected UTF-8 but it begins as UTF-16 does"},
		{"\ufeff", "f:1: unexpected end"},
		{"\ufeff{\n\"x\": 1}", "f:2: x: unknown key"},
		{"{\"response\": {}}\ufeff", "f:1: expected the end behind the value"},
		{"{\"response\": {}}\n{}", "f:2: expected the end behind the value"},
		{"{\"response\": {}}\x00", "f:1: expected the end behind the value"},
		{"{\"response\": {\n\"body\": \"\xff\"}}", "f:2: expected UTF-8"},
		{"{\"response\": {\n\"body\": \"\xed\xa0\x80\"}}", "f:2: expected UTF-8"}, // a surrogate as bytes
		{"{\"response\": {\n\"body\": \"a\\ud800b\"}}", `f:2: response.body: \ud800: expected a character but it is half of a surrogate pair`},
		{`{"response": {"body": "\udc00\ud800"}}`, `f:1: response.body: \udc00: `},
		{`{"response": {"body": "\ud83d\u0041"}}`, `f:1: response.body: \ud83d: `},
		{`{"response": {"body": "\ud83d\n"}}`, `f:1: response.body: \ud83d: `},
		{`{"response": {"json": {"\ud800": 1}}}`, `f:1: response.json: \ud800: `},
		{`{"request": {"query": {"a": {"any": ["b", "\uD800"]}}}, "response": {}}`, `f:1: request.query.a.any[1]: \uD800: `},
		{"{\"response\": {\"headers\": {\n\"a\": \"b\",\n\"a\": \"c\"}}}", "f:3: response.headers.a: a second time in this object"},
		{"[{},{\"response\": {\"json\": [{\n\"a b\": 1, \"a\\u0020b\": 2}]}}]", `f:2: [1].response.json[0]."a b": a second time in this object`},
		{"{\"response\": {\"body\": \"a\nb\"}}", "f:1: response.body: invalid character"},
		{`{"response": {"status": 0x10}}`, "f:1: response: invalid character"},
		{`{"response": {"status": 01}}`, "f:1: response: invalid character"},
		{`{"response": {"status": NaN}}`, "f:1: response.status: invalid character"},
		{`{"response": {"status": +1}}`, "f:1: response.status: invalid character"},
		{"{\"response\": {\n\"delay\": {", "f:2: response.delay: unexpected end"},
		{"{'response': {}}", "f:1: invalid character"},
		{"{\n// why\n\"response\": {}}", "f:2: invalid character"},
		{strings.Repeat("[", 1_000_000), "levels"},
		{`{"request": ` + strings.Repeat(`{"not": `, 198) + `{"method": 1}` + strings.Repeat("}", 198) + `, "response": {}}`, "…"},
		{`{"request": {"headers": {"X": ` + strings.Repeat(`{"not": `, 190) + `{}` + strings.Repeat("}", 190) + `}}, "response": {}}`, ": expected a condition"},
		{`{"request": {"any": []}, "response": {}, "` + long + `": 1}`, "kkk: unknown key"},
		{`{"response": {"delay": "` + long + `"}}`, "f:1: response.delay: expected a time"},
		{`{"response": {"headers": {"` + long + `\r": "x"}}}`, "unexpected char 0x0d"},
		{`{"response": {"headers": {"a": [` + strings.Repeat(`"",`, 200_000) + `""]}}}`, "f:1: response.headers: expected at most 1000 fields but there are 200001"},
		{`{"response": {"informational": [` + strings.Repeat(`{},`, 200_000) + `{}]}}`, "f:1: response.informational: expected at most 1000 but there are 200001"},
		{`{"response": {"pushes": [` + strings.Repeat(`{},`, 200_000) + `{}]}}`, "f:1: response.pushes: expected at most 1000"},
		{`{"response": {"effects": [` + strings.Repeat(`{},`, 200_000) + `{}]}}`, "f:1: response.effects: expected at most 1000"},
		{"{\"response\": {\"headers\": {\n\"a\\r\\nSet-Cookie\": \"x\"}}}", `f:2: response.headers."a\r\nSet-Cookie": unexpected char 0x0d at 1 in header name`},
		{"{\"response\": {\"chunked\": true, \"trailers\": {\n\"a\": [\"x\",\n\"\\n\"]}}}", "f:3: response.trailers.a[1]: unexpected char 0x0a"},
		{"{\"response\": {\"informational\": [\n{\"status\": 103, \"headers\": {\n\"\": \"x\"}}]}}", `f:3: response.informational[0].headers."": `},
		{"{\"response\": {\"informational\": [{\n\"status\": 101}]}}", "f:2: response.informational[0].status: Informational(101): expected 1xx other than 101"},
		{"{\"response\": {\"informational\": [\n{}]}}", "f:2: response.informational[0]: expected a status"},
		{"{\"response\": {\n\"reason\": \"a\\r\\nb\"}}", "f:2: response.reason: Reason("},
		{"{\"response\": {\"template\": true, \"headers\": {\n\"a\": [\"x\",\n\"{{\"]}}}", "f:3: response.headers.a[1]: template: a:1: unclosed action"},
		{"{\"response\": {\"effects\": [{\"at\": \"requestStart\", \"do\": \"reset\"},\n{\"at\": \"responseBody\", \"do\": \"failHandshake\"}]}}", "f:2: response.effects[1]: "},
		{`{"response": {"effects": [{"at": "responseEnd", "do": "write", "text": "a", "base64": "AA=="}]}}`, "f:1: response.effects[0]: expected one of text, base64 but got both"},
		{`{"response": {"effects": [{"at": "responseEnd", "do": "refuseConnections", "for": {"from": "0s", "to": "1s"}}]}}`, "f:1: response.effects[0]: refuseConnections: expected a time"},
		{`{"request": {"body": {"jsonPath": {"$": {"json": 1, "equal": "1"}}}}, "response": {}}`, `f:1: request.body.jsonPath.$: expected json or conditions of a text but got both`},
		{`{"response": {"bodyFileName": "x"}}`, `f:1: response.bodyFileName: unknown key: it is one of WireMock, whose mappings "mockserver import" turns into stubs`},
		{`{"response": {"Status": 1}}`, "f:1: response.Status: unknown key: did you mean status? Expected one of base64, body, "},
		{`{"response": {"dealy": "1s"}}`, "f:1: response.dealy: unknown key: did you mean delay?"},
		{`{"response": {"cookies": "1s"}}`, "f:1: response.cookies: unknown key: expected one of base64"},
	} {
		stubs, err := stub.Parse("f", []byte(tt.text))
		all := stub.Errors(nil)
		if stubs != nil || !errors.As(err, &all) || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("%.100s:\ngot  %.300v\nwant %s", tt.text, err, tt.want)
		}
		if err != nil && len(err.Error()) > 20*1000 {
			t.Errorf("%.100s: a message of %d bytes", tt.text, len(err.Error()))
		}
	}
	for _, text := range []string{"\ufeff{\"response\": {}}", `{"response": {"body": "\ud83d\ude00 \\ud800 \u0041"}}`} {
		if stubs, err := stub.Parse("f", []byte(text)); err != nil || len(stubs) != 1 {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// file is what a test puts in a folder: text, or what do makes.
type file struct {
	name, text string
	do         func(path string) error
}

func folder(t *testing.T, files ...file) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "stubs")
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil && f.do != nil {
			err = f.do(path)
		} else if err == nil {
			err = os.WriteFile(path, []byte(f.text), 0o644)
		}
		if errors.Is(err, errors.ErrUnsupported) || runtime.GOOS == "windows" && err != nil {
			t.Skipf("this system makes no such file: %v", err)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func link(to string) func(string) error {
	return func(path string) error { return os.Symlink(to, path) }
}

// TestHostileFiles has files that responses name, and stub files of a folder, be read within it and nowhere else. @ stands for the folder.
func TestHostileFiles(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(outside, []byte(`{"response": {"body": "secret"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	names := func(name string) file {
		return file{name: "sub/a.json", text: "[{\"response\": {}},\n{\"responses\": [{},\n{\"file\": \"" + name + "\"}]}]"}
	}
	const at = "@/sub/a.json:3: [1].responses[1].file: "
	good := file{name: "good.json", text: `{"name": "good", "response": {}}`}
	for name, tt := range map[string]struct {
		files []file
		want  string // "" for no error, or all of it
	}{
		"missing":             {[]file{names("b.txt")}, at + "file sub/b.txt: no such file or directory"},
		"upwards":             {[]file{names("../../x")}, at + "expected the name of a file within the folder of the stub file, with slashes, but it is \"../../x\""},
		"upwards within":      {[]file{names("../b.txt"), {name: "b.txt"}}, at + "expected the name of a file within"},
		"absolute":            {[]file{names("/etc/passwd")}, at + "expected the name of a file within"},
		"the folder":          {[]file{names(".")}, at + "expected the name of a file within"},
		"NUL":                 {[]file{names(`a\u0000`)}, at + "expected the name of a file within"},
		"empty name":          {[]file{names("")}, at + "expected the name of a file within"},
		"a folder":            {[]file{names("b"), {name: "sub/b/c.txt"}}, at + "file sub/b: expected a regular file"},
		"through a file":      {[]file{names("b/c"), {name: "sub/b"}}, at + "file sub/b/c: not a directory"},
		"link out":            {[]file{names("b"), {name: "sub/b", do: link(outside)}}, at + "file sub/b: path escapes from parent"},
		"link folder out":     {[]file{names("b/secret.json"), {name: "sub/b", do: link(filepath.Dir(outside))}}, at + "file sub/b/secret.json: path escapes from parent"},
		"link within":         {[]file{names("b"), {name: "c"}, {name: "sub/b", do: link("../c")}}, ""},
		"link to itself":      {[]file{names("b"), {name: "sub/b", do: link("b")}}, at + "file sub/b: "},
		"bad template":        {[]file{{name: "sub/a.json", text: "\n{\"response\": {\"template\": true,\n\"file\": \"b\"}}"}, {name: "sub/b", text: "{{if}}"}}, "@/sub/a.json:3: response.file: file sub/b: template: b:1: "},
		"stub is a link":      {[]file{good, {name: "x.json", do: link("good.json")}}, ""},
		"stub by two links":   {[]file{{name: "..data/a.json", text: good.text}, {name: "..now", do: link("..data")}, {name: "a.json", do: link("..now/a.json")}}, ""}, // as a ConfigMap is mounted
		"stub link out":       {[]file{good, {name: "x.json", do: link(outside)}}, "@: x.json: a link has to lead to a file within the folder: "},
		"stub link to none":   {[]file{good, {name: "x.json", do: link("none")}}, "@: x.json: a link has to lead to a file within the folder: "},
		"stub link to folder": {[]file{good, {name: "x", do: link(".")}}, "@: x: a link to a folder, which is not followed"},
		"link of no stub":     {[]file{good, {name: "x.txt", do: link("none")}}, ""},
		"stub is a folder":    {[]file{good, {name: "x.json/y.json", text: good.text}}, ""},
		"empty":               {[]file{good, {name: "x.json"}}, "@/x.json:1: unexpected end"},
		"large": {[]file{good, {name: "x.json", do: func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 100<<20)) // without taking the disk
		}}}, "@/x.json:1: expected at most 16777216 bytes but there are more"},
		"unreadable":      {[]file{good, {name: "x.json", do: unreadable}}, "permission denied"},
		"unreadable body": {[]file{names("b"), {name: "sub/b", do: unreadable}}, at + "file sub/b: permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t, tt.files...)
			routes, err := stub.Load(dir, nil)
			switch want := strings.ReplaceAll(tt.want, "@", dir); {
			case tt.want == "" && (err != nil || len(routes) == 0):
				t.Errorf("%d routes, %v", len(routes), err)
			case tt.want != "" && (routes != nil || err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

// unreadable makes a file that cannot be read, unless by who may read all.
func unreadable(path string) error {
	if os.Geteuid() <= 0 {
		return errors.ErrUnsupported
	}
	return os.WriteFile(path, nil, 0o200)
}

// A folder may be named by a link, and a missing file is told by its kind.
func TestLinkedFolder(t *testing.T) {
	dir := folder(t, file{name: "a.json", text: `{"name": "a", "response": {"file": "b"}}`}, file{name: "b"})
	linked := filepath.Join(filepath.Dir(dir), "link")
	if err := os.Symlink(dir, linked); err != nil && runtime.GOOS == "windows" {
		t.Skipf("Windows asks for a privilege to make links: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	routes, err := stub.Load(linked, nil)
	if list := route.New(routes...).Status(); err != nil || fmt.Sprint(list) != "[{a 0}]" {
		t.Errorf("%v, %v", list, err)
	}
	if err := os.Remove(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	_, err = stub.Load(linked, nil)
	one := (*stub.Error)(nil)
	if !errors.As(err, &one) || !errors.Is(err, fs.ErrNotExist) || one.Line != 1 || one.Column != 36 || one.Path != "response.file" || one.File != filepath.Join(linked, "a.json") {
		t.Errorf("%v, %#v", err, one)
	}
}
