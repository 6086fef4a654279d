//go:build unix

package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

// echo answers with the request's body, and tells a client that asks to send it.
type echo struct{}

func (echo) Peek(r *mockserver.Request) mockserver.Response {
	if r.Headers.Get("Expect") != "" {
		return mockserver.Reply(200).Continue()
	}
	return mockserver.Reply(200)
}

func (echo) Dispatch(_ context.Context, r *mockserver.Request) mockserver.Response {
	return mockserver.Reply(200).Body(r.Body)
}

// realCurl returns a function that runs curl without the user's configuration, or skips the test.
func realCurl(t *testing.T) func(args ...string) output {
	t.Helper()
	path := program(t, "curl")
	return func(args ...string) output {
		cmd := exec.Command(path, append([]string{"-q", "-sS", "--noproxy", "*"}, args...)...)
		var out, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &stderr
		err := cmd.Run()
		code := 0
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			code = exit.ExitCode()
		} else if err != nil {
			code = -1
			stderr.WriteString(err.Error())
		}
		return output{code, out.String(), stderr.String()}
	}
}

// TestCurlFetches lets curl fetch from the mock server, over http and https, with HTTP/1.1 and HTTP/2.
func TestCurlFetches(t *testing.T) {
	for _, c := range []struct {
		name    string
		version string
		opts    []mockserver.Option
		args    []string
	}{
		{"http", "HTTP/1.1", nil, nil},
		{"https", "HTTP/1.1", []mockserver.Option{mockserver.WithLocalhostTLS(), mockserver.WithProtocols(okhttp.HTTP1Only)}, nil},
		{"HTTP/1.1 of two", "HTTP/1.1", []mockserver.Option{mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge)}, nil},
		{"HTTP/2 by ALPN", "HTTP/2", []mockserver.Option{mockserver.WithLocalhostTLS()}, []string{"--http2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := realCurl(t)
			server := mockserver.New(t, c.opts...)
			trust := c.args
			if server.CertificatePEM() != nil {
				ca := filepath.Join(t.TempDir(), "ca.pem")
				if err := os.WriteFile(ca, server.CertificatePEM(), 0o600); err != nil {
					t.Fatal(err)
				}
				trust = append(trust, "--cacert", ca)
			}
			curl := func(args ...string) output { return run(append(trust, args...)...) }
			took := func(line, body string) *mockserver.Request {
				t.Helper()
				r, err := server.TakeRequest(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				line += " " + c.version
				if r.RequestLine() != line || string(r.Body) != body || r.Failure != nil {
					t.Errorf("%s with %s, %v; want %s with %s", r.RequestLine(), abridged(string(r.Body)), r.Failure, line, abridged(body))
				}
				return r
			}

			server.Enqueue(mockserver.Reply(200).Header("Content-Type", "text/plain").Text("hello"))
			curl("-w", " %{http_code} %{content_type} %{size_download}", server.URL("/a?b=c")).want(t, 0, "hello 200 text/plain 5")
			took("GET /a?b=c", "")

			// HEAD has the head of GET and no body.
			server.Enqueue(mockserver.Reply(200).Text("hello"), mockserver.Reply(404).Chunked().Text("hello"))
			head := curl("-I", server.URL("/1"), server.URL("/2"))
			if head.code != 0 || !strings.Contains(strings.ToLower(head.out), "content-length: 5\r\n") || strings.Contains(head.out, "hello") {
				t.Errorf("%+v", head)
			}
			took("HEAD /1", "")
			if r := took("HEAD /2", ""); r.Index != 1 {
				t.Errorf("%v, want it on the same connection", r)
			}

			// Request bodies come with a length or in chunks, with or without a question before.
			large := strings.Repeat("0123456789abcdef", 1<<16)
			file := filepath.Join(t.TempDir(), "large")
			if err := os.WriteFile(file, []byte(large), 0o600); err != nil {
				t.Fatal(err)
			}
			server.Enqueue(mockserver.Reply(201).Text("created"))
			curl("-d", "a=b", server.URL("/form")).want(t, 0, "created")
			took("POST /form", "a=b")
			server.Enqueue(mockserver.Reply(200).Text("ok"))
			curl("-H", "Expect:", "--data-binary", "@"+file, server.URL("/length")).want(t, 0, "ok")
			took("POST /length", large)
			server.Enqueue(mockserver.Reply(200).Text("ok"))
			curl("-H", "Expect:", "-H", "Transfer-Encoding: chunked", "-T", file, server.URL("/chunked")).want(t, 0, "ok")
			took("PUT /chunked", large)
			server.Enqueue(mockserver.Reply(200).Continue().Text("ok"))
			asked := curl("-v", "-H", "Expect: 100-continue", "--expect100-timeout", "20", "--data-binary", "@"+file, server.URL("/asked"))
			asked.want(t, 0, "ok")
			if !strings.Contains(asked.err, "< "+c.version+" 100 ") {
				t.Errorf("no 100 in %s", asked.err)
			}
			took("POST /asked", large)
			server.Enqueue(mockserver.Reply(413).SkipRequestBody().Text("too large"))
			curl("-H", "Expect: 100-continue", "--expect100-timeout", "20", "-w", " %{size_upload}", "--data-binary", "@"+file, server.URL("/refused")).
				want(t, 0, "too large 0")
			took("POST /refused", "")

			// Response bodies come with a length, in chunks, or until the end.
			server.Enqueue(
				mockserver.Reply(200).Text(large),
				mockserver.Reply(200).Chunked(1, 1000, 70_000).Text(large),
				mockserver.Reply(204),
				mockserver.Reply(200).Chunked(3).Text("trailed").Trailer("X-Sum", "1"),
				mockserver.Reply(200).UntilClose().Text("end"))
			curl("-w", "%{num_connects}", server.URL("/1"), server.URL("/2"), server.URL("/3"), server.URL("/4"), server.URL("/5")).
				want(t, 0, large+"1"+large+"0"+"0"+"trailed0"+"end0")
			for i, line := range []string{"GET /1", "GET /2", "GET /3", "GET /4", "GET /5"} {
				if r := took(line, ""); r.Index != i {
					t.Errorf("%v is number %d on its connection, want %d", r, r.Index, i)
				}
			}

			if len(trust) > 0 { // HTTP/2, or TLS, where curl offers nothing but "http/1.0" by ALPN
				return
			}
			server.Enqueue(mockserver.Reply(200).Text("old"))
			curl("--http1.0", server.URL("/old")).want(t, 0, "old")
			if r, err := server.TakeRequest(t.Context()); err != nil || r.RequestLine() != "GET /old HTTP/1.0" {
				t.Errorf("%v, %v", r, err)
			}
		})
	}
}

// TestCurlVersusOkcurl lets both run into the same failures: okcurl promises curl's exit codes.
func TestCurlVersusOkcurl(t *testing.T) {
	real := realCurl(t)
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	refused := "http://" + conn.LocalAddr().String() // in use, and nobody listens

	responses := map[string]mockserver.Response{
		"/ok":        mockserver.Reply(200).Text("hello"),
		"/empty":     mockserver.Reply(200),
		"/hangup":    mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.CloseSocket{}),
		"/reset":     mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.Reset{}),
		"/short":     mockserver.Reply(200).Text("hello").OnBytes(mockserver.ResponseBody, 3, mockserver.CloseSocket{}),
		"/chunks":    mockserver.Reply(200).Chunked(2).Text("hello").OnBytes(mockserver.ResponseBody, 9, mockserver.CloseSocket{}),
		"/garbage":   mockserver.Reply(200).Raw([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")).On(mockserver.ResponseEnd, mockserver.CloseSocket{}),
		"/missing":   mockserver.Reply(404).Text("no"),
		"/circle":    mockserver.Reply(302).Header("Location", "/circle"),
		"/ftp":       mockserver.Reply(302).Header("Location", "gopher-no://127.0.0.1/"),
		"/silent":    mockserver.Reply(200).On(mockserver.ResponseStart, mockserver.Stall{}),
		"/half":      mockserver.Reply(200).Text("hello").OnBytes(mockserver.ResponseBody, 3, mockserver.Stall{}),
		"/badgzip":   mockserver.Reply(200).Header("Content-Encoding", "gzip").Text("this is not gzip, whatever the header says"),
		"/nowhere":   mockserver.Reply(302),
		"/until-end": mockserver.Reply(200).UntilClose().Text("hello"),
	}
	answer := mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
		path, _, _ := strings.Cut(r.Target, "?")
		return responses[path]
	})
	clear := mockserver.New(t, mockserver.WithDispatcher(answer))
	secure := mockserver.New(t, mockserver.WithDispatcher(answer), mockserver.WithLocalhostTLS())
	ca := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(ca, secure.CertificatePEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		out  string // "*" where it depends on timing, or on who prints what
		args []string
	}{
		{0, "hello", []string{clear.URL("/ok")}},
		{0, "", []string{clear.URL("/empty")}},
		{0, "no", []string{clear.URL("/missing")}},
		{0, "hello", []string{clear.URL("/until-end")}},
		{0, "", []string{"-L", clear.URL("/nowhere")}},
		{0, "hello", []string{"-k", secure.URL("/ok")}},
		{0, "hello", []string{"--cacert", ca, secure.URL("/ok")}},
		{0, "hello200 GET 5 1 0", []string{"-w", "%{http_code} %{method} %{size_download} %{num_connects} %{num_redirects}", clear.URL("/ok")}},
		{0, clear.URL("/circle"), []string{"-w", "%{redirect_url}", clear.URL("/circle")}},
		{0, clear.URL("/ok?a=%20b"), []string{"-o", os.DevNull, "-w", "%{url_effective}", clear.URL("/ok?a=%20b")}},
		{1, "", []string{"nope://127.0.0.1/"}},
		{1, "", []string{"-L", clear.URL("/ftp")}},
		{2, "", []string{"--frobnicate"}},
		{3, "", []string{"http://127.0.0.1:port/"}},
		{6, "", []string{"http://host..invalid/"}},
		{7, "", []string{refused}},
		{18, "hel", []string{clear.URL("/short")}},
		{18, "*", []string{clear.URL("/chunks")}},
		{22, "", []string{"-f", clear.URL("/missing")}},
		{23, "", []string{"-o", filepath.Join(missing, "x"), clear.URL("/ok")}},
		{28, "", []string{"-m", "0.1", clear.URL("/silent")}},
		{28, "hel", []string{"-m", "0.5", clear.URL("/half")}},
		{47, "", []string{"-L", "--max-redirs", "3", clear.URL("/circle")}},
		{47, "", []string{"-L", "--max-redirs", "0", clear.URL("/circle")}},
		{52, "", []string{clear.URL("/hangup")}},
		{56, "", []string{clear.URL("/reset")}},
		{56, "", []string{clear.URL("/garbage")}},
		{60, "", []string{secure.URL("/ok")}},
		{61, "", []string{"--compressed", clear.URL("/badgzip")}},
		{77, "", []string{"--cacert", missing, secure.URL("/ok")}},
	} {
		theirs, ours := real(c.args...), curl(append([]string{"-sS"}, c.args...)...)
		for _, got := range []struct {
			who string
			output
		}{{"curl", theirs}, {"okcurl", ours}} {
			if got.code != c.code || c.out != "*" && got.out != c.out {
				t.Errorf("%s %q: exit %d, %q, %q; want %d, %q", got.who, c.args, got.code, got.out, got.err, c.code, c.out)
			}
		}
	}
}

// TestCurlWriteOut compares what both print about the same exchange. Of the variables that curl knows ours lack those of other protocols and of certificates.
func TestCurlWriteOut(t *testing.T) {
	real := realCurl(t)
	server := mockserver.New(t, mockserver.WithDispatcher(mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
		if r.Target == "/from" {
			return mockserver.Reply(302).Header("Location", "/to")
		}
		return mockserver.Reply(200).Header("X-A", "<1>").Header("x-a", "2").Text("hello")
	})))
	both := []string{"-L", "-A", "me", "-H", "Connection: Keep-Alive", "-e", "http://a.test/", "-o", os.DevNull}
	run := func(who func(...string) output, format string) string {
		got := who(append(both, "-w", format, server.URL("/from"))...)
		if got.code != 0 {
			t.Fatalf("%+v", got)
		}
		return got.out
	}
	for _, format := range []string{
		"%{size_header} %{size_request} %{size_download} %{size_upload} %{num_headers} %{num_redirects} %{num_connects} %{urlnum}",
		"%{url} %{url_effective} %{referer} %{method} %{http_version} %{response_code}", "a%{onerror}b",
	} {
		if theirs, ours := run(real, format), run(curl, format); theirs != ours && !strings.Contains(theirs, "unknown") {
			t.Errorf("%s: curl prints %q, okcurl %q", format, theirs, ours)
		}
	}
	decode := func(text string) (object map[string]any) {
		if err := json.Unmarshal([]byte(text), &object); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		return object
	}
	if theirs, ours := decode(run(real, "%{header_json}")), decode(run(curl, "%{header_json}")); !reflect.DeepEqual(theirs, ours) {
		t.Errorf("curl prints %v, okcurl %v", theirs, ours)
	}
	theirs, ours := decode(run(real, "%{json}")), decode(run(curl, "%{json}"))
	absent := []string{"certs", "num_certs", "curl_version", "ftp_entry_path", "http_connect", "proxy_ssl_verify_result", "ssl_verify_result"}
	for name, value := range theirs {
		own, ok := ours[name]
		if known := !slices.Contains(absent, name); ok != known && name != "proxy_used" && name != "xfer_id" && name != "conn_id" {
			t.Errorf("%s: okcurl has it: %v, want %v", name, ok, known)
		}
		switch _, isTime := value.(float64); {
		case !ok, strings.HasPrefix(name, "speed_"), name == "local_port", name == "scheme": // older ones of curl say HTTP
		case strings.HasPrefix(name, "time_"):
			if _, ok := own.(float64); !ok || !isTime {
				t.Errorf("%s: curl prints %v, okcurl %v", name, value, own)
			}
		case value != own:
			t.Errorf("%s: curl prints %v, okcurl %v", name, value, own)
		}
	}
}

// TestCurlNamesFiles compares what files both write for -J. curl does not know the extended parameter, and keeps names that hide a file.
func TestCurlNamesFiles(t *testing.T) {
	real := realCurl(t)
	server := mockserver.New(t, mockserver.WithDispatcher(mockserver.DispatcherFunc(func(_ context.Context, r *mockserver.Request) mockserver.Response {
		_, disposition, _ := strings.Cut(r.Target, "?")
		disposition, err := url.QueryUnescape(disposition)
		if err != nil || disposition == "" {
			return mockserver.Reply(200).Text("new")
		}
		return mockserver.Reply(200).Header("Content-Disposition", disposition).Text("new")
	})))
	for _, c := range []struct {
		disposition string
		old         string // a file that is there already
		args        []string
		code        int
		files       string
	}{
		{"", "", nil, 0, "path"},
		{"attachment", "", nil, 0, "path"},
		{`attachment; filename="a.txt"`, "", nil, 0, "a.txt"},
		{`attachment; filename=a.txt; size=3`, "", nil, 0, "a.txt"},
		{`inline; filename="a b;c.txt"`, "", nil, 0, "a b;c.txt"},
		{`attachment; filename=a b.txt`, "", nil, 0, "a b.txt"},
		{`attachment; filename="../x/a.txt"`, "", nil, 0, "a.txt"},
		{`attachment; filename="C:\x\a.txt"`, "", nil, 0, "a.txt"},
		{`attachment; filename="a%20b.txt"`, "", nil, 0, "a%20b.txt"},
		{`attachment; filename="a.txt"`, "a.txt", nil, 23, "a.txt old"},
		{`attachment; filename="a.txt"`, "a.txt", []string{"--clobber"}, 0, "a.txt"},
		{`attachment; filename="a.txt"`, "a.txt", []string{"--no-clobber"}, 0, "a.txt old, a.txt.1"},
		{`attachment; filename="a.txt"`, "path", nil, 0, "a.txt, path old"},
		{"", "path", nil, 0, "path"},
		{"", "path", []string{"--no-clobber"}, 0, "path old, path.1"},
		{`attachment; filename="a.txt"`, "", []string{"-C", "-"}, 2, ""},
	} {
		for who, run := range map[string]func(...string) output{"curl": real, "okcurl": curl} {
			dir := t.TempDir()
			if c.old != "" {
				if err := os.WriteFile(filepath.Join(dir, c.old), []byte("old"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := run(append(c.args, "-OJ", "--output-dir", dir, server.URL("/path?"+url.QueryEscape(c.disposition)))...)
			var files []string
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				text, err := os.ReadFile(filepath.Join(dir, e.Name()))
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, strings.TrimSuffix(e.Name()+" "+string(text), " new"))
			}
			if list := strings.Join(files, ", "); got.code != c.code || list != c.files {
				t.Errorf("%s %q of %q: %+v, and the files %s; want exit %d, and %s", who, c.args, c.disposition, got, list, c.code, c.files)
			}
		}
	}
}

// TestCurlRequests compares what both send for the same command line.
func TestCurlRequests(t *testing.T) {
	real := realCurl(t)
	server := mockserver.New(t, mockserver.WithDispatcher(echo{}))
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, []byte("line 1\r\nline 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// These are each one's own, or a matter of taste.
	own := map[string]bool{"user-agent": true, "connection": true}
	describe := func(r *mockserver.Request) string {
		fields := map[string][]string{}
		for name, value := range r.Headers.All() {
			if name = strings.ToLower(name); !own[name] {
				fields[name] = append(fields[name], value)
			}
		}
		text, err := json.MarshalIndent(map[string]any{"line": r.RequestLine(), "fields": fields, "body": string(r.Body)}, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, args := range [][]string{
		{"/"},
		{"/a/../b/./c?x=%20y#z"},
		{"-d", "a=b", "-d", "c d", "/"},
		{"-d", "@" + file, "/"},
		{"--data-binary", "@" + file, "/"},
		{"--data-raw", "@x", "/"},
		{"--json", `{"a": 1}`, "/"},
		{"-d", "", "/"},
		{"-X", "PUT", "-d", "x", "/"},
		{"-X", "DELETE", "/"},
		{"-I", "/"},
		{"-u", "aladdin:open sesame", "/"},
		{"-e", "http://example.com/", "/"},
		{"-H", "X-A: b", "-H", "X-A: c", "-H", "Accept:", "-H", "X-Empty;", "/"},
		{"-H", "Host: example.com", "/"},
		{"-H", "Content-Type: text/csv", "-d", "a,b", "/"},
		{"-H", "Transfer-Encoding: chunked", "-d", "a=b", "/"},
	} {
		url := strings.TrimSuffix(server.URL("/"), "/") + args[len(args)-1]
		args = append(args[:len(args)-1:len(args)-1], url)
		var seen [2]string
		for i, run := range []func(...string) output{real, curl} {
			if got := run(args...); got.code != 0 {
				t.Fatalf("%q: %+v", args, got)
			}
			r, err := server.TakeRequest(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			seen[i] = describe(r)
		}
		if seen[0] != seen[1] {
			t.Errorf("%q: curl sends\n%s\nokcurl sends\n%s", args, seen[0], seen[1])
		}
	}
}
