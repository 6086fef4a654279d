package oksse

import (
	"bytes"
	"io"
)

const (
	firstBuffer = 4 << 10  // that a decoder starts with
	largeBuffer = 64 << 10 // that it grows to while reads fill it, and above which memory is given back
	leastRead   = 1 << 10  // room for a read, if there is a way
	emptyReads  = 100      // in a row, after which a reader makes no progress
)

// lines cuts a stream into lines that end with CRLF, LF or CR. A line is there as soon as its end is: after a CR nothing is waited for, and an LF that
// comes next is dropped then.
type lines struct {
	r          io.Reader
	buf        []byte
	start, end int // of what was read and not returned
	lf, cr     int // the next of each, end if there is none; behind start if it is not known
	skipLF     bool
	long       []byte // the beginning of a line that does not fit in buf
	used       bool   // long was returned
	limit      int    // of a line
	err        error
}

// next returns a line, without its end. It is valid until the next call.
func (l *lines) next() ([]byte, error) {
	if l.cr == l.end && len(l.long) == 0 { // there is no CR: the usual case
		if n := bytes.IndexByte(l.buf[l.start:l.end], '\n'); n >= 0 && n <= l.limit {
			line := l.buf[l.start : l.start+n]
			l.start += n + 1
			return line, nil
		}
	}
	return l.await()
}

// skipBlank takes a blank line, if one is there already that ends with LF, and leaves the line before it valid.
func (l *lines) skipBlank() bool {
	if l.used || l.cr != l.end || l.start == l.end || l.buf[l.start] != '\n' {
		return false
	}
	l.start++
	return true
}

// await is next for all lines.
func (l *lines) await() ([]byte, error) {
	if l.used {
		l.used, l.long = false, reuse(l.long)
	}
	for {
		if at := l.search(); at < l.end {
			line := l.buf[l.start:at]
			l.consume(at)
			if len(l.long) > 0 {
				l.long, l.used = append(l.long, line...), true
				line = l.long
			}
			if len(line) > l.limit {
				return nil, l.tooLarge()
			}
			return line, nil
		}
		if l.end-l.start+len(l.long) > l.limit {
			return nil, l.tooLarge()
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

func (l *lines) tooLarge() error { return l.fail(&EventTooLargeError{l.limit}) }

// reuse empties a buffer, giving back the memory of one that needed an unusual amount of it.
func reuse(b []byte) []byte {
	if cap(b) > largeBuffer && len(b) < cap(b)/4 || cap(b) > 16*largeBuffer {
		return nil
	}
	return b[:0]
}

func (l *lines) fail(err error) error {
	l.err, l.buf, l.long = err, nil, nil
	l.moved(0)
	return err
}

// search returns where the next line ends, l.end if its end has not come. No byte is looked at twice for the same character.
func (l *lines) search() int {
	if l.lf < l.start {
		l.lf = l.find('\n', l.start)
	}
	if l.cr < l.start {
		l.cr = l.find('\r', l.start)
	}
	return min(l.lf, l.cr)
}

func (l *lines) find(c byte, from int) int {
	if i := bytes.IndexByte(l.buf[from:l.end], c); i >= 0 {
		return from + i
	}
	return l.end
}

// consume takes a line and its end off the buffer.
func (l *lines) consume(at int) {
	l.start = at + 1
	if l.buf[at] != '\r' {
		return
	}
	if l.start == l.end {
		l.skipLF = true
	} else if l.buf[l.start] == '\n' {
		l.start++
	}
}

// fill reads once, making room for it.
func (l *lines) fill() error {
	if l.err != nil {
		return l.fail(l.err)
	}
	l.makeRoom()
	for range emptyReads {
		n, err := l.r.Read(l.buf[l.end:])
		if n < 0 || n > len(l.buf)-l.end {
			return l.fail(errInvalidRead)
		}
		l.err = err
		if n > 0 {
			l.took(n)
			return nil
		}
		if err != nil {
			return l.fail(err)
		}
	}
	return l.fail(io.ErrNoProgress)
}

// took accounts for bytes that were read.
func (l *lines) took(n int) {
	old := l.end
	l.end += n
	if l.lf == old {
		l.lf = l.find('\n', old)
	}
	if l.cr == old {
		l.cr = l.find('\r', old)
	}
	if l.skipLF {
		l.skipLF = false
		if l.buf[l.start] == '\n' {
			l.start++
		}
	}
}

// makeRoom leaves space behind end. What is in the buffer is the beginning of one line.
func (l *lines) makeRoom() {
	have := l.end - l.start
	switch {
	case l.buf == nil:
		l.buf = make([]byte, firstBuffer)
	case have == 0 && l.end == len(l.buf) && len(l.buf) < largeBuffer: // reads fill it
		l.buf = make([]byte, 4*len(l.buf))
		l.moved(0)
	case have == 0:
		l.moved(0)
	case len(l.buf)-l.end >= leastRead:
	case l.start >= len(l.buf)/2:
		l.moved(copy(l.buf, l.buf[l.start:l.end]))
	case len(l.buf) < largeBuffer:
		buf := make([]byte, 4*len(l.buf))
		copy(buf, l.buf[l.start:l.end])
		l.buf = buf
		l.moved(have)
	default:
		l.long = append(l.long, l.buf[l.start:l.end]...)
		l.moved(0)
	}
}

// moved notes that what is left, of which no end of a line is a part, is at the front of the buffer.
func (l *lines) moved(have int) {
	l.start, l.end, l.lf, l.cr = 0, have, have, have
}
