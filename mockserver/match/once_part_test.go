package match_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/match"
	"github.com/okhttp-go/ok/mockserver/route"
	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// withPart returns a request whose only part is a document.
func withPart(t *testing.T, document string) *mockserver.Request {
	t.Helper()
	h, err := okhttp.NewHeaders("Content-Type", "multipart/form-data; boundary=b")
	if err != nil {
		t.Fatal(err)
	}
	body := "--b\r\nContent-Disposition: form-data; name=n\r\n\r\n" + document + "\r\n--b--\r\n"
	return &mockserver.Request{Method: "POST", Target: "/", Proto: "HTTP/1.1", Headers: h, Body: []byte(body), BodySize: int64(len(body))}
}

// allocated returns how many bytes f takes from the heap.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestPartsAreParsedOnce counts what a dispatch allocates: many matchers of the JSON of a part take about as much as one.
func TestPartsAreParsedOnce(t *testing.T) {
	document := "[" + strings.Repeat("1,", 1<<17) + "1]"
	bytesOf := func(n int) uint64 {
		r, routes := withPart(t, document), route.New()
		for i := range n {
			routes.On(match.Part(match.PartRules{Name: "n", JSON: fmt.Sprintf(`{"a": %d}`, i)}), mockserver.Reply(200))
		}
		return allocated(func() { routes.Dispatch(t.Context(), r) })
	}
	one, many := bytesOf(1), bytesOf(20)
	t.Logf("one matcher: %d bytes, 20: %d", one, many)
	if many > 3*one {
		t.Errorf("20 matchers allocate %d bytes, one %d", many, one)
	}
}

// TestVerifyParsesOnce does the same for a request that is looked at later, by one matcher of several.
func TestVerifyParsesOnce(t *testing.T) {
	s := mockserver.New(t, mockserver.WithNetwork(new(okio.Network)), mockserver.WithDispatcher(route.New(route.Route{Responses: []mockserver.Response{mockserver.Reply(200)}})))
	client := okhttp.New(okhttp.WithDialer(s))
	defer client.Close()
	resp, err := client.Post(t.Context(), s.URL("/"), okhttp.Text("["+strings.Repeat("1,", 1<<17)+"1]"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	bytesOf := func(n int) uint64 {
		var parts []mockserver.Matcher
		for range n {
			parts = append(parts, match.JSONPath("$[0]", match.Is("1")))
		}
		return allocated(func() {
			if err := s.Verify(match.All(parts...), mockserver.Once()); err != nil {
				t.Error(err)
			}
		})
	}
	one, many := bytesOf(1), bytesOf(20)
	t.Logf("one matcher: %d bytes, 20: %d", one, many)
	if many > 3*one {
		t.Errorf("20 matchers allocate %d bytes, one %d", many, one)
	}
}
