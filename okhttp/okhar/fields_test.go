package okhar_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okhar"
)

// A request over HTTP/2 has the fields that HTTP/2 sends, in that order and spelling, and none of its secrets.
func TestFieldsOfHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Proto", r.Proto)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "https://")
	for name, tt := range map[string]struct {
		target string
		opts   []okhttp.RequestOption
		want   []harPair
	}{
		"as the client sends it": {
			target: "/",
			want: []harPair{
				{":method", "GET"}, {":path", "/"}, {":authority", host}, {":scheme", "https"}, {"accept-encoding", "gzip"}, {"user-agent", "test"},
			},
		},
		"names in capitals, and what HTTP/2 does not have": {
			target: "/",
			opts: []okhttp.RequestOption{
				okhttp.Header("X-Name", "Value"), okhttp.Header("Host", "other.test"), okhttp.Header("Keep-Alive", "5"), okhttp.Header("TE", "gzip"),
				okhttp.Header("Accept-Encoding", "br"),
			},
			want: []harPair{
				{":method", "GET"}, {":path", "/"}, {":authority", "other.test"}, {":scheme", "https"}, {"x-name", "Value"}, {"accept-encoding", "br"},
				{"user-agent", "test"},
			},
		},
		"secrets": {
			target: "//a@b/c?try=1&token=s3cret",
			opts:   []okhttp.RequestOption{okhttp.Header("Authorization", "s3cret"), okhttp.Header("Accept-Encoding", "br")},
			want: []harPair{
				{":method", "GET"}, {":path", "//a@b/c?try=1&token=%E2%96%88%E2%96%88"}, {":authority", host}, {":scheme", "https"},
				{"authorization", "██"}, {"accept-encoding", "br"}, {"user-agent", "test"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := okhar.New(&okhar.Config{RedactQuery: []string{"token"}})
			client := okhttp.New(okhttp.WithEventListener(r.Listen), okhttp.WithNetworkInterceptor(r),
				okhttp.WithTLSConfig(server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()))
			defer client.Close()
			req, err := okhttp.NewRequest("GET", server.URL+tt.target, append(tt.opts, okhttp.Header("User-Agent", "test"))...)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := client.Do(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			e := only(t, archive(t, r).Log.Entries)
			sorted := func(list []harPair) []harPair { // the fields after the pseudo-header fields: their order is the client's choice
				slices.SortFunc(list[4:], func(a, b harPair) int { return strings.Compare(a.Name, b.Name) })
				return list
			}
			if got := e.Request.Headers; len(got) < 4 || !slices.Equal(sorted(got), sorted(tt.want)) {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if got := find(e.Response.Headers, "x-proto"); got != "HTTP/2.0" {
				t.Errorf("over %q: %q", got, e.Response.Headers)
			}
		})
	}
}
