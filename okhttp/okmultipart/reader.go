package okmultipart

import (
	"io"
	"iter"
	"mime"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// maxBoundary bounds the boundaries that are looked for, in bytes. RFC 2046 allows 70, and some senders more.
const maxBoundary = 256

// Reader reads the parts of a multipart body, one after the other (RFC 2046 section 5.1.1). What it holds in memory does not grow with the parts.
// It is not safe for concurrent use.
type Reader struct {
	src       *okio.BufferedSource
	delimiter okio.ByteString // CRLF, two hyphens and the boundary
	current   *PartReader
	parts     int
	ended     bool
	closed    bool
	err       error // of the format: there is no way on

	// What is known about the beginning of the buffer: so many bytes belong to the part, and then comes a delimiter of that length, if it is not 0.
	clear int64
	delim int64
	fresh bool // it is the beginning of the body or of a part's content, where a delimiter needs no CRLF of its own
}

// NewReader reads the parts that the boundary separates in src, which it owns.
func NewReader(src okio.Source, boundary string) (*Reader, error) {
	if boundary == "" || len(boundary) > maxBoundary || strings.ContainsAny(boundary, "\r\n") {
		return nil, protocolError("expected a boundary of 1 to 256 bytes in one line, got "+quote(boundary), nil)
	}
	return &Reader{src: okio.NewBufferedSource(src), delimiter: okio.ByteString("\r\n--" + boundary), fresh: true}, nil
}

// FromResponse reads the parts of a response's body, which it owns from then on if it does not fail. It fails with an [*okhttp.ProtocolError] if
// the Content-Type has no boundary.
func FromResponse(resp *okhttp.Response) (*Reader, error) {
	boundary, err := BoundaryOf(resp.Body.ContentType())
	if err != nil {
		return nil, err
	}
	return NewReader(resp.Body, boundary)
}

// BoundaryOf returns the boundary that a Content-Type names, or an [*okhttp.ProtocolError] if there is none.
func BoundaryOf(contentType string) (string, error) {
	_, params, err := mime.ParseMediaType(contentType)
	if err == nil && params["boundary"] != "" {
		return params["boundary"], nil
	}
	return "", protocolError("expected the Content-Type to have a boundary parameter, got "+quote(contentType), err)
}

// NextPart skips what is left of the current part, which cannot be read any more then, and returns the next one. After the last part it returns
// [io.EOF], each time. Damage is an [*okhttp.ProtocolError], with [io.ErrUnexpectedEOF] as its cause if the body ended too early; headers
// of more than 256 KiB are an [*okhttp.TooLargeError]. Errors of the source are returned as they are. After Close it fails with
// [okio.ErrClosed].
func (r *Reader) NextPart() (*PartReader, error) {
	r.current = nil
	if err := r.usable(); err != nil {
		return nil, err
	}
	if r.ended {
		return nil, io.EOF
	}
	if err := r.skip(); err != nil {
		return nil, err
	}
	last, err := r.afterDelimiter()
	if err != nil {
		return nil, r.fail(err)
	}
	if last {
		if r.ended = true; r.parts == 0 {
			return nil, r.fail(protocolError("expected at least 1 part, got the closing boundary", nil))
		}
		return nil, io.EOF
	}
	headers, err := r.readHeaders()
	if err != nil {
		return nil, r.fail(err)
	}
	r.parts++
	r.fresh = true
	r.current = &PartReader{r: r, headers: headers}
	return r.current, nil
}

// All returns the parts from the next one on. After an error the loop ends. A part can be read until the loop goes on.
func (r *Reader) All() iter.Seq2[*PartReader, error] {
	return func(yield func(*PartReader, error) bool) {
		for {
			p, err := r.NextPart()
			if err == io.EOF {
				return
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// Close closes the source. A second call does nothing.
func (r *Reader) Close() error {
	r.closed = true
	return r.src.Close()
}

// usable reports why there is nothing to read any more.
func (r *Reader) usable() error {
	if r.closed {
		return okio.ErrClosed
	}
	return r.err
}

// fail remembers an error after which the place in the body is lost.
func (r *Reader) fail(err error) error {
	r.err = err
	return err
}

// skip goes past the next delimiter.
func (r *Reader) skip() error {
	for {
		if err := r.scan(); err != nil {
			return err
		}
		if r.clear == 0 {
			break
		}
		if err := r.src.Skip(r.clear); err != nil {
			return err
		}
		r.clear = 0
	}
	n := r.delim
	r.delim = 0
	return r.src.Skip(n)
}

// scan finds out what the buffer begins with, reading until it is either bytes of the part or a delimiter.
func (r *Reader) scan() error {
	if r.fresh {
		// With no content, not even an empty one, the CRLF of the headers is that of the delimiter.
		at, err := r.src.RangeEqual(0, r.delimiter[2:])
		if err != nil {
			return err
		}
		if r.fresh = false; at {
			r.delim = int64(len(r.delimiter)) - 2
		}
	}
	buf := r.src.Buffer()
	for r.clear == 0 && r.delim == 0 {
		n := buf.Len()
		if i := buf.Index(r.delimiter, 0, n); i >= 0 {
			r.clear, r.delim = i, int64(len(r.delimiter))
			return nil
		}
		if r.clear = n - r.partial(buf); r.clear > 0 {
			return nil
		}
		more, err := r.src.Request(n + 1)
		if err != nil {
			return err
		}
		if !more {
			return r.fail(protocolError("multipart body ended before a boundary", io.ErrUnexpectedEOF))
		}
	}
	return nil
}

// partial returns how many bytes at the end of the buffer may be the beginning of a delimiter. Those bytes begin with a CR, and as a delimiter has
// only one it is the last CR that counts.
func (r *Reader) partial(buf *okio.Buffer) int64 {
	n := buf.Len()
	last := int64(-1)
	for from := max(0, n-int64(len(r.delimiter))+1); ; {
		i := buf.IndexByte('\r', from, n)
		if i < 0 {
			break
		}
		last, from = i, i+1
	}
	if last >= 0 && buf.RangeEqual(last, r.delimiter[:n-last]) {
		return n - last
	}
	return 0
}

// afterDelimiter reads the end of a delimiter's line and reports whether it was the closing one. What follows that, the epilogue, is nobody's.
func (r *Reader) afterDelimiter() (last bool, err error) {
	for padding := 0; ; padding++ {
		c, err := r.src.ReadByte()
		if err != nil {
			return false, early(err)
		}
		switch {
		case (c == ' ' || c == '\t') && padding < maxHead:
			continue
		case c == '\r', c == '-' && padding == 0:
			second, err := r.src.ReadByte()
			if err != nil {
				return false, early(err)
			}
			if c == '\r' && second == '\n' {
				return false, nil
			}
			if c == '-' && second == '-' {
				return true, nil
			}
		}
		return false, protocolError("unexpected characters after boundary: expected CRLF or --", nil)
	}
}

// early says that the end came too early.
func early(err error) error {
	if err == io.EOF {
		return protocolError("multipart body ended before a part was complete", io.ErrUnexpectedEOF)
	}
	return err
}

func protocolError(detail string, cause error) error {
	return &okhttp.ProtocolError{Detail: detail, Err: cause}
}
