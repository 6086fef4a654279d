package okhar_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okhar"
)

var update = flag.Bool("update", false, "write testdata/golden.har")

// site answers as slowly as the times say.
func site(t *testing.T) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != "user=jesse&password=geheim" {
			t.Errorf("received %q, %v", body, err)
		}
		time.Sleep(20 * time.Millisecond)
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "s3cret", Path: "/", MaxAge: 3600, HttpOnly: true, Secure: true})
		w.Header().Set("Location", "/home?token=s3cret&lang=en")
		w.WriteHeader(http.StatusSeeOther)
	})
	mux.HandleFunc("GET /home", func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(30 * time.Millisecond)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Content-Encoding", "gzip")
		z, _ := gzip.NewWriterLevel(w, gzip.NoCompression) // the same in every version of Go
		_, _ = io.WriteString(z, strings.Repeat("Grüße! ", 10))
		_ = z.Flush()
		w.(http.Flusher).Flush()
		time.Sleep(40 * time.Millisecond)
		_, _ = io.WriteString(z, "Ende")
		_ = z.Close()
	})
	return mux
}

// TestGolden records, on a clock of its own, a redirect over TLS on one connection, a host that does not exist and one that does not answer.
func TestGolden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := new(slow)
		listener, err := network.Listen("10.0.0.1:443")
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewUnstartedServer(site(t))
		_ = server.Listener.Close()
		server.Listener = listener
		server.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			time.Sleep(7 * time.Millisecond)
			return nil, nil
		}}
		server.StartTLS()
		defer server.Close()

		recorder := okhar.New(&okhar.Config{RedactQuery: []string{"Token", "password"}})
		client := okhttp.New(
			okhttp.WithEventListener(recorder.Listen), okhttp.WithNetworkInterceptor(recorder),
			okhttp.WithDialer(network), okhttp.WithDNS(okhttp.DNSFunc(func(_ context.Context, host string) ([]netip.Addr, error) { return network.Lookup(host) })),
			okhttp.WithTLSConfig(server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()),
		)
		defer func() { _ = client.Close() }()
		req, err := okhttp.NewRequest("POST", "https://example.com/login?try=1&token=a%20b",
			okhttp.WithBody(okhttp.Form("user", "jesse", "password", "geheim")), okhttp.Header("Cookie", "theme=dark; id=7"), okhttp.Header("User-Agent", "test"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(context.Background(), req)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := resp.Body.Text(); got != strings.Repeat("Grüße! ", 10)+"Ende" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		for _, url := range []string{"http://nowhere.test/", "http://down.test/a?b"} {
			if _, err := client.Get(context.Background(), url); err == nil {
				t.Error(url, "answers")
			}
		}

		var raw, got bytes.Buffer
		if _, err := recorder.WriteTo(&raw); err != nil {
			t.Fatal(err)
		}
		checkStructure(t, raw.Bytes())
		for _, secret := range []string{"s3cret", "geheim", "dark", "a%20b", "a b"} {
			if strings.Contains(raw.String(), secret) {
				t.Errorf("%q is in the archive", secret)
			}
		}
		if err := json.Indent(&got, raw.Bytes(), "", "  "); err != nil {
			t.Fatal(err)
		}
		const file = "testdata/golden.har"
		// A new version of this module is no change of the archive.
		archived := bytes.ReplaceAll(got.Bytes(), []byte(`"version": "`+okhttp.Version+`"`), []byte(`"version": "X.Y.Z"`))
		if *update {
			if err := os.WriteFile(file, archived, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n")), archived) {
			t.Errorf("the archive changed; look at the difference, then run with -update\n%s", archived)
		}
	})
}
