package mockserver

import (
	"context"
	"fmt"
	"io"
	"strconv"
)

// pieceSize is how much of a body is in hand at a time, and the largest chunk of a body of unknown length.
const pieceSize = 16 << 10

// reader opens the content, which then has its length.
func (c *content) reader(ctx context.Context) (io.ReadCloser, error) {
	if c.open == nil {
		return io.NopCloser(byteReader(nil)), nil
	}
	opened, err := c.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("mockserver: opening the body: %w", err)
	}
	if c.length < 0 {
		return opened, nil
	}
	return &exactReader{opened, c.length, c.length}, nil
}

// exactReader delivers a number of bytes, and fails if there are fewer.
type exactReader struct {
	from        io.ReadCloser
	left, whole int64
}

func (e *exactReader) Close() error { return e.from.Close() }

func (e *exactReader) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n, err := e.from.Read(p[:min(int64(len(p)), e.left)])
	e.left -= int64(n)
	switch {
	case e.left == 0:
		err = nil
	case err == io.EOF:
		err = fmt.Errorf("expected %d bytes but it ended after %d: %w", e.whole, e.whole-e.left, io.ErrUnexpectedEOF)
	}
	return n, err
}

// chunkReader is content in the chunked coding (RFC 9112 section 7.1), up to and with the line of size 0.
type chunkReader struct {
	content io.Reader
	left    int64   // of the content, -1 if not known
	sizes   []int64 // of the chunks; the last one repeats
	next    int     // which of the sizes
	chunk   int64   // left of the chunk under way
	ready   []byte  // on its way out
	begun   bool
	ended   bool
	bad     bool // in place of the last size there is none
}

// size returns the length of the next chunk when left bytes are to come.
func (c *chunkReader) size(left int64) int64 {
	n := left
	if len(c.sizes) > 0 {
		n = min(left, c.sizes[min(c.next, len(c.sizes)-1)])
		c.next = min(c.next+1, len(c.sizes))
	}
	return n
}

// length returns the length of the whole coding for content of known length. Chunks of one size are not counted one by one, so that a
// long body costs no time.
func (c *chunkReader) length() int64 {
	count := *c
	total := int64(len(c.sizeLine(0)))
	for left := count.left; left > 0; {
		n := count.size(left)
		times := int64(1)
		if count.next == len(count.sizes) {
			times = left / n
		}
		total += times * (int64(len(strconv.FormatInt(n, 16))) + 4 + n)
		left -= times * n
	}
	return total
}

// after returns where in the coding n chunks end.
func (c *chunkReader) after(n int) int64 {
	count := *c
	total := int64(0)
	for ; n > 0 && count.left != 0; n-- {
		size := count.size(count.left)
		count.left -= size
		total += int64(len(strconv.FormatInt(size, 16))) + 4 + size
	}
	return total
}

func (c *chunkReader) Read(p []byte) (int, error) {
	for len(c.ready) == 0 && c.chunk == 0 {
		if c.ended {
			return 0, io.EOF
		}
		if err := c.open(); err != nil {
			return 0, err
		}
	}
	if len(c.ready) > 0 {
		n := copy(p, c.ready)
		c.ready = c.ready[n:]
		return n, nil
	}
	n, err := c.content.Read(p[:min(int64(len(p)), c.chunk)])
	c.chunk -= int64(n)
	if err == io.EOF {
		err = nil
		if c.chunk > 0 {
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}

// open begins the next chunk, or the end.
func (c *chunkReader) open() error {
	line := ""
	if c.begun {
		line = "\r\n"
	}
	c.begun = true
	if c.left < 0 {
		return c.openUnknown(line)
	}
	c.chunk = c.size(c.left)
	c.left -= c.chunk
	c.ended = c.chunk == 0
	c.ready = append(c.ready[:0], line+c.sizeLine(c.chunk)...)
	return nil
}

// sizeLine is the line before a chunk.
func (c *chunkReader) sizeLine(n int64) string {
	if n == 0 && c.bad {
		return badChunkLine
	}
	return strconv.FormatInt(n, 16) + "\r\n"
}

// badChunkLine is no size of a chunk.
const badChunkLine = "not a size\r\n"

// openUnknown begins a chunk of content whose length is not known: of what there is, or, where sizes are given, of that much if it
// comes.
func (c *chunkReader) openUnknown(line string) error {
	var n int
	var err error
	buf := make([]byte, c.size(pieceSize))
	if len(c.sizes) > 0 {
		n, err = io.ReadFull(c.content, buf)
	} else {
		for n == 0 && err == nil {
			n, err = c.content.Read(buf)
		}
	}
	if n > 0 && (err == io.EOF || err == io.ErrUnexpectedEOF) {
		err = nil // the next call meets it again
	}
	if err == io.EOF {
		c.ended, err = true, nil
	}
	if err != nil {
		return err
	}
	c.ready = append(append(c.ready[:0], line+c.sizeLine(int64(n))...), buf[:n]...)
	return nil
}
