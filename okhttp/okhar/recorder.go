package okhar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// Config configures a [Recorder]. Its zero value is ready for use.
type Config struct {
	// MaxEntries is how many entries are kept. 0 and less: 1000.
	MaxEntries int
	// MaxBytes is how much the kept entries take, in bytes. An entry larger than that is not kept. 0 and less: 32 MiB.
	MaxBytes int64
	// MaxBody is how much of a body is kept, in bytes, before and after decoding. 0: 64 KiB. Less than 0: nothing.
	MaxBody int64
	// RedactHeaders names headers whose values are not recorded, besides Authorization, Proxy-Authorization, Cookie, Set-Cookie, Api-Key, X-Api-Key,
	// X-Auth-Token, X-Csrf-Token and X-Xsrf-Token. Case does not count.
	RedactHeaders []string
	// RedactQuery names query parameters whose values are not recorded, besides those that are usual for secrets, such as token, access_token, api_key,
	// client_secret, password and signature, and code outside JSON. They count in the URLs of requests, in Location, Content-Location and Referer, and in
	// bodies that are forms or JSON, there for members of any depth. Case, "_" and "-" do not count, and of user[password] the last step does. The text of
	// other bodies, the paths of URLs, and headers with other names are recorded as they are.
	RedactQuery []string
	// KeepSecrets records everything as it is.
	KeepSecrets bool
}

const (
	defaultMaxEntries = 1000
	defaultMaxBytes   = 32 << 20
	defaultMaxBody    = 64 << 10
)

// Recorder records the calls of clients that have its Listen as an event listener and itself as a network interceptor. It is safe for concurrent
// use.
type Recorder struct {
	maxEntries int
	maxBytes   int64
	maxBody    int64
	redact     redactor

	mu      sync.Mutex
	kept    []record // in the order of their ends
	bytes   int64
	dropped int
}

// record is an entry as it will be written.
type record struct {
	began time.Time
	json  []byte
}

// New makes a recorder without entries. c may be nil.
func New(c *Config) *Recorder {
	if c == nil {
		c = new(Config)
	}
	r := &Recorder{maxEntries: c.MaxEntries, maxBytes: c.MaxBytes, maxBody: c.MaxBody, redact: newRedactor(c)}
	if r.maxEntries <= 0 {
		r.maxEntries = defaultMaxEntries
	}
	if r.maxBytes <= 0 {
		r.maxBytes = defaultMaxBytes
	}
	switch {
	case r.maxBody == 0:
		r.maxBody = defaultMaxBody
	case r.maxBody < 0:
		r.maxBody = 0
	}
	return r
}

// Reset forgets all entries. Calls that are running are recorded when they end.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept, r.bytes, r.dropped = nil, 0, 0
}

// add keeps an entry, and drops the oldest if there are too many then.
func (r *Recorder) add(e *entry, began time.Time) {
	p, err := encode(e)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil || int64(len(p)) > r.maxBytes {
		r.dropped++
		return
	}
	r.kept = append(r.kept, record{began, p})
	r.bytes += int64(len(p))
	gone := 0
	for len(r.kept)-gone > r.maxEntries || r.bytes > r.maxBytes {
		r.bytes -= int64(len(r.kept[gone].json))
		gone++
	}
	r.dropped += gone
	r.kept = slices.Delete(r.kept, 0, gone)
}

// encode is json.Marshal for a format that no HTML contains.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// WriteTo writes the archive of the entries so far, in the order of their beginnings. It implements [io.WriterTo]. The recorder goes on meanwhile
// and keeps the entries: see [Recorder.Reset].
func (r *Recorder) WriteTo(w io.Writer) (int64, error) {
	r.mu.Lock()
	list, dropped := slices.Clone(r.kept), r.dropped
	r.mu.Unlock()
	slices.SortStableFunc(list, func(a, b record) int { return a.began.Compare(b.began) })

	head, err := encode(creator{Name: "okhttp-go", Version: okhttp.Version})
	if err != nil {
		return 0, err
	}
	out := counter{Writer: w}
	out.print(`{"log":{"version":"1.2","creator":`, string(head))
	if dropped > 0 {
		out.print(`,"comment":"`, fmt.Sprint(dropped), ` earlier or larger entries were dropped"`)
	}
	out.print(`,"entries":[`)
	for i, e := range list {
		if i > 0 {
			out.print(",")
		}
		out.print("\n")
		out.write(e.json)
	}
	out.print("]}}\n")
	return out.n, out.err
}

// counter counts what is written, up to a failure.
type counter struct {
	io.Writer
	n   int64
	err error
}

func (c *counter) print(parts ...string) {
	for _, p := range parts {
		c.write([]byte(p))
	}
}

func (c *counter) write(p []byte) {
	if c.err != nil {
		return
	}
	n, err := c.Writer.Write(p)
	c.n, c.err = c.n+int64(n), err
}
