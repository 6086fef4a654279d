package oklog

import (
	"errors"
	"io"

	"github.com/okhttp-go/ok/okio"
)

// sample is the beginning of a body.
type sample struct {
	data []byte // up to the limit
	size int64  // of all of it, -1 if it goes on and nobody said how long
	more bool   // there is more than data
	err  error  // that ended it
}

// take reads at most limit bytes of a source and one more, which tells whether it goes on. The length is what was announced, -1 if nothing was.
func take(src okio.Source, limit, length int64) (s sample) {
	var b okio.Buffer
	defer b.Clear()
	for b.Len() <= limit {
		if _, err := src.ReadBuffer(&b, limit+1-b.Len()); err != nil {
			if !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				s.err = err
			}
			break
		}
	}
	s.size = b.Len()
	if s.size > limit {
		s.more, s.size = true, length
	}
	s.data, _ = b.ReadN(min(b.Len(), limit)) // there is that much
	return s
}

// unpacked is what gzip made of a sample.
type unpacked struct {
	sample
	whole bool // the size counts all of it
}

// unpack undoes gzip. Of a sample that is all there is, it counts what is beyond the limit, without keeping it.
func (s *sample) unpack(limit int64) (u unpacked) {
	var packed okio.Buffer
	defer packed.Clear()
	_, _ = packed.Write(s.data) // a buffer takes all
	if len(s.data) == 0 {
		return unpacked{whole: !s.more}
	}
	src := okio.NewGzipSource(&packed)
	u.sample = take(src, limit, -1)
	if u.err == nil && u.more {
		u.size = limit + 1
		var waste okio.Buffer
		for u.err == nil {
			n, err := src.ReadBuffer(&waste, 64<<10)
			waste.Clear()
			u.size += n
			u.err = err
		}
		if errors.Is(u.err, io.EOF) && !errors.Is(u.err, io.ErrUnexpectedEOF) {
			u.err = nil
		}
	}
	u.whole = u.err == nil && !s.more
	if s.more {
		u.err = nil // of course it is cut short
	}
	return u
}
