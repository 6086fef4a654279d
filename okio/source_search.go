package okio

import "io"

// more refills for a search and reports whether anything came.
func (s *BufferedSource) more() (bool, error) {
	err := s.refill()
	if err == io.EOF {
		return false, nil
	}
	return err == nil, err
}

// IndexByte returns the offset of the first c in [from, to), or -1, reading as much as it takes; math.MaxInt64 may buffer
// everything that comes. It stops reading once to bytes are buffered. A from that is negative or greater than to is
// an error.
func (s *BufferedSource) IndexByte(c byte, from, to int64) (int64, error) {
	if err := searchErr(from, to); err != nil {
		return -1, err
	}
	if s.closed {
		return -1, ErrClosed
	}
	for from < to {
		if i := s.buf.IndexByte(c, from, to); i >= 0 {
			return i, nil
		}
		have := s.buf.Len()
		if have >= to {
			break
		}
		if ok, err := s.more(); !ok {
			return -1, err
		}
		from = max(from, have)
	}
	return -1, nil
}

// Index returns the offset of the first occurrence of pat that starts in [from, to), or -1. The occurrence may extend past
// to. It reads only while more data could change the answer. An empty pat, and a from that is negative or greater than to,
// are errors.
func (s *BufferedSource) Index(pat ByteString, from, to int64) (int64, error) {
	if len(pat) == 0 {
		return -1, errEmptyPattern
	}
	if err := searchErr(from, to); err != nil {
		return -1, err
	}
	if s.closed {
		return -1, ErrClosed
	}
	length := int64(len(pat))
	for from < to {
		if i := s.buf.Index(pat, from, to); i >= 0 {
			return i, nil
		}
		have := s.buf.Len()
		untried := max(from, have-length+1, 0) // the first start that the buffered data does not decide
		if have >= to && !s.tailStarts(pat, untried, to) {
			break
		}
		if ok, err := s.more(); !ok {
			return -1, err
		}
		from = untried
	}
	return -1, nil
}

// tailStarts reports whether the buffered bytes from some start in [from, to) to the end are a beginning of pat.
func (s *BufferedSource) tailStarts(pat ByteString, from, to int64) bool {
	have := s.buf.Len()
	for at := from; at < min(to, have); at++ {
		if s.buf.RangeEqual(at, pat[:have-at]) {
			return true
		}
	}
	return false
}

// IndexAny returns the offset of the first byte at or after from that is in set, or -1, reading as much as it takes. A
// negative from is an error.
func (s *BufferedSource) IndexAny(set *ByteSet, from int64) (int64, error) {
	if err := searchErr(from, unlimited); err != nil {
		return -1, err
	}
	if s.closed {
		return -1, ErrClosed
	}
	for {
		if i := s.buf.IndexAny(set, from); i >= 0 {
			return i, nil
		}
		from = max(from, s.buf.Len())
		if ok, err := s.more(); !ok {
			return -1, err
		}
	}
}

// RangeEqual reports whether the bytes at off are pat. It reads only until the first difference, and a negative off is
// equal to nothing.
func (s *BufferedSource) RangeEqual(off int64, pat ByteString) (bool, error) {
	if s.closed {
		return false, ErrClosed
	}
	if off < 0 || off > unlimited-int64(len(pat)) {
		return false, nil
	}
	for {
		known := min(max(s.buf.Len()-off, 0), int64(len(pat)))
		if known > 0 && !s.buf.RangeEqual(off, pat[:known]) {
			return false, nil
		}
		off += known
		if pat = pat[known:]; len(pat) == 0 {
			return true, nil
		}
		if ok, err := s.more(); !ok {
			return false, err
		}
	}
}

// Select consumes the best option that the source starts with and returns its index in the list the options were made of,
// or consumes nothing and returns -1. It reads only while the buffered bytes are a beginning of some longer option.
func (s *BufferedSource) Select(o *Options) (int, error) {
	if s.closed {
		return -1, ErrClosed
	}
	for {
		best, more := o.match(&s.buf)
		if more {
			ok, err := s.more()
			if err != nil {
				return -1, err
			}
			if ok {
				continue
			}
		}
		if best >= 0 {
			s.buf.drop(int64(len(o.list[best])))
		}
		return best, nil
	}
}
