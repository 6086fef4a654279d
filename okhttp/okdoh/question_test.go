package okdoh

import (
	"context"
	"io"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/okhttp-go/ok/okhttp"
)

// seen keeps the request that would go to the network, and answers in its place.
type seen struct{ request *okhttp.Request }

func (s *seen) Intercept(_ context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
	s.request = chain.Request()
	return okhttp.NewResponse(s.request, 500), nil
}

func TestRequests(t *testing.T) {
	for _, tt := range []struct {
		name        string
		url, host   string
		kind        dnsmessage.Type
		post        bool
		want, filed string
	}{
		{"A", serverURL, "google.com", dnsmessage.TypeA, false, serverURL + "?dns=AAABAAABAAAAAAAABmdvb2dsZQNjb20AAAEAAQ", ""},
		{"AAAA", serverURL, "google.com", dnsmessage.TypeAAAA, false, serverURL + "?dns=AAABAAABAAAAAAAABmdvb2dsZQNjb20AABwAAQ", ""},
		{"HTTPS", serverURL, "google.com", dnsmessage.TypeHTTPS, false, serverURL + "?dns=AAABAAABAAAAAAAABmdvb2dsZQNjb20AAEEAAQ", ""},
		{"RFC 8484 section 4.1.1", "https://dnsserver.example.net/dns-query", "www.example.com", dnsmessage.TypeA, false,
			"https://dnsserver.example.net/dns-query?dns=AAABAAABAAAAAAAAA3d3dwdleGFtcGxlA2NvbQAAAQAB", ""},
		{"with a query", serverURL + "?key=1", "google.com", dnsmessage.TypeA, false, serverURL + "?key=1&dns=AAABAAABAAAAAAAABmdvb2dsZQNjb20AAAEAAQ", ""},
		{"POST", serverURL, "google.com", dnsmessage.TypeAAAA, true, serverURL, serverURL + "?hostname=google.com&type=28"},
		{"POST with a query", serverURL + "?key=1", "google.com", dnsmessage.TypeHTTPS, true, serverURL + "?key=1", serverURL + "?key=1&hostname=google.com&type=65"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &seen{}
			client := okhttp.New(okhttp.WithCache(s))
			defer client.Close()
			r, err := New(Config{Client: client, URL: tt.url, POST: tt.post})
			if err != nil {
				t.Fatal(err)
			}
			r.types = []dnsmessage.Type{tt.kind}
			report(t.Context(), r, tt.host)
			if got := s.request.URL().String(); got != tt.want {
				t.Errorf("URL %s\nwant %s", got, tt.want)
			}
			filed, _ := s.request.CacheURL()
			if filed.String() != tt.filed {
				t.Errorf("filed under %q, want %q", filed.String(), tt.filed)
			}
			if tt.post {
				body, err := s.request.Body().Open(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				defer body.Close()
				raw, err := io.ReadAll(body)
				want, _, _ := question(tt.host, tt.kind)
				if err != nil || string(raw) != string(want) || s.request.Method() != "POST" {
					t.Errorf("%s %x, %v, want %x", s.request.Method(), raw, err, want)
				}
			}
		})
	}
}
