package okcache

import (
	"iter"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// URLs returns the URLs for which responses are stored, least recently used first, as they are when the loop reaches them. Listing an entry does
// not count as using it. Entries that cannot be read are left out; an error of the store ends the sequence.
func (c *Cache) URLs() iter.Seq[string] {
	return func(yield func(string) bool) {
		for snapshot, err := range c.store.Snapshots() {
			if err != nil {
				return
			}
			text, err := readMetadata(snapshot)
			if err != nil {
				continue
			}
			if url, ok := urlOf(text); ok && !yield(url) {
				return
			}
		}
	}
}

// urlOf reads the first two lines of an entry, if it is the first place of a URL.
func urlOf(metadata string) (string, bool) {
	p := entryParser{rest: metadata}
	url, method := p.next(), p.next()
	return url, p.err == nil && method == "GET"
}

// Evict removes the responses that are stored for a URL, all variants of it, and reports whether there were any. The error is an
// [*okhttp.URLError], or the store's.
func (c *Cache) Evict(rawURL string) (bool, error) {
	u, err := okhttp.ParseURL(rawURL)
	if err != nil {
		return false, err
	}
	p := placeOf(u)
	removed, err := c.store.Remove(p.key)
	if err != nil {
		return removed, err
	}
	_, err = c.store.Remove(indexKey(p))
	return removed, err
}

// EvictFunc removes the responses for every URL for which f returns true, and returns how many URLs that were. An error of the store ends it
// early.
func (c *Cache) EvictFunc(f func(url string) bool) (n int, err error) {
	var list []string
	for url := range c.URLs() {
		if f(url) {
			list = append(list, url)
		}
	}
	for _, url := range list {
		removed, err := c.Evict(url)
		if removed {
			n++
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// Entry is a stored response as it is stored.
type Entry struct {
	Key     string // of the store
	URL     string
	Variant bool // it is one of several for its URL, beside the first

	Status           int
	Message          string
	Protocol         okhttp.Protocol
	Headers          okhttp.Headers
	Varied           okhttp.Headers // of the request, those that Vary names
	Sent, Received   time.Time
	Handshake        *okhttp.Handshake // nil in cleartext
	HeadLen, BodyLen int64             // in bytes, as they are stored
}

func (e *entry) public(key string, head, body int64) *Entry {
	return &Entry{
		Key: key, URL: e.url, Variant: e.method == variantMethod,
		Status: e.status, Message: e.message, Protocol: e.protocol, Headers: okhttp.UncheckedHeaders(e.headers), Varied: okhttp.UncheckedHeaders(e.varied),
		Sent: time.UnixMilli(e.sent), Received: time.UnixMilli(e.received), Handshake: e.handshake, HeadLen: head, BodyLen: body,
	}
}
