package okio

import (
	"errors"
	"hash/crc32"
	"io"
)

// A zipSource checks the CRC-32 of an entry when it was read to its end.
type zipSource struct {
	up     Source
	z      *zipFileSystem
	entry  *zipEntry
	crc    uint32
	err    error // repeats
	closed bool
}

func (s *zipSource) ReadBuffer(dst *Buffer, max int64) (int64, error) {
	if err := checkRead(max, s.closed); err != nil || max == 0 {
		return 0, err
	}
	if s.err != nil {
		return 0, s.err
	}
	var fresh Buffer // on its own, for the sum
	n, err := fresh.refill(s.up, max)
	if err != nil {
		s.err = s.ended(err)
		return 0, s.err
	}
	for p := range fresh.Chunks() {
		s.crc = crc32.Update(s.crc, crc32.IEEETable, p)
	}
	return n, dst.WriteBuffer(&fresh, n)
}

// ended says what the end, or an error, of the data means.
func (s *zipSource) ended(err error) error {
	if err == io.EOF {
		if s.crc != s.entry.crc {
			return s.z.name(badZip("CRC-32 is %#08x but the archive says %#08x", s.crc, s.entry.crc), s.entry)
		}
		return err
	}
	problem := badZip("unreadable data")
	if length, ok := errors.AsType[*LengthError](err); ok {
		problem = badZip("expected %d bytes", length.Expected)
	} else if _, ok := errors.AsType[*FormatError](err); !ok {
		return err // of the file system beneath
	}
	problem.Err = err
	return s.z.name(problem, s.entry)
}

func (s *zipSource) Timeout() *Timeout { return TimeoutOf(s.up) }

func (s *zipSource) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	return s.up.Close()
}
