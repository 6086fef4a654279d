package relay

import (
	"errors"
	"fmt"
	"io"

	"github.com/okhttp-go/ok/okio"
)

// fetch reads a piece of the upstream into the file. Whoever calls it has set fetching; it wakes those who wait.
func (r *Relay) fetch() {
	var piece okio.Buffer
	defer piece.Clear()
	n, err := r.read(&piece)
	switch {
	case err == nil && n == 0:
		err = io.ErrNoProgress
	case err == nil:
		// The file comes first and the position last, so that nobody sees a position whose bytes are not in the file.
		err = r.write(&piece)
	case errors.Is(err, io.EOF):
		r.conclude()
		return
	}
	if err != nil {
		r.spend()
	}
	r.mu.Lock()
	if err != nil {
		r.failed = err
	} else {
		r.pos += n
		r.tail.WriteBuffer(&piece, n)
		if over := r.tail.Len() - r.buffer; over > 0 {
			r.tail.Skip(over)
		}
	}
	r.wake()
}

// read reads from the upstream. Nobody is above this goroutine who could recover what that panics with, so the readers are told.
func (r *Relay) read(piece *okio.Buffer) (n int64, err error) {
	defer func() {
		if p := recover(); p != nil {
			n, err = 0, fmt.Errorf("relay: the upstream panicked: %v", p)
		}
	}()
	return r.upstream.ReadBuffer(piece, r.buffer)
}

// wake ends the role of the one who fetches. It releases the lock.
func (r *Relay) wake() {
	r.fetching = false
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
	abandoned := r.sources == 0
	r.mu.Unlock()
	if abandoned {
		r.letGo()
	}
}

// spend closes the upstream, which has no more to give.
func (r *Relay) spend() {
	r.upstream.Close()
	r.upstream = nil
}

// write appends to the file what piece holds, which keeps it.
func (r *Relay) write(piece *okio.Buffer) error {
	at := headerSize + r.pos // which nobody else changes
	for p := range piece.Chunks() {
		if _, err := r.file.WriteAt(p, at); err != nil {
			return err
		}
		at += int64(len(p))
	}
	return nil
}

// conclude marks the file as complete: metadata and content are on the disk before the header says so.
func (r *Relay) conclude() {
	r.spend()
	err := r.commit()
	r.mu.Lock()
	r.complete, r.unclean = true, err
	r.wake()
}

func (r *Relay) commit() error {
	if len(r.metadata) > 0 {
		if _, err := r.file.WriteAt([]byte(r.metadata), headerSize+r.pos); err != nil {
			return err
		}
	}
	if err := r.file.Sync(); err != nil {
		return err
	}
	if err := writeHeader(r.file, header{r.pos, int64(len(r.metadata))}); err != nil {
		return err
	}
	return r.file.Sync()
}
