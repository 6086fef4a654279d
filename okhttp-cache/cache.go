package okcache

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// Config is what a cache may be told. The zero value is a cache that does as OkHttp's, apart from where RFC 9111 demands something else; what goes beyond
// that is switched on here.
type Config struct {
	// RFC9111 uses what RFC 9111 allows and OkHttp does not use: a response of any final status is stored if it says how long it is fresh, and so is
	// one to a POST whose Content-Location is the URL itself; a failed POST, PUT or DELETE invalidates nothing; two requests are alike if the headers
	// that Vary names differ only in white space and the like; the answer to a HEAD updates what is stored for the URL, or removes it; and a request
	// with max-age=0 gets a fresh response that is immutable (RFC 8246).
	RFC9111 bool

	// Variants stores several responses for a URL, one for each set of values of the headers that Vary names. Otherwise the latest replaces the others. OkHttp
	// sees only one of them.
	Variants bool

	// Ranges answers a request for a range of a complete response with that range (RFC 9110 section 14): with 206, or 416 if there is none. Otherwise the
	// answer is the whole response, as RFC 9110 allows.
	Ranges bool

	// StaleWhileRevalidate obeys the directive of that name (RFC 5861 section 3): a stale response is used, and validated in the background.
	StaleWhileRevalidate bool

	// StaleIfError obeys the directive of that name (RFC 5861 section 4), of responses and of requests: a stale response is used if the server cannot be
	// reached or answers with 500, 502, 503 or 504.
	StaleIfError bool
	// StaleIfErrorFor is for how long after its lifetime a response may be used like that if neither it nor the request says. 0 means not at all. It needs
	// StaleIfError, and does not apply to a response with must-revalidate or no-cache.
	StaleIfErrorFor time.Duration

	// Collapse lets requests for the same URL share a response that is still arriving: each reads it from the beginning, at its own pace. The exchange
	// with the server is then a call of its own, which ends when nobody reads any more. What slow readers have not read yet is kept in memory, and beyond
	// a megabyte in a temporary file, encrypted with a key that nobody else has.
	Collapse bool

	// Key returns the URL that the response to a request is filed under, so that requests can share one: it may leave out parameters that do not
	// matter. For the zero URL that is the request's own. It is asked for GET, with RFC9111 for HEAD, and for POST and QUERY, which are stored only if it names a URL, or
	// [okhttp.CacheURL] does, which comes first. It must be safe for concurrent use.
	Key func(*okhttp.Request) okhttp.URL

	// MaxHeuristic bounds the lifetime of responses that do not name one, which is a tenth of their age when they were sent (RFC 9111 section 4.2.2). 0 means no bound.
	MaxHeuristic time.Duration

	// PassConditions sends requests with If-Match, If-Unmodified-Since or If-Range to the server, as those with other conditions are. Otherwise a
	// response that is fresh answers them (RFC 9111 section 4.3.2 lets a cache do so).
	PassConditions bool

	// NoAge leaves out the Age header that RFC 9111 section 5.1 wants in responses from the cache, NoWarnings the Warning headers (110 and 113) that RFC 9111
	// has dropped and OkHttp still adds, NoCookies the Set-Cookie headers of responses that are used without asking the server.
	NoAge, NoWarnings, NoCookies bool

	// Now returns the present; nil means [time.Now]. It must be safe for concurrent use.
	Now func() time.Time

	// Logger is told what went wrong in the cache, since calls never fail for that: nil means [slog.Default]. URLs are redacted.
	Logger *slog.Logger
}

// A Cache stores responses and answers requests with them (RFC 9111), as the private cache of one user. It is the [okhttp.Cache] for
// [okhttp.WithCache]; [Cache.RoundTripper] puts it in front of any other [http.RoundTripper]. It is safe for concurrent use.
type Cache struct {
	store  Store
	config Config
	stats  counters
	heads  heads

	ctx        context.Context // of what runs in the background
	stop       context.CancelFunc
	background sync.WaitGroup

	closed atomic.Bool
	logged atomic.Int64 // when, in milliseconds

	mu           sync.Mutex
	revalidating map[string]bool      // by key
	downloads    map[string]*download // by key
}

// Open returns a cache in a directory, of at most maxSize bytes: [New] over [NewDiskStore]. It may delete anything in the directory. It does no
// I/O until it is used, and fails only for a maxSize below 1.
func Open(dir string, maxSize int64, c Config) (*Cache, error) {
	store, err := NewDiskStore(dir, maxSize, DiskConfig{Logger: c.Logger})
	if err != nil {
		return nil, err
	}
	return New(store, c), nil
}

// New returns a cache over a store. The cache owns the store from then on, and [Cache.Close] closes it.
func New(store Store, c Config) *Cache {
	if c.Now == nil {
		c.Now = time.Now
	}
	cache := &Cache{store: store, config: c, revalidating: map[string]bool{}, downloads: map[string]*download{}}
	cache.ctx, cache.stop = context.WithCancel(context.Background())
	return cache
}

func (c *Cache) now() int64 { return c.config.Now().UnixMilli() }

// logPause is how long nothing is logged after something was: a directory that is gone makes every call fail.
const logPause = 10_000

// log tells what went wrong with the entry of a URL.
func (c *Cache) log(what string, url okhttp.URL, err error) {
	now, last := c.now(), c.logged.Load()
	if c.closed.Load() || last != 0 && now >= last && now < last+logPause || !c.logged.CompareAndSwap(last, now) {
		return
	}
	logger := c.config.Logger
	if logger == nil {
		logger = slog.Default()
	}
	logger.Warn("okcache: "+what, "url", url.Redacted(), "error", err)
}

// Store returns the store beneath.
func (c *Cache) Store() Store { return c.store }

// Size returns how many bytes are stored, heads and bodies together. The first use opens the directory; the error is the store's.
func (c *Cache) Size() (int64, error) { return c.store.Size() }

// MaxSize returns how many bytes may be stored, heads and bodies together.
func (c *Cache) MaxSize() int64 { return c.store.MaxSize() }

// Flush evicts what exceeds the size, and hands what was written to the file system. It does not force it to the disk. The error is the store's.
func (c *Cache) Flush() error { return c.store.Flush() }

// EvictAll removes all responses. Those being received are not stored. The error is the store's.
func (c *Cache) EvictAll() error { return c.store.EvictAll() }

// Close ends what runs in the background, waits for it, and closes the store. Later calls bypass the cache. It returns the error of the store.
func (c *Cache) Close() error {
	c.mu.Lock()
	c.closed.Store(true) // under the lock, so that nothing starts any more
	c.mu.Unlock()
	c.stop()
	c.background.Wait()
	return c.store.Close()
}

// start begins something in the background, unless the cache is closed.
func (c *Cache) start(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed.Load() {
		return false
	}
	c.background.Go(f)
	return true
}
