//go:build unix

package interop

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp-sse"
)

// eventPage collects what a browser's EventSource hears, and posts it when the server says that it is over: then the source is closed for good.
const eventPage = `<!doctype html><title>events</title><script>
const lines = []
const source = new EventSource('/events')
const hear = (e) => lines.push(e.type + ' ' + e.lastEventId + ' ' + JSON.stringify(e.data))
source.onopen = () => lines.push('open')
source.onmessage = hear
source.addEventListener('add', hear)
source.onerror = () => {
  lines.push('error ' + source.readyState)
  if (source.readyState === EventSource.CLOSED) fetch('/heard', { method: 'POST', body: lines.join('\n') })
}
</script>`

// Chromium's EventSource hears what the server half writes, comes back from where it was after the time that it was given, and stays away after 204.
func TestChromiumHearsEvents(t *testing.T) {
	heard := make(chan string, 1)
	visits := new(atomic.Int32)
	streams := &oksse.Handler{Writer: oksse.WriterConfig{Retry: 50 * time.Millisecond, Heartbeat: 20 * time.Millisecond}, Serve: func(w *oksse.Writer) {
		if visits.Load() == 1 {
			_ = w.Send(oksse.Event{ID: "1", Type: "add", Data: "first line\r\nsecond line\n"})
			_ = w.Comment("nobody hears this")
			_ = w.Send(oksse.Event{Data: " é 🎈 \x00 \xff"})
			_ = w.Send(oksse.Event{ID: "ü", Data: ""})
			return
		}
		_ = w.Send(oksse.Event{Data: "came back from " + w.LastEventID()})
		_ = w.Send(oksse.Event{ClearID: true, Data: "forgotten"})
	}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, eventPage)
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		if visits.Add(1) == 3 {
			if _, has := r.Header["Last-Event-Id"]; has {
				t.Errorf("the third request goes on from %q", r.Header["Last-Event-Id"])
			}
			w.WriteHeader(http.StatusNoContent)
			return
		}
		streams.ServeHTTP(w, r)
	})
	mux.HandleFunc("POST /heard", hears(heard))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close) // after the browser has gone

	browse(t, server.URL)
	select {
	case got := <-heard:
		want := strings.Join([]string{
			"open",
			`add 1 "first line\nsecond line\n"`,
			`message 1 " é 🎈 \u0000 ` + "\uFFFD" + `"`,
			`message ü ""`,
			"error 0",
			"open",
			`message ü "came back from ü"`,
			`message  "forgotten"`,
			"error 0",
			"error 2",
		}, "\n")
		if got != want {
			t.Errorf("heard\n%s\nwant\n%s", got, want)
		}
	case <-browsing(t).Done():
		t.Fatalf("the browser did not say what it heard; it asked for the events %d times", visits.Load())
	}
}
