package reconnect_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-ws"
	"github.com/okhttp-go/ok/okhttp-ws/reconnect"
)

func ExampleRun() {
	var visits atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := okws.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow() // the first connection breaks off
		if visits.Add(1) > 1 {
			_ = conn.WriteText(r.Context(), "here again")
			_ = conn.Close(okws.CodeNormal, "")
		}
	}))
	defer server.Close()
	client := okhttp.New()
	defer client.Close()

	err := reconnect.Run(context.Background(), &reconnect.Policy{First: time.Millisecond},
		func(ctx context.Context) (*okws.Conn, error) { return okws.Dial(ctx, client, server.URL, nil) },
		func(ctx context.Context, conn *okws.Conn) error {
			for m, err := range conn.Messages(ctx) {
				if err != nil {
					return err // connect again, if that may help
				}
				fmt.Println(m.Text())
			}
			return nil // the server closed in order
		})
	fmt.Println(err)
	// Output:
	// here again
	// <nil>
}
