package match_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/okhttp"
)

func gzipped(t *testing.T, text string) *mockserver.Request {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	h, err := okhttp.NewHeaders("Content-Encoding", "gzip", "Content-Type", "application/x-www-form-urlencoded")
	if err != nil {
		t.Fatal(err)
	}
	return &mockserver.Request{Method: "POST", Target: "/", Proto: "HTTP/1.1", Headers: h, Body: b.Bytes(), BodySize: int64(b.Len())}
}

// TestBodiesAreReadOnce counts what a dispatch allocates: many routes take about as much as one.
func TestBodiesAreReadOnce(t *testing.T) {
	text := `["` + strings.Repeat("x", 4<<20) + `"]`
	bytesOf := func(n int) uint64 {
		r := gzipped(t, text)
		routes := route.New()
		for i := range n {
			routes.On(match.JSONSubset(fmt.Sprintf(`[%d]`, i)), mockserver.Reply(200))
			routes.On(match.Body(match.Is(fmt.Sprint(i))), mockserver.Reply(200))
			routes.On(match.Form("a", match.Is(fmt.Sprint(i))), mockserver.Reply(200))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		routes.Dispatch(t.Context(), r)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if one, many := bytesOf(1), bytesOf(10); many > 3*one {
		t.Errorf("10 routes of a kind allocate %d bytes, one %d", many, one)
	}
}

func TestTooManyValues(t *testing.T) {
	r := gzipped(t, "["+strings.Repeat("1,", 1<<18)+"1]")
	if list := match.JSON("[1]").Match(r); len(list) != 1 || !strings.Contains(list[0].Got, "too large to compare: more than 262144 values") {
		t.Errorf("got %v", list)
	}
}
