package okio

import (
	"bytes"
	"io"
	"math"
	"strconv"
)

// A LineError reports that no line ended within the limit. Nothing was consumed. It is io.ErrUnexpectedEOF if the input
// ended before the line did, and wraps nothing if the line is too long.
type LineError struct {
	Limit   int64      // the smaller of the limit asked for and of what was available, in bytes
	Content ByteString // the first bytes of the line, at most 32
	TooLong bool       // the line is longer than the limit, rather than cut off by the end of the input
}

// Error shows the limit and the content in hexadecimal.
func (e *LineError) Error() string {
	return `okio: \n not found: limit=` + strconv.FormatInt(e.Limit, 10) + " content=" + e.Content.Hex() + "…"
}

// Unwrap returns io.ErrUnexpectedEOF unless the line is too long.
func (e *LineError) Unwrap() error {
	if e.TooLong {
		return nil
	}
	return io.ErrUnexpectedEOF
}

func newLineError(b *Buffer, limit int64, tooLong bool) error {
	var content [32]byte
	n := b.peekInto(content[:])
	return &LineError{Limit: min(limit, b.Len()), Content: ByteString(content[:n]), TooLong: tooLong}
}

// searchEnd is the end of the search for the LF of a line of at most limit bytes.
func searchEnd(limit int64) int64 {
	if limit == math.MaxInt64 {
		return limit
	}
	return limit + 1
}

// lineBefore returns the length of the line whose LF is at offset lf: a CR right before the LF is not part of it.
func (b *Buffer) lineBefore(lf int64) int64 {
	if lf > 0 && b.At(lf-1) == '\r' {
		return lf - 1
	}
	return lf
}

// crlfAt reports whether the buffered bytes at offset i are CR LF.
func (b *Buffer) crlfAt(i int64) bool {
	return i < b.Len()-1 && b.At(i) == '\r' && b.At(i+1) == '\n'
}

// ReadLine consumes the next line and returns it without its LF or CR LF; a lone CR is ordinary data. The last line may
// lack the terminator. It returns io.EOF when nothing is left.
func (b *Buffer) ReadLine() (string, error) {
	if text, ok := b.takeHeadLine(unlimited); ok {
		return text, nil
	}
	lf := b.IndexByte('\n', 0, unlimited)
	if lf >= 0 {
		return b.takeLine(b.lineBefore(lf), lf+1)
	}
	if b.head == nil {
		return "", io.EOF
	}
	return b.ReadText(b.Len())
}

// ReadLineLimit consumes the next line, which must be terminated and be at most limit bytes long without its LF or CR LF,
// and returns it without them. It fails with a [*LineError] otherwise, io.EOF if nothing is there, and consumes nothing
// then.
func (b *Buffer) ReadLineLimit(limit int64) (string, error) {
	if text, ok := b.takeHeadLine(limit); ok {
		return text, nil
	}
	line, end, err := b.findLine(limit)
	if err != nil {
		return "", err
	}
	return b.takeLine(line, end)
}

// headLine is the fast path: a view of the next line, and its length with its terminator, if both lie in the head and the LF
// is not past the limit; 0 if not.
func (b *Buffer) headLine(limit int64) (line []byte, end int) {
	if b.head == nil || limit < 0 {
		return nil, 0
	}
	p := b.head.bytes()
	if limit < int64(len(p)) {
		p = p[:limit+1]
	}
	i := bytes.IndexByte(p, '\n')
	if i < 0 {
		return nil, 0
	}
	end = i + 1
	if i > 0 && p[i-1] == '\r' {
		i--
	}
	return p[:i:i], end
}

// takeHeadLine consumes a line that headLine finds.
func (b *Buffer) takeHeadLine(limit int64) (string, bool) {
	line, end := b.headLine(limit)
	if end == 0 {
		return "", false
	}
	text := string(line)
	b.drop(int64(end))
	return text, true
}

// findLine returns the length of the next line without and with its terminator.
func (b *Buffer) findLine(limit int64) (line, end int64, err error) {
	if err := checkCount(limit); err != nil {
		return 0, 0, err
	}
	if b.head == nil {
		return 0, 0, io.EOF
	}
	lf := b.IndexByte('\n', 0, searchEnd(limit))
	switch {
	case lf >= 0:
		return b.lineBefore(lf), lf + 1, nil
	case b.crlfAt(limit):
		return limit, limit + 2, nil
	default:
		return 0, 0, newLineError(b, limit, b.Len() > limit)
	}
}

// takeLine consumes end bytes and returns the first line of them.
func (b *Buffer) takeLine(line, end int64) (string, error) {
	text, err := b.ReadText(line)
	if err != nil {
		return "", err
	}
	b.drop(end - line)
	return text, nil
}
