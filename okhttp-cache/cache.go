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
	// RFC9111 uses the freedom that RFC 9111 gives and OkHttp does not use: a response of any final status is stored if it says how long it is fresh, also
	// one to a POST whose Content-Location is the URL itself; a failed POST, PUT or DELETE invalidates nothing; and two requests are alike if the headers
	// that Vary names differ in white space and the like only. The answer to a HEAD updates what is stored for the URL, or removes it. A request with max-age=0 gets a fresh response that is immutable (RFC 8246).
	RFC9111 bool

	// Variants stores several responses for a URL, one for each set of headers that Vary names. Otherwise the latest takes the place of the others. OkHttp
	// reads one of them in a directory that has several.
	Variants bool

	// Ranges answers a request for a range of a complete response with that range (RFC 9110 section 14): with 206, or 416 if there is none. Otherwise the
	// answer is the whole response, as RFC 9110 allows.
	Ranges bool

	// StaleWhileRevalidate obeys the directive of that name (RFC 5861 section 3): a stale response is used, and validated in the background.
	StaleWhileRevalidate bool

	// StaleIfError obeys the directive of that name (RFC 5861 section 4), of responses and of requests: a stale response is used if the server cannot be
	// reached or answers with 500, 502, 503 or 504.
	StaleIfError bool
	// StaleIfErrorFor is how long after its lifetime a response is used like that if neither it nor the request says so. 0 means not at all. It counts only with
	// StaleIfError, and not for a response with must-revalidate or no-cache.
	StaleIfErrorFor time.Duration

	// Collapse lets requests for the same URL that come while its response is under way share it: it is sent to all of them as it arrives. The exchange
	// with the server is a call of its own then, which ends when nobody reads any more. What one reader is ahead of another is kept in memory, and beyond
	// a megabyte in a temporary file, encrypted with a key that nobody else has.
	Collapse bool

	// Key returns the URL that the response to a request is filed under, so that requests can share one: it may leave out parameters that do not
	// matter. For the zero URL that is the request's own. It is asked for GET, with RFC9111 for HEAD, and for POST and QUERY, which are stored only if it names a URL, or
	// [okhttp.CacheURL] does, which comes first. It must be safe for concurrent use.
	Key func(*okhttp.Request) okhttp.URL

	// MaxHeuristic bounds the lifetime of responses that do not tell theirs, a tenth of their age when they were sent. 0 means no bound.
	MaxHeuristic time.Duration

	// PassConditions sends requests with If-Match, If-Unmodified-Since or If-Range to the server, as those with other conditions are. Otherwise a
	// response that is fresh answers them (RFC 9111 section 4.3.2 lets a cache do so).
	PassConditions bool

	// NoAge leaves out the Age header that RFC 9111 section 5.1 wants in responses from the cache, NoWarnings the Warning headers that it does not have any more
	// and OkHttp still adds (110 and 113), NoCookies the Set-Cookie headers of responses that are used without asking the server.
	NoAge, NoWarnings, NoCookies bool

	// Now returns the present; nil means [time.Now]. It must be safe for concurrent use.
	Now func() time.Time

	// Logger is told what went wrong in the cache, since calls never fail for that: nil means [slog.Default]. URLs are redacted.
	Logger *slog.Logger
}

// A Cache stores responses and answers requests with them (RFC 9111), as the cache of one user. It is the [okhttp.Cache] for [okhttp.WithCache];
// [Cache.RoundTripper] puts it before any other [http.RoundTripper]. It is safe for concurrent use.
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

// Open returns a cache in a directory, which it may delete anything in, of at most that many bytes. OkHttp can read what it writes, and the reverse. It does
// no I/O before it is used. It fails for a maximal size below 1.
func Open(dir string, maxSize int64, c Config) (*Cache, error) {
	store, err := NewDiskStore(dir, maxSize, DiskConfig{Logger: c.Logger})
	if err != nil {
		return nil, err
	}
	return New(store, c), nil
}

// New returns a cache over a store, which it owns.
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

// Size returns how many bytes are stored.
func (c *Cache) Size() (int64, error) { return c.store.Size() }

// MaxSize returns how many bytes may be stored.
func (c *Cache) MaxSize() int64 { return c.store.MaxSize() }

// Flush evicts what is too much, and hands over to the file system what was written.
func (c *Cache) Flush() error { return c.store.Flush() }

// EvictAll removes all responses. Those that are under way are not stored.
func (c *Cache) EvictAll() error { return c.store.EvictAll() }

// Close ends what runs in the background, waits for it, and closes the store. Calls go on without the cache.
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
