package cli

import (
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// parts answers with what it got of a form, a line for each part.
func parts(w http.ResponseWriter, r *http.Request) {
	reader, err := r.MultipartReader()
	if err != nil {
		http.Error(w, err.Error(), 400)
		return
	}
	for {
		p, err := reader.NextPart()
		if err == io.EOF {
			return
		}
		if err != nil {
			http.Error(w, err.Error(), 400)
			return
		}
		fmt.Fprintln(w, describePart(p))
	}
}

func describePart(p *multipart.Part) string {
	text, _ := io.ReadAll(p)
	return fmt.Sprintf("%s %q %s %q", p.FormName(), p.FileName(), p.Header.Get("Content-Type"), text)
}

func TestForm(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(file, []byte("line\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	url := serve(t, parts)
	for _, c := range []struct {
		part, in, want string
	}{
		{"a=b", "", `a ""  "b"`},
		{"a=", "", `a ""  ""`},
		{"a=b=c", "", `a ""  "b=c"`},
		{"a=b;type=text/html", "", `a "" text/html "b"`},
		{"a=b;type=text/html;charset=x;filename=f", "", `a "f" text/html;charset=x "b"`},
		{`a="b;c\"\\";type=text/plain`, "", `a "" text/plain "b;c\"\\"`},
		{"a=@" + file, "", `a "a.txt" application/octet-stream "line\n"`},
		{"a=@" + file + ";filename=b.csv;type=text/csv", "", `a "b.csv" text/csv "line\n"`},
		{"a=<" + file, "", `a ""  "line\n"`},
		{"=x", "", ` ""  "x"`}, // curl sends a part without a name
		{"=@" + file, "", ` "a.txt" application/octet-stream "line\n"`},
		{"a=@-", "input", `a "-" application/octet-stream "input"`},
		{"a=<-", "input", `a ""  "input"`},
	} {
		if r := okcurlWith(t, c.in, "-F", c.part, url); r.code != 0 || r.out != c.want+"\n" {
			t.Errorf("%s: %+v, want %s", c.part, r, c.want)
		}
	}
	if r := okcurl(t, "-F", "a=1", "--form-string", "b=@2;type=x", url); r.out != "a \"\"  \"1\"\nb \"\"  \"@2;type=x\"\n" {
		t.Errorf("%+v", r)
	}
	for part, want := range map[string]string{
		"secret":                 "(2) option -F: expected NAME=CONTENT",
		"a=@":                    "(2) option -F: part a: expected a file name after @",
		"a=b;size=3":             `(2) option -F: part a: unknown parameter "size", expected type or filename`,
		"a=b;type":               "(2) option -F: part a: expected type= or filename= after the semicolon",
		`a="b`:                   "(2) option -F: expected a closing quote",
		`a="b"c`:                 "(2) option -F: expected a semicolon after the closing quote",
		"a=@" + dir + "/missing": "(26) cannot read " + dir + "/missing: no such file or directory",
	} {
		if r := okcurl(t, "-F", part, url); !strings.HasPrefix(r.err, "okcurl: "+want) || strings.Contains(r.err, "secret") {
			t.Errorf("%s: %+v", part, r)
		}
	}
}

// A form of files goes again after a redirect that asks for it.
func TestFormGoesAgain(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			io.Copy(io.Discard, r.Body)
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
			return
		}
		parts(w, r)
	})
	if r := okcurl(t, "-L", "-F", "a=@form_test.go;type=x", url); !strings.HasPrefix(r.out, `a "form_test.go" x "package cli`) {
		t.Errorf("%+v", r)
	}
}

func FuzzForm(f *testing.F) {
	for _, seed := range []string{"a=b", "a=@f;type=x;y=z;filename=\"q\\\"\"", "a=<-", `a="`, "=", "a=b;"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o := newOptions()
		if err := o.addForm(text, false); err != nil {
			return
		}
		if p := o.form[0]; !strings.HasPrefix(text, p.name+"=") {
			t.Errorf("%q: %+v", text, p)
		}
	})
}
