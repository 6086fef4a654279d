package okio

import (
	"errors"
	"fmt"
	"io"
)

// A FakeOp is an operation that a [FakeFileSystem] is about to perform.
type FakeOp struct {
	// Name is one of "canonicalize", "metadata", "list", "openReadOnly", "openReadWrite", "source", "sink", "appending", "createDirectory",
	// "atomicMove", "delete", "createSymlink", "lockFile" and "syncDirectory", which are the methods of a [FileSystem], a [FileLocker] and a
	// [DirectorySyncer], or one of "read", "write", "truncate", "sync" and "close", which are those of a [File].
	Name string

	// Path is what the operation is about, absolute and normalised, with the links it may have. For operations on an open file it is the path
	// at which the file was opened, without links.
	Path Path

	// Target is where to atomicMove moves, absolute and normalised, and what createSymlink points to, as given. It is the zero Path otherwise.
	Target Path

	// Offset is where in the file read and write begin, in bytes.
	Offset int64

	// Length is how many bytes read and write are to transfer, and the size for truncate.
	Length int64
}

// A FakePartial is what a fault returns to let a read or a write transfer some bytes before it fails, as when a disk is full or the power goes. It
// fails any other operation before that does anything.
type FakePartial struct {
	Bytes int64 // how many bytes are transferred; no more than the operation was to transfer
	Err   error // what the operation then fails with; io.ErrShortWrite if nil
}

// Error says how many bytes were let through and why no more.
func (e *FakePartial) Error() string {
	return fmt.Sprintf("okio: %v after %d bytes", e.Unwrap(), e.Bytes)
}

// Unwrap returns the error that the operation fails with.
func (e *FakePartial) Unwrap() error {
	if e.Err == nil {
		return io.ErrShortWrite
	}
	return e.Err
}

// SetFault makes fault decide about every operation from now on, before it does anything: if fault returns an error, the operation fails with it, in an
// [*fs.PathError], and does nothing; a [*FakePartial] lets it do a part. Nil removes what was set.
//
// The fault is called without locks held, from the goroutines that use the file system, so that it may be called concurrently and may itself
// look at the file system, or let it crash: a test sees what any moment of a run leaves behind by calling [FakeFileSystem.AfterCrash] in it. It
// is also called for what it does itself.
func (f *FakeFileSystem) SetFault(fault func(op FakeOp) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
}

// begin asks the fault about an operation on paths. It returns with the lock held if there is no error.
func (f *FakeFileSystem) begin(op FakeOp) error {
	f.mu.Lock()
	p := op.Path
	op.Path = f.absolute(p)
	if op.Name == "atomicMove" {
		op.Target = f.absolute(op.Target)
	}
	if fault := f.fault; fault != nil {
		f.mu.Unlock()
		if err := fault(op); err != nil {
			return pathErr(op.Name, p, err)
		}
		f.mu.Lock()
	}
	if err := f.check(); err != nil {
		f.mu.Unlock()
		return pathErr(op.Name, p, err)
	}
	return nil
}

// check reports why no path means anything any more.
func (f *FakeFileSystem) check() error {
	switch {
	case f.crashed:
		return ErrPowerLost
	case f.closed:
		return ErrClosed
	}
	return nil
}

// begin asks the fault about an operation on an open file. It returns how many bytes may be transferred, and what the operation fails with
// after that. It returns with the lock held.
func (o *fakeFile) begin(name string, off, length int64) (int64, error) {
	f := o.fs
	f.mu.Lock()
	var err error
	if fault := f.fault; fault != nil {
		f.mu.Unlock()
		err = fault(FakeOp{Name: name, Path: o.path, Offset: off, Length: length})
		f.mu.Lock()
	}
	switch {
	case f.crashed:
		return 0, o.fail(name, ErrPowerLost)
	case o.closed:
		return 0, o.fail(name, ErrClosed)
	case err == nil:
		return length, nil
	}
	if partial, ok := errors.AsType[*FakePartial](err); ok && (name == "read" || name == "write") {
		return min(max(partial.Bytes, 0), length), o.fail(name, err)
	}
	return 0, o.fail(name, err)
}

func (o *fakeFile) fail(name string, err error) error {
	return pathErr(name, o.path, err)
}
