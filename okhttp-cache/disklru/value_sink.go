package disklru

import (
	"sync"

	"github.com/okhttp-go/ok/okio"
)

// A valueSink writes the file of a value. It hides from the writer that it failed, and tells the editor.
type valueSink struct {
	editor *Editor

	mu     sync.Mutex // taken before that of the store
	sink   okio.Sink
	handle *okio.FileHandle // nil if the file is not to be synced
	held   okio.Buffer      // less than a piece
	failed bool
	closed bool
}

// createSink creates the file of value i.
func (d *Editor) createSink(i int) (*valueSink, error) {
	s := d.store
	path := s.dirtyPath(d.entry.key, i)
	if !s.durable {
		sink, err := s.createSink(path)
		if err != nil {
			return nil, err
		}
		return &valueSink{editor: d, sink: sink}, nil
	}
	handle, err := s.createHandle(path)
	if err != nil {
		return nil, err
	}
	sink, err := handle.Sink(0)
	if err != nil {
		_ = handle.Close() // nothing was written
		return nil, err
	}
	return &valueSink{editor: d, sink: sink, handle: handle}, nil
}

// WriteBuffer implements [okio.Sink].
func (k *valueSink) WriteBuffer(src *okio.Buffer, n int64) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch lost := k.failed || k.editor.lost.Load(); {
	case k.closed && !lost:
		return okio.ErrClosed
	case lost || n < 0 || n > src.Len():
		return okio.Discard().WriteBuffer(src, n)
	}
	if err := k.held.WriteBuffer(src, n); err != nil {
		return err
	}
	k.emit(k.held.Len() &^ (piece - 1))
	return nil
}

// piece is what files are written in multiples of. Systems read a file faster that was written like that.
const piece = 16 << 10

// emit writes n bytes of what is held.
func (k *valueSink) emit(n int64) {
	if n == 0 || k.failed || k.editor.lost.Load() {
		return
	}
	if err := k.sink.WriteBuffer(&k.held, n); err != nil {
		k.held.Clear()
		k.hide(err)
	}
}

// Flush implements [okio.Sink].
func (k *valueSink) Flush() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failed || k.closed || k.editor.lost.Load() {
		return nil
	}
	k.emit(k.held.Len())
	if err := k.sink.Flush(); err != nil {
		k.hide(err)
	}
	return nil
}

// Close implements [okio.Sink].
func (k *valueSink) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil
	}
	k.closed = true
	k.emit(k.held.Len())
	k.held.Clear()
	if err := k.closeFile(); err != nil {
		k.hide(err)
	}
	return nil
}

// closeFile closes the file, after what was written is on the disk if that is asked for and of use.
func (k *valueSink) closeFile() error {
	err := k.sink.Close()
	if k.handle == nil {
		return err
	}
	if err == nil && !k.failed && !k.editor.lost.Load() {
		err = k.handle.Sync()
	}
	if closeErr := k.handle.Close(); err == nil {
		err = closeErr
	}
	return err
}

// hide tells the editor of a fault instead of the writer.
func (k *valueSink) hide(err error) {
	if !k.failed {
		k.failed = true
		k.editor.fault(err)
	}
}
