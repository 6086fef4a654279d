package relay

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/okhttp-go/ok/okio"
)

// DefaultBuffer is how many of the latest bytes a relay keeps in memory if its [Config] does not say: readers that are no further apart never read the file.
const DefaultBuffer = 64 << 10

// ErrIncomplete is what [Config.Done] is told when all sources were closed before the upstream came to its end.
var ErrIncomplete = errors.New("relay: every reader left before the end")

// Config is what a new relay may be told. The zero value will do.
type Config struct {
	// Metadata is stored with the content.
	Metadata okio.ByteString

	// Buffer is how many of the latest bytes are kept in memory, and how many are asked of the upstream at once: 0 means [DefaultBuffer].
	Buffer int

	// Cancel ends a read of the upstream that is under way, when nobody is left who waits for it. Nil leaves it to end by itself. It may be called from
	// any goroutine and must not block.
	Cancel func()

	// Done is called once, when upstream and file are closed: with nil if the file is complete, otherwise with what kept it from that, such as
	// [ErrIncomplete]. It may remove the file. It runs on the goroutine that closed the last source or that fetched the last piece.
	Done func(error)
}

// A Relay reads one upstream for many sources. It closes upstream and file when its last source is closed.
type Relay struct {
	file     *okio.FileHandle
	metadata okio.ByteString
	buffer   int64
	cancel   func()
	done     func(error)

	mu       sync.Mutex
	upstream okio.Source   // nil once it came to its end; whoever fetches owns it
	fetching bool          // somebody reads upstream
	changed  chan struct{} // closed when the state below has changed; nil if nobody waits
	pos      int64         // bytes of the upstream that are in the file
	tail     okio.Buffer   // the last of them
	complete bool          // the upstream came to its end
	failed   error         // what ended it otherwise, or the file
	unclean  error         // why a complete content has no clean header
	sources  int
	started  bool // there was a source
	closed   bool // file and upstream are
}

// New makes a relay of an upstream. It takes over both, empties the file and marks it as unfinished. If that fails, both are closed. At least one source
// must be made and closed, or else file and upstream stay open.
func New(file *okio.FileHandle, upstream okio.Source, c Config) (*Relay, error) {
	r := &Relay{file: file, upstream: upstream, metadata: c.Metadata, buffer: int64(c.Buffer), cancel: c.Cancel, done: c.Done}
	if c.Buffer <= 0 {
		r.buffer = DefaultBuffer
	}
	err := file.Truncate(0)
	if err == nil {
		err = writeHeader(file, dirtyHeader)
	}
	if err != nil {
		upstream.Close()
		file.Close()
		return nil, err
	}
	return r, nil
}

// Read opens a complete relay again. It takes over the file, and closes it if it fails: with a [*FormatError] if the file was not finished, is cut
// short or is something else.
func Read(file *okio.FileHandle) (*Relay, error) {
	r := &Relay{file: file, complete: true}
	if err := r.readHead(); err != nil {
		file.Close()
		return nil, err
	}
	return r, nil
}

func (r *Relay) readHead() error {
	size, err := r.file.Size()
	if err != nil {
		return err
	}
	p := make([]byte, min(size, headerSize))
	if _, err := r.file.ReadAt(p, 0); err != nil && !(err == io.EOF && len(p) == 0) {
		return err
	}
	h, err := parseHeader(p, size)
	if err != nil {
		return err
	}
	metadata := make([]byte, h.metadata)
	if len(metadata) > 0 {
		if _, err := r.file.ReadAt(metadata, headerSize+h.content); err != nil {
			return err
		}
	}
	r.pos, r.metadata = h.content, okio.ByteString(metadata)
	return nil
}

// Metadata returns what is stored with the content.
func (r *Relay) Metadata() okio.ByteString { return r.metadata }

// IsClosed reports whether the last source was closed.
func (r *Relay) IsClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.started && r.sources == 0
}

// NewSource returns a source of the whole content, whose reads end with the context. There is none once the last source was closed.
func (r *Relay) NewSource(ctx context.Context) (okio.Source, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.started && r.sources == 0 {
		return nil, false
	}
	r.started = true
	r.sources++
	return &source{relay: r, ctx: ctx}, true
}

// leave gives up a source.
func (r *Relay) leave() {
	r.mu.Lock()
	r.sources--
	last := r.sources == 0
	fetching := r.fetching
	r.mu.Unlock()
	switch {
	case !last:
	case !fetching:
		r.letGo()
	case r.cancel != nil:
		r.cancel() // and whoever fetches lets go
	}
}

// letGo closes what the relay holds. It is called once, by the last source or by whoever fetched for it.
func (r *Relay) letGo() {
	r.mu.Lock()
	upstream, err := r.upstream, r.failed
	r.upstream, r.closed = nil, true
	r.tail.Clear()
	if err == nil {
		err = r.unclean
	}
	if err == nil && !r.complete {
		err = ErrIncomplete
	}
	r.mu.Unlock()
	if upstream != nil {
		upstream.Close()
	}
	if closing := r.file.Close(); err == nil {
		err = closing
	}
	if r.done != nil {
		r.done(err)
	}
}

func writeHeader(file *okio.FileHandle, h header) error {
	p := h.encode()
	_, err := file.WriteAt(p[:], 0)
	return err
}
