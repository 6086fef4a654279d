package okhttp

import (
	"context"
	"slices"
	"testing"
)

func TestProxyListExceptions(t *testing.T) {
	proxy := mustProxy(t, "http://proxy.test")
	for _, tt := range []struct {
		except string
		direct []string // URLs that have no proxy
		others []string
	}{
		{"example.com", []string{"http://example.com", "https://example.com:8443", "http://EXAMPLE.com.", "http://a.example.com", "http://a.b.example.com"},
			[]string{"http://notexample.com", "http://example.com.test", "http://example.org", "http://10.0.0.1"}},
		{".example.com", []string{"http://example.com", "http://a.example.com"}, []string{"http://notexample.com"}},
		{"*.example.com", []string{"http://example.com", "http://a.example.com"}, []string{"http://notexample.com"}},
		{"EXAMPLE.com.", []string{"http://example.com", "http://a.example.com."}, []string{"http://notexample.com"}},
		{" example.com\t", []string{"http://example.com"}, nil},
		{"example.com:8080", []string{"http://example.com:8080", "https://a.example.com:8080"}, []string{"http://example.com", "https://example.com", "http://notexample.com:8080"}},
		{"example.com:80", []string{"http://example.com"}, []string{"https://example.com"}},
		{"example.com:443", []string{"https://example.com"}, []string{"http://example.com"}},
		{"bücher.example", []string{"http://xn--bcher-kva.example", "http://BÜCHER.example"}, []string{"http://bucher.example"}},
		{"10.0.0.1", []string{"http://10.0.0.1", "http://10.0.0.1:8080", "http://[::ffff:10.0.0.1]", "http://0xa.1"}, []string{"http://10.0.0.2", "http://a.example"}},
		{"10.0.0.1:81", []string{"http://10.0.0.1:81"}, []string{"http://10.0.0.1"}},
		{"10.1.2.3/8", []string{"http://10.255.0.1", "https://10.0.0.0:1"}, []string{"http://11.0.0.1", "http://[fd00::1]", "http://10.example"}},
		{"10.0.0.0/8:81", []string{"http://10.0.0.1:81"}, []string{"http://10.0.0.1"}},
		{"::ffff:10.0.0.0/104", []string{"http://10.1.0.1"}, []string{"http://11.0.0.1"}},
		{"0.0.0.0/0", []string{"http://10.0.0.1", "http://127.0.0.1"}, []string{"http://[::1]", "http://a.test"}},
		{"::1", []string{"http://[::1]", "http://[0:0:0:0:0:0:0:1]:8080"}, []string{"http://[::2]", "http://127.0.0.1"}},
		{"[::1]", []string{"http://[::1]:8080"}, []string{"http://[::2]"}},
		{"[::1]:81", []string{"http://[::1]:81"}, []string{"http://[::1]"}},
		{"fd00::/8", []string{"http://[fd12::1]"}, []string{"http://[fe80::1]", "http://10.0.0.1"}},
		{"[fd00::/8]:81", []string{"http://[fd12::1]:81"}, []string{"http://[fd12::1]"}},
		{"*", []string{"http://example.com", "https://10.0.0.1:81", "http://[::1]"}, nil},
		{"localhost", []string{"http://localhost:8080", "http://a.localhost"}, []string{"http://127.0.0.1"}},
		// What is none of these matches nothing.
		{"", nil, []string{"http://example.com", "http://10.0.0.1"}},
		{".", nil, []string{"http://example.com", "http://a."}},
		{":80", nil, []string{"http://example.com"}},
		{"example.com:", nil, []string{"http://example.com"}},
		{"example.com:0", nil, []string{"http://example.com"}},
		{"example.com:x", nil, []string{"http://example.com"}},
		{"example.com:65536", nil, []string{"http://example.com"}},
		{"10.0.0.0/33", nil, []string{"http://10.0.0.1"}},
		{"http://example.com", nil, []string{"http://example.com"}},
		{"exa mple.com", nil, []string{"http://example.com"}},
		{"[", nil, []string{"http://example.com", "http://[::1]"}},
		{"[::1", nil, []string{"http://[::1]"}},
		{"::1]", nil, []string{"http://[::1]"}},
	} {
		for i, urls := range [][]string{tt.direct, tt.others} {
			for _, url := range urls {
				u, err := ParseURL(url)
				if err != nil {
					t.Fatal(err)
				}
				got, err := ProxyList([]Proxy{proxy}, "unrelated.test", tt.except).Select(u)
				if err != nil {
					t.Fatal(err)
				}
				if direct := len(got) == 0; direct != (i == 0) {
					t.Errorf("exception %q, %s: proxies %v", tt.except, url, got)
				}
			}
		}
	}
}

// A list is what it was when it was made.
func TestProxyListIsCopied(t *testing.T) {
	list := []Proxy{mustProxy(t, "http://a.test"), mustProxy(t, "http://b.test"), Direct}
	except := []string{"x.test"}
	s := ProxyList(list, except...)
	want := slices.Clone(list)
	list[0], except[0] = Direct, "*"
	u, _ := ParseURL("http://example.com")
	got, err := s.Select(u)
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("%v, %v", got, err)
	}
	got[1] = Direct
	if again, _ := s.Select(u); !slices.Equal(again, want) {
		t.Errorf("who got the list can change it: %v", again)
	}
}

// A selector made of a function, and what it does not say.
func TestProxySelectorFunc(t *testing.T) {
	u, _ := ParseURL("http://example.com")
	s := ProxySelectorFunc(func(got URL) ([]Proxy, error) {
		if got != u {
			t.Errorf("asked for %s", got)
		}
		return nil, context.Canceled
	})
	if _, err := s.Select(u); err != context.Canceled {
		t.Error(err)
	}
	s.ConnectFailed(u, Direct, nil)
}
