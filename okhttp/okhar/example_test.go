package okhar_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okhar"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/home?token=s3cret", http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "Hello!")
	}))
	defer server.Close()

	recorder := okhar.New(&okhar.Config{RedactQuery: []string{"token"}})
	client := okhttp.New(okhttp.WithEventListener(recorder.Listen), okhttp.WithNetworkInterceptor(recorder))
	defer func() { _ = client.Close() }()
	resp, err := client.Get(context.Background(), server.URL)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := resp.Body.Text(); err != nil {
		log.Fatal(err)
	}

	var archive bytes.Buffer // or a file
	if _, err := recorder.WriteTo(&archive); err != nil {
		log.Fatal(err)
	}
	var har struct {
		Log struct {
			Entries []struct {
				Request  struct{ Method string }
				Response struct {
					Status      int
					RedirectURL string
					Content     struct{ Text string }
				}
			}
		}
	}
	if err := json.Unmarshal(archive.Bytes(), &har); err != nil {
		log.Fatal(err)
	}
	for _, e := range har.Log.Entries[1:] {
		fmt.Println(e.Request.Method, e.Response.Status, e.Response.Content.Text)
	}
	fmt.Println(har.Log.Entries[0].Response.RedirectURL)
	// Output:
	// GET 200 Hello!
	// /home?token=%E2%96%88%E2%96%88
}
