package okcache

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"sync"
)

// spill is a file for what is read soon and never again: in memory as long as it is small, and beyond that in a temporary file. What is written there is
// encrypted with a key that is nowhere else. What the disk does not take stays in memory, up to a limit: then the oldest of it goes, and who is that far behind
// cannot go on, but all others can. It is written in order, apart from its beginning.
type spill struct {
	mu     sync.RWMutex
	memory []byte   // the beginning
	file   *os.File // what follows it
	block  cipher.Block
	restAt int64  // where what follows that begins, 0 if there is none
	rest   []byte // the end of what follows
	size   int64
	most   int    // how long that may be
	full   func() // called once, when something goes
}

func newSpill(full func()) *spill { return &spill{most: spillMost, full: full} }

const (
	spillMemory = 1 << 20
	spillMost   = 64 << 20 // of what the disk does not take
)

var errSpillFull = errors.New("okcache: neither disk nor memory for what others have read long ago of a download that is shared")

func (s *spill) ReadAt(p []byte, off int64) (n int, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if off < int64(len(s.memory)) {
		n = copy(p, s.memory[off:])
	}
	if end := s.fileEnd(); n < len(p) && off+int64(n) < end {
		part := p[n:min(int64(len(p)), end-off)]
		at := off + int64(n)
		if _, err := s.file.ReadAt(part, at-spillMemory); err != nil {
			return n, err
		}
		s.crypt(part, at)
		n += len(part)
	}
	if at := off + int64(n) - (s.size - int64(len(s.rest))); n < len(p) && s.restAt > 0 {
		if at < 0 {
			return n, errSpillFull
		}
		n += copy(p[n:], s.rest[min(at, int64(len(s.rest))):])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// fileEnd returns where the part in the file ends.
func (s *spill) fileEnd() int64 {
	switch {
	case s.file == nil:
		return 0
	case s.restAt > 0:
		return s.restAt
	}
	return s.size
}

func (s *spill) WriteAt(p []byte, off int64) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if off < spillMemory {
		n = remember(&s.memory, p[:min(int64(len(p)), spillMemory-off)], off)
	}
	if n < len(p) && s.restAt == 0 && s.write(p[n:], off+int64(n)) == nil {
		n = len(p)
	}
	if n < len(p) {
		if s.restAt == 0 {
			s.restAt = off + int64(n)
		}
		s.makeRoom(len(p) - n)
		s.rest = append(s.rest, p[n:]...) // it is written in order
		n = len(p)
	}
	s.size = max(s.size, off+int64(n))
	return n, nil
}

// makeRoom lets the oldest of the rest go if n bytes more would be too much.
func (s *spill) makeRoom(n int) {
	if len(s.rest)+n <= s.most {
		return
	}
	if s.full != nil {
		s.full()
		s.full = nil
	}
	drop := min(len(s.rest), max(s.most/4, n)) // more than needed, since what stays has to be moved
	s.rest = append(s.rest[:0], s.rest[drop:]...)
}

// remember writes to memory.
func remember(memory *[]byte, p []byte, off int64) int {
	if more := off + int64(len(p)) - int64(len(*memory)); more > 0 {
		*memory = append(*memory, make([]byte, more)...)
	}
	return copy((*memory)[off:], p)
}

// write writes to the file.
func (s *spill) write(p []byte, off int64) error {
	if s.file == nil {
		key := make([]byte, 32)
		rand.Read(key)
		block, err := aes.NewCipher(key)
		if err != nil {
			return err
		}
		file, err := os.CreateTemp("", "okcache-*.download")
		if err != nil {
			return err
		}
		os.Remove(file.Name()) // where that can be done, nothing is left behind whatever happens
		s.file, s.block = file, block
	}
	secret := append([]byte(nil), p...)
	s.crypt(secret, off)
	_, err := s.file.WriteAt(secret, off-spillMemory)
	return err
}

// crypt encrypts or decrypts what stands at a place.
func (s *spill) crypt(p []byte, off int64) {
	if len(p) == 0 {
		return
	}
	var iv [aes.BlockSize]byte
	binary.BigEndian.PutUint64(iv[8:], uint64(off/aes.BlockSize))
	stream := cipher.NewCTR(s.block, iv[:])
	if skip := off % aes.BlockSize; skip > 0 {
		var waste [aes.BlockSize]byte
		stream.XORKeyStream(waste[:skip], waste[:skip])
	}
	stream.XORKeyStream(p, p)
}

func (s *spill) Size() (int64, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.size, nil
}

// Truncate serves to empty it.
func (s *spill) Truncate(int64) error { return nil }

// Sync does nothing: nobody reads it after a crash.
func (s *spill) Sync() error { return nil }

func (s *spill) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.memory, s.rest = nil, nil
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	os.Remove(s.file.Name()) // which has failed before on a system where open files cannot be removed
	return err
}
