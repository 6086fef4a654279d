package okmultipart

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// The common multipart types (RFC 2046 section 5.1, RFC 7578, RFC 2387).
const (
	Mixed       = "multipart/mixed"       // independent parts in an order
	Alternative = "multipart/alternative" // the same thing in several forms, the best one last
	Digest      = "multipart/digest"      // messages
	Parallel    = "multipart/parallel"    // parts without an order
	FormData    = "multipart/form-data"   // a form
	Related     = "multipart/related"     // parts that refer to each other; RFC 2387 wants a type parameter
)

// Config is how a multipart body is put together. The zero value has the defaults.
type Config struct {
	// Type is the media type, by default [Mixed]. It may have parameters other than boundary.
	Type string
	// Boundary separates the parts: 1 to 70 letters, digits, spaces and characters of '()+_,-./:=? that do not end in a space (RFC 2046
	// section 5.1.1). No part may contain it at the beginning of a line; parts in memory are checked. By default it is random.
	Boundary string
}

// A BuildError reports what is wrong with a multipart body that was to be made.
type BuildError struct {
	Part   int    // the index of the part, -1 if it is not a part that is wrong
	Detail string // what came and what was expected
	Err    error  // the cause, if there is one: an [*okhttp.HeaderError] or that of a file
}

func (e *BuildError) Error() string {
	if e.Part < 0 {
		return "okmultipart: " + e.Detail
	}
	return "okmultipart: part " + strconv.Itoa(e.Part) + ": " + e.Detail
}

// Unwrap returns the cause.
func (e *BuildError) Unwrap() error { return e.Err }

// New makes a body of parts, of which there must be one at least. c may be nil. Its length is known if that of every part is, and it is one-shot if a
// part is. It fails with a [*BuildError].
func New(c *Config, parts ...Part) (*okhttp.Body, error) {
	l, err := newLayout(c, parts)
	if err != nil {
		return nil, err
	}
	body, err := okhttp.NewBody(okhttp.BodyConfig{ContentType: l.contentType, Len: l.length, OneShot: l.oneShot, Write: l.write})
	if err != nil {
		return nil, &BuildError{Part: -1, Detail: strings.TrimPrefix(err.Error(), "okhttp: "), Err: err}
	}
	return body, nil
}

// layout is a body ready to be written.
type layout struct {
	contentType string
	boundary    string
	parts       []Part
	heads       []string // of the parts
	length      int64
	oneShot     bool
}

func newLayout(c *Config, parts []Part) (*layout, error) {
	if c == nil {
		c = new(Config)
	}
	l := &layout{boundary: c.Boundary, parts: append([]Part(nil), parts...)}
	if l.boundary == "" {
		l.boundary = randomBoundary()
	} else if err := checkBoundary(l.boundary); err != nil {
		return nil, err
	}
	if err := l.setType(c.Type); err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		return nil, &BuildError{Part: -1, Detail: "multipart body must have at least one part"}
	}
	l.length = int64(len("--") + len(l.boundary) + len("--\r\n"))
	for i := range l.parts {
		if err := l.add(&l.parts[i]); err != nil {
			var inner *BuildError
			detail := strings.TrimPrefix(err.Error(), "okhttp: ")
			if errors.As(err, &inner) {
				detail = strings.TrimPrefix(err.Error(), "okmultipart: ")
			}
			return nil, &BuildError{Part: i, Detail: detail, Err: err}
		}
	}
	return l, nil
}

// setType makes the media type with the boundary.
func (l *layout) setType(t string) error {
	if t = strings.TrimSpace(t); t == "" {
		t = Mixed
	}
	base, params, err := mime.ParseMediaType(t)
	switch {
	case err != nil || !strings.HasPrefix(base, "multipart/") || base == "multipart/":
		return &BuildError{Part: -1, Detail: "multipart != " + quote(t), Err: err}
	case has(params, "boundary"):
		return &BuildError{Part: -1, Detail: "unexpected boundary in the type " + quote(t) + ": it has a field of its own"}
	}
	boundary := l.boundary
	if strings.ContainsAny(boundary, "()<>@,;:\\\"/[]?= ") {
		boundary = `"` + boundary + `"` // it is no token
	}
	l.contentType = strings.TrimRight(t, "; ") + "; boundary=" + boundary
	return nil
}

func has(m map[string]string, key string) bool {
	_, ok := m[key]
	return ok
}

// add checks a part and counts it in.
func (l *layout) add(p *Part) error {
	switch {
	case p.err != nil:
		return p.err
	case p.open == nil && p.write == nil && p.nested == nil && p.data == nil:
		return errors.New("expected a part, got the zero value")
	}
	if err := p.collides(l.boundary); err != nil {
		return err
	}
	head, err := p.head()
	if err != nil {
		return err
	}
	l.heads = append(l.heads, head)
	l.oneShot = l.oneShot || p.oneShot
	frame := int64(len("--") + len(l.boundary) + len("\r\n") + len(head) + len("\r\n"))
	switch {
	case p.length < 0 || l.length < 0:
		l.length = -1
	case p.length > math.MaxInt64-l.length-frame:
		return fmt.Errorf("the body would be longer than %d bytes", int64(math.MaxInt64))
	default:
		l.length += frame + p.length
	}
	return nil
}

// collides finds a boundary in content where it would end the part. Content that is not in memory cannot be looked at.
func (p *Part) collides(boundary string) error {
	delimiter := []byte("\r\n--" + boundary)
	switch {
	case p.nested != nil:
		if strings.HasPrefix(p.nested.boundary, boundary) {
			return errors.New("the boundary of the nested parts begins with that of the outer ones, " + quote(boundary))
		}
		for i := range p.nested.parts {
			if err := p.nested.parts[i].collides(boundary); err != nil {
				return err
			}
		}
	case bytes.HasPrefix(p.data, delimiter[2:]), bytes.Contains(p.data, delimiter):
		return errors.New("the content has the boundary " + quote(boundary))
	}
	return nil
}

// checkBoundary checks a boundary against RFC 2046 section 5.1.1.
func checkBoundary(s string) error {
	const special = "'()+_,-./:=? "
	if len(s) > 70 || strings.HasSuffix(s, " ") {
		return &BuildError{Part: -1, Detail: "expected a boundary of 1 to 70 characters that does not end in a space, got " + quote(s)}
	}
	for i := range len(s) {
		c := s[i]
		if ('a' > c|0x20 || c|0x20 > 'z') && ('0' > c || c > '9') && strings.IndexByte(special, c) < 0 {
			return &BuildError{Part: -1, Detail: fmt.Sprintf("unexpected character 0x%02x in the boundary %s", c, quote(s))}
		}
	}
	return nil
}

// randomBoundary is the text of a random UUID.
func randomBoundary() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// write writes the body.
func (l *layout) write(ctx context.Context, w io.Writer) error {
	sink := okio.NewBufferedSink(okio.ToWriter(w))
	if err := l.writeTo(ctx, sink); err != nil {
		return err
	}
	return sink.Emit()
}

// quote makes any text fit for a message.
func quote(s string) string {
	const most = 80
	if len(s) > most {
		return strconv.Quote(s[:most]) + "..."
	}
	return strconv.Quote(s)
}
