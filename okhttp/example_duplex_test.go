package okhttp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oktls"
)

// Over HTTP/2 a request's body can go on while the response is read: a conversation in one call.
func ExampleBodyConfig_duplex() {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		for lines := bufio.NewScanner(r.Body); lines.Scan(); w.(http.Flusher).Flush() {
			fmt.Fprintf(w, "you said %s\n", lines.Text())
		}
	}))
	server.EnableHTTP2 = true
	server.TLS = oktls.Localhost().ServerConfig()
	server.StartTLS()
	defer server.Close()
	client := okhttp.New(okhttp.WithTLSConfig(oktls.Localhost().ClientConfig()))
	defer client.Close()

	sent, say := io.Pipe()
	body, err := okhttp.NewBody(okhttp.BodyConfig{
		Duplex: true,
		Len:    -1,
		Open:   func(context.Context) (io.ReadCloser, error) { return sent, nil },
	})
	if err != nil {
		log.Fatal(err)
	}
	resp, err := client.Post(context.Background(), server.URL, body) // returns with the head of the response
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	answers := bufio.NewScanner(resp.Body)
	for _, word := range []string{"hello", "goodbye"} {
		fmt.Fprintln(say, word)
		answers.Scan()
		fmt.Println(answers.Text())
	}
	_ = say.Close()
	fmt.Println(answers.Scan(), answers.Err())
	// Output:
	// you said hello
	// you said goodbye
	// false <nil>
}
