package mockserver_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
)

// strictChild tells the process that it is one of TestStrictProcess.
const strictChild = "MOCKSERVER_TEST_STRICT_CHILD"

// sesame is in the secrets of all requests of these tests, and in no report.
const (
	sesame  = "open-sesame"
	secrets = "Authorization: Bearer " + sesame + "·Proxy-Authorization: Basic " + sesame + "·Cookie: session=" + sesame + "·X-Api-Key: " + sesame + "·"
)

// strictTests are tests that fail, each with the lines that its output has, and in the order of them.
var strictTests = map[string]struct {
	run  func(t *testing.T)
	want []string
}{
	"unconsumed": {func(t *testing.T) {
		s := mockserver.New(t, mockserver.Strict())
		s.Enqueue(mockserver.Reply(200).Header("Set-Cookie", sesame), mockserver.Reply(201), mockserver.Reply(404))
		strictAsk(t, s, "GET /one HTTP/1.1·"+secrets+"·")
		take(t, s)
	}, []string{"mockserver: 2 responses were enqueued and not used: 201; 404"}},
	"unread": {func(t *testing.T) {
		s := mockserver.New(t, mockserver.Strict())
		s.Enqueue(mockserver.Reply(200), mockserver.Reply(200), mockserver.Reply(200))
		strictAsk(t, s, "GET /one HTTP/1.1·"+secrets+"·")
		strictAsk(t, s, "POST http://user:"+sesame+"@h/two HTTP/1.1·"+secrets+"Content-Length: 3··abc")
		strictAsk(t, s, "GET /three HTTP/1.1··")
		take(t, s)
	}, []string{"mockserver: 2 requests were not taken: POST http://...@h/two HTTP/1.1 (connection 1, request 0, body of 3 bytes); GET /three HTTP/1.1 (connection 2, "}},
	"unexpected": {func(t *testing.T) {
		s := mockserver.New(t, mockserver.Strict())
		strictAsk(t, s, "GET /nobody HTTP/1.1·"+secrets+"·")
		take(t, s)
	}, []string{"mockserver: no response is enqueued for GET /nobody HTTP/1.1"}},
	"malformed": {func(t *testing.T) {
		s := mockserver.New(t, mockserver.Strict())
		for _, head := range []string{"Cookie: a=b·  " + sesame, "Authorization Bearer " + sesame, "Host: user:" + sesame + "@h", "Cookie: a\x00" + sesame} {
			strictAsk(t, s, "GET / HTTP/1.1·"+secrets+head+"··")
		}
	}, []string{"mockserver: 4 requests were not taken: unreadable request (connection 0, request 0, body of 0 bytes): protocol error: header line starts with white space, after \"Cookie\""}},
	"panic": {func(t *testing.T) {
		s := mockserver.New(t, mockserver.Strict(), mockserver.WithDispatcher(mockserver.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("out of tea") }))))
		strictAsk(t, s, "GET /pot HTTP/1.1·"+secrets+"·")
		take(t, s)
	}, []string{"mockserver: panic in the handler: out of tea", "in answer to GET /pot HTTP/1.1", "strict_process_test.go"}},
	"fatal": {func(t *testing.T) {
		s := mockserver.New(t, mockserver.Strict(), mockserver.AllRoutesUsed())
		s.Enqueue(mockserver.Reply(200), mockserver.Reply(200))
		strictAsk(t, s, "GET /first HTTP/1.1·"+secrets+"·")
		t.Fatal("the test has enough")
	}, []string{"the test has enough", "mockserver: 1 response was enqueued and not used: 200", "mockserver: 1 request was not taken: GET /first"}},
	"fatal in the handler": {func(t *testing.T) {
		s := mockserver.New(t, mockserver.Strict(), mockserver.WithDispatcher(mockserver.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Fatal("no, the handler") }))))
		strictAsk(t, s, "GET / HTTP/1.1·"+secrets+"·")
		take(t, s)
	}, []string{"no, the handler"}},
	"two servers": {func(t *testing.T) {
		one, two := mockserver.New(t, mockserver.Strict()), mockserver.New(t, mockserver.Strict())
		one.Enqueue(mockserver.Reply(201))
		two.Enqueue(mockserver.Reply(202))
	}, []string{"1 response was enqueued and not used: 202", "1 response was enqueued and not used: 201"}},
	"closed by hand": {func(t *testing.T) {
		s := mockserver.New(t, mockserver.Strict())
		s.Enqueue(mockserver.Reply(204))
		strictAsk(t, s, "GET /early HTTP/1.1·"+secrets+"·")
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}, []string{"1 request was not taken: GET /early"}},
	"subtest": {func(t *testing.T) {
		for _, name := range []string{"a", "b"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := mockserver.New(t, mockserver.Strict())
				s.Enqueue(mockserver.Reply(200))
				strictAsk(t, s, "GET /"+name+" HTTP/1.1·"+secrets+"·")
			})
		}
	}, []string{"1 request was not taken: GET /"}},
	"server of the parent": {func(t *testing.T) {
		s := mockserver.New(t, mockserver.Strict())
		t.Run("child", func(t *testing.T) {
			t.Parallel()
			s.Enqueue(mockserver.Reply(200))
			strictAsk(t, s, "GET /child HTTP/1.1·"+secrets+"·")
		})
	}, []string{"1 request was not taken: GET /child"}},
	"verified": {func(t *testing.T) {
		s := mockserver.New(t, mockserver.Strict())
		_ = s.Verify(everything{}, mockserver.Once())
	}, []string{"expected exactly 1 request that match everything but got 0"}},
	"seed": {func(t *testing.T) {
		s := mockserver.New(t, mockserver.Strict(), mockserver.WithSeed(4711))
		s.Enqueue(mockserver.Reply(200).On(mockserver.ResponseEnd, mockserver.WaitBetween{Max: 1}), mockserver.Reply(200))
		strictAsk(t, s, "GET / HTTP/1.1··")
		take(t, s)
	}, []string{"1 response was enqueued and not used: 200", "mockserver: what was random followed WithSeed(4711)"}},
}

// strictAsk makes a request and reads the first byte of the answer, so that the request is recorded.
func strictAsk(t *testing.T, s *mockserver.Server, request string) {
	t.Helper()
	w := dial(t, s)
	w.send(request)
	if _, err := io.ReadFull(w.conn, make([]byte, 1)); err != nil {
		t.Errorf("no answer: %v", err)
	}
	w.conn.Close()
}

// TestStrictProcess runs tests that fail, with the real package testing, and looks at what is printed.
func TestStrictProcess(t *testing.T) {
	if name := os.Getenv(strictChild); name != "" {
		t.Run("of", strictTests[name].run)
		return
	}
	for name, tt := range strictTests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			child := exec.CommandContext(t.Context(), self, "-test.run=^TestStrictProcess$", "-test.count=1", "-test.timeout=60s")
			child.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOCOVERDIR=") }), strictChild+"="+name, "GORACE=atexit_sleep_ms=0")
			out, err := child.CombinedOutput()
			text := string(out)
			if _, failed := err.(*exec.ExitError); !failed || !strings.Contains(text, "--- FAIL: TestStrictProcess") {
				t.Fatalf("ended with %v, want a failure:\n%s", err, text)
			}
			rest := text
			for _, want := range tt.want {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("expected %q in\n%s", want, text)
				}
				rest = after
			}
			for _, bad := range []string{"has completed", "panic: ", "DATA RACE", sesame} {
				if strings.Contains(text, bad) {
					t.Errorf("%q is in\n%s", bad, text)
				}
			}
		})
	}
}
