package match_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/okhttp"
)

func TestReportsHideSecretParameters(t *testing.T) {
	h, err := okhttp.NewHeaders("Content-Type", "application/x-www-form-urlencoded")
	if err != nil {
		t.Fatal(err)
	}
	body := []byte("password=sesame&a=b")
	r := &mockserver.Request{Method: "POST", Target: "/?token=sesame&a=b", Proto: "HTTP/1.1", Headers: h, Body: body, BodySize: int64(len(body))}
	for _, m := range []mockserver.Matcher{match.Query("token", match.Is("wanted")), match.Form("password", match.Is("wanted"))} {
		if text := fmt.Sprint(m, m.Match(r)); len(m.Match(r)) == 0 || strings.Contains(text, "sesame") || strings.Contains(text, "wanted") {
			t.Errorf("got %s", text)
		}
	}
	if text := fmt.Sprint(match.Query("a", match.Is("c")).Match(r)); !strings.Contains(text, "b") {
		t.Errorf("got %s", text)
	}
}
