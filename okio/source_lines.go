package okio

import "io"

// ReadLine consumes the next line and returns it without its LF or CR LF; a lone CR is ordinary data. The last line may
// lack the terminator. It returns io.EOF when nothing is left. The length of a line is not bounded; see ReadLineLimit and
// LineView.
func (s *BufferedSource) ReadLine() (string, error) {
	if text, ok := s.buf.takeHeadLine(unlimited); ok {
		return text, nil
	}
	lf, err := s.IndexByte('\n', 0, unlimited)
	if err != nil {
		return "", err
	}
	if lf >= 0 {
		return s.buf.takeLine(s.buf.lineBefore(lf), lf+1)
	}
	return s.buf.ReadLine()
}

// ReadLineLimit consumes the next line, which must be terminated and be at most limit bytes long without its LF or CR LF,
// and returns it without them. It fails with a [*LineError] otherwise, io.EOF if the source has ended, and consumes nothing
// then. At most limit+2 bytes are examined.
func (s *BufferedSource) ReadLineLimit(limit int64) (string, error) {
	if text, ok := s.buf.takeHeadLine(limit); ok {
		return text, nil
	}
	line, end, err := s.findLine(limit)
	if err != nil {
		return "", err
	}
	return s.buf.takeLine(line, end)
}

// LineView consumes the next line as ReadLineLimit does and returns a view of it, which must not be written to and is valid
// until the next call. It allocates nothing unless the line crosses segments and is longer than those before.
func (s *BufferedSource) LineView(limit int64) ([]byte, error) {
	// At least one byte must stay behind, lest the segment go back to the pool while the view is in use.
	if line, end := s.buf.headLine(limit); end > 0 && end < s.buf.head.level() {
		s.buf.drop(int64(end))
		return line, nil
	}
	line, end, err := s.findLine(limit)
	if err != nil {
		return nil, err
	}
	if line == 0 {
		s.buf.drop(end)
		return []byte{}, nil
	}
	if h := s.buf.head; int64(h.level()) > end {
		view := h.data[h.pos : h.pos+int(line) : h.pos+int(line)]
		s.buf.drop(end)
		return view, nil
	}
	if int64(cap(s.line)) < line || cap(s.line) > segmentSize && line <= segmentSize {
		s.line = make([]byte, max(line, 128))
	}
	view := s.line[:line:line]
	_, _ = s.buf.Read(view)
	s.buf.drop(end - line)
	return view, nil
}

// findLine gets a whole line into the buffer and returns its length without and with its terminator.
func (s *BufferedSource) findLine(limit int64) (line, end int64, err error) {
	if err := checkCount(limit); err != nil {
		return 0, 0, err
	}
	lf, err := s.IndexByte('\n', 0, searchEnd(limit))
	if err != nil {
		return 0, 0, err
	}
	if lf >= 0 {
		return s.buf.lineBefore(lf), lf + 1, nil
	}
	have := s.buf.Len()
	if have == 0 {
		return 0, 0, io.EOF
	}
	if have <= limit {
		return 0, 0, newLineError(&s.buf, limit, false)
	}
	if s.buf.At(limit) == '\r' {
		more, err := s.Request(limit + 2)
		if err != nil {
			return 0, 0, err
		}
		if !more {
			return 0, 0, newLineError(&s.buf, limit, false)
		}
		if s.buf.crlfAt(limit) {
			return limit, limit + 2, nil
		}
	}
	return 0, 0, newLineError(&s.buf, limit, true)
}
