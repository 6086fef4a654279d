package okcache

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oktls"
	"github.com/okhttp-go/ok/okio"
)

func logTo(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// secureSite is a server over TLS that asks for a certificate, and a client with a cache on a fake disk.
func secureSite(t *testing.T, opts ...okhttp.Option) (client *okhttp.Client, cache *Cache, fsys *okio.FakeFileSystem, url string) {
	keys := oktls.Localhost()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=3600")
		io.WriteString(w, "secret")
	}))
	server.TLS = keys.ServerConfig()
	server.TLS.ClientAuth = tls.RequestClientCert
	server.StartTLS()
	t.Cleanup(server.Close)
	fsys = new(okio.FakeFileSystem)
	onUnix(fsys)
	store, err := NewDiskStore("/cache", 1<<20, DiskConfig{FileSystem: fsys})
	if err != nil {
		t.Fatal(err)
	}
	cache = New(store, Config{Logger: slog.New(slog.DiscardHandler)})
	client = okhttp.New(append(opts, okhttp.WithCache(cache), okhttp.WithTLSConfig(keys.ClientConfig()))...)
	t.Cleanup(func() {
		client.Close()
		cache.Close()
	})
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "https://"), ":")
	return client, cache, fsys, "https://localhost:" + port + "/"
}

func fetchSecret(t *testing.T, client *okhttp.Client, url string) *okhttp.Response {
	t.Helper()
	resp, err := client.Get(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := resp.Body.Text(); text != "secret" || err != nil {
		t.Fatalf("%q, %v", text, err)
	}
	return resp
}

// Fact 58: a hit tells of the handshake that the response came over, in the same session and in another.
func TestHandshakeOfHit(t *testing.T) {
	client, cache, _, url := secureSite(t)
	want := fetchSecret(t, client, url).Handshake()
	resp := fetchSecret(t, client, url)
	got := resp.Handshake()
	if resp.NetworkResponse() != nil || got == nil {
		t.Fatalf("no hit: %v, %v", resp.NetworkResponse(), got)
	}
	if len(want.PeerCertificates) == 0 || len(want.LocalCertificates) == 0 {
		t.Fatalf("the server has %d certificates and the client %d", len(want.PeerCertificates), len(want.LocalCertificates))
	}
	same := func(a, b *certificate) bool { return a.Equal(b) }
	if got.Version != want.Version || got.CipherSuite != want.CipherSuite || !slices.EqualFunc(got.PeerCertificates, want.PeerCertificates, same) ||
		!slices.EqualFunc(got.LocalCertificates, want.LocalCertificates, same) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if s := cache.Stats(); s.Requests != 2 || s.Network != 1 || s.Hits != 1 {
		t.Errorf("%+v", s)
	}
}

// Fact 59: a head whose certificate is damaged is a miss.
func TestDamagedCertificate(t *testing.T) {
	client, cache, fsys, url := secureSite(t)
	fetchSecret(t, client, url)
	if err := cache.Flush(); err != nil {
		t.Fatal(err)
	}
	rewrite(t, fsys, okio.ParsePath("/cache").Join(keyOf(url)+".0"), func(text string) string { return strings.Replace(text, "\nMII", "\n!!!", 1) })
	if resp := fetchSecret(t, client, url); resp.NetworkResponse() == nil {
		t.Error("a hit")
	}
	if s := cache.Stats(); s.Requests != 2 || s.Network != 2 || s.Hits != 0 {
		t.Errorf("%+v", s)
	}
	if resp := fetchSecret(t, client, url); resp.NetworkResponse() != nil {
		t.Error("it was not stored again")
	}
}

// rewrite changes a file.
func rewrite(t *testing.T, fsys okio.FileSystem, p okio.Path, change func(string) string) {
	t.Helper()
	src, err := fsys.Source(p)
	if err != nil {
		t.Fatal(err)
	}
	was, err := io.ReadAll(okio.NewBufferedSource(src))
	src.Close()
	if err != nil {
		t.Fatal(err)
	}
	text := change(string(was))
	if text == string(was) {
		t.Fatal("nothing to change")
	}
	k, err := fsys.Sink(p, okio.MustExist)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.WriteBuffer(okio.NewBufferString(text), int64(len(text))); err != nil {
		t.Fatal(err)
	}
	k.Close()
}

// Fact 63: a response over TLS whose handshake an interceptor has taken away is for its caller, and no hit later.
func TestHandshakeTakenAway(t *testing.T) {
	client, cache, _, url := secureSite(t, okhttp.WithNetworkInterceptor(okhttp.InterceptorFunc(
		func(ctx context.Context, chain okhttp.Chain) (*okhttp.Response, error) {
			resp, err := chain.Proceed(ctx, chain.Request())
			if err != nil {
				return nil, err
			}
			return resp.With(okhttp.WithHandshake(nil)), nil
		})))
	for range 2 {
		if resp := fetchSecret(t, client, url); resp.Handshake() != nil || resp.CacheResponse() != nil {
			t.Errorf("handshake %v, cache response %v", resp.Handshake(), resp.CacheResponse())
		}
	}
	if s := cache.Stats(); s.Network != 2 || s.Hits != 0 {
		t.Errorf("%+v", s)
	}
}
