package mockserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/okhttp-go/ok/okio"
)

// pieceSize is how much of a body is in hand at a time, and the largest chunk of a body of unknown length.
const pieceSize = 16 << 10

// pacer lets bytes pass as a throttle allows: n bytes take ceil(n/bytes)-1 periods.
type pacer struct {
	throttle
	passed int64 // since the last wait
}

// most returns how many of up to n bytes may be in hand at once.
func (p *pacer) most(n int64) int64 {
	if p.bytes == 0 {
		return n
	}
	return min(n, p.bytes-p.passed%p.bytes)
}

// pass waits before n bytes go on if their turn has not come, after calling flush, if there is one.
func (p *pacer) pass(ctx context.Context, n int64, flush func() error) error {
	if p.bytes > 0 && p.passed == p.bytes {
		if flush != nil {
			if err := flush(); err != nil {
				return err
			}
		}
		p.passed = 0
		if err := sleep(ctx, p.period); err != nil {
			return err
		}
	}
	p.passed += n
	return nil
}

func byteReader(p []byte) io.Reader { return bytes.NewReader(p) }

// sendBody sends the content of a response, framed, and the trailers.
func (c *connection) sendBody(ctx context.Context, r *Request, resp *Response) error {
	if resp.bodiless(r.Method) || resp.content.open == nil && !resp.encoded() {
		return c.sendBytes(ctx, r, byteReader(nil), 0, resp, false)
	}
	content, err := resp.content.reader()
	if err != nil {
		return err
	}
	defer content.Close()
	whole := resp.content.length
	if !resp.encoded() {
		return c.sendBytes(ctx, r, content, whole, resp, resp.content.live)
	}
	coded := &chunkReader{content: content, left: whole, sizes: resp.chunks}
	if whole >= 0 {
		whole = coded.length()
	}
	if err := c.sendBytes(ctx, r, coded, whole, resp, resp.content.live); err != nil || c.over {
		return err
	}
	sink := c.http.Sink()
	for i := 0; i < len(resp.trailers); i += 2 {
		_, err = sink.WriteString(resp.trailers[i] + ": " + resp.trailers[i+1] + "\r\n")
	}
	if err == nil {
		_, err = sink.WriteString("\r\n")
	}
	return err
}

// sendBytes sends what a body is on the wire, and performs the effect that strikes within it.
func (c *connection) sendBytes(ctx context.Context, r *Request, body io.Reader, length int64, resp *Response, live bool) error {
	_, err := sendBytes(ctx, c.http.Sink(), body, length, resp, live, func() bool {
		plan := c.server.plan(resp.effects[ResponseBody].effect)
		if ends(plan) {
			c.log(r, resp.Code())
		}
		return c.perform(ctx, ResponseBody, plan)
	})
	return err
}

// sendBytes sends bytes at the pace that the script gives, and has the effect strike at its point; struck says that this was the end. The length is
// -1 if it is not known. Live bytes are sent when they come.
func sendBytes(
	ctx context.Context, sink *okio.BufferedSink, body io.Reader, length int64, resp *Response, live bool, strike func() (goesOn bool),
) (struck bool, err error) {
	effect := resp.effects[ResponseBody]
	stop := effect.at(length)
	pace := pacer{throttle: resp.throttle}
	piece := make([]byte, min(pieceSize, uint64(length))) // all of it, if length is -1
	var sent int64
	for ended := false; ; {
		if stop >= 0 && (sent == stop || ended) {
			if err := sink.Flush(); err != nil {
				return false, err
			}
			if stop = -1; !strike() {
				return true, nil
			}
		}
		if ended {
			return false, nil
		}
		most := pace.most(int64(len(piece)))
		if stop >= 0 {
			most = min(most, stop-sent)
		}
		n, err := body.Read(piece[:most])
		if n > 0 {
			if err := pace.pass(ctx, int64(n), sink.Flush); err != nil {
				return false, err
			}
			if _, err := sink.Write(piece[:n]); err != nil {
				return false, err
			}
			sent += int64(n)
			if live && length < 0 {
				if err := sink.Flush(); err != nil {
					return false, err
				}
			}
		}
		if ended = err == io.EOF || sent == length; !ended && err != nil {
			return false, fmt.Errorf("mockserver: reading the body: %w", err)
		}
	}
}

// reader opens the content, which then has its length.
func (c *content) reader() (io.ReadCloser, error) {
	if c.open == nil {
		return io.NopCloser(byteReader(nil)), nil
	}
	opened, err := c.open()
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
	total := int64(len("0\r\n"))
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
	c.ready = append(c.ready[:0], line+strconv.FormatInt(c.chunk, 16)+"\r\n"...)
	return nil
}

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
	c.ready = append(append(c.ready[:0], line+strconv.FormatInt(int64(n), 16)+"\r\n"...), buf[:n]...)
	return nil
}
