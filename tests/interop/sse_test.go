//go:build unix

package interop

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	gosse "github.com/tmaxmax/go-sse"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-sse"
)

// followed reads a stream until its server says that it is over, and returns "ID type data" of each event.
func followed(t *testing.T, url string, opts ...okhttp.Option) (events []string) {
	t.Helper()
	client := okhttp.New(opts...)
	defer client.Close()
	req, err := okhttp.NewRequest("GET", url)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for e, err := range oksse.NewStream(client, req, nil).Events(ctx) {
		if status, over := errors.AsType[*oksse.StatusError](err); over && status.Status == 204 {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, fmt.Sprintf("%s %s %q", e.ID, e.Type, e.Data))
	}
	return events
}

func wantEvents(t *testing.T, got []string, want string) {
	t.Helper()
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}

// A server on Node, which writes in awkward pieces and cuts a connection off in the middle of an event.
func TestEventsOfNode(t *testing.T) {
	got := followed(t, startForms(t, "node", "events.mjs"))
	wantEvents(t, got, `1 add "é one"
1 message "two\n\nthree"
2 message "🎈"
é message "again"`)
}

// A server on net/http, over HTTP/1.1 and HTTP/2 with TLS.
func TestEventsOfNetHTTP(t *testing.T) {
	answer := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		switch r.Header.Get("Last-Event-ID") {
		case "":
			fmt.Fprint(w, "retry: 10\n\n")
			for i := range 3 {
				fmt.Fprintf(w, "id: %d\ndata: {\"n\":%d}\n\n", i, i)
				w.(http.Flusher).Flush()
			}
			panic(http.ErrAbortHandler)
		case "2":
			fmt.Fprint(w, "id: 3\nevent: last\ndata: over ", r.Proto, "\n\n")
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	}
	for _, proto := range []string{"HTTP/1.1", "HTTP/2.0"} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(answer))
		server.EnableHTTP2 = proto == "HTTP/2.0"
		server.StartTLS()
		defer server.Close()
		roots := server.Client().Transport.(*http.Transport).TLSClientConfig
		wantEvents(t, followed(t, server.URL, okhttp.WithTLSConfig(roots)), `0 message "{\"n\":0}"
1 message "{\"n\":1}"
2 message "{\"n\":2}"
3 last "over `+proto+`"`)
	}
}

// A server on go-sse, with its replay of what was missed.
func TestEventsOfGoSSE(t *testing.T) {
	replayer, err := gosse.NewFiniteReplayer(10, true)
	if err != nil {
		t.Fatal(err)
	}
	provider := &gosse.Joe{Replayer: replayer}
	server := &gosse.Server{Provider: provider}
	for i := range 4 {
		m := &gosse.Message{Type: gosse.Type("tick")}
		m.AppendData(fmt.Sprint("line ", i), "and another")
		if err := server.Publish(m); err != nil {
			t.Fatal(err)
		}
	}
	// The provider ends last: one that is told to end while it replays goes on to write to a session whose handler has returned.
	defer server.Shutdown(context.Background())
	s := httptest.NewServer(server)
	defer s.Close()
	client := okhttp.New()
	defer client.Close()
	req, err := okhttp.NewRequest("GET", s.URL)
	if err != nil {
		t.Fatal(err)
	}
	n := 1
	for e, err := range oksse.NewStream(client, req, &oksse.Config{LastEventID: "1"}).Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if want := fmt.Sprintf("line %d\nand another", n); e.Type != "tick" || e.Data != want || e.ID != fmt.Sprint(n) {
			t.Errorf("event %+v, want %q", e, want)
		}
		if n == 3 {
			break
		}
	}
}

// What the server half writes is what go-sse's client reads.
func TestGoSSEReadsEvents(t *testing.T) {
	server := httptest.NewServer(&oksse.Handler{Serve: func(w *oksse.Writer) {
		_ = w.Comment("hello")
		_ = w.Send(oksse.Event{ID: "1", Type: "add", Data: "a\r\nb\n"})
		_ = w.Send(oksse.Event{Data: " é"})
	}})
	defer server.Close()
	resp, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got []string
	for e, err := range gosse.Read(resp.Body, nil) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %s %q", e.LastEventID, e.Type, e.Data))
	}
	wantEvents(t, got, `1 add "a\nb\n"
1  " é"`)
}
