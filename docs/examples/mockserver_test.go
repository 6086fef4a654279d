package examples

import (
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp"
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
