package relay

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/okhttp-go/ok/okio"
)

// source is one reader.
type source struct {
	relay  *Relay
	ctx    context.Context
	pos    int64
	closed bool
}

// ReadBuffer implements [okio.Source]. It fails when the context ends, with its cause, or the upstream or the file did, with the same error for every source that
// comes to that place.
func (s *source) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	switch {
	case most < 0:
		return 0, fmt.Errorf("relay: read of %d bytes", most)
	case s.closed:
		return 0, okio.ErrClosed
	case most == 0:
		return 0, nil
	}
	for {
		if s.ctx.Err() != nil {
			return 0, context.Cause(s.ctx)
		}
		n, wait, err := s.next(dst, most)
		if wait == nil {
			return n, err
		}
		select {
		case <-wait:
		case <-s.ctx.Done():
		}
	}
}

// next reads what is there, or returns what to wait for.
func (s *source) next(dst *okio.Buffer, most int64) (n int64, wait <-chan struct{}, err error) {
	r := s.relay
	r.mu.Lock()
	if n = min(most, r.pos-s.pos); n > 0 {
		if before := r.pos - r.tail.Len(); s.pos >= before {
			err = r.tail.CopyTo(dst, s.pos-before, n)
			r.mu.Unlock()
		} else {
			r.mu.Unlock()
			n, err = s.readFile(dst, n)
		}
		if err != nil {
			return 0, nil, err
		}
		s.pos += n
		return n, nil, nil
	}
	defer r.mu.Unlock()
	switch {
	case r.failed != nil:
		return 0, nil, r.failed
	case r.complete:
		return 0, nil, io.EOF
	}
	if r.changed == nil {
		r.changed = make(chan struct{})
	}
	if !r.fetching {
		r.fetching = true
		go r.fetch()
	}
	return 0, r.changed, nil
}

// readFile reads what the memory does not hold any more.
func (s *source) readFile(dst *okio.Buffer, most int64) (int64, error) {
	p := dst.Reserve(1)
	p = p[:min(int64(len(p)), most)]
	n, err := s.relay.file.ReadAt(p, headerSize+s.pos)
	dst.Commit(n)
	switch {
	case n > 0:
		return int64(n), nil
	case err == nil || errors.Is(err, io.EOF):
		return 0, io.ErrUnexpectedEOF // somebody cut the file
	}
	return 0, err
}

// Close implements [okio.Source].
func (s *source) Close() error {
	if !s.closed {
		s.closed = true
		s.relay.leave()
	}
	return nil
}
