//go:build unix

package interop

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp/okmultipart"
	"github.com/okhttp-go/ok/okio"
)

// readForm reads the parts of a body with this module's reader.
func readForm(t *testing.T, contentType string, body io.Reader) (parts []formPart) {
	t.Helper()
	boundary, err := okmultipart.BoundaryOf(contentType)
	if err != nil {
		t.Fatal(err)
	}
	r, err := okmultipart.NewReader(okio.FromReader(body), boundary)
	if err != nil {
		t.Fatal(err)
	}
	return readParts(t, r)
}

func readParts(t *testing.T, r *okmultipart.Reader) (parts []formPart) {
	t.Helper()
	defer r.Close()
	for p, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		one := formPart{Name: p.FormName(), Type: p.ContentType(), Content: content}
		if strings.Contains(p.Headers().Get("Content-Disposition"), "; filename") {
			name := p.FileName()
			one.Filename = &name
		}
		if boundary, err := okmultipart.BoundaryOf(p.ContentType()); err == nil {
			one.Parts, one.Content = readForm(t, "multipart/mixed; boundary="+boundary, bytes.NewReader(content)), nil
		}
		parts = append(parts, one)
	}
	return parts
}

// field and file are what is wanted of a part.
func field(name, content string) formPart { return formPart{Name: name, Content: []byte(content)} }

func file(name, filename, contentType, content string) formPart {
	return formPart{Name: name, Filename: &filename, Type: contentType, Content: []byte(content)}
}

func wantParts(t *testing.T, got, want []formPart) {
	t.Helper()
	text := func(parts []formPart) (lines []string) {
		for _, p := range parts {
			lines = append(lines, fmt.Sprint(p, p.Parts))
		}
		return lines
	}
	if !slices.Equal(text(got), text(want)) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(text(got), "\n"), strings.Join(text(want), "\n"))
	}
}

// TestFormsFromThisModule reads what this module writes: no name is lost.
func TestFormsFromThisModule(t *testing.T) {
	var bodies []*mockserver.Request
	server := mockserver.New(t, mockserver.WithDispatcher(mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
		bodies = append(bodies, r)
		return mockserver.Reply(200)
	})))
	resp, err := newClient(t).Post(t.Context(), server.URL("/"), awkwardForm(t))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	got := readForm(t, bodies[0].Headers.Get("Content-Type"), bytes.NewReader(bodies[0].Body))
	wantAwkward(t, got, func(name string, file bool) (string, bool) {
		name = asWritten(name)
		if file { // without its folders
			if name = name[strings.LastIndexAny(name, `/\`)+1:]; name == ".." {
				name = ""
			}
		}
		return name, true
	})
}

// TestFormsFromNode reads the form that Node.js writes, as browsers do.
func TestFormsFromNode(t *testing.T) {
	url := startForms(t, "node", "forms.mjs")
	resp, err := newClient(t).Get(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	r, err := okmultipart.FromResponse(resp)
	if err != nil {
		t.Fatal(err)
	}
	var want []formPart
	for _, name := range []string{"plain", `quo"te`, "new\r\nline", "caf\u00e9 \u65e5\u672c", "a;b=c", `back\slash`, "100%"} {
		filename := asWritten(name) + ".txt"
		filename = filename[strings.LastIndexByte(filename, '\\')+1:]
		want = append(want, field(asWritten(name), "value of "+name), file(asWritten(name), filename, "text/x-odd", "content of "+name))
	}
	var counted [100_000]byte
	for i := range counted {
		counted[i] = byte(i)
	}
	want = append(want, file("binary", "b", "application/octet-stream", string(counted[:])))
	wantParts(t, readParts(t, r), want)
}

// TestFormsFromNetHTTP reads what package mime/multipart writes. It escapes a quote and a backslash as in messages, and line breaks as browsers do.
func TestFormsFromNetHTTP(t *testing.T) {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var want []formPart
	for _, name := range awkward {
		must(w.WriteField(name, "value of "+name))
		part, err := w.CreateFormFile(name, name)
		must(err)
		io.WriteString(part, "content of "+name)
		seen := strings.NewReplacer("\r", "%0D", "\n", "%0A").Replace(name)
		filename := seen[strings.LastIndexAny(seen, `/\`)+1:]
		if filename == ".." {
			filename = ""
		}
		want = append(want, field(seen, "value of "+name), file(seen, filename, "application/octet-stream", "content of "+name))
	}
	for _, content := range awkwardContents {
		part, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name=token`}, "X-Other": {"a", "b"}})
		must(err)
		io.WriteString(part, content)
		want = append(want, field("token", content))
	}
	must(w.Close())
	wantParts(t, readForm(t, w.FormDataContentType(), &body), want)
}

// TestFormsFromCurl reads what curl -F sends, which writes names as browsers do since version 7.81.
func TestFormsFromCurl(t *testing.T) {
	run := realCurl(t)
	server := mockserver.New(t, mockserver.WithDispatcher(echo{}))
	dir := t.TempDir()
	save := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	send := func(args ...string) []formPart {
		t.Helper()
		if got := run(append(args, "-o", os.DevNull, "--expect100-timeout", "20", server.URL("/"))...); got.code != 0 {
			t.Fatalf("%q: %+v", args, got)
		}
		r, err := server.TakeRequest(t.Context())
		if err != nil || r.Failure != nil {
			t.Fatal(err, r.Failure)
		}
		return readForm(t, r.Headers.Get("Content-Type"), bytes.NewReader(r.Body))
	}
	if old := send("-F", `a"b=c`); old[0].Name != "a%22b" {
		t.Skipf("this curl writes %q for a quote", old[0].Name)
	}

	var args []string
	var want []formPart
	for _, name := range []string{"plain", `quo"te`, "new\nline", "car\rriage", "a\r\nX-Injected: y", "caf\u00e9 \u65e5\u672c", "with space", "semi;colon", `back\slash`, "tab\tinside"} {
		args = append(args, "-F", name+"=value of a field")
		want = append(want, field(asWritten(name), "value of a field"))
	}
	for i, content := range awkwardContents {
		path := save(fmt.Sprintf("content-%d.bin", i), content)
		args = append(args, "-F", "file=@"+path)
		want = append(want, file("file", filepath.Base(path), "application/octet-stream", content))
	}
	odd := save(`o"d`+"\n\u00fc", "odd")
	args = append(args,
		"-F", `f=@"`+strings.ReplaceAll(odd, `"`, `\"`)+`"`,
		"-F", `f=@`+save("b.txt", "text")+`;type=text/x-odd;filename="we\"ird\\name.txt"`,
		"-F", "text=<"+save("c.txt", "from a file\r\n"),
		"-F", `json={"a": 1};type=application/json;headers="X-Extra: 1"`,
		"--form-string", "string=@;type=x",
		"-F", "empty=")
	want = append(want,
		file("f", "o%22d%0A\u00fc", "application/octet-stream", "odd"),
		file("f", "name.txt", "text/x-odd", "text"), // without the folders that it may be in
		field("text", "from a file\r\n"),
		formPart{Name: "json", Type: "application/json", Content: []byte(`{"a": 1}`)},
		field("string", "@;type=x"), field("empty", ""))
	wantParts(t, send(args...), want)
	wantParts(t, send(append([]string{"-H", "Transfer-Encoding: chunked"}, args...)...), want)
	large := strings.Repeat("\r\n------------------------0123456789abcde", 100_000)
	wantParts(t, send("-F", "large=@"+save("large", large)), []formPart{file("large", "large", "application/octet-stream", large)})

	// Several files of one field are a part with parts; and curl can write names as in messages, too.
	got := send("-F", "both=@"+filepath.Join(dir, "b.txt")+","+filepath.Join(dir, "c.txt"))
	if len(got) != 1 || got[0].Name != "both" || len(got[0].Parts) != 2 || string(got[0].Parts[1].Content) != "from a file\r\n" || *got[0].Parts[0].Filename != "b.txt" {
		t.Errorf("%s", got)
	}
	if escaped := send("--form-escape", "-F", `a"b\c=d`); escaped[0].Name != `a"b\c` {
		t.Errorf("%s", escaped)
	}
}
