package servecli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const example = `# What each request gets.
GET /hello
  header Content-Type: text/plain
  body "hello, world\n"

GET /old
	redirect 302 /hello

POST /upload
  continue
  status 201 Created
  echo

GET /flaky
  disconnect
then
  body finally

GET /q?a=1
  body query
GET /q
  status 200
  body no query
POST /q

GET /file
  file data.json
GET /typed
  header content-type: text/x
  file data.json
GET /chunks
  chunked 1 2
  trailer A: b
  body abcd
GET /open
  until-close
  body x
GET /hints
  informational 103 Link: </a>
  informational 102
  body x
GET /raw
  raw "HTTP/1.1 2"
  close
GET /cut
  body abcdef
  disconnect 3
GET /slow
  delay 20ms
  body-delay 20ms
  throttle 1 10ms
  body abc
PUT /echo
  echo

* /any*
  body <<END
# not a comment
  indented

END
`

func TestScript(t *testing.T) {
	dir := write(t, map[string]string{"script": example, "data.json": "{}"})
	url, _ := started(t, filepath.Join(dir, "script"))
	const close = "·Connection: close··"
	for _, tt := range []struct{ request, want string }{
		{"GET /hello" + end, "HTTP/1.1 200 OK·Content-Length: 13·Content-Type: text/plain··hello, world\n"},
		{"HEAD /hello" + end, "HTTP/1.1 200 OK·Content-Length: 13·Content-Type: text/plain··"},
		{"GET /hello?x" + end, "HTTP/1.1 200 OK·Content-Length: 13·Content-Type: text/plain··hello, world\n"},
		{"GET http://other/hello" + end, "HTTP/1.1 200 OK·Content-Length: 13·Content-Type: text/plain··hello, world\n"},
		{"GET /old" + end, "HTTP/1.1 302 Redirection·Content-Length: 0·Location: /hello··"},
		{"POST /upload HTTP/1.1·Content-Length: 3·Content-Type: a/b" + close + "abc",
			"HTTP/1.1 100 Informational··HTTP/1.1 201 Created·Content-Length: 3·Content-Type: a/b··abc"},
		{"POST /upload HTTP/1.1·Content-Length: 3·Expect: 100-continue" + close + "abc",
			"HTTP/1.1 100 Informational··HTTP/1.1 201 Created·Content-Length: 3··abc"},
		{"PUT /echo HTTP/1.1·Content-Length: 3·Expect: 100-continue" + close + "abc",
			"HTTP/1.1 100 Informational··HTTP/1.1 200 OK·Content-Length: 3··abc"},
		{"GET /flaky" + end, ""},
		{"GET /flaky" + end, "HTTP/1.1 200 OK·Content-Length: 7··finally"},
		{"GET /flaky" + end, "HTTP/1.1 200 OK·Content-Length: 7··finally"},
		{"GET /q?a=1" + end, "HTTP/1.1 200 OK·Content-Length: 5··query"},
		{"GET /q?a=2" + end, "HTTP/1.1 200 OK·Content-Length: 8··no query"},
		{"POST /q?a=1" + end, "HTTP/1.1 200 OK·Content-Length: 0··"},
		{"PUT /q" + end, "HTTP/1.1 405 Method Not Allowed·Content-Length: 19·Content-Type: text/plain; charset=utf-8·Allow: GET, POST··expected GET, POST\n"},
		{"GET /file" + end, "HTTP/1.1 200 OK·Content-Length: 2·Content-Type: application/json··{}"},
		{"GET /typed" + end, "HTTP/1.1 200 OK·Content-Length: 2·content-type: text/x··{}"},
		{"GET /chunks" + end, "HTTP/1.1 200 OK·Transfer-encoding: chunked··1·a·2·bc·1·d·0·A: b··"},
		{"GET /open HTTP/1.1··", "HTTP/1.1 200 OK··x"},
		{"GET /hints" + end, "HTTP/1.1 103 Informational·Link: </a>··HTTP/1.1 102 Informational··HTTP/1.1 200 OK·Content-Length: 1··x"},
		{"GET /raw HTTP/1.1··", "HTTP/1.1 2"},
		{"GET /cut HTTP/1.1··", "HTTP/1.1 200 OK·Content-Length: 6··abc"},
		{"GET /anything" + end, "HTTP/1.1 200 OK·Content-Length: 28··# not a comment\n  indented\n\n"},
		{"PATCH /any" + end, "HTTP/1.1 200 OK·Content-Length: 28··# not a comment\n  indented\n\n"},
		{"GET /other" + end, "HTTP/1.1 404 Not Found·Content-Length: 35·Content-Type: text/plain; charset=utf-8··the script has no route for /other\n"},
	} {
		if got := exchange(t, url, tt.request); got != tt.want {
			t.Errorf("%q:\ngot  %q\nwant %q", tt.request, got, tt.want)
		}
	}
	begun := time.Now()
	if got := exchange(t, url, "GET /slow"+end); !strings.HasSuffix(got, "··abc") || time.Since(begun) < 60*time.Millisecond {
		t.Errorf("slow: %q after %v", got, time.Since(begun))
	}
	if err := os.Remove(filepath.Join(dir, "data.json")); err != nil {
		t.Fatal(err)
	}
	if got := exchange(t, url, "GET /file"+end); !strings.HasPrefix(got, "HTTP/1.1 500 ") {
		t.Errorf("a file that went away: %q", got)
	}
}

func TestScriptErrors(t *testing.T) {
	const get = "GET /\n"
	for _, tt := range []struct{ text, want string }{
		{"", "1: no routes"},
		{"# nothing\n\n", "3: no routes"},
		{"GET\n", "1: expected a method and a path"},
		{"GET / now\n", "1: expected a method and a path"},
		{"get /\n", `1: method "get"`},
		{"GET x\n", `1: path "x"`},
		{"GET /*/x\n", `1: path "/*/x": expected * at the end`},
		{"GET /\nGET /\n", "2: GET / is a route already, in line 1"},
		{"  body x\n", `1: "body x": expected a route before it`},
		{"then\n", "1: then: expected a route"},
		{get + "  dance\n", `2: "dance" is no directive`},
		{get + "  status\n", `2: status ""`},
		{get + "  status 20\n", `2: status "20"`},
		{get + "  status 199\n", "2: status: status 199"},
		{get + "  status 1000\n", `2: status "1000"`},
		{get + "  status 200\n  status 201\n", "3: status: line 2 has said already what the status is"},
		{get + "  redirect 302 /x\n  status 201\n", "3: status: line 2"},
		{get + "  redirect 200 /x\n", `2: redirect "200 /x"`},
		{get + "  redirect 302\n", `2: redirect "302"`},
		{get + "  header x\n", `2: header "x": expected NAME: VALUE`},
		{get + "  header a b: c\n", "2: header: "},
		{get + "  trailer a: b\n", "2: trailer: a response with trailers that is not chunked"},
		{get + "  body\n", "2: body: expected text"},
		{get + "  body \"x\n", "2: body \"x: expected a quoted Go string"},
		{get + "  body <<\n", "2: body <<: expected one word"},
		{get + "  body <<END\nx\n", `2: body <<END: expected a line "END"`},
		{get + "  body x\n  file y\n", "3: file: line 2 has said already what the body is"},
		{get + "  file\n", "2: file: expected a name"},
		{get + "  file none\n", "2: "},
		{get + "  file ../none\n", "2: "},
		{get + "  file .\n", "2: . is not a regular file"},
		{get + "  echo x\n", `2: echo: expected nothing after it but got "x"`},
		{get + "  chunked x\n", `2: chunked: expected a number but got "x"`},
		{get + "  chunked 0\n", "2: chunked: "},
		{get + "  chunked\n  until-close\n", "3: until-close: line 2"},
		{get + "  informational 200\n", "2: informational: "},
		{get + "  informational 103 x\n", `2: informational "103 x"`},
		{get + "  delay 1\n", `2: delay: expected a time such as 200ms or 1.5s but got "1"`},
		{get + "  delay -1s\n", "2: delay: "},
		{get + "  throttle 1\n", `2: throttle: expected a time`},
		{get + "  throttle 0 1s\n", "2: throttle: "},
		{get + "  disconnect x\n", `2: disconnect: expected a number but got "x"`},
		{get + "  disconnect -1\n", "2: disconnect: "},
		{get + "  close\n  stall\n", "3: stall: line 2 has said already what the effect is"},
		{"\r\n" + get + "\r\n  dance\r\n", `4: "dance"`},
	} {
		path := filepath.Join(write(t, map[string]string{"script": tt.text}), "script")
		s, err := openScript(path)
		if err == nil {
			t.Errorf("%q: accepted", tt.text)
			s.Close()
			continue
		}
		if !strings.HasPrefix(err.Error(), path+":"+tt.want) {
			t.Errorf("%q: %v, want %s", tt.text, err, tt.want)
		}
	}
}

func FuzzScript(f *testing.F) {
	f.Add(example)
	f.Add("GET /\n  body <<E\n")
	f.Fuzz(func(t *testing.T, text string) {
		routes, err := parseScript("script", text)
		if err == nil && len(routes) == 0 {
			t.Error("no routes and no error")
		}
		for _, r := range routes {
			for _, a := range r.answers {
				if a.response.Err() != nil {
					t.Errorf("%s %s: %v", r.method, r.path, a.response.Err())
				}
			}
		}
	})
}
