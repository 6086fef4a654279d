package cli

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestUpload(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a b.txt")
	if err := os.WriteFile(file, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		length := r.Header.Get("Content-Length")
		io.WriteString(w, r.Header.Get("Content-Type")+length+strings.Join(r.TransferEncoding, "")+" ")
		echo(w, r)
	})
	for _, c := range []struct {
		args     []string
		in, want string
	}{
		{[]string{"-T", file, url + "/x"}, "", "7 PUT /x\ncontent"},
		{[]string{"-T", file, url + "/x/"}, "", "7 PUT /x/a%20b.txt\ncontent"},
		{[]string{"-T", file, url}, "", "7 PUT /a%20b.txt\ncontent"},
		{[]string{"-T", file, "-X", "POST", "-H", "Content-Type: a/b", url + "/x"}, "", "a/b7 POST /x\ncontent"},
		{[]string{"-T", file, "-H", "Transfer-Encoding: chunked", url + "/x"}, "", "chunked PUT /x\ncontent"},
		{[]string{"-T", "-", "-H", "Transfer-Encoding: chunked", url + "/x"}, "input", "chunked PUT /x\ninput"},
		{[]string{"-T", "-", url + "/x"}, "input", "chunked PUT /x\ninput"},
		{[]string{"-T", file, "-T", file, url + "/1", url + "/2"}, "", "7 PUT /1\ncontent7 PUT /2\ncontent"},
		{[]string{"-T", file, url + "/1", url + "/2"}, "", "7 PUT /1\ncontent GET /2\n"},
	} {
		if r := okcurlWith(t, c.in, c.args...); r.code != 0 || r.out != c.want {
			t.Errorf("%q: %+v, want %q", c.args, r, c.want)
		}
	}
	for want, args := range map[string][]string{
		"(26) cannot read missing: no such file or directory":                     {"-T", "missing", url},
		"(2) --data, --form and --upload-file exclude each other":                 {"-T", file, "-d", "x", url},
		"(2) 2 files to upload, expected a URL for each and got 1":                {"-T", file, "-T", file, url},
		"(2) --retry cannot send standard input again":                            {"-T", "-", "--retry", "1", url},
		"(2) --head and data exclude each other: HEAD carries none":               {"-T", file, "-I", url},
		"(2) option --limit-rate: expected bytes a second, got \"fast\"":          {"--limit-rate", "fast", url},
		"(2) option -C: expected an offset in bytes or -, got \"x\"":              {"-C", "x", url},
		"(2) --continue-at - needs a file to go on with: -o or -O":                {"-C", "-", url},
		"(2) --continue-at and --range exclude each other":                        {"-C", "5", "-r", "1-", url},
		"(2) option --parallel-max: expected a number from 1 on, got \"0\"":       {"--parallel-max", "0", url},
		"(2) --digest needs --user":                                               {"--digest", url},
		"(2) --key needs --cert":                                                  {"--key", "x", url},
		"(2) option --tls-max: expected 1.2 or 1.3, got \"1.1\"":                  {"--tls-max", "1.1", url},
		"(2) --tls-max is below what is demanded at least":                        {"--tls-max", "1.2", "--tlsv1.3", url},
		"(2) option --completion: expected bash, zsh or fish, got \"powershell\"": {"--completion", "powershell"},
	} {
		if r := okcurl(t, args...); !strings.HasPrefix(r.err, "okcurl: "+want) {
			t.Errorf("%q: %+v, want %s", args, r, want)
		}
	}
}

// Data that is a query: --get, and --data-urlencode in its five forms.
func TestQuery(t *testing.T) {
	file := filepath.Join(t.TempDir(), "q")
	if err := os.WriteFile(file, []byte("ä\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	url := serve(t, echo)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-G", "-d", "a=b", "-d", "c", url}, "GET /?a=b&c\n"},
		{[]string{"-G", "-d", "a=b", url + "/?x=y"}, "GET /?x=y&a=b\n"},
		{[]string{"-G", url}, "GET /\n"},
		{[]string{"-GI", "-d", "a=b", url}, ""},
		{[]string{"-G", "-X", "DELETE", "-d", "a=b", url}, "DELETE /?a=b\n"},
		{[]string{"-G", "--data-urlencode", "a b&", "--data-urlencode", "=c=d", "--data-urlencode", "n=e f", url}, "GET /?a+b%26&c%3Dd&n=e+f\n"},
		{[]string{"-G", "--data-urlencode", "@" + file, "--data-urlencode", "n@" + file, url}, "GET /?%C3%A4%0A&n=%C3%A4%0A\n"},
		{[]string{"--data-urlencode", "n=a b", url}, "POST /\nn=a+b"},
	} {
		r := okcurl(t, c.args...)
		if c.want == "" && strings.HasPrefix(r.out, "HTTP/1.1 200") {
			continue
		}
		if r.code != 0 || r.out != c.want {
			t.Errorf("%q: %+v, want %q", c.args, r, c.want)
		}
	}
}

// A rate counts in both directions, and a burst passes.
func TestLimitRate(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		w.Write(make([]byte, n))
	})
	start := time.Now()
	r := okcurl(t, "--limit-rate", "100k", "--data-binary", strings.Repeat("x", 64<<10), url)
	// 64 KiB there and back at 100 KiB/s, less a burst of 25 KiB.
	if took := time.Since(start); r.code != 0 || len(r.out) != 64<<10 || took < 900*time.Millisecond {
		t.Errorf("code %d, %d bytes in %v", r.code, len(r.out), took)
	}
	for text, want := range map[string]int64{"0": 0, "5": 5, "1k": 1 << 10, "2M": 2 << 20, "3g": 3 << 30} {
		o := newOptions()
		if err := o.setRate(text); err != nil || o.rate != want {
			t.Errorf("%s: %d, %v", text, o.rate, err)
		}
	}
}
