package okio

import "fmt"

// Position returns the offset in the file of the next byte that stream reads or writes. The stream is a source or sink made by this handle, or a
// [BufferedSource] or [BufferedSink] directly over one, whose buffered bytes are accounted for. A closed stream fails with [ErrClosed].
func (h *FileHandle) Position(stream any) (int64, error) {
	switch s := stream.(type) {
	case Source:
		src, buffered, err := h.ownSource(s)
		if err != nil {
			return 0, err
		}
		if buffered != nil {
			return src.at - buffered.buf.Len(), nil
		}
		return src.at, nil
	case Sink:
		sink, buffered, err := h.ownSink(s)
		if err != nil {
			return 0, err
		}
		if buffered != nil {
			return sink.at + buffered.buf.Len(), nil
		}
		return sink.at, nil
	}
	return 0, foreignErr(stream, "stream")
}

// Reposition makes offset at of the file the next that stream reads or writes. It takes the same streams as [FileHandle.Position]. A BufferedSource keeps
// those of its buffered bytes that lie behind at, if at is among them, and drops them all otherwise. A BufferedSink writes its buffered bytes to
// where they belong first.
func (h *FileHandle) Reposition(stream any, at int64) error {
	if err := checkOffset(at, 0); err != nil {
		return err
	}
	switch s := stream.(type) {
	case Source:
		src, buffered, err := h.ownSource(s)
		if err != nil {
			return err
		}
		if buffered != nil && buffered.seekInBuffer(at-(src.at-buffered.buf.Len())) {
			return nil
		}
		src.at = at
		return nil
	case Sink:
		sink, buffered, err := h.ownSink(s)
		if err != nil {
			return err
		}
		if buffered != nil {
			if err := buffered.Emit(); err != nil {
				return err
			}
		}
		sink.at = at
		return nil
	}
	return foreignErr(stream, "stream")
}

// seekInBuffer drops skip bytes if that many are buffered, and reports it, or drops everything. What UnreadByte could put back is gone.
func (s *BufferedSource) seekInBuffer(skip int64) bool {
	s.buf.unreadWidth = 0
	if skip < 0 || skip > s.buf.Len() {
		s.buf.Clear()
		s.passed(1) // so that peeks notice even if nothing was buffered
		return false
	}
	s.buf.drop(skip)
	return true
}

// ownSource finds the source of this handle in or beneath s.
func (h *FileHandle) ownSource(s Source) (*fileSource, *BufferedSource, error) {
	buffered, _ := s.(*BufferedSource)
	if buffered != nil {
		if buffered.closed {
			return nil, nil, ErrClosed
		}
		s = buffered.up
	}
	own, ok := s.(*fileSource)
	if !ok || own.h != h {
		return nil, nil, foreignErr(s, "source")
	}
	if own.closed {
		return nil, nil, ErrClosed
	}
	return own, buffered, nil
}

// ownSink finds the sink of this handle in or beneath k.
func (h *FileHandle) ownSink(k Sink) (*fileSink, *BufferedSink, error) {
	buffered, _ := k.(*BufferedSink)
	if buffered != nil {
		if buffered.closed {
			return nil, nil, ErrClosed
		}
		k = buffered.down
	}
	own, ok := k.(*fileSink)
	if !ok || own.h != h {
		return nil, nil, foreignErr(k, "sink")
	}
	if own.closed {
		return nil, nil, ErrClosed
	}
	return own, buffered, nil
}

func foreignErr(stream any, kind string) error {
	return fmt.Errorf("okio: %s was not created by this FileHandle: %T", kind, stream)
}
