package okhar_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okhar"
	"github.com/okhttp-go/ok/okio"
)

// har is an archive as a reader sees it.
type har struct {
	Log struct {
		Version string
		Comment string
		Entries []harEntry
	}
}

type harEntry struct {
	StartedDateTime string
	Time            float64
	Request         struct {
		Method, URL           string
		HeadersSize, BodySize int
		Headers, QueryString  []harPair
		Cookies               []harPair
		PostData              *struct {
			MimeType, Text, Comment string
			Encoding                string `json:"_encoding"`
			Params                  []harPair
		}
	}
	Response struct {
		Status                int
		RedirectURL           string
		HeadersSize, BodySize int
		Headers               []harPair
		Cookies               []struct{ Name, Value, Path, Domain, Expires string }
		Content               struct {
			Size, Compression                 int
			MimeType, Text, Encoding, Comment string
		}
	}
	Timings         struct{ Blocked, DNS, Connect, Send, Wait, Receive, SSL float64 }
	ServerIPAddress string
	Comment         string
	Error           string `json:"_error"`
}

type harPair struct{ Name, Value string }

func find(list []harPair, name string) string {
	for _, p := range list {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

// archive writes a recorder's archive and reads it.
func archive(t *testing.T, r *okhar.Recorder) (h har) {
	t.Helper()
	var b bytes.Buffer
	n, err := r.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("%d bytes said, %d written, %v", n, b.Len(), err)
	}
	if err := json.Unmarshal(b.Bytes(), &h); err != nil {
		t.Fatalf("%v in %s", err, b.Bytes())
	}
	checkStructure(t, b.Bytes())
	return h
}

// recorded sends one request to a handler and returns its entries.
func recorded(t *testing.T, c *okhar.Config, handle http.HandlerFunc, use func(*okhttp.Client, string)) []harEntry {
	t.Helper()
	server := httptest.NewServer(handle)
	defer server.Close()
	r := okhar.New(c)
	client := okhttp.New(okhttp.WithEventListener(r.Listen), okhttp.WithNetworkInterceptor(r))
	defer func() { _ = client.Close() }()
	use(client, server.URL)
	return archive(t, r).Log.Entries
}

// get reads a response to its end.
func get(t *testing.T) func(*okhttp.Client, string) {
	return func(c *okhttp.Client, url string) {
		t.Helper()
		resp, err := c.Get(context.Background(), url)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := resp.Body.Bytes(); err != nil {
			t.Fatal(err)
		}
	}
}

// post sends a body.
func post(t *testing.T, body *okhttp.Body, opts ...okhttp.RequestOption) func(*okhttp.Client, string) {
	return func(c *okhttp.Client, url string) {
		t.Helper()
		req, err := okhttp.NewRequest("POST", url, append(opts, okhttp.WithBody(body))...)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Do(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
}

// only returns the one entry that there should be.
func only(t *testing.T, list []harEntry) harEntry {
	t.Helper()
	if len(list) != 1 {
		t.Fatalf("%d entries, want 1: %+v", len(list), list)
	}
	return list[0]
}

// slow is a network in memory, for a bubble, on which looking up takes 5 ms and connecting 10 ms.
type slow struct{ okio.Network }

func (s *slow) Lookup(host string) ([]netip.Addr, error) {
	time.Sleep(5 * time.Millisecond)
	switch host {
	case "example.com":
		return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
	case "down.test":
		return []netip.Addr{netip.MustParseAddr("10.0.0.66")}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func (s *slow) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	time.Sleep(10 * time.Millisecond)
	return s.Network.DialContext(ctx, network, addr)
}
