package okhttp_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/http2"
	"github.com/okhttp-go/ok/okhttp/oktls"
	"github.com/okhttp-go/ok/okio"
)

// pushes prints what a server pushes.
type pushes struct{ ended chan struct{} }

func (p *pushes) OnRequest(_ *okhttp.Connection, _ uint32, headers okhttp.Headers) (cancel bool) {
	fmt.Println("promised", headers.Get(":method"), headers.Get(":path"))
	return false
}

func (p *pushes) OnHeaders(_ *okhttp.Connection, _ uint32, headers okhttp.Headers, last bool) (cancel bool) {
	fmt.Println("status", headers.Get(":status"))
	p.end(last)
	return false
}

func (p *pushes) OnData(_ *okhttp.Connection, _ uint32, data *okio.BufferedSource, n int64, last bool) (cancel bool) {
	if text, err := data.ReadText(n); err != nil || n > 0 {
		fmt.Println("content", text, err)
	}
	p.end(last)
	return false
}

func (p *pushes) OnReset(_ *okhttp.Connection, _ uint32, code uint32) {
	fmt.Println("reset", http2.ErrorCode(code))
	p.end(true)
}

func (p *pushes) end(last bool) {
	if last {
		close(p.ended)
	}
}

// A server sends the style sheet of a page before it was asked for.
func ExamplePushObserver() {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/style.css" {
			fmt.Fprint(w, "h1 { color: green }")
			return
		}
		if err := w.(http.Pusher).Push("/style.css", nil); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	server.EnableHTTP2 = true
	server.TLS = oktls.Localhost().ServerConfig()
	server.StartTLS()
	defer server.Close()
	observer := &pushes{make(chan struct{})}
	client := okhttp.New(okhttp.WithTLSConfig(oktls.Localhost().ClientConfig()), okhttp.WithHTTP2(okhttp.HTTP2Config{Push: observer}))
	defer client.Close()

	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	_ = resp.Body.Close()
	<-observer.ended // it may come after the page
	fmt.Println("page", resp.Status)
	// Output:
	// promised GET /style.css
	// status 200
	// content h1 { color: green } <nil>
	// page 200
}
