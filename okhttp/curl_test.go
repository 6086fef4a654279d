package okhttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
)

func TestCurl(t *testing.T) {
	untouched := mustBody(t, BodyConfig{Len: -1, Write: func(context.Context, io.Writer) error {
		return errors.New("Curl wrote the body")
	}})
	for _, c := range []struct {
		request *Request
		want    []string
	}{
		{mustRequest(t, "GET", "https://example.com/"), []string{"curl 'https://example.com/'"}},
		{
			mustRequest(t, "GET", "https://example.com/?a=b'c&d", AddHeader("A", "it's"), AddHeader("A", "2"), Header("Authorization", "Bearer secret")),
			[]string{"curl 'https://example.com/?a=b%27c&d'", "-H 'A: it'\\''s'", "-H 'A: 2'", "-H 'Authorization: Bearer secret'"},
		},
		{mustRequest(t, "DELETE", "https://h/"), []string{"curl 'https://h/'", "-X 'DELETE'"}},
		{mustRequest(t, "HEAD", "https://h/"), []string{"curl 'https://h/'", "--head"}},
		{mustRequest(t, "GET", "http://[::1]/?{a}"), []string{"curl 'http://[::1]/?{a}'", "--globoff"}},
		{mustRequest(t, "GET", "https://h/", Header("X-Empty", "")), []string{"curl 'https://h/'", "-H 'X-Empty;'"}},
		{
			mustRequest(t, "POST", "https://h/", Header("Content-Type", "x/y"), Header("B", "c"), WithBody(Text("it's\na 'text'"))),
			[]string{"curl 'https://h/'", "-H 'B: c'", "-H 'Content-Type: text/plain; charset=utf-8'", "--data 'it'\\''s\na '\\''text'\\'''"},
		},
		{
			mustRequest(t, "PUT", "https://h/", WithBody(Form("a", "b"))),
			[]string{"curl 'https://h/'", "-X 'PUT'", "-H 'Content-Type: application/x-www-form-urlencoded'", "--data 'a=b'"},
		},
		{
			mustRequest(t, "POST", "https://h/", Header("content-type", "x/y"), WithBody(Bytes("", []byte("\u00e9\ufffd")))),
			[]string{"curl 'https://h/'", "-H 'content-type: x/y'", "--data '\u00e9\ufffd'"},
		},
		{mustRequest(t, "POST", "https://h/", WithBody(Bytes("", nil))), []string{"curl 'https://h/'", "-H 'Content-Type:'", "--data ''"}},
		{
			mustRequest(t, "POST", "https://h/", WithBody(Bytes("a/b", []byte("@/etc/passwd")))),
			[]string{"curl 'https://h/'", "-H 'Content-Type: a/b'", "--data-raw '@/etc/passwd'"},
		},
		{
			mustRequest(t, "POST", "https://h/", WithBody(Bytes("a/b", []byte("-\x00\xff'%\\9 x-\n")))),
			[]string{`printf '\055\000\377\047\045\1349 x-\012' | curl 'https://h/'`, "-H 'Content-Type: a/b'", "--data-binary '@-'"},
		},
		{
			mustRequest(t, "POST", "https://h/", WithBody(Bytes("a/b", []byte("\x1b[2J")))), // a terminal would act on it
			[]string{`printf '\033[2J' | curl 'https://h/'`, "-H 'Content-Type: a/b'", "--data-binary '@-'"},
		},
		{mustRequest(t, "POST", "https://h/", WithBody(untouched)), []string{"curl 'https://h/'", "-H 'Content-Type:'", "--data-binary '@-'"}},
		{
			mustRequest(t, "POST", "https://h/", WithBody(Bytes("a/b", make([]byte, 1<<20)))),
			[]string{"curl 'https://h/'", "-H 'Content-Type: a/b'", "--data-binary '@-'"},
		},
	} {
		if got, want := c.request.Curl(), strings.Join(c.want, " \\\n  "); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestCurlLeavesOneShotBodies(t *testing.T) {
	content := strings.NewReader("once")
	r := mustRequest(t, "POST", "https://h/", WithBody(OneShot("a/b", 4, content)))
	if got := r.Curl(); !strings.HasSuffix(got, "--data-binary '@-'") {
		t.Error(got)
	}
	body, err := r.Body().cfg.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(body); string(got) != "once" || err != nil {
		t.Errorf("then the body is %q, %v", got, err)
	}
}

var curlTexts = []string{
	"plain", "it's", "''", "'", `\`, `\'`, "$HOME `id` $(id) \"x\" !! ; & | > < * ? ~ #", "two\nlines\n", "tab\tcr\r", "\u00e9\u20ac", "@file", "-x", "%s",
	"\x00\x01\xff0", "-\x00", "%d\\n\x00'", "\xff7'7", " \x7f ",
}

// TestCurlInShell lets a shell read commands and compares the arguments and standard input that curl would get.
func TestCurlInShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no POSIX shell")
	}
	for _, text := range curlTexts {
		header := strings.TrimSpace(strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' {
				return ' '
			}
			return r
		}, text))
		r := mustRequest(t, "PUT", "http://h/", Header("X", "="+header), WithBody(Bytes("a/b", []byte(text))))
		out, err := exec.Command(sh, "-c", "curl() { printf '%s\\0' \"$@\"; case \"$*\" in *@-) cat;; esac; }\n"+r.Curl()).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s\n%s", text, err, r.Curl(), out)
		}
		want := []string{"http://h/", "-X", "PUT", "-H", "X: =" + header, "-H", "Content-Type: a/b", "--data", text}
		switch {
		case !isCurlText(text):
			want = append(want[:7], "--data-binary", "@-", text)
		case text[0] == '@':
			want[7] = "--data-raw"
			fallthrough
		default:
			want = append(want, "")
		}
		if got := strings.SplitN(string(out), "\x00", len(want)); !slices.Equal(got, want) {
			t.Errorf("%q:\n%s\n got %q\nwant %q", text, r.Curl(), got, want)
		}
	}
}

// TestCurlWithCurl runs the commands with the real one.
func TestCurlWithCurl(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if _, noCurl := exec.LookPath("curl"); err != nil || noCurl != nil {
		t.Skip("no POSIX shell with curl")
	}
	type received struct {
		method, uri, body string
		header            http.Header
	}
	requests := make(chan received, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		requests <- received{r.Method, r.RequestURI, string(body), r.Header}
	}))
	defer server.Close()
	run := func(r *Request) received {
		t.Helper()
		command := exec.Command(sh, "-c", r.Curl()+" -q -sS --noproxy '*'")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, r.Curl(), out)
		}
		return <-requests
	}
	for _, text := range curlTexts {
		for _, contentType := range []string{"", "a/b; c='d'"} {
			r := mustRequest(t, "QUERY", server.URL+"/p?[1-3]{a,b}'", Header("X-Empty", ""), Header("X-Quote", `'"\`), WithBody(Bytes(contentType, []byte(text))))
			got := run(r)
			if got.method != "QUERY" || got.uri != r.URL().requestTarget() || got.body != text {
				t.Errorf("%s\narrives as %+q", r.Curl(), got)
			}
			if _, sent := got.header["X-Empty"]; !sent || got.header.Get("X-Quote") != `'"\` || got.header.Get("Content-Type") != contentType {
				t.Errorf("%s\narrives with %q", r.Curl(), got.header)
			}
			if _, sent := got.header["Content-Type"]; sent != (contentType != "") {
				t.Errorf("%s\narrives with %q", r.Curl(), got.header)
			}
		}
	}
	if got := run(mustRequest(t, "HEAD", server.URL+"/")); got.method != "HEAD" {
		t.Errorf("%+q instead of HEAD", got)
	}
	got := run(mustRequest(t, "POST", server.URL+"/", WithBody(Bytes("", nil))))
	if got.method != "POST" || got.header.Get("Content-Length") != "0" || got.body != "" {
		t.Errorf("%+q instead of an empty POST", got)
	}
}

// FuzzCurl reads commands back by the rules for words between quotes.
func FuzzCurl(f *testing.F) {
	for _, text := range curlTexts {
		f.Add("/path?"+text, "value", []byte(text))
	}
	f.Fuzz(func(t *testing.T, target, value string, body []byte) {
		r, err := NewRequest("POST", "http://h"+target, Header("X", value), WithBody(Bytes("a/b", body)))
		if err != nil {
			return
		}
		words := shellWords(t, r.Curl())
		piped := words[0] == "printf"
		if piped {
			if words[2] != "|" || unprintf(words[1]) != string(body) {
				t.Fatalf("%q is piped as %q", body, words[:3])
			}
			words = words[3:]
		}
		want := []string{"curl", r.URL().String()}
		if strings.ContainsAny(want[1], "[]{}") {
			want = append(want, "--globoff")
		}
		if value = ascii.TrimOWS(value); value == "" {
			want = append(want, "-H", "X;")
		} else {
			want = append(want, "-H", "X: "+value)
		}
		want = append(want, "-H", "Content-Type: a/b", "--data", string(body))
		switch last := len(want) - 1; {
		case piped || len(body) > curlMostBody:
			want[last-1], want[last] = "--data-binary", "@-"
		case strings.HasPrefix(want[last], "@"):
			want[last-1] = "--data-raw"
		}
		if !slices.Equal(words, want) {
			t.Fatalf("%s\nhas %q\nwant %q", r.Curl(), words, want)
		}
	})
}

// shellWords splits a command into words, knowing single quotes, quotes after backslashes and continued lines.
func shellWords(t *testing.T, s string) []string {
	var words []string
	var word strings.Builder
	inWord := false
	for s != "" {
		switch {
		case strings.HasPrefix(s, "\\\n"):
			s = s[2:]
		case s[0] == '\'':
			quoted, rest, closed := strings.Cut(s[1:], "'")
			if !closed {
				t.Fatalf("a quote is open: %s", s)
			}
			word.WriteString(quoted)
			s, inWord = rest, true
		case strings.HasPrefix(s, `\'`):
			word.WriteByte('\'')
			s, inWord = s[2:], true
		case s[0] == ' ':
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			s, inWord = s[1:], false
		case s[0] == '-' || s[0] == '|' || 'a' <= s[0]|0x20 && s[0]|0x20 <= 'z':
			word.WriteByte(s[0])
			s, inWord = s[1:], true
		default:
			t.Fatalf("a shell may act on %s", s)
		}
	}
	return append(words, word.String())
}

// unprintf is what printf makes of a format that has only octal escapes.
func unprintf(format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '\\' {
			b.WriteByte(format[i])
			continue
		}
		b.WriteByte((format[i+1]-'0')<<6 | (format[i+2]-'0')<<3 | (format[i+3] - '0'))
		i += 3
	}
	return b.String()
}
