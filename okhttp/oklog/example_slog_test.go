package oklog_test

import (
	"context"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oklog"
)

// Each line becomes a record at level info.
func ExampleNewSlog() {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()

	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Key { // so that the output is the same each time
		case slog.TimeKey:
			return slog.Attr{}
		case slog.MessageKey:
			line, _, _ := strings.Cut(a.Value.String(), " (")
			return slog.String(a.Key, strings.ReplaceAll(line, server.URL, "http://example.com"))
		}
		return a
	}}))
	client := okhttp.New(okhttp.WithInterceptor(oklog.NewSlog(logger, &oklog.Config{Level: oklog.Basic})))
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	_ = resp.Body.Close()
	// Output:
	// level=INFO msg="--> GET http://example.com/"
	// level=INFO msg="<-- 404 Not Found http://example.com/"
}
