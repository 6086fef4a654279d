package okhttp_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/okhttp-go/ok/okhttp"
)

// Each call has a listener of its own, whose state is in variables.
func ExampleEventListener() {
	pages := http.NewServeMux()
	pages.Handle("/old", http.RedirectHandler("/new", http.StatusMovedPermanently))
	server := httptest.NewServer(pages)
	defer server.Close()

	client := okhttp.New(okhttp.WithEventListener(func(*okhttp.Call) *okhttp.EventListener {
		requests, connected := 0, 0
		return &okhttp.EventListener{
			ConnectEnd:        func(okhttp.ConnectEvent) { connected++ },
			RequestHeadersEnd: func(okhttp.RequestHeadersEnd) { requests++ },
			CallEnd:           func(okhttp.CallEnd) { fmt.Println(requests, "requests over", connected, "connection") },
		}
	}))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL+"/old")
	if err != nil {
		log.Fatal(err)
	}
	_ = resp.Body.Close()
	// Output: 2 requests over 1 connection
}

// Two listeners hear of the same call, one after the other.
func ExampleTeeEvents() {
	count := 0
	counter := &okhttp.EventListener{CallStart: func(okhttp.CallStart) { count++ }}
	printer := &okhttp.EventListener{
		CallStart:  func(e okhttp.CallStart) { fmt.Println("call", count, e.Call.Request()) },
		CallFailed: func(e okhttp.Failure) { fmt.Println(e.Err) },
	}
	client := okhttp.New(
		okhttp.WithEventListener(func(*okhttp.Call) *okhttp.EventListener { return okhttp.TeeEvents(counter, printer) }),
		okhttp.WithConnectionSpecs(okhttp.ModernTLS),
	)
	defer client.Close()
	_, _ = client.Get(context.Background(), "http://example.com/")
	// Output:
	// call 1 GET http://example.com/...
	// okhttp: GET http://example.com/...: connect: cleartext communication is not enabled for example.com
}

// One record for each event of a call, each with the time since the call began, which is left out here.
func ExampleLogEvents() {
	client := okhttp.New(okhttp.WithConnectionSpecs(okhttp.ModernTLS), okhttp.WithEventListener(okhttp.LogEvents(
		slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
			Level: slog.LevelDebug,
			ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey || a.Key == "after" {
					return slog.Attr{}
				}
				return a
			},
		})))))
	defer client.Close()
	_, err := client.Get(context.Background(), "http://example.com/")
	fmt.Println(okhttp.SafeToRetry(err))
	// Output:
	// level=DEBUG msg="okhttp: call start" method=GET url=http://example.com/...
	// level=DEBUG msg="okhttp: retry decision" retry=false
	// level=WARN msg="okhttp: call failed" error="okhttp: GET http://example.com/...: connect: cleartext communication is not enabled for example.com"
	// true
}
