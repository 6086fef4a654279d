package cli

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/okhttp-go/ok/okhttp-sse"
)

// feed is a stream of three events over two connections, which goes on after the last one that was seen and then says that it is over.
func feed(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Accept") != "text/event-stream" || r.Header.Get("Cache-Control") != "no-store" {
		http.Error(w, "no stream is wanted", http.StatusNotAcceptable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	switch r.Header.Get("Last-Event-ID") {
	case "":
		io.WriteString(w, ": hello\nretry: 100\nid: 1\nevent: add\ndata: <a>\ndata: b\n\nid: 2\ndata: c\n\ndata: lost")
	case "2":
		io.WriteString(w, "retry: 100\n\nid: 3\ndata: d\n\n")
	case "3":
		w.WriteHeader(http.StatusNoContent)
	}
}

const brokeOff = "okcurl: the stream broke off: the server ended it; connecting again in "

func TestEvents(t *testing.T) {
	url := serve(t, feed)
	okcurl(t, "--sse", url).want(t, 0, "retry: 100\nid: 1\nevent: add\ndata: <a>\ndata: b\n\nid: 2\ndata: c\n\nid: 3\ndata: d\n\n", strings.Repeat(brokeOff+"100ms\n", 2))
	okcurl(t, "-s", "--sse-json", "--last-event-id", "2", url).want(t, 0, `{"id":"3","type":"message","data":"d"}`+"\n", "")
	okcurl(t, "-s", "--sse-json", url).want(t, 0,
		`{"id":"1","type":"add","data":"<a>\nb","retry":100}`+"\n"+`{"id":"2","type":"message","data":"c"}`+"\n"+`{"id":"3","type":"message","data":"d"}`+"\n", "")
}

// An ID that was taken back between two events is taken back in what is printed too. A header is a place to start from, unless the flag names another.
func TestEventsTakeIDBack(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		switch r.Header.Get("Last-Event-ID") {
		case "0":
			io.WriteString(w, "retry: 5\nid: 1\ndata: a\n\nid\n\ndata: b\n\nid: 2\ndata: c\n\nid: 3\n\n")
		case "3":
			io.WriteString(w, "id\n\nid: 4\n\nid\ndata: d\n\nid: 5\n\n")
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	})
	const want = "retry: 5\nid: 1\ndata: a\n\nid\ndata: b\n\nid: 2\ndata: c\n\nid\ndata: d\n\n"
	okcurl(t, "-s", "--sse", "-H", "Last-Event-ID: 0", url).want(t, 0, want, "")
	okcurl(t, "-s", "--sse", "-H", "Last-Event-ID: 7", "--last-event-id", "0", url).want(t, 0, want, "")
}

// watchedOut is a standard output that says when something is on it.
type watchedOut chan string

func (p watchedOut) Write(text []byte) (int, error) {
	p <- string(text)
	return len(text), nil
}

// An event is printed before the next one is sent: the server waits until it was seen.
func TestEventsAsTheyCome(t *testing.T) {
	for _, flag := range []string{"--sse", "--sse-json"} {
		seen := make(chan struct{})
		url := serve(t, (&oksse.Handler{Serve: func(w *oksse.Writer) {
			_ = w.Send(oksse.Event{Data: "a"})
			select {
			case <-seen:
				_ = w.Send(oksse.Event{Data: "b"})
			case <-w.Request().Context().Done():
			}
		}}).ServeHTTP)
		out, code := make(watchedOut), make(chan int, 1)
		go func() {
			code <- Main([]string{flag, "-X", "POST", "-m", "60", url}, strings.NewReader(""), out, io.Discard)
		}()
		for _, want := range []string{"a", "b"} {
			select {
			case got := <-out:
				if !strings.Contains(got, want) {
					t.Errorf("%s: printed %q, want %s", flag, got, want)
				}
			case got := <-code:
				t.Fatalf("%s: exit %d before %s was printed", flag, got, want)
			}
			if want == "a" {
				close(seen)
			}
		}
		if got := <-code; got != 0 {
			t.Errorf("%s: exit %d", flag, got)
		}
	}
}

func TestEventsToFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events")
	okcurl(t, "-s", "--sse", "--last-event-id", "2", "-o", file, "-w", "%{http_code} %{num_connects}", serve(t, feed)).want(t, 0, "204 1", "")
	if got, err := os.ReadFile(file); string(got) != "id: 3\ndata: d\n\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestEventsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		typ    string
		code   int
		err    string
	}{
		"status": {503, "text/event-stream", 22, "okcurl: (22) the server answered 503, not with a stream\n"},
		"type":   {200, "text/html", 8, "okcurl: (8) the response is no event stream: its type is text/html\n"},
		"none":   {200, "", 8, "okcurl: (8) the response is no event stream: it has no type\n"},
		"over":   {204, "", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			okcurl(t, "--sse", serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = nil
				if c.typ != "" {
					w.Header().Set("Content-Type", c.typ)
				}
				w.WriteHeader(c.status)
			})).want(t, c.code, "", c.err)
		})
	}
}

// A first connection that fails is not made again.
func TestEventsOfNobody(t *testing.T) {
	if got := okcurl(t, "--sse", "127.0.0.1:1"); got.code != 7 || strings.Contains(got.err, "again") {
		t.Errorf("%+v", got)
	}
}

// A request with data is made once, and its stream ends with its response.
func TestEventsOfPost(t *testing.T) {
	asked := new(atomic.Int32)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		(&oksse.Handler{Serve: func(s *oksse.Writer) {
			_ = s.Send(oksse.Event{Data: string(body)})
		}}).ServeHTTP(w, r)
	})
	okcurl(t, "--sse", "--json", `{"stream":true}`, url).want(t, 0, "data: {\"stream\":true}\n\n", "")
	if asked.Load() != 1 {
		t.Errorf("%d requests", asked.Load())
	}
}

// Heads are those of every connection.
func TestEventsWithHeads(t *testing.T) {
	got := okcurl(t, "-s", "-i", "--sse", "--last-event-id", "2", serve(t, feed))
	if got.code != 0 || strings.Count(got.out, "HTTP/1.1 ") != 2 || !strings.Contains(got.out, "\r\n\r\nid: 3\n") {
		t.Errorf("%+v", got)
	}
}

func TestEventsUsage(t *testing.T) {
	okcurl(t, "--sse", "-I", "x.test").want(t, 2, "", "okcurl: (2) --head and --sse exclude each other: HEAD brings no events; try okcurl --help\n")
	okcurl(t, "--last-event-id", "1", "x.test").want(t, 2, "", "okcurl: (2) --last-event-id is about --sse alone; try okcurl --help\n")
}
