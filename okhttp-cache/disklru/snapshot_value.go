package disklru

import (
	"io"
	"sync/atomic"

	"github.com/okhttp-go/ok/okio"
)

// A snapshotValue is an open value file, and a source of what is in it.
type snapshotValue struct {
	snapshot *Snapshot
	length   int64
	at       int64            // where the source is
	file     *okio.FileHandle // nil if it could not be opened
	source   okio.Source      // for ReadBuffer, nil before the first
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
	n, err := v.file.ReadAt(p, v.at)
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
	if v.closed.Load() {
		return 0, okio.ErrClosed
	}
	if v.source == nil {
		v.source = okio.FromReader(readerOnly{v})
	}
	return v.source.ReadBuffer(dst, max)
}

// A readerOnly has no other methods than Read.
type readerOnly struct{ io.Reader }

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
