package oksse

import (
	"crypto/rand"
	"errors"
	"net/http"
	"strconv"
	"sync"
)

// TopicConfig configures a [Topic]. nil and the zero value mean the defaults.
type TopicConfig struct {
	// Keep is how many events are kept for clients that come back. 0: 1024.
	Keep int
	// KeepBytes bounds what is kept, in bytes of the stream; the latest event is kept in any case. 0: 16 MiB.
	KeepBytes int
	// Writer configures the streams.
	Writer WriterConfig
}

// ErrTopicClosed is the failure of publishing to a [Topic] after its end.
var ErrTopicClosed = errors.New("oksse: the topic is closed")

// Topic is an [http.Handler] that sends the same events to all its clients. A client that comes for the first time gets the events published from
// then on; one that comes back, with the ID of the last event it has seen, first gets what it missed. If that ID is unknown, or no longer kept, it
// gets everything that is kept.
//
// Events are kept once for all clients. A client so slow that the next event it needs is no longer kept is cut off, and goes on as one that comes
// back. A Topic is safe for concurrent use. Its one mutex guards memory only; nobody waits for a client.
type Topic struct {
	cfg    TopicConfig
	prefix string // of the IDs, so that none is that of an earlier life of the program

	mu     sync.Mutex
	kept   []published
	first  uint64 // the number of kept[0]; they are numbered from 1
	size   int    // of what is kept
	told   chan struct{}
	closed bool
}

// published is one event on the wire.
type published struct {
	id   string
	wire []byte
}

// NewTopic makes a topic without events. A nil config means the defaults; the config is copied.
func NewTopic(c *TopicConfig) *Topic {
	t := &Topic{first: 1, told: make(chan struct{}), prefix: rand.Text()[:8] + "-"}
	if c != nil {
		t.cfg = *c
	}
	if t.cfg.Keep <= 0 {
		t.cfg.Keep = 1024
	}
	if t.cfg.KeepBytes <= 0 {
		t.cfg.KeepBytes = 16 << 20
	}
	return t
}

// Publish sends an event to all clients, now or as soon as they can take it, and returns its ID; an event without an ID gets one. It does not
// block. The error is a [*FieldError], or [ErrTopicClosed].
func (t *Topic) Publish(e Event) (id string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return "", ErrTopicClosed
	}
	if e.ID == "" {
		e.ID = t.prefix + strconv.FormatUint(t.first+uint64(len(t.kept)), 10)
	}
	wire, err := AppendEvent(nil, e)
	if err != nil {
		return "", err
	}
	t.kept = append(t.kept, published{e.ID, wire})
	t.size += len(wire)
	drop := 0
	for rest := len(t.kept); rest > t.cfg.Keep || rest > 1 && t.size > t.cfg.KeepBytes; rest-- {
		t.size -= len(t.kept[drop].wire)
		t.kept[drop] = published{}
		drop++
	}
	t.kept = t.kept[drop:]
	t.first += uint64(drop)
	t.tell()
	return e.ID, nil
}

// tell wakes the clients. The lock is held.
func (t *Topic) tell() {
	close(t.told)
	t.told = make(chan struct{})
}

// Close ends all streams, once their clients have received what was published. Clients that come later are told to stay away, with 204 (No
// Content). Give it to [http.Server.RegisterOnShutdown], because open streams keep a server from shutting down. It returns nil.
func (t *Topic) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.closed = true
		t.tell()
	}
	return nil
}

// ServeHTTP implements [http.Handler].
func (t *Topic) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	last, back := r.Header["Last-Event-Id"]
	next, ok := t.from(last, back)
	if !ok {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	h := Handler{Writer: t.cfg.Writer, Serve: func(s *Writer) { t.feed(s, next) }}
	h.ServeHTTP(w, r)
}

// from returns the number of the first event that a client wants, and whether there may be any.
func (t *Topic) from(last []string, back bool) (next uint64, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	end := t.first + uint64(len(t.kept))
	if !back || len(last) == 0 || last[0] == "" {
		return end, !t.closed
	}
	for i := len(t.kept) - 1; i >= 0; i-- {
		if t.kept[i].id == last[0] {
			next = t.first + uint64(i) + 1
			return next, !t.closed || next < end
		}
	}
	return t.first, !t.closed || len(t.kept) > 0
}

// batch is about how much goes to a client at a time.
const batch = 64 << 10

// feed sends events from a number on, until the client is gone, too slow, or the topic closed.
func (t *Topic) feed(s *Writer, next uint64) {
	var buf []byte
	for {
		var told chan struct{}
		var ok bool
		if buf, told, ok = t.take(buf[:0], &next); !ok {
			return
		}
		if len(buf) > 0 {
			if s.sendRaw(buf) != nil {
				return
			}
			buf = reuse(buf)
			continue
		}
		select {
		case <-told:
		case <-s.Request().Context().Done():
			return
		}
	}
}

// take copies what is there, up to a batch. If that is nothing, told is closed when there is something. It returns false at the end.
func (t *Topic) take(buf []byte, next *uint64) (_ []byte, told chan struct{}, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if *next < t.first {
		return nil, nil, false
	}
	for _, p := range t.kept[*next-t.first:] {
		if len(buf) > 0 && len(buf)+len(p.wire) > batch {
			break
		}
		buf = append(buf, p.wire...)
		*next++
	}
	return buf, t.told, len(buf) > 0 || !t.closed
}
