package okio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"sync"
)

// A ReadableFile is what a [FileSystem] implements to let a file be read, for [NewReadOnlyFileHandle].
//
// The [FileHandle] calls ReadAt and Size from several goroutines at the same time, and Close once, when no other call is running and none will follow.
type ReadableFile interface {
	io.ReaderAt
	// Size returns the present size in bytes.
	Size() (int64, error)
	io.Closer
}

// A File is what a [FileSystem] implements to let a file be read and written; [NewFileHandle] gives it the sources and sinks. What is said of
// [ReadableFile] holds for all its methods. The handle has checked that offsets and sizes are not negative.
type File interface {
	ReadableFile

	// WriteAt writes at any offset. Beyond the end, the gap is filled with zeros.
	io.WriterAt

	// Truncate sets the size, dropping what is beyond it or adding zeros.
	Truncate(n int64) error

	// Sync returns when what was written would survive a crash of the system.
	Sync() error
}

// ErrReadOnly is the error of everything on a read-only [FileHandle] that would change the file.
var ErrReadOnly = errors.New("okio: file handle is read-only")

var errHandleClosed error = closedError("okio: file handle closed")

// closedError is the text of an ErrClosed.
type closedError string

func (e closedError) Error() string { return string(e) }

func (closedError) Is(target error) bool { return target == ErrClosed || target == fs.ErrClosed }

// A FileHandle reads and writes an open file at any place. It is safe for concurrent use; the sources and sinks made from it are used by one goroutine
// at a time each, as all are, but by different ones at the same time. They are not buffered: what one writes, every other sees.
//
// How concurrent reads and writes of the same bytes mix is up to the file.
//
// The file stays open until the handle and all sources and sinks made from it are closed. After Close the handle fails with [ErrClosed], while
// its streams keep working.
type FileHandle struct {
	r ReadableFile
	w File // nil if read-only

	mu     sync.Mutex
	closed bool
	users  int // the handle itself until it is closed, open streams, running operations
}

// NewFileHandle returns a handle that reads and writes f and owns it.
func NewFileHandle(f File) *FileHandle { return &FileHandle{r: f, w: f, users: 1} }

// NewReadOnlyFileHandle returns a handle that reads f and owns it. Everything that would change the file fails with [ErrReadOnly].
func NewReadOnlyFileHandle(f ReadableFile) *FileHandle { return &FileHandle{r: f, users: 1} }

// acquire keeps the file open until release.
func (h *FileHandle) acquire() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return errHandleClosed
	}
	h.users++
	return nil
}

// acquireWritable is acquire for what changes the file.
func (h *FileHandle) acquireWritable() error {
	if h.w == nil {
		return ErrReadOnly
	}
	return h.acquire()
}

// release lets go, and closes the file if it was the last user who did.
func (h *FileHandle) release() error {
	h.mu.Lock()
	h.users--
	last := h.users == 0
	h.mu.Unlock()
	if last {
		return h.r.Close()
	}
	return nil
}

// finish ends an operation. If the handle was closed meanwhile, the error of closing the file has no one else to go to.
func (h *FileHandle) finish(err *error) {
	if closeErr := h.release(); *err == nil {
		*err = closeErr
	}
}

// ReadAt fills p from offset off and returns how many bytes it read, with io.EOF if the file ends before p is full. It implements [io.ReaderAt].
func (h *FileHandle) ReadAt(p []byte, off int64) (n int, err error) {
	if err := h.acquire(); err != nil {
		return 0, err
	}
	defer h.finish(&err)
	return h.readAt(p, off)
}

// readAt makes up for a file that reads less than asked without saying why.
func (h *FileHandle) readAt(p []byte, off int64) (int, error) {
	if err := checkOffset(off, 0); err != nil {
		return 0, err
	}
	total := 0
	for total < len(p) {
		n, err := h.r.ReadAt(p[total:], off+int64(total))
		if n < 0 || n > len(p)-total {
			return total, fmt.Errorf("okio: %T returned a count of %d from ReadAt of %d bytes", h.r, n, len(p)-total)
		}
		total += n
		if err == nil && n == 0 {
			err = io.ErrNoProgress
		}
		if err != nil && total < len(p) {
			return total, err
		}
	}
	return total, nil
}

// WriteAt writes p at offset off, which may be beyond the end of the file: the gap is filled with zeros then. It implements [io.WriterAt].
func (h *FileHandle) WriteAt(p []byte, off int64) (n int, err error) {
	if err := h.acquireWritable(); err != nil {
		return 0, err
	}
	defer h.finish(&err)
	return h.writeAt(p, off)
}

func (h *FileHandle) writeAt(p []byte, off int64) (int, error) {
	if err := checkOffset(off, len(p)); err != nil {
		return 0, err
	}
	if len(p) == 0 {
		return 0, nil
	}
	n, err := h.w.WriteAt(p, off)
	if n < 0 || n > len(p) {
		return 0, fmt.Errorf("okio: %T returned a count of %d from WriteAt of %d bytes", h.w, n, len(p))
	}
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return n, err
}

// checkOffset rejects places that no file has.
func checkOffset(off int64, n int) error {
	if off < 0 {
		return fmt.Errorf("okio: negative file offset %d", off)
	}
	if off > math.MaxInt64-int64(n) {
		return fmt.Errorf("okio: %d bytes at file offset %d end beyond the largest offset", n, off)
	}
	return nil
}

// Size returns the present size in bytes.
func (h *FileHandle) Size() (n int64, err error) {
	if err := h.acquire(); err != nil {
		return 0, err
	}
	defer h.finish(&err)
	return h.r.Size()
}

// Truncate sets the size to n bytes: it drops what is beyond n, or adds zeros.
func (h *FileHandle) Truncate(n int64) (err error) {
	if err := h.acquireWritable(); err != nil {
		return err
	}
	defer h.finish(&err)
	if n < 0 {
		return fmt.Errorf("okio: negative file size %d", n)
	}
	return h.w.Truncate(n)
}

// Sync returns when everything written until now, through the handle and its sinks, would survive a crash of the system.
func (h *FileHandle) Sync() (err error) {
	if err := h.acquireWritable(); err != nil {
		return err
	}
	defer h.finish(&err)
	return h.w.Sync()
}

// Close closes the handle, and the file as soon as all sources and sinks are closed too. A second call does nothing.
func (h *FileHandle) Close() error {
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		return nil
	}
	h.closed = true
	h.mu.Unlock()
	return h.release()
}

var (
	_ io.ReaderAt = (*FileHandle)(nil)
	_ io.WriterAt = (*FileHandle)(nil)
)
