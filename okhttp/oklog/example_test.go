package oklog_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oklog"
)

func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Date"] = nil
		_, _ = io.WriteString(w, "Hello!")
	}))
	defer server.Close()

	took := regexp.MustCompile(`\d+ms`)
	logging := oklog.New(func(line string) {
		line = strings.ReplaceAll(line, server.URL, "http://example.com") // so that the output is the same each time
		fmt.Println(took.ReplaceAllString(line, "22ms"))
	}, &oklog.Config{Level: oklog.Body, RedactQuery: []string{"token"}})

	client := okhttp.New(okhttp.WithInterceptor(logging))
	defer client.Close()
	req, err := okhttp.NewRequest("POST", server.URL+"/greeting?token=s3cret", okhttp.WithBody(okhttp.Text("Hi?")), okhttp.Header("Authorization", "Bearer s3cret"))
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Do(context.Background(), req)
	if err != nil {
		log.Fatal(err)
	}
	_ = resp.Body.Close()
	// Output:
	// --> POST http://example.com/greeting?token=%E2%96%88%E2%96%88
	// Content-Type: text/plain; charset=utf-8
	// Content-Length: 3
	// Authorization: ██
	//
	// Hi?
	// --> END POST (3-byte body)
	// <-- 200 OK http://example.com/greeting?token=%E2%96%88%E2%96%88 (22ms)
	// Content-Length: 6
	// Content-Type: text/plain; charset=utf-8
	//
	// Hello!
	// <-- END HTTP (22ms, 6-byte body)
}

// The level can be turned up while a program runs.
func ExampleInterceptor_SetLevel() {
	logging := oklog.New(func(line string) { log.Print(line) }, nil)
	client := okhttp.New(okhttp.WithInterceptor(logging))
	defer client.Close()

	logging.SetLevel(oklog.Headers)
	fmt.Println(logging.Level())
	// Output: Headers
}
