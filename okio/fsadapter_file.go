package okio

import (
	"io"
	"io/fs"
	"sync"
)

func sizeOf(file fs.File) (int64, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// A randomFile is a file that can read anywhere by itself.
type randomFile struct {
	fs.File
	io.ReaderAt
}

func (f randomFile) Size() (int64, error) { return sizeOf(f.File) }

func (f randomFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.ReaderAt.ReadAt(p, off)
	return n, endIfBeyond(f.File, off, err)
}

// endIfBeyond makes io.EOF of the errors that some files have for an offset beyond their end.
func endIfBeyond(file fs.File, off int64, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if size, sizeErr := sizeOf(file); sizeErr == nil && off >= size {
		return io.EOF
	}
	return err
}

// A seekingFile reads anywhere by moving its position.
type seekingFile struct {
	fs.File
	mu     sync.Mutex
	seeker io.Seeker
}

func (f *seekingFile) Size() (int64, error) { return sizeOf(f.File) }

func (f *seekingFile) ReadAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.seeker.Seek(off, io.SeekStart); err != nil {
		return 0, endIfBeyond(f.File, off, err)
	}
	return readFullOrEnd(f.File, p)
}

// readFullOrEnd fills p from r, with io.EOF if the end comes before.
func readFullOrEnd(r io.Reader, p []byte) (int, error) {
	n, err := io.ReadFull(r, p)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}

// A reopenedFile reads anywhere by reading on, from the start of the file if it is behind that place already.
type reopenedFile struct {
	fs   fs.FS
	name string

	mu   sync.Mutex
	file fs.File // nil if it could not be opened again
	at   int64
}

func (f *reopenedFile) reopen() error {
	if f.file != nil {
		_ = f.file.Close()
		f.file = nil
	}
	file, err := f.fs.Open(f.name)
	if err != nil {
		return err
	}
	f.file, f.at = file, 0
	return nil
}

func (f *reopenedFile) Size() (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		if err := f.reopen(); err != nil {
			return 0, err
		}
	}
	return sizeOf(f.file)
}

func (f *reopenedFile) ReadAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil || off < f.at {
		if err := f.reopen(); err != nil {
			return 0, err
		}
	}
	skipped, err := io.CopyN(io.Discard, f.file, off-f.at)
	f.at += skipped
	if err != nil {
		return 0, err
	}
	n, err := readFullOrEnd(f.file, p)
	f.at += int64(n)
	return n, err
}

func (f *reopenedFile) Close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}
