package record

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/okhttp-go/ok/mockserver/stub"
	"github.com/okhttp-go/ok/okhttp"
)

// passing is the body of a response on its way to the client. It keeps a copy, and tells done of it before the last of it goes on, so that a client which has
// the whole response finds it recorded.
type passing struct {
	body   *okhttp.ResponseBody
	length int64 // -1 if it is not known
	most   int64 // that is recorded
	done   func(body []byte, err error)

	passed int64
	copy   []byte
	over   bool
}

// Read implements [io.Reader].
func (p *passing) Read(b []byte) (int, error) {
	n, err := p.body.Read(b)
	p.passed += int64(n)
	if p.passed <= p.most {
		p.copy = append(p.copy, b[:n]...)
	} else {
		p.copy = nil
	}
	if err == nil && n > 0 && p.passed == p.length { // nobody reads what follows that, which is the end, and the trailers of HTTP/2
		_, err = io.ReadFull(p.body, make([]byte, 1))
	}
	switch {
	case err == io.EOF && p.passed > p.most:
		p.end(errors.New("the body of the response is longer than what is recorded"))
	case err == io.EOF:
		p.end(nil)
	case err != nil:
		p.end(fmt.Errorf("the body of the response broke off after %d bytes: %w", p.passed, err))
	}
	return n, err
}

// Close implements [io.Closer].
func (p *passing) Close() error {
	p.end(fmt.Errorf("the client left after %d bytes of the response", p.passed))
	return p.body.Close()
}

func (p *passing) end(err error) {
	if !p.over {
		p.over = true
		p.done(p.copy, err)
	}
}

// lengthOf returns the length of the body if it goes on with one. Over HTTP/1.1 none can be followed by trailers.
func lengthOf(resp *okhttp.Response) int64 {
	if _, follow := resp.Headers().Last("Trailer"); follow {
		return -1
	}
	return resp.Body.Len()
}

// withBody adds to what is recorded of a response what came behind its head.
func withBody(recorded stub.Response, resp *okhttp.Response, body []byte) stub.Response {
	if trailers, err := resp.Trailers(); err == nil && trailers.Len() > 0 {
		recorded.Chunked = &stub.Chunks{}
		for name, value := range trailers.All() {
			recorded.Trailers = append(recorded.Trailers, name, value)
		}
	}
	switch text := string(body); {
	case len(body) == 0 && resp.Request().Method() == "HEAD":
	case utf8.Valid(body):
		recorded.Body = &text
	default:
		recorded.Base64 = &body
	}
	return recorded
}
