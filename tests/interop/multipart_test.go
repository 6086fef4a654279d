//go:build unix

package interop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okmultipart"
)

// formPart is a part as a receiver found it.
type formPart struct {
	Name     string     `json:"name"`
	Filename *string    `json:"filename"` // nil for a field
	Type     string     `json:"type"`
	Content  []byte     `json:"content"`
	Parts    []formPart `json:"parts"`
	Defects  []string   `json:"defects"`
}

func (p formPart) String() string {
	if p.Filename == nil {
		return fmt.Sprintf("%q = %s %q", p.Name, abridged(string(p.Content)), p.Defects)
	}
	return fmt.Sprintf("%q = %q %s %s %q", p.Name, *p.Filename, p.Type, abridged(string(p.Content)), p.Defects)
}

// startForms runs a program that serves forms until its input ends, and returns its URL.
func startForms(t *testing.T, name, script string) string {
	t.Helper()
	return serveUntilDone(t, name, exec.Command(program(t, name), filepath.Join("testdata", script)))
}

// serveUntilDone starts a server that prints its port, or why it cannot serve, and ends with its input. It returns its URL.
func serveUntilDone(t *testing.T, name string, cmd *exec.Cmd) string {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		guard := time.AfterFunc(patience, func() { cmd.Process.Kill() })
		defer guard.Stop()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s ended: %v", name, err)
		}
		if t.Failed() {
			t.Logf("%s said:\n%s", name, stderr.Bytes())
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%s did not start: %v", name, err)
	}
	line = strings.TrimSpace(line)
	if why, ok := strings.CutPrefix(line, "skip: "); ok {
		t.Skip(why)
	}
	return "http://127.0.0.1:" + line + "/"
}

// awkward are names that a header cannot have as they are, or that look like something else there.
var awkward = []string{
	"plain", "", "with space", `quo"te`, `"`, "new\nline", "car\rriage", "a\r\nX-Injected: y", "caf\u00e9", "\u65e5\u672c\u8a9e \U0001f600", "semi;colon=x",
	`back\slash`, `C:\dir\`, "it's", "tab\tinside", "a/b", "..", "<&>", "filename*=UTF-8''x", strings.Repeat("long", 200),
}

// awkwardContents are what a reader of boundaries may stumble over.
var awkwardContents = []string{
	"", "text", "\r\n", "\r", "\n", "--", "\r\n--", "\r\n--b", "text\r\n\r\n", "caf\u00e9", "\x00\xff\xfe\r\x80", strings.Repeat("\r\n--boundar", 10_000),
}

// awkwardForm has each name as that of a field, a file and what is in it, and each content.
func awkwardForm(t *testing.T) *okhttp.Body {
	t.Helper()
	var parts []okmultipart.Part
	for _, name := range awkward {
		parts = append(parts, okmultipart.Field(name, "value of "+name), okmultipart.Bytes("file", name, "text/x-odd", []byte(name)))
	}
	for _, content := range awkwardContents {
		parts = append(parts, okmultipart.Bytes("content", "c", "", []byte(content)))
	}
	body, err := okmultipart.Form(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// wantAwkward compares what a receiver found with awkwardForm. Each sees some names otherwise than they were, or not at all: then seen returns false.
func wantAwkward(t *testing.T, got []formPart, seen func(name string, file bool) (string, bool)) {
	t.Helper()
	if want := 2*len(awkward) + len(awkwardContents); len(got) != want {
		t.Errorf("%d parts, want %d", len(got), want)
		return
	}
	for i, name := range awkward {
		field, file := got[2*i], got[2*i+1]
		want, ok := seen(name, false)
		if ok && field.Name != want || field.Filename != nil || string(field.Content) != "value of "+name || len(field.Defects) > 0 {
			t.Errorf("field %q is %s", name, field)
		}
		want, ok = seen(name, true)
		if ok && (file.Name != "file" || file.Filename == nil || *file.Filename != want) || file.Type != "text/x-odd" || string(file.Content) != name || len(file.Defects) > 0 {
			t.Errorf("file %q is %s", name, file)
		}
	}
	for i, content := range awkwardContents {
		if part := got[2*len(awkward)+i]; string(part.Content) != content || part.Type != "application/octet-stream" || len(part.Defects) > 0 {
			t.Errorf("content %s is %s", abridged(content), part)
		}
	}
}

// asWritten is a name as browsers write it.
var asWritten = strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A").Replace

// postForm sends a form and returns what the receiver found in it.
func postForm(t *testing.T, url string, body *okhttp.Body) (parts []formPart) {
	t.Helper()
	resp, err := newClient(t).Post(t.Context(), url, body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := resp.Body.Text()
	if err != nil || resp.Status != 200 {
		t.Fatalf("%d, %s, %v", resp.Status, text, err)
	}
	if err := json.Unmarshal([]byte(text), &parts); err != nil {
		t.Fatal(err)
	}
	return parts
}

// TestFormsToNode has a form read by the parser of Node.js, which is that of browsers.
func TestFormsToNode(t *testing.T) {
	url := startForms(t, "node", "forms.mjs")
	wantAwkward(t, postForm(t, url, awkwardForm(t)), func(name string, _ bool) (string, bool) { return name, true })

	file := filepath.Join(t.TempDir(), `a "b" ü.bin`)
	large := bytes.Repeat([]byte("\r\n--0123456789"), 100_000)
	if err := os.WriteFile(file, large, 0o600); err != nil {
		t.Fatal(err)
	}
	// A part whose length is not known is sent in chunks.
	body, err := okmultipart.Form(okmultipart.File("f", file, ""), okmultipart.FromReader("g", "g.txt", "text/plain", -1, strings.NewReader("text")))
	if err != nil {
		t.Fatal(err)
	}
	got := postForm(t, url, body)
	if len(got) != 2 || got[0].Filename == nil || *got[0].Filename != `a "b" ü.bin` || !bytes.Equal(got[0].Content, large) || string(got[1].Content) != "text" {
		t.Errorf("%s", got)
	}
}

// TestFormsToPython has a form read by Python's parser of messages. It leaves names as they were written, but for backslashes, which escape in
// messages, and for the brackets of an address.
func TestFormsToPython(t *testing.T) {
	url := startForms(t, "python3", "forms.py")
	wantAwkward(t, postForm(t, url, awkwardForm(t)), func(name string, _ bool) (string, bool) {
		return asWritten(name), !strings.Contains(name, `\`) && name != "<&>"
	})

	body, err := okmultipart.New(&okmultipart.Config{Type: okmultipart.Mixed, Boundary: "outer (b)"},
		okmultipart.Data(okhttp.Headers{}, "text/plain; charset=utf-8", []byte("first")),
		okmultipart.Nested(okhttp.Headers{}, &okmultipart.Config{Type: okmultipart.Alternative},
			okmultipart.Data(okhttp.Headers{}, "text/plain", []byte("plain")), okmultipart.Data(okhttp.Headers{}, "text/html", []byte("<p>"))))
	if err != nil {
		t.Fatal(err)
	}
	got := postForm(t, url, body)
	if len(got) != 2 || string(got[0].Content) != "first" || got[1].Type != "multipart/alternative" || len(got[1].Parts) != 2 || string(got[1].Parts[1].Content) != "<p>" {
		t.Errorf("%+v", got)
	}
}

// TestFormsToNetHTTP has a form read by the server of net/http. It leaves names as they were written, and out of the name of a file its folders; a
// name that ends with a backslash is none to it.
func TestFormsToNetHTTP(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parts, err := r.MultipartReader()
		if err != nil {
			t.Error(err)
			return
		}
		var found []formPart
		for {
			p, err := parts.NextRawPart()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Error(err)
				return
			}
			content, err := io.ReadAll(p)
			if err != nil {
				t.Error(err)
			}
			one := formPart{Name: p.FormName(), Content: content, Type: p.Header.Get("Content-Type")}
			if strings.Contains(p.Header.Get("Content-Disposition"), "; filename=") {
				name := p.FileName()
				one.Filename = &name
			}
			found = append(found, one)
		}
		json.NewEncoder(w).Encode(found)
	}))
	defer server.Close()
	wantAwkward(t, postForm(t, server.URL, awkwardForm(t)), func(name string, file bool) (string, bool) {
		if file && strings.Contains(name, "/") {
			name = name[strings.LastIndexByte(name, '/')+1:]
		}
		return asWritten(name), !strings.HasSuffix(name, `\`)
	})
}
