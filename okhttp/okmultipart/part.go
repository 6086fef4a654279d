package okmultipart

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// Part is one part of a body that is to be sent: its headers and where its content comes from. It is immutable and may be used in any number
// of bodies, unless it is one-shot. The functions that make parts do not fail; [New] and [Form] report what is wrong with them.
type Part struct {
	headers     okhttp.Headers
	contentType string
	length      int64
	data        []byte // the content, if it is in memory
	open        func(ctx context.Context) (io.ReadCloser, error)
	write       func(ctx context.Context, w io.Writer) error
	nested      *layout
	oneShot     bool
	err         error
}

// PartConfig describes a part for [NewPart]. Exactly one of Open and Write is set.
type PartConfig struct {
	// Headers are those of the part. Content-Type and Content-Length must not be among them.
	Headers okhttp.Headers
	// ContentType is the media type of the part, "" for none.
	ContentType string
	// Len is the number of bytes, -1 if it is not known beforehand, in which case the whole body is sent chunked. A part that turns out longer or
	// shorter fails the call with an [*okhttp.ProtocolError].
	Len int64
	// Open returns the content, once per attempt. Its result is closed before the next part begins. A reader that is also an
	// okio.Source hands over its segments without copying.
	Open func(ctx context.Context) (io.ReadCloser, error)
	// Write writes the content, once per attempt; returning ends the part. It must not use w afterwards.
	Write func(ctx context.Context, w io.Writer) error
	// OneShot marks content that can be sent only once, which makes the whole body so.
	OneShot bool
}

// NewPart makes a part of any kind. What is wrong with c is reported by the [New] or [Form] that the part is given to.
func NewPart(c PartConfig) Part {
	p := Part{headers: c.Headers, contentType: c.ContentType, length: c.Len, open: c.Open, write: c.Write, oneShot: c.OneShot}
	switch {
	case (c.Open == nil) == (c.Write == nil):
		p.err = errors.New("a part needs exactly one of Open and Write")
	case c.Len < -1:
		p.err = errors.New("the Len of a part must be -1 or more")
	}
	return p
}

// BodyPart makes a part of the body of a request, such as one of [okhttp.JSON], with its media type and length. Headers may be the zero value. The
// part is one-shot if the body is, and not looked through for the boundary. A duplex body cannot be a part.
func BodyPart(headers okhttp.Headers, body *okhttp.Body) Part {
	switch {
	case body == nil:
		return Part{err: errors.New("expected a body, got nil")}
	case body.IsDuplex():
		return Part{err: errors.New("expected a body that comes to its end before the response, got a duplex one")}
	}
	return Part{headers: headers, contentType: body.ContentType(), length: body.Len(), write: body.Write, oneShot: body.IsOneShot()}
}

// Nested makes a part that consists of parts itself, such as the alternatives of a message. Headers may be the zero value and c nil, as for [New].
func Nested(headers okhttp.Headers, c *Config, parts ...Part) Part {
	inner, err := newLayout(c, parts)
	if err != nil {
		return Part{err: err}
	}
	return Part{headers: headers, contentType: inner.contentType, length: inner.length, nested: inner, oneShot: inner.oneShot}
}

// Data makes a part with the content p, which must not be modified afterwards. Headers may be the zero value and contentType "".
func Data(headers okhttp.Headers, contentType string, p []byte) Part {
	if p == nil {
		p = []byte{}
	}
	return Part{headers: headers, contentType: contentType, length: int64(len(p)), data: p}
}

// head is what goes before the content: one line a header and an empty one.
func (p *Part) head() (string, error) {
	var b strings.Builder
	line := func(name, value string) error {
		// The fields may come from a map that nobody has checked, and must not be able to end the head.
		if _, err := (okhttp.Headers{}).AddNonASCII(name, value); err != nil {
			return err
		}
		b.WriteString(name)
		b.WriteString(": ")
		b.WriteString(value)
		b.WriteString("\r\n")
		return nil
	}
	for name, value := range p.headers.All() {
		if strings.EqualFold(name, "Content-Type") || strings.EqualFold(name, "Content-Length") {
			return "", errors.New("unexpected header: " + name)
		}
		if err := line(name, value); err != nil {
			return "", err
		}
	}
	if p.contentType != "" {
		if err := line("Content-Type", p.contentType); err != nil {
			return "", err
		}
	}
	b.WriteString("\r\n")
	return b.String(), nil
}
