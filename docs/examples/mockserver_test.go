package examples

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// #region mockserver
func TestGreeting(t *testing.T) {
	server := mockserver.New(t) // stops when the test ends
	server.Enqueue(mockserver.Reply(200).Header("Content-Type", "text/plain").Text("hello"))

	client := okhttp.New()
	defer client.Close()
	resp, err := client.Get(t.Context(), server.URL("/greeting"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := resp.Body.Text(); text != "hello" || err != nil {
		t.Errorf("body %q and error %v, want hello", text, err)
	}

	req, err := server.TakeRequest(t.Context())
	if err != nil || req.Target != "/greeting" {
		t.Errorf("request %v and error %v, want one for /greeting", req, err)
	}
}

// #endregion mockserver

// #region dispatcher
func TestFlakyShop(t *testing.T) {
	server := mockserver.New(t, mockserver.WithDispatcher(mockserver.DispatcherFunc(
		func(_ context.Context, r *mockserver.Request) mockserver.Response {
			switch {
			case r.Target == "/stock":
				return mockserver.Reply(200).Header("Content-Type", "application/json").Text(`{"tea": 3}`)
			case r.Method == "POST" && r.Headers.Get("Idempotency-Key") == "":
				return mockserver.Reply(400)
			}
			return mockserver.Reply(404)
		})))
	// #endregion dispatcher

	client := okhttp.New()
	defer client.Close()
	for path, want := range map[string]int{"/stock": 200, "/other": 404} {
		resp, err := client.Get(t.Context(), server.URL(path))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.Status != want {
			t.Errorf("%s: status %d, want %d", path, resp.Status, want)
		}
	}
	resp, err := client.Post(t.Context(), server.URL("/orders"), okhttp.Text("tea"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.Status != 400 {
		t.Errorf("status %d, want 400", resp.Status)
	}
}

// #region faults
func TestTornDownload(t *testing.T) {
	server := mockserver.New(t)
	server.Enqueue(mockserver.Reply(200).Text("half of this").On(mockserver.ResponseBody, mockserver.Reset{}))

	client := okhttp.New()
	defer client.Close()
	resp, err := client.Get(t.Context(), server.URL("/file"))
	if err == nil {
		_, err = resp.Body.Text()
	}
	if err == nil {
		t.Error("a download that was torn off looked whole")
	}
}

// #endregion faults

// #region synctest
func TestSlowServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // all time passes at once
		server := mockserver.New(t, mockserver.WithNetwork(new(okio.Network)))
		server.Enqueue(mockserver.Reply(200).HeadDelay(time.Hour))

		client := okhttp.New(okhttp.WithDialer(server), okhttp.WithReadTimeout(time.Minute))
		defer client.Close()
		start := time.Now()
		_, err := client.Get(t.Context(), "http://127.0.0.1/")
		if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != time.Minute {
			t.Errorf("error %v after %v", err, time.Since(start))
		}
	})
}

// #endregion synctest
