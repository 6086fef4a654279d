package adapters

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/okhttp-go/ok/tests/bench"

	"github.com/gregjones/httpcache"
	"github.com/gregjones/httpcache/diskcache"
	"github.com/peterbourgon/diskv"
)

func init() {
	bench.Register("floor-cache", floorCacheA{})
	bench.Register("gregjones", gregA{})
	bench.Register("gregjones-nomem", gregA{nomem: true})
}

// floor-cache: what an OkHttp style layout must do per hit at the least: hash
// the URL, read the metadata file, stream the body file.
type floorCacheA struct{}

func (floorCacheA) Open(c bench.Config) (bench.Session, error) {
	if c.CacheDir == "" {
		return nil, bench.ErrUnsupported
	}
	d := filepath.Join(c.CacheDir, "floor")
	return &floorCacheS{dir: d, h: &NetHTTP{C: &http.Client{Transport: tuned(c)}, T: tuned(c)}}, os.MkdirAll(d, 0o755)
}

type floorCacheS struct {
	dir  string
	h    *NetHTTP
	hits atomic.Int64
}

func (s *floorCacheS) Get(ctx context.Context, u string) (int64, error) {
	k := sha256.Sum256([]byte(u))
	p := filepath.Join(s.dir, hex.EncodeToString(k[:16]))
	meta, err := os.ReadFile(p + ".0")
	if err != nil {
		n, err := s.h.Get(ctx, u)
		if err != nil {
			return n, err
		}
		os.WriteFile(p+".0", make([]byte, 400), 0o644)
		return n, os.WriteFile(p+".1", make([]byte, n), 0o644)
	}
	_ = meta
	f, err := os.Open(p + ".1")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	s.hits.Add(1)
	return bench.Drain(f)
}
func (s *floorCacheS) Hits() int64  { return s.hits.Load() }
func (s *floorCacheS) Close() error { return s.h.Close() }

// gregjones/httpcache + diskcache. diskcache.New puts a 100 MB memory cache in
// front of the disk; -nomem turns that off, which is the true on-disk hit.
type gregA struct{ nomem bool }

func (a gregA) Open(c bench.Config) (bench.Session, error) {
	if c.CacheDir == "" {
		return nil, bench.ErrUnsupported
	}
	var dc *diskcache.Cache
	if a.nomem {
		dc = diskcache.NewWithDiskv(diskv.New(diskv.Options{BasePath: filepath.Join(c.CacheDir, "greg-nomem")}))
	} else {
		dc = diskcache.New(filepath.Join(c.CacheDir, "greg"))
	}
	ht := httpcache.NewTransport(dc)
	t := tuned(c)
	ht.Transport = t
	return &gregS{&http.Client{Transport: ht}, t, atomic.Int64{}}, nil
}

type gregS struct {
	c    *http.Client
	t    *http.Transport
	hits atomic.Int64
}

func (s *gregS) Get(ctx context.Context, u string) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", u, nil)
	if err != nil {
		return 0, err
	}
	resp, err := s.c.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if resp.Header.Get(httpcache.XFromCache) != "" {
		s.hits.Add(1)
	}
	return bench.Drain(resp.Body)
}
func (s *gregS) Hits() int64  { return s.hits.Load() }
func (s *gregS) Close() error { s.t.CloseIdleConnections(); return nil }
