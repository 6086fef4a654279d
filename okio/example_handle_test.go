package okio_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"sync"

	"github.com/okhttp-go/ok/okio"
)

// memoryFile is a file in memory, and an [okio.File]. Its methods may be called by several goroutines at the same time.
type memoryFile struct {
	mu   sync.RWMutex
	data []byte
}

func (f *memoryFile) ReadAt(p []byte, off int64) (int, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return bytes.NewReader(f.data).ReadAt(p, off)
}

func (f *memoryFile) WriteAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.resize(max(len(f.data), int(off)+len(p)))
	return copy(f.data[off:], p), nil
}

func (f *memoryFile) Truncate(n int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.resize(int(n))
	return nil
}

func (f *memoryFile) resize(n int) {
	if n > len(f.data) {
		f.data = append(f.data, make([]byte, n-len(f.data))...)
	}
	f.data = f.data[:n]
}

func (f *memoryFile) Size() (int64, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return int64(len(f.data)), nil
}

func (f *memoryFile) Sync() error  { return nil }
func (f *memoryFile) Close() error { fmt.Println("closed"); return nil }

// Who implements a file system writes the methods of a File; sources, sinks and positions come with the handle, which closes it when nothing of it is in use.
func ExampleNewFileHandle() {
	file := &memoryFile{data: []byte("hello, world")}
	h := okio.NewFileHandle(file)
	sink, err := h.Sink(7)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(h.Close()) // the sink keeps the file open
	fmt.Println(sink.WriteBuffer(okio.NewBufferString("okio!"), 5))
	fmt.Println(sink.Close())
	fmt.Printf("%s\n", file.data)
	// Output:
	// <nil>
	// <nil>
	// closed
	// <nil>
	// hello, okio!
}

// A handle over what can only be read refuses to write.
func ExampleNewReadOnlyFileHandle() {
	h := okio.NewReadOnlyFileHandle(&memoryFile{data: []byte("hello, world")})
	defer h.Close()
	text, err := io.ReadAll(io.NewSectionReader(h, 7, 5))
	fmt.Println(string(text), err)
	_, err = h.WriteAt([]byte("!"), 12)
	fmt.Println(errors.Is(err, okio.ErrReadOnly))
	// Output:
	// world <nil>
	// true
	// closed
}
