//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package okio

import (
	"io"
	"runtime"
	"syscall"
)

// openRegularFlags keep a file from being opened through a link, and a pipe from being waited for. Regular files do not mind.
const openRegularFlags = syscall.O_RDONLY | syscall.O_CLOEXEC | syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// OpenRegular implements [RegularOpener].
func (f *hostFS) OpenRegular(p Path) (*FileHandle, int64, error) {
	const op = "open"
	if f.sandbox != nil {
		return openRegular(f, p)
	}
	name, err := f.name(op, p)
	if err != nil {
		return nil, 0, err
	}
	var fd int
	err = uninterrupted(func() (err error) {
		fd, err = syscall.Open(name, openRegularFlags, 0)
		return err
	})
	if err != nil {
		// Systems disagree about how to call a link.
		if info, statErr := f.calls.Lstat(name); statErr == nil && !info.Mode().IsRegular() {
			err = ErrNotRegular
		}
		return nil, 0, f.fail(op, p, err)
	}
	stat, err := statFile(fd)
	if err == nil && stat.Mode&syscall.S_IFMT != syscall.S_IFREG {
		err = ErrNotRegular
	}
	if err != nil {
		_ = syscall.Close(fd) // nothing was written
		return nil, 0, f.fail(op, p, err)
	}
	h := &regularHandle{file: regularFile{fd: fd, path: p}}
	h.FileHandle = FileHandle{r: &h.file, users: 1}
	h.file.leaked = runtime.AddCleanup(h, func(fd int) { _ = syscall.Close(fd) }, fd)
	return &h.FileHandle, stat.Size, nil
}

// A regularHandle is a handle and its file in one piece.
type regularHandle struct {
	FileHandle
	file regularFile
}

// A regularFile is a regular file that is open to be read. An [os.File] would have to find out that such a file is never waited for, every time.
type regularFile struct {
	fd     int
	path   Path
	leaked runtime.Cleanup // closes it if nobody does, as that of an os.File
}

// ReadAt implements [ReadableFile].
func (f *regularFile) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		var m int
		err := uninterrupted(func() (err error) {
			m, err = syscall.Pread(f.fd, p[n:min(len(p), n+mostAtOnce)], off+int64(n))
			return err
		})
		switch {
		case err != nil:
			return n, pathErr("read", f.path, err)
		case m == 0:
			return n, io.EOF
		}
		n += m
	}
	return n, nil
}

// mostAtOnce is how much some systems read in one call.
const mostAtOnce = 1 << 30

// Size implements [ReadableFile].
func (f *regularFile) Size() (int64, error) {
	stat, err := statFile(f.fd)
	if err != nil {
		return 0, pathErr("stat", f.path, err)
	}
	return stat.Size, nil
}

// Close implements [io.Closer]. The descriptor is gone even if the system says that it was interrupted.
func (f *regularFile) Close() error {
	f.leaked.Stop()
	if err := syscall.Close(f.fd); err != nil && err != syscall.EINTR {
		return pathErr("close", f.path, err)
	}
	return nil
}

func statFile(fd int) (stat syscall.Stat_t, err error) {
	err = uninterrupted(func() error { return syscall.Fstat(fd, &stat) })
	return stat, err
}

// uninterrupted calls f until no signal cuts in.
func uninterrupted(f func() error) error {
	for {
		if err := f(); err != syscall.EINTR {
			return err
		}
	}
}
