package okhttp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/okhttp-go/ok/okio"
)

// ResponseBody is the content of a response: an [io.ReadCloser], an [io.WriterTo] and an [okio.Source]. It is not safe for concurrent use.
//
// How long a read may take is a matter of the response ([Response.SetReadTimeout], [Response.LiftCallTimeout]) and of the context: the connection below may serve others, and a
// body may come from memory, so that [okio.TimeoutOf] has no limits for it and sets none.
type ResponseBody struct {
	src         okio.Source
	buffered    *okio.BufferedSource
	contentType string
	length      int64
	empty       bool // there is no content to wait for
	unpacked    bool // by transparent gzip
}

func newResponseBody(src okio.Source, contentType string, length int64) *ResponseBody {
	return &ResponseBody{src: src, contentType: contentType, length: length}
}

// ErrUnreadableBody is the failure of reading the body of a response that is kept for its head alone.
var ErrUnreadableBody = errors.New("okhttp: the body of a prior, network or cache response cannot be read")

func unreadable(contentType string, length int64) *ResponseBody {
	return newResponseBody(unreadableSource{}, contentType, length)
}

type unreadableSource struct{}

func (unreadableSource) ReadBuffer(*okio.Buffer, int64) (int64, error) { return 0, ErrUnreadableBody }
func (unreadableSource) Close() error                                  { return nil }

// Read implements [io.Reader]. The error is [io.EOF] at the end of the content, and an [*Error] if it breaks off, with [io.ErrUnexpectedEOF] in it
// if the server sent less than it announced.
func (b *ResponseBody) Read(p []byte) (int, error) {
	if b.buffered == nil {
		if r, ok := b.src.(io.Reader); ok {
			return r.Read(p)
		}
	}
	return b.Source().Read(p)
}

// ReadBuffer implements [okio.Source]: whole segments move, and nothing is copied. Errors are those of [ResponseBody.Read].
func (b *ResponseBody) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if b.buffered != nil {
		return b.buffered.ReadBuffer(dst, most)
	}
	return b.src.ReadBuffer(dst, most)
}

// WriteTo writes the rest of the content to w and returns how many bytes that was. It implements [io.WriterTo], and does not close the body.
func (b *ResponseBody) WriteTo(w io.Writer) (total int64, err error) {
	var buf okio.Buffer
	defer buf.Clear()
	for {
		if _, err := b.ReadBuffer(&buf, 64<<10); err != nil {
			if isEOF(err) {
				err = nil
			}
			return total, err
		}
		n, err := buf.WriteTo(w)
		total += n
		if err != nil {
			return total, err
		}
	}
}

// Source returns the content as a buffered source, the same one each time. Once it was asked for, all reads go through it.
func (b *ResponseBody) Source() *okio.BufferedSource {
	if b.buffered == nil {
		b.buffered = okio.NewBufferedSource(b.src)
	}
	return b.buffered
}

// Close gives up the body and never fails for a body from a server. What is left of it is read for at most 100 ms, so that the
// connection can be kept; if the end does not come, the connection is closed. Closing twice is harmless.
func (b *ResponseBody) Close() error {
	if b.buffered != nil {
		return b.buffered.Close()
	}
	return b.src.Close()
}

// exhaust reads what is left in the place of whoever would: a body that stands before the server's, a cache's for one, wants to see all of it.
func (b *ResponseBody) exhaust() {
	src := b.src
	if d, ok := src.(*decodedBody); ok {
		src = d.packed.Source
	}
	if _, direct := src.(*responseAndBody); direct {
		return
	}
	var waste okio.Buffer
	for {
		_, err := src.ReadBuffer(&waste, 64<<10)
		waste.Clear()
		if err != nil {
			return
		}
	}
}

// ContentType returns the media type that the server named, "" if it named none.
func (b *ResponseBody) ContentType() string { return b.contentType }

// Len returns the length that the server announced, in bytes, -1 if it did not or if the content was unpacked.
func (b *ResponseBody) Len() int64 { return b.length }

// Bytes reads the whole content and closes the body. Only memory bounds it: if the server is not trusted, use [WithMaxDecodedBody] or read piece
// by piece. Errors are those of [ResponseBody.Read].
func (b *ResponseBody) Bytes() ([]byte, error) {
	var buf okio.Buffer
	defer buf.Clear()
	if err := b.drain(&buf); err != nil {
		return nil, err
	}
	return buf.ReadN(buf.Len())
}

func (b *ResponseBody) drain(buf *okio.Buffer) error {
	defer b.Close()
	for {
		if _, err := b.ReadBuffer(buf, 64<<10); err != nil {
			if !isEOF(err) {
				return err
			}
			break
		}
	}
	if m, ok := b.src.(*measuredSource); ok && m.got != m.want {
		return fmt.Errorf("okhttp: Content-Length (%d) and stream length (%d) disagree: %w", m.want, m.got, io.ErrUnexpectedEOF)
	}
	return nil
}

// Text reads the whole content as text and closes the body. The charset is that of a byte order mark, otherwise that of the Content-Type,
// otherwise UTF-8; the mark is removed. UTF-8, UTF-16, UTF-32, ISO-8859-1 and US-ASCII are understood, and another charset is a
// [*CharsetError]. Malformed text is returned as it came in UTF-8, with U+FFFD in other charsets.
func (b *ResponseBody) Text() (string, error) {
	var buf okio.Buffer
	defer buf.Clear()
	if err := b.drain(&buf); err != nil {
		return "", err
	}
	text, err := buf.ReadText(buf.Len())
	if err != nil {
		return "", err
	}
	return decodeText(text, b.contentType)
}

// JSON decodes the whole content into v, as [json.Unmarshal] does, and closes the body. Errors are those of [ResponseBody.Bytes] and of
// json.Unmarshal. It does not look at the status or the Content-Type.
func (b *ResponseBody) JSON(v any) error {
	p, err := b.Bytes()
	if err != nil {
		return err
	}
	return json.Unmarshal(p, v)
}
