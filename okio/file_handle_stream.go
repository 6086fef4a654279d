package okio

import "io"

// Source returns a source that reads from offset off to the end of the file. It must be closed. A read fills the buffer with all that was
// asked for, unless the file ends before. A source that has met the end goes on when the file has grown.
func (h *FileHandle) Source(off int64) (Source, error) {
	if err := checkOffset(off, 0); err != nil {
		return nil, err
	}
	if err := h.acquire(); err != nil {
		return nil, err
	}
	return &fileSource{h: h, at: off}, nil
}

// Sink returns a sink that writes at offset off, over what is there and beyond the end; if off is beyond the end, the gap is filled with zeros. It must
// be closed. Every write goes to the file at once, so that Flush has nothing to do: to force the bytes to the disk, call Sync of the handle.
func (h *FileHandle) Sink(off int64) (Sink, error) {
	if h.w == nil {
		return nil, ErrReadOnly
	}
	if err := checkOffset(off, 0); err != nil {
		return nil, err
	}
	if err := h.acquireWritable(); err != nil {
		return nil, err
	}
	return &fileSink{h: h, at: off}, nil
}

// Appending returns a sink that writes at the end that the file has now. Two such sinks write over each other.
func (h *FileHandle) Appending() (Sink, error) {
	if h.w == nil {
		return nil, ErrReadOnly
	}
	size, err := h.Size()
	if err != nil {
		return nil, err
	}
	return h.Sink(size)
}

type fileSource struct {
	h      *FileHandle
	at     int64
	closed bool
}

func (s *fileSource) ReadBuffer(dst *Buffer, max int64) (int64, error) {
	if err := checkCount(max); err != nil {
		return 0, err
	}
	if s.closed {
		return 0, ErrClosed
	}
	var total int64
	for total < max {
		n, err := dst.readOnce(s, max-total)
		total += int64(n)
		if err != nil {
			if total > 0 {
				return total, nil // the next read meets the error, or the end, again
			}
			return 0, err
		}
	}
	return total, nil
}

// Read fills p, unless the file ends before. Large reads of a BufferedSource come here directly.
func (s *fileSource) Read(p []byte) (int, error) {
	if s.closed {
		return 0, ErrClosed
	}
	n, err := s.h.readAt(p, s.at)
	s.at += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (s *fileSource) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	return s.h.release()
}

type fileSink struct {
	h      *FileHandle
	at     int64
	closed bool
}

func (k *fileSink) WriteBuffer(src *Buffer, n int64) error {
	if k.closed {
		return ErrClosed
	}
	if err := src.checkRange(0, n); err != nil {
		return err
	}
	for n > 0 {
		p := src.head.bytes()
		if int64(len(p)) > n {
			p = p[:n]
		}
		wrote, err := k.h.writeAt(p, k.at)
		src.drop(int64(wrote))
		k.at += int64(wrote)
		n -= int64(wrote)
		if err != nil {
			return err
		}
	}
	return nil
}

func (k *fileSink) Flush() error {
	if k.closed {
		return ErrClosed
	}
	return nil
}

func (k *fileSink) Close() error {
	if k.closed {
		return nil
	}
	k.closed = true
	return k.h.release()
}

var (
	_ Source    = (*fileSource)(nil)
	_ io.Reader = (*fileSource)(nil)
	_ Sink      = (*fileSink)(nil)
)
