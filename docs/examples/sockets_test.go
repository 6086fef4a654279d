package examples

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okio"
)

func Example_limits() {
	// #region limits
	near, far := net.Pipe() // any net.Conn
	defer far.Close()

	s := okio.NewSocket(near)
	source := okio.NewBufferedSource(s.Source())
	source.Timeout().SetLimit(10 * time.Millisecond) // per operation

	_, err := source.ReadByte()
	fmt.Println(errors.Is(err, os.ErrDeadlineExceeded))
	// #endregion limits

	// Output: true
}

func Example_bindContext() {
	// #region bind
	a, b := okio.ConnPair(0)
	defer b.Close()
	s := okio.NewSocket(a)

	ctx, cancel := context.WithCancelCause(context.Background())
	stop := okio.BindContext(ctx, s) // once per use of a socket, not per operation
	defer stop()

	cancel(errors.New("the user went away"))
	_, err := okio.NewBufferedSource(s.Source()).ReadByte() // would block for ever
	fmt.Println(err)
	// #endregion bind

	// Output: the user went away
}

// #region network
func TestServerInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var network okio.Network // a listener and a dialer, no ports
		listener, err := network.Listen("api.example:80")
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Hour) // the bubble's clock: no real time passes
			io.WriteString(w, "hello")
		})}
		go server.Serve(listener)
		defer server.Close()

		transport := &http.Transport{DialContext: network.DialContext}
		defer transport.CloseIdleConnections()
		resp, err := (&http.Client{Transport: transport}).Get("http://api.example/")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || string(body) != "hello" {
			t.Errorf("body %q and error %v, want hello", body, err)
		}
	})
}

// #endregion network
