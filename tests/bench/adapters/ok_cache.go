package adapters

import (
	"context"
	"net/http"
	"path/filepath"

	"github.com/okhttp-go/ok/okhttp"
	okcache "github.com/okhttp-go/ok/okhttp-cache"
	"github.com/okhttp-go/ok/tests/bench"
)

func init() {
	bench.Register("ok-cache", okCacheAdapter{})
	bench.Register("ok-cache-rt", okCacheAdapter{roundTripper: true})
	bench.Register("ok-cache-memory", okCacheAdapter{memory: true})
	bench.Register("ok-cache-files", okCacheAdapter{filesOnly: true})
}

// okCacheAdapter is the cache of this project: in its own client, before net/http's transport, in memory, and without anything in memory.
type okCacheAdapter struct{ roundTripper, memory, filesOnly bool }

func (a okCacheAdapter) Open(c bench.Config) (bench.Session, error) {
	if c.CacheDir == "" {
		return nil, bench.ErrUnsupported
	}
	store := okcache.NewMemoryStore(1 << 30)
	if !a.memory {
		name, disk := "ok", okcache.DiskConfig{}
		switch {
		case a.roundTripper:
			name = "ok-rt"
		case a.filesOnly:
			name, disk.Memory = "ok-files", -1
		}
		var err error
		if store, err = okcache.NewDiskStore(filepath.Join(c.CacheDir, name), 1<<30, disk); err != nil {
			return nil, err
		}
	}
	cache := okcache.New(store, okcache.Config{})
	if a.roundTripper {
		t := tuned(c)
		return &okCacheRT{&NetHTTP{C: &http.Client{Transport: cache.RoundTripper(t)}, T: t}, cache}, nil
	}
	client := okhttp.New(okhttp.WithCache(cache), okhttp.WithProtocols(okhttp.HTTP1Only))
	return &okCacheSession{client, cache}, nil
}

type okCacheSession struct {
	client *okhttp.Client
	cache  *okcache.Cache
}

func (s *okCacheSession) Get(ctx context.Context, url string) (int64, error) {
	resp, err := s.client.Get(ctx, url)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return bench.Drain(resp.Body)
}

func (s *okCacheSession) Hits() int64 { return s.cache.Stats().Hits }

func (s *okCacheSession) Close() error {
	s.client.Close()
	return s.cache.Close()
}

type okCacheRT struct {
	*NetHTTP
	cache *okcache.Cache
}

func (s *okCacheRT) Hits() int64 { return s.cache.Stats().Hits }

func (s *okCacheRT) Close() error {
	s.NetHTTP.Close()
	return s.cache.Close()
}
