//go:build unix

package interop

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// A requestLog writes down the requests that a server gets, without what differs from time to time.
type requestLog struct {
	running  sync.RWMutex // held by every handler: a client has its response before the handler is through
	mu       sync.Mutex
	stopped  bool
	requests []string
}

// wrap records the requests to a handler.
func (l *requestLog) wrap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		stopped := l.stopped
		l.mu.Unlock()
		if stopped {
			h.ServeHTTP(w, r)
			return
		}
		l.running.RLock()
		defer l.running.RUnlock()
		head := describe(r)
		body := &digest{ReadCloser: r.Body, sum: sha256.New()}
		seen := *r // the server has its own ideas about the body of r
		seen.Body = body
		defer func() { // also of a handler that gives up by panicking
			l.mu.Lock()
			defer l.mu.Unlock()
			l.requests = append(l.requests, head+body.String())
		}()
		h.ServeHTTP(w, &seen)
	})
}

// stop leaves out the requests from now on, of which the server gets as much as time allows.
func (l *requestLog) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
}

// all is the record of what has been answered, sorted: requests may come at the same time.
func (l *requestLog) all() []string {
	l.running.Lock()
	defer l.running.Unlock()
	return slices.Sorted(slices.Values(l.requests))
}

// has reports whether a request had a line, of its head or about it.
func (l *requestLog) has(line string) bool {
	return slices.ContainsFunc(l.all(), func(request string) bool { return strings.Contains(request, "\n"+line+"\n") })
}

// describe returns the head of a request in lines.
func describe(r *http.Request) string {
	var lines []string
	for name, values := range r.Header {
		for _, value := range values {
			if name == "Connection" && strings.EqualFold(value, "keep-alive") {
				continue // which goes without saying, and okhttp says it
			}
			lines = append(lines, name+": "+strings.ReplaceAll(lasting(name, value), r.Host, "here"))
		}
	}
	slices.Sort(lines)
	return fmt.Sprintf("%s %s %s\n%s\nlength %d, coding %q, close %t\n", r.Method, lastingTarget(r.RequestURI), r.Proto,
		strings.Join(lines, "\n"), r.ContentLength, r.TransferEncoding, r.Close)
}

// lasting is the value of a header without what is of the moment, or a secret made of it.
func lasting(name, value string) string {
	switch name {
	case "Authorization":
		scheme, _, _ := strings.Cut(value, " ")
		return scheme
	case "User-Agent":
		if strings.HasPrefix(value, "Go-http-client/") || strings.HasPrefix(value, "okhttp") {
			return "the transport's own"
		}
	case "X-Amz-Date", "Amz-Sdk-Invocation-Id":
		return "of the moment"
	}
	return value
}

// lastingTarget is the target of a request without what a presigned URL has of the moment.
func lastingTarget(target string) string {
	path, query, ok := strings.Cut(target, "?")
	if !ok {
		return target
	}
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		switch name, _, _ := strings.Cut(pair, "="); name {
		case "X-Amz-Date", "X-Amz-Signature", "X-Amz-Credential":
			pairs[i] = name + "=of-the-moment"
		}
	}
	return path + "?" + strings.Join(pairs, "&")
}

// digest sums up a body as it is read.
type digest struct {
	io.ReadCloser
	sum hash.Hash
	n   int64
	end error
}

func (d *digest) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	d.sum.Write(p[:n])
	d.n += int64(n)
	if err != nil {
		d.end = err
	}
	return n, err
}

// String says what was read: a handler that stops before the end got as much as it wanted.
func (d *digest) String() string {
	if d.end == nil {
		return "body not read to its end\n"
	}
	return fmt.Sprintf("body of %d bytes, %x, then %v\n", d.n, d.sum.Sum(nil)[:8], d.end)
}
