package mockserver_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
)

// TestHandlerIsLikeNetHTTP has the same handlers answer in a server of net/http and in one of this package, over both versions of HTTP, and compares what
// they are told and what the client of net/http makes of the response.
func TestHandlerIsLikeNetHTTP(t *testing.T) {
	big := strings.Repeat("x", 40_000) // more than is held back
	for name, handle := range map[string]func(w http.ResponseWriter, told func(...any)){
		"less than Content-Length": func(w http.ResponseWriter, told func(...any)) {
			w.Header().Set("Content-Length", "10")
			told(w.Write([]byte("abc")))
		},
		"nothing for Content-Length": func(w http.ResponseWriter, _ func(...any)) { w.Header().Set("Content-Length", "10") },
		"less than Content-Length, flushed": func(w http.ResponseWriter, told func(...any)) {
			w.Header().Set("Content-Length", "10")
			told(w.Write([]byte("abc")))
			w.(http.Flusher).Flush()
		},
		"more than Content-Length": func(w http.ResponseWriter, told func(...any)) {
			w.Header().Set("Content-Length", "3")
			told(w.Write([]byte("abc")))
			n, err := w.Write([]byte("de"))
			told(n, err != nil)
		},
		"more than a large Content-Length": func(w http.ResponseWriter, told func(...any)) {
			w.Header().Set("Content-Length", "40000")
			told(w.Write([]byte(big)))
			n, err := w.Write([]byte("de"))
			told(n, err != nil)
		},
		"a Content-Length that is none": func(w http.ResponseWriter, told func(...any)) {
			w.Header().Set("Content-Length", "many")
			told(w.Write([]byte("abc")))
		},
		"chunked": func(w http.ResponseWriter, told func(...any)) {
			w.Header().Set("Transfer-Encoding", "chunked")
			told(w.Write([]byte("abc")))
		},
		"a field too late": func(w http.ResponseWriter, told func(...any)) {
			w.Header().Set("A", "1")
			told(w.Write([]byte("abc")))
			w.Header().Set("A", "2")
			w.Header().Set("B", "3")
		},
		"a field after WriteHeader": func(w http.ResponseWriter, _ func(...any)) {
			w.WriteHeader(202)
			w.Header().Set("A", "2")
			w.WriteHeader(203)
		},
		"WriteHeader(0)": func(w http.ResponseWriter, told func(...any)) {
			defer func() { told(recover()) }()
			w.WriteHeader(0)
		},
		"204 with a body": func(w http.ResponseWriter, told func(...any)) {
			w.WriteHeader(204)
			told(w.Write([]byte("abc")))
		},
		"304 with a body": func(w http.ResponseWriter, told func(...any)) {
			w.WriteHeader(304)
			told(w.Write([]byte("abc")))
		},
		"early hints": func(w http.ResponseWriter, told func(...any)) {
			w.WriteHeader(103)
			told(w.Write([]byte("<html>")))
		},
		"trailers": func(w http.ResponseWriter, told func(...any)) {
			w.Header().Set("Trailer", "A")
			told(w.Write([]byte("abc")))
			w.Header().Set("A", "1")
			w.Header().Set(http.TrailerPrefix+"B", "2")
		},
		"trailers that nothing announces": func(w http.ResponseWriter, told func(...any)) {
			told(w.Write([]byte("abc")))
			w.Header().Set(http.TrailerPrefix+"B", "2")
		},
		"trailers without a body": func(w http.ResponseWriter, _ func(...any)) { w.Header().Set(http.TrailerPrefix+"B", "2") },
		"trailers of a large body": func(w http.ResponseWriter, told func(...any)) {
			w.Header().Set("Trailer", "A, C")
			w.Header().Add("Trailer", "D")
			told(w.Write([]byte(big)))
			w.Header().Set("A", "1")
			w.Header().Add("D", "3")
			w.Header().Add("D", "4")
			w.Header().Set(http.TrailerPrefix+"B", "2")
		},
		"trailers behind Flush": func(w http.ResponseWriter, told func(...any)) {
			w.Header().Set("Trailer", "A")
			w.(http.Flusher).Flush()
			w.Header().Set("A", "1")
			told(w.Write([]byte("abc")))
			w.(http.Flusher).Flush()
			w.Header().Set(http.TrailerPrefix+"B", "2")
		},
		"trailers behind nothing but Flush": func(w http.ResponseWriter, _ func(...any)) {
			w.(http.Flusher).Flush()
			w.Header().Set(http.TrailerPrefix+"B", "2")
		},
		"trailers of a large Content-Length": func(w http.ResponseWriter, told func(...any)) {
			w.Header().Set("Trailer", "A")
			w.Header().Set("Content-Length", "40000")
			told(w.Write([]byte(big)))
			w.Header().Set("A", "1")
			w.Header().Set(http.TrailerPrefix+"B", "2")
		},
		"trailers of a Content-Length": func(w http.ResponseWriter, told func(...any)) {
			w.Header().Set("Trailer", "A")
			w.Header().Set("Content-Length", "3")
			told(w.Write([]byte("abc")))
			w.Header().Set("A", "1")
			w.Header().Set(http.TrailerPrefix+"B", "2")
		},
		"trailers that are none": func(w http.ResponseWriter, told func(...any)) {
			w.Header().Set("Trailer", "Content-Length, If-Match, A")
			w.(http.Flusher).Flush()
			told(w.Write([]byte("abc")))
			w.Header().Set("If-Match", "1")
			w.Header().Set("Content-Length", "3")
			w.Header().Set("A", "1")
		},
		"a trailer that is set too early": func(w http.ResponseWriter, told func(...any)) {
			w.Header().Set("Trailer", "A")
			w.Header().Set("A", "1")
			told(w.Write([]byte("abc")))
		},
		"trailers of 204": func(w http.ResponseWriter, _ func(...any)) {
			w.Header().Set("Trailer", "A")
			w.WriteHeader(204)
			w.Header().Set("A", "1")
		},
		"trailers of early hints": func(w http.ResponseWriter, told func(...any)) {
			w.Header().Set(http.TrailerPrefix+"B", "2")
			w.WriteHeader(103)
			told(w.Write([]byte("abc")))
		},
		"a Date":  func(w http.ResponseWriter, _ func(...any)) { w.Header().Set("Date", date) },
		"no Date": func(w http.ResponseWriter, _ func(...any)) { w.Header()["Date"] = nil },
		"Connection: close": func(w http.ResponseWriter, told func(...any)) {
			w.Header().Set("Connection", "close")
			told(w.Write([]byte("abc")))
		},
		"an abort": func(http.ResponseWriter, func(...any)) { panic(http.ErrAbortHandler) },
		"an abort amidst": func(w http.ResponseWriter, _ func(...any)) {
			_, _ = w.Write([]byte(big))
			panic(http.ErrAbortHandler)
		},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			for _, version2 := range []bool{false, true} {
				switch {
				case version2 && strings.HasPrefix(name, "more than"): // net/http takes the excess there, and breaks the response off
					continue
				case method == "HEAD" && version2 && strings.HasPrefix(name, "trailers of a large"): // net/http fails Write there, or not, by what comes first
					continue
				case version2 && name == "trailers of 204": // net/http sends them behind no content
					continue
				case method == "HEAD" && (name == "a Content-Length that is none" || name == "an abort amidst"): // net/http sends what is malformed, or nobody takes
					continue
				}
				t.Run(fmt.Sprintf("%s %s, HTTP/2 %v", method, name, version2), func(t *testing.T) {
					var reports strings.Builder
					done := make(chan struct{}, 1)
					h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
						defer func() { done <- struct{}{} }()
						handle(w, func(what ...any) { fmt.Fprintln(&reports, what...) })
					})
					protocols := new(http.Protocols)
					protocols.SetHTTP1(!version2)
					protocols.SetUnencryptedHTTP2(version2)
					std := httptest.NewUnstartedServer(h)
					std.Config.ErrorLog = log.New(io.Discard, "", 0)
					std.Config.Protocols = protocols
					std.Start()
					defer std.Close()
					own, err := mockserver.Start(mockserver.WithDispatcher(mockserver.Handler(h)), mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge))
					if err != nil {
						t.Fatal(err)
					}
					defer own.Close()
					client := &http.Client{Transport: &http.Transport{Protocols: protocols, DisableKeepAlives: true}}
					ask := func(url string) string {
						reports.Reset()
						text := seen(t, client, method, url)
						<-done
						return text + reports.String()
					}
					if want, got := ask(std.URL), ask(own.URL("/")); got != want {
						t.Errorf("got  %s\nwant %s", got, want)
					}
				})
			}
		}
	}
}

// date is one that a handler sets.
const date = "Thu, 01 Jan 1970 00:00:00 GMT"

// seen describes the response to a request.
func seen(t *testing.T, client *http.Client, method, url string) string {
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return "no response\n"
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if len(body) > 100 {
		body = body[:1]
	}
	if err != nil {
		body = nil
	}
	if resp.Header.Get("Date") != date {
		resp.Header.Del("Date") // of net/http's own
	}
	if method == "HEAD" || len(resp.Trailer) > 0 { // lengths that may be left out
		resp.Header.Del("Content-Length")
		resp.TransferEncoding = nil
	}
	return fmt.Sprintf("%d %v %v %q whole: %v, trailers %v\n", resp.StatusCode, resp.Header, resp.TransferEncoding, body, err == nil, resp.Trailer)
}

// TestHandlerExceedsContentLength is about HTTP/2 too, where net/http tells the handler nothing.
func TestHandlerExceedsContentLength(t *testing.T) {
	for _, version2 := range []bool{false, true} {
		errs := make(chan error, 1)
		s, err := mockserver.Start(mockserver.WithProtocols(okhttp.HTTP2PriorKnowledge), mockserver.WithDispatcher(mockserver.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "3")
			_, err := w.Write([]byte("abcde"))
			errs <- err
			_, _ = w.Write([]byte("abc"))
		}))))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		protocols := new(http.Protocols)
		protocols.SetHTTP1(!version2)
		protocols.SetUnencryptedHTTP2(version2)
		client := &http.Client{Transport: &http.Transport{Protocols: protocols, DisableKeepAlives: true}}
		if text := seen(t, client, "GET", s.URL("/")); !strings.Contains(text, `"abc" whole: true`) {
			t.Errorf("HTTP/2 %v: %s", version2, text)
		}
		if err := <-errs; err != http.ErrContentLength {
			t.Errorf("HTTP/2 %v: %v", version2, err)
		}
	}
}

func TestHandlerBodyBeyondTheLimit(t *testing.T) {
	s := memory(t, mockserver.WithBodyLimit(3), mockserver.WithDispatcher(mockserver.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%d %s %v", r.ContentLength, body, err)
	}))))
	w := dial(t, s)
	w.send("POST / HTTP/1.1·Host: a·Content-Length: 5··hello")
	w.want("HTTP/1.1 200 OK·Content-Length: 88·Content-Type: text/plain; charset=utf-8··5 hel mockserver: 3 bytes of the request body were kept, and it has 5: see WithBodyLimit")
}
