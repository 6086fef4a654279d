package disklru

import (
	"io"
	"sync/atomic"
	"time"

	"github.com/okhttp-go/ok/okio"
)

// A snapshotValue is an open value file, and a source of what is in it.
type snapshotValue struct {
	snapshot *Snapshot
	index    int
	length   int64
	at       int64            // where the source is
	file     *okio.FileHandle // nil if it could not be opened, or need not be
	kept     *keptValue       // nil if the file is to be read
	modified time.Time        // of the file before it was opened, zero if what is read must not be kept
	closed   atomic.Bool
}

var (
	_ okio.Source = (*snapshotValue)(nil)
	_ io.Reader   = (*snapshotValue)(nil)
)

// Read implements [io.Reader]. Large reads of a [okio.BufferedSource] come here directly.
func (v *snapshotValue) Read(p []byte) (int, error) {
	switch rest := v.length - v.at; {
	case v.closed.Load():
		return 0, okio.ErrClosed
	case len(p) == 0:
		return 0, nil
	case rest == 0:
		return 0, io.EOF
	case int64(len(p)) > rest:
		p = p[:rest]
	}
	n, err := valueReaderAt{v}.ReadAt(p, v.at)
	v.at += int64(n)
	switch {
	case n > 0:
		return n, nil // the next read meets the error again
	case err == io.EOF:
		err = io.ErrUnexpectedEOF // somebody made the file shorter
	}
	return 0, err
}

// ReadBuffer implements [okio.Source].
func (v *snapshotValue) ReadBuffer(dst *okio.Buffer, max int64) (int64, error) {
	switch {
	case v.closed.Load():
		return 0, okio.ErrClosed
	case max < 0:
		return 0, &ArgumentError{"read of a negative number of bytes"}
	case max == 0:
		return 0, nil
	}
	p := dst.Reserve(int(min(max, leastRead)))
	n, err := v.Read(p[:min(int64(len(p)), max)])
	dst.Commit(n)
	return int64(n), err
}

// leastRead is the room for which another segment is taken rather than a smaller read made.
const leastRead = 4 << 10

// Close implements [okio.Source].
func (v *snapshotValue) Close() error {
	if t := v.snapshot; v.closeFile() && t.counted {
		t.store.mu.Lock()
		defer t.store.mu.Unlock()
		t.released()
	}
	return nil
}

// closeFile closes the file and reports whether it was open.
func (v *snapshotValue) closeFile() bool {
	if !v.closed.CompareAndSwap(false, true) {
		return false
	}
	if v.file != nil {
		_ = v.file.Close() // nothing was written
	}
	return true
}
