package examples

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	"github.com/okhttp-go/ok/okhttp"
)

// cleartextServer speaks HTTP/2 without TLS.
func cleartextServer() *httptest.Server {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Proto) }))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	return server
}

func Example_priorKnowledge() {
	server := cleartextServer()
	defer server.Close()
	// #region protocols
	client := okhttp.New(okhttp.WithProtocols(okhttp.HTTP2PriorKnowledge))
	// #endregion protocols
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := resp.Body.Text()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(resp.Protocol, text)
	// Output: h2 HTTP/2.0
}

func Example_frames() {
	server := cleartextServer()
	defer server.Close()
	var heads atomic.Int32
	logf := func(line string) {
		if strings.Contains(line, "HEADERS") {
			heads.Add(1)
		}
	}
	// #region frames
	client := okhttp.New(
		okhttp.WithProtocols(okhttp.HTTP2PriorKnowledge),
		okhttp.WithHTTP2(okhttp.HTTP2Config{Frames: func(line string) { logf(line) }}),
	)
	// #endregion frames
	defer client.Close()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	fmt.Println(heads.Load(), "heads")
	// Output: 2 heads
}
