package okhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync/atomic"
)

// Body is the body of a request. It is opened or written once for every attempt, so that retries, redirects and authentication
// never depend on rewinding a reader. A Body is immutable and may be used by any number of requests, unless it is one-shot.
type Body struct {
	cfg  BodyConfig
	data []byte // the content, if it is in memory
}

// BodyConfig describes a body for [NewBody]. Exactly one of Open and Write is set.
type BodyConfig struct {
	// ContentType is the media type, sent as Content-Type in place of any header of the request. "" sends none.
	ContentType string
	// Len is the number of bytes, -1 if it is not known beforehand, in which case the body is sent chunked; 0 is an empty body. A body
	// that turns out longer or shorter than its Len fails the call with a [*ProtocolError].
	Len int64
	// Open returns the content. It is called once per attempt, on the goroutine of the call, and its result is closed before the
	// attempt ends. A reader that is also an [okio.Source] hands over its segments without copying.
	Open func(ctx context.Context) (io.ReadCloser, error)
	// Write writes the content. It is called once per attempt, on the goroutine of the call; returning ends the body. It must not
	// use w afterwards. w is an [okio.Sink] too, and closing it does nothing.
	Write func(ctx context.Context, w io.Writer) error
	// OneShot marks content that can be sent only once: no retry after sending began, and no redirect or authentication that
	// would send it again.
	OneShot bool
	// Duplex lets request and response overlap, over HTTP/2: Open or Write runs on a goroutine of its own, each write is sent at once, and
	// Execute returns as soon as the response has begun. Returning ends the body, an error resets the stream, and the context ends with the
	// exchange. Until the body has ended no read timeout applies, and after Execute no call timeout. The call ends when both bodies have. Such a
	// body is never sent twice. Over HTTP/1.1 the call fails with a [*ProtocolError] before Open or Write runs.
	Duplex bool
	// Trailers returns the fields that follow the content (RFC 9110 section 6.5). It is called once per attempt, after the content was
	// written. It needs a Len of -1; name the fields in a Trailer header of the request, so that the server looks out for them. Fields that
	// frame a message or route it fail the call with a [*ProtocolError].
	Trailers func() Headers
}

// NewBody makes a body. A ContentType that cannot stand in a header is a [*HeaderError]; with the constructors below, which do not fail,
// [NewRequest] reports it.
func NewBody(c BodyConfig) (*Body, error) {
	switch {
	case (c.Open == nil) == (c.Write == nil):
		return nil, errors.New("okhttp: a body needs exactly one of Open and Write")
	case c.Len < -1:
		return nil, errors.New("okhttp: a body's Len must be -1 or more")
	case c.Trailers != nil && c.Len != -1:
		return nil, errors.New("okhttp: a body with Trailers must have a Len of -1")
	}
	b := &Body{cfg: c}
	if err := b.check(); err != nil {
		return nil, err
	}
	return b, nil
}

// check rejects a media type that no header can carry.
func (b *Body) check() error {
	if b == nil || b.cfg.ContentType == "" {
		return nil
	}
	return checkHeader("Content-Type", b.cfg.ContentType, true)
}

// ContentType returns the media type, "" if there is none.
func (b *Body) ContentType() string { return b.cfg.ContentType }

// Len returns the number of bytes, -1 if it is not known beforehand.
func (b *Body) Len() int64 { return b.cfg.Len }

// IsOneShot reports whether the content can be sent only once.
func (b *Body) IsOneShot() bool { return b.cfg.OneShot }

// sentOnce reports whether a request with the body is not repeated: a body that overlaps the response may have answered it.
func (b *Body) sentOnce() bool { return b.cfg.OneShot || b.cfg.Duplex }

// IsDuplex reports whether request and response may overlap. Such a body must not be read or written but by the call: it may wait for the response.
func (b *Body) IsDuplex() bool { return b.cfg.Duplex }

// Bytes is a body of p, which must not be modified afterwards.
func Bytes(contentType string, p []byte) *Body {
	return &Body{
		cfg: BodyConfig{ContentType: contentType, Len: int64(len(p)), Open: func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(p)), nil
		}},
		data: p,
	}
}

// Text is a body of type "text/plain; charset=utf-8".
func Text(s string) *Body { return Bytes("text/plain; charset=utf-8", []byte(s)) }

// JSON is v encoded as JSON, of type "application/json". Errors are those of [json.Marshal].
func JSON(v any) (*Body, error) {
	p, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return Bytes("application/json", p), nil
}

// OneShot is a body that reads r, once. The length is in bytes, -1 if it is not known. If r is an [io.Closer], it is closed after it
// was sent or sending it failed; a call that fails before, because it cannot connect for example, leaves r as it was. Sending the body a
// second time fails the call.
func OneShot(contentType string, length int64, r io.Reader) *Body {
	opened := new(atomic.Bool)
	return &Body{cfg: BodyConfig{ContentType: contentType, Len: max(length, -1), OneShot: true, Open: func(context.Context) (io.ReadCloser, error) {
		if opened.Swap(true) {
			return nil, errors.New("okhttp: a one-shot body was sent before")
		}
		if rc, ok := r.(io.ReadCloser); ok {
			return rc, nil
		}
		return io.NopCloser(r), nil
	}}}
}

// Streamed is a body of unknown length, sent chunked. f writes it, again for each attempt, on the goroutine of the call; its error fails the call,
// which is not tried again.
func Streamed(contentType string, f func(ctx context.Context, w io.Writer) error) *Body {
	return &Body{cfg: BodyConfig{ContentType: contentType, Len: -1, Write: f}}
}
