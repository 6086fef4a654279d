package examples

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	okcache "github.com/okhttp-go/ok/okhttp-cache"
)

// #region open

// cachingClient keeps responses in a directory, up to 100 MB.
func cachingClient(dir string) (*okhttp.Client, *okcache.Cache, error) {
	cache, err := okcache.Open(dir, 100<<20, okcache.Config{})
	if err != nil {
		return nil, nil, err
	}
	return okhttp.New(okhttp.WithCache(cache)), cache, nil // close the client first, then the cache
}

// #endregion open

// #region source

// cameFrom tells where a response is from.
func cameFrom(resp *okhttp.Response) string {
	switch stored, network := resp.CacheResponse(), resp.NetworkResponse(); {
	case stored == nil:
		return "the server"
	case network == nil:
		return "the cache"
	default:
		return fmt.Sprintf("the cache, as the server said it may (%d)", network.Status)
	}
}

// #endregion source

// #region offline

// offline wants what the cache has, however old. The status is 504 if it has nothing.
func offline(ctx context.Context, client *okhttp.Client, url string) (*okhttp.Response, error) {
	req, err := okhttp.NewRequest("GET", url, okhttp.WithCacheControl(okhttp.ForceCache()))
	if err != nil {
		return nil, err
	}
	return client.Do(ctx, req)
}

// #endregion offline

// #region nethttp

// behindNetHTTP puts the cache before net/http's own transport.
func behindNetHTTP(cache *okcache.Cache) *http.Client {
	return &http.Client{Transport: cache.RoundTripper(http.DefaultTransport)}
}

// #endregion nethttp

// #region beyond

// patientConfig does what OkHttp's cache does not: it would rather have an old answer than none,
// and asks for nothing twice at the same time.
var patientConfig = okcache.Config{
	Variants:             true,
	StaleWhileRevalidate: true,
	StaleIfError:         true,
	StaleIfErrorFor:      24 * time.Hour,
	Collapse:             true,
}

// #endregion beyond

// #region key

// withoutSession files responses without regard to the parameter "session".
func withoutSession(r *okhttp.Request) okhttp.URL {
	if r.Method() != "GET" {
		return okhttp.URL{} // as otherwise
	}
	u, err := r.URL().Edit().RemoveQuery("session").Build()
	if err != nil {
		return okhttp.URL{}
	}
	return u
}

// #endregion key

// #region encrypted

// encryptedCache keeps nothing readable on the disk. The key is 16, 24 or 32 bytes.
func encryptedCache(dir string, key []byte) (*okcache.Cache, error) {
	disk, err := okcache.NewDiskStore(dir, 100<<20, okcache.DiskConfig{})
	if err != nil {
		return nil, err
	}
	store, err := okcache.Encrypted(disk, key)
	if err != nil {
		return nil, err
	}
	return okcache.New(store, okcache.Config{}), nil
}

// #endregion encrypted

// #region evict

// forgetHost removes what is stored of a host.
func forgetHost(cache *okcache.Cache, host string) (int, error) {
	return cache.EvictFunc(func(url string) bool {
		u, err := okhttp.ParseURL(url)
		return err == nil && u.Host() == host
	})
}

// #endregion evict

func TestCachePages(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Cache-Control", "max-age=60")
		fmt.Fprint(w, "answer ", asked)
	}))
	defer server.Close()
	client, cache, err := cachingClient(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	defer client.Close()
	get := func(c *okhttp.Client, url, want, from string) {
		t.Helper()
		resp, err := c.Get(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := resp.Body.Text(); text != want || err != nil || cameFrom(resp) != from {
			t.Errorf("%q, %v, from %s", text, err, cameFrom(resp))
		}
	}
	get(client, server.URL, "answer 1", "the server")
	get(client, server.URL, "answer 1", "the cache")
	resp, err := offline(t.Context(), client, server.URL+"/never")
	if err != nil || resp.Status != 504 {
		t.Errorf("%v, %v", resp, err)
	}
	if h, err := behindNetHTTP(cache).Get(server.URL); err != nil || h.Header.Get("Age") == "" {
		t.Errorf("%v, %v", h, err)
	} else {
		h.Body.Close()
	}
	if n, err := forgetHost(cache, "127.0.0.1"); n != 1 || err != nil {
		t.Error(n, err)
	}
	get(client, server.URL, "answer 2", "the server")

	secret, err := encryptedCache(t.TempDir(), make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	config := patientConfig
	config.Key = withoutSession
	patient := okcache.New(okcache.NewMemoryStore(1<<20), config)
	defer patient.Close()
	for _, c := range []*okcache.Cache{secret, patient} {
		other := client.With(okhttp.WithCache(c))
		resp, err := other.Get(t.Context(), server.URL+"/?session=1")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Bytes()
		session := "1"
		if c == patient {
			session = "2"
		}
		resp, err = other.Get(t.Context(), server.URL+"/?session="+session)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Bytes()
		if cameFrom(resp) != "the cache" {
			t.Errorf("from %s", cameFrom(resp))
		}
	}
}
