package http1

import (
	"errors"
	"io"

	"github.com/okhttp-go/ok/okhttp/internal/fault"
	"github.com/okhttp-go/ok/okio"
)

// ErrTrailersTruncated is the failure of reading the trailers of a body that did not come to its end.
var ErrTrailersTruncated = errors.New("http1: trailers cannot be read because the message body was truncated")

// BodyReader reads the content of one message. It is an [okio.Source] and an [io.Reader], and delivers exactly what the framing
// promises: fewer bytes are a [ProtocolError] that wraps [io.ErrUnexpectedEOF], and a byte of the next message is never touched.
// It is valid until the connection reads its next head. Closing it does nothing to the connection: see [ClientConn.Reusable].
type BodyReader struct {
	head *headReader
	src  *okio.BufferedSource

	mode  int64 // Chunked, UntilClose, or any other value for a known length
	left  int64 // bytes of a known length, or of the current chunk
	first bool  // no chunk has been opened yet
	done  bool  // the content came whole
	err   error // sticky

	trailers []string
	extra    int64 // bytes of chunk extensions so far
	chunk    func(size int64)
}

// EachChunk has f called with the size of each chunk, in bytes, when it begins; not for the one of size 0 that ends the content.
func (b *BodyReader) EachChunk(f func(size int64)) { b.chunk = f }

func (b *BodyReader) reset(h *headReader, length int64) {
	*b = BodyReader{head: h, src: h.src, mode: length, first: true}
	if length >= 0 {
		b.left = length
		b.done = length == 0
	}
}

// Len returns the length that the head announced: a number of bytes, [Chunked] or [UntilClose].
func (b *BodyReader) Len() int64 { return b.mode }

// Done reports whether the content came to its end. For a body of known length that is so with its last byte; other bodies are
// done once a read returned io.EOF.
func (b *BodyReader) Done() bool { return b.done }

// next returns how many of want bytes may be taken from the connection now, opening the next chunk when one is due.
func (b *BodyReader) next(want int64) (int64, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.done {
		return 0, io.EOF
	}
	switch b.mode {
	case UntilClose:
		return want, nil
	case Chunked:
		if b.left == 0 {
			if err := b.openChunk(); err != nil {
				return 0, b.fail(err)
			}
			if b.done {
				return 0, io.EOF
			}
		}
	}
	return min(want, b.left), nil
}

// took accounts for a read of n bytes.
func (b *BodyReader) took(n int64, err error) (int64, error) {
	if err == io.EOF && n == 0 {
		if b.mode == UntilClose {
			b.done = true
			return 0, io.EOF
		}
		return 0, b.fail(errTruncated())
	}
	if err != nil {
		return n, b.fail(err)
	}
	if b.mode != UntilClose {
		b.left -= n
		if b.left == 0 && b.mode >= 0 {
			b.done = true
		}
	}
	return n, nil
}

func (b *BodyReader) fail(err error) error {
	b.err = err
	return err
}

// ReadBuffer implements [okio.Source]: whole segments move, nothing is copied.
func (b *BodyReader) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if most == 0 {
		return 0, nil
	}
	n, err := b.next(most)
	if err != nil {
		return 0, err
	}
	return b.took(b.src.ReadBuffer(dst, n))
}

// Read implements [io.Reader].
func (b *BodyReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := b.next(int64(len(p)))
	if err != nil {
		return 0, err
	}
	if n > 1 && n == b.left && b.mode >= 0 {
		// The last byte is read through the buffer, and with it what follows: a large read may go past the buffer, and nobody would
		// see that something is left over.
		n--
	}
	m, err := b.src.Read(p[:n])
	n, err = b.took(int64(m), err)
	return int(n), err
}

// Close implements [okio.Source]. Later reads fail.
func (b *BodyReader) Close() error {
	if b.err == nil && !b.done {
		b.err = okio.ErrClosed
	}
	return nil
}

// Timeout returns the time limits of the connection's source.
func (b *BodyReader) Timeout() *okio.Timeout { return b.src.Timeout() }

// Trailers returns the trailer fields (RFC 9110 section 6.5), which are known once the content was read to its end. Bodies that
// are not chunked have none.
func (b *BodyReader) Trailers() ([]string, error) {
	if !b.done {
		return nil, ErrTrailersTruncated
	}
	return b.trailers, nil
}

// openChunk reads the end of the last chunk and the size line of the next one (RFC 9112 section 7.1). Both end with CRLF and
// nothing else: a reader that took LF alone would see other chunks than one that does not.
func (b *BodyReader) openChunk() error {
	if !b.first {
		if err := b.src.Require(2); err != nil {
			return truncated(err)
		}
		if buf := b.src.Buffer(); buf.At(0) != '\r' || buf.At(1) != '\n' {
			return fault.Protocolf("expected CRLF after a chunk but got 0x%02x 0x%02x", buf.At(0), buf.At(1))
		}
		if err := b.src.Skip(2); err != nil {
			return err
		}
	}
	b.first = false
	size, err := b.chunkSize()
	if err != nil {
		return err
	}
	if b.left = size; size > 0 {
		if b.chunk != nil {
			b.chunk(size)
		}
		return nil
	}
	block, err := b.head.block()
	if err != nil {
		return truncated(err)
	}
	if b.trailers, err = b.head.fields(block.text, block.lines); err != nil {
		return err
	}
	b.done = true
	return nil
}

func (b *BodyReader) chunkSize() (size int64, err error) {
	end, err := b.src.IndexByte('\n', 0, maxChunkLine+2)
	if err != nil {
		return 0, truncated(err)
	}
	buf := b.src.Buffer()
	if end < 0 {
		if buf.Len() >= maxChunkLine+2 {
			return 0, &TooLargeError{What: "chunk size line", Limit: maxChunkLine}
		}
		return 0, errTruncated()
	}
	if end == 0 || buf.At(end-1) != '\r' {
		return 0, fault.Protocolf("chunk size line ends without CR")
	}
	var i int64
	for ; i < end-1; i++ {
		d := hexDigit(buf.At(i))
		if d < 0 {
			break
		}
		if size > (1<<63-1)>>4 {
			return 0, b.badChunk(end)
		}
		size = size<<4 | int64(d)
	}
	if i == 0 || i > 16 {
		return 0, b.badChunk(end)
	}
	for i < end-1 && (buf.At(i) == ' ' || buf.At(i) == '\t') {
		i++
	}
	if i < end-1 && buf.At(i) != ';' {
		return 0, b.badChunk(end)
	}
	if b.extra += end - i; b.extra > maxExtensions {
		return 0, &TooLargeError{What: "chunk extensions", Limit: maxExtensions}
	}
	for ; i < end-1; i++ { // extensions are ignored, but not what could end their line for another reader
		if c := buf.At(i); c == '\r' || c == 0 {
			return 0, b.badChunk(end)
		}
	}
	return size, b.src.Skip(end + 1)
}

func (b *BodyReader) badChunk(end int64) error {
	line, err := b.src.ReadText(min(end, 128))
	if err != nil {
		return err
	}
	return fault.Protocolf("expected chunk size and optional extensions but was %s", fault.Quote(line))
}

func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// truncated turns an end of input inside a message into the failure it is.
func truncated(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return errTruncated()
	}
	return err
}
