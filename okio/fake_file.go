package okio

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
)

// maxFakeFile bounds a file, so that a wrong size is an error rather than the end of the memory.
const maxFakeFile = 1 << 30

// A fakeFile is an open file of a [FakeFileSystem].
type fakeFile struct {
	fs       *FakeFileSystem
	node     *fakeNode
	path     Path // when it was opened
	writable bool
	callers  []uintptr // of what opened it
	locked   bool      // by LockFile
	closed   bool
}

func (o *fakeFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := o.begin("read", off, int64(len(p)))
	defer o.fs.mu.Unlock()
	if err != nil && n == 0 {
		return 0, err
	}
	o.node.accessed = o.fs.now()
	if off >= int64(len(o.node.data)) {
		return 0, io.EOF
	}
	read := copy(p[:n], o.node.data[off:])
	if err == nil && read < len(p) {
		err = io.EOF
	}
	return read, err
}

func (o *fakeFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := o.begin("write", off, int64(len(p)))
	defer o.fs.mu.Unlock()
	if err != nil && n == 0 {
		return 0, err
	}
	if off > maxFakeFile-n {
		return 0, o.fail("write", errFakeTooLarge)
	}
	if n > 0 {
		o.node.write(fakeWrite{at: off, data: slices.Clone(p[:n])})
	}
	o.node.wrote(o.fs.now())
	return int(n), err
}

func (o *fakeFile) Size() (int64, error) {
	o.fs.mu.Lock()
	defer o.fs.mu.Unlock()
	switch {
	case o.fs.crashed:
		return 0, o.fail("size", ErrPowerLost)
	case o.closed:
		return 0, o.fail("size", ErrClosed)
	}
	return int64(len(o.node.data)), nil
}

func (o *fakeFile) Truncate(n int64) error {
	_, err := o.begin("truncate", 0, n)
	defer o.fs.mu.Unlock()
	switch {
	case err != nil:
		return err
	case n > maxFakeFile:
		return o.fail("truncate", errFakeTooLarge)
	}
	if n != int64(len(o.node.data)) {
		o.node.write(fakeWrite{at: n})
	}
	o.node.wrote(o.fs.now())
	return nil
}

func (o *fakeFile) Sync() error {
	_, err := o.begin("sync", 0, 0)
	defer o.fs.mu.Unlock()
	if err != nil {
		return err
	}
	o.node.commit(len(o.node.pending))
	if o.fs.Directories == DirectoriesJournaled {
		o.fs.commit(len(o.fs.journal))
	}
	return nil
}

// Close gives the file back even if a fault says that it fails, as that of an operating system does.
func (o *fakeFile) Close() error {
	_, err := o.begin("close", 0, 0)
	defer o.fs.mu.Unlock()
	if o.closed || o.fs.crashed {
		return nil // there is nothing left to give back
	}
	o.closed = true
	if o.writable {
		o.node.wrote(o.fs.now())
	}
	o.fs.open = slices.DeleteFunc(o.fs.open, func(other *fakeFile) bool { return other == o })
	return err
}

// opened reports whether want is true for an open file.
func (f *FakeFileSystem) opened(want func(*fakeFile) bool) bool {
	return slices.ContainsFunc(f.open, want)
}

// openFile makes an open file of node. The lock is held.
func (f *FakeFileSystem) openFile(node *fakeNode, path Path, writable bool) *fakeFile {
	callers := make([]uintptr, 32)
	callers = callers[:runtime.Callers(3, callers)]
	o := &fakeFile{fs: f, node: node, path: path, writable: writable, callers: callers}
	f.open = append(f.open, o)
	return o
}

// OpenPaths returns the canonical paths of the files that are open, in the order in which they were opened. A path is there once for each time it is open,
// and also when the file was deleted or moved since. A file is open until its handle and all sources and sinks of that are closed.
func (f *FakeFileSystem) OpenPaths() []Path {
	f.mu.Lock()
	defer f.mu.Unlock()
	paths := make([]Path, len(f.open))
	for i, o := range f.open {
		paths[i] = o.path
	}
	return paths
}

// CheckNoOpenFiles returns an error if files are open, which names each with the kind of its opening, READ or WRITE, and the line of code that
// opened it. Tests call it at their end to find files that nobody closed.
func (f *FakeFileSystem) CheckNoOpenFiles() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.open) == 0 {
		return nil
	}
	var text strings.Builder
	text.WriteString("okio: expected 0 open files, but found:")
	for _, o := range f.open {
		kind := "READ"
		if o.writable {
			kind = "WRITE"
		}
		fmt.Fprintf(&text, "\n    %s (file opened for %s here: %s)", o.path, kind, callerOutside(o.callers))
	}
	return errors.New(text.String())
}

// callerOutside returns the innermost line of code outside this package, of which its tests are not a part.
func callerOutside(callers []uintptr) string {
	frames := runtime.CallersFrames(callers)
	var place string
	for {
		frame, more := frames.Next()
		place = fmt.Sprintf("%s:%d", frame.File, frame.Line)
		if !more || !strings.HasPrefix(frame.Function, "github.com/okhttp-go/ok/okio.") || strings.HasSuffix(frame.File, "_test.go") {
			return place
		}
	}
}
