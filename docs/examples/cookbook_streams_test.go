package examples

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

func Example_cookbookReconnect() {
	var visits atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := okws.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		_ = conn.WriteText(r.Context(), fmt.Sprint("price ", visits.Add(1)))
		if visits.Load() > 1 {
			_ = conn.Close(okws.CodeNormal, "") // the first time it breaks off
		}
	}))
	defer s.Close()
	ctx, client := context.Background(), okhttp.New()
	defer client.Close()
	// #region reconnect
	policy := &reconnect.Policy{
		First:   10 * time.Millisecond, // doubled each time, to 30 seconds at most
		OnRetry: func(error, time.Duration) { fmt.Println("connecting again") },
	}
	err := reconnect.Run(ctx, policy,
		func(ctx context.Context) (*okws.Conn, error) {
			return okws.Dial(ctx, client, s.URL, &okws.Config{PingInterval: 15 * time.Second})
		},
		func(ctx context.Context, conn *okws.Conn) error {
			for m, err := range conn.Messages(ctx) {
				if err != nil {
					return err // what to do about it is the policy's
				}
				fmt.Println(m.Text())
			}
			return nil // closed in order: this is the end
		})
	// #endregion reconnect
	fmt.Println(err)
	// Output:
	// price 1
	// connecting again
	// price 2
	// <nil>
}
