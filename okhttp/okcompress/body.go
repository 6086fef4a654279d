package okcompress

import (
	"errors"
	"io"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// DecodeError reports a body that is not what its coding says: damaged, cut short, followed by something else, or more than a decoder is ready
// to do, as a Zstandard window of more than 8 MiB.
type DecodeError struct {
	// Coding is the token of the algorithm.
	Coding string
	// Err is what its decoder says.
	Err error
}

func (e *DecodeError) Error() string {
	return "okcompress: content coding " + e.Coding + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *DecodeError) Unwrap() error { return e.Err }

var errTrailing = errors.New("data follows the end of the stream")

// body is a response body on its way through one or more stages of decoding. Its failures repeat.
type body struct {
	src    okio.Source // the last stage, or the response's body as long as nothing was read
	wire   okio.Source
	stages []Algorithm // to be undone from the last to the first
	limit  int64
	req    *okhttp.Request
	sent   bool
	opened bool
	err    error
}

func newBody(req *okhttp.Request, resp *okhttp.Response, codings []Algorithm, limit int64) *body {
	return &body{src: resp.Body, wire: resp.Body, stages: codings, limit: limit, req: req, sent: resp.NetworkResponse() != nil}
}

func (b *body) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if b.err != nil || most == 0 {
		return 0, b.err
	}
	if !b.opened {
		b.opened = true
		if b.err = b.open(); b.err != nil {
			return 0, b.err
		}
	}
	n, err := b.src.ReadBuffer(dst, most)
	if err != nil {
		b.err = b.wrap(err)
	}
	return n, b.err
}

// open waits for the first byte: nothing at all is no damaged stream, but an empty body.
func (b *body) open() error {
	packed := okio.NewBufferedSource(b.wire)
	empty, err := packed.Exhausted()
	switch {
	case err != nil:
		return b.wrap(err)
	case empty:
		return io.EOF
	}
	b.src = packed
	for n := len(b.stages) - 1; n >= 0; n-- {
		s, err := newStage(b.stages[n], b.src, b.limit)
		if err != nil {
			return b.wrap(err)
		}
		b.src = s
	}
	return nil
}

// wrap makes a failure of decoding one of the call. Those of the connection are that already.
func (b *body) wrap(err error) error {
	var decode *DecodeError
	var large *okhttp.TooLargeError
	var call *okhttp.Error
	if err == io.EOF || errors.As(err, &call) || !errors.As(err, &decode) && !errors.As(err, &large) {
		return err
	}
	return &okhttp.Error{Method: b.req.Method(), URL: b.req.URL().Redacted(), Phase: okhttp.PhaseResponseBody, Sent: b.sent, Err: err}
}

func (b *body) Close() error {
	if b.err == nil || b.err == io.EOF {
		b.err = okio.ErrClosed
	}
	err := b.src.Close()
	if wire := b.wire.Close(); err == nil { // decoders of others may forget to, and closing twice is harmless
		err = wire
	}
	return err
}

// stage undoes one coding.
type stage struct {
	coding string
	in     *input
	out    okio.Source
	got    int64
	limit  int64 // 0: none
}

func newStage(a Algorithm, src okio.Source, limit int64) (*stage, error) {
	s := &stage{coding: a.Token, in: &input{Source: src}, limit: limit}
	out, err := a.Decoder(s.in)
	if err == nil && out == nil {
		err = errors.New("the decoder returned neither a source nor an error")
	}
	if err != nil {
		return nil, s.blame(err)
	}
	s.out = out
	return s, nil
}

// ReadBuffer delivers up to the limit, and beyond it only the end.
func (s *stage) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	var more okio.Buffer // a byte too many, which nobody gets
	into := dst
	if s.limit > 0 {
		if most = min(most, s.limit-s.got); most == 0 {
			into, most = &more, 1
			defer more.Clear()
		}
	}
	n, err := s.out.ReadBuffer(into, most)
	switch {
	case err == io.EOF:
		err = s.end()
	case err != nil:
		err = s.blame(err)
	case into == &more && n > 0:
		return 0, &okhttp.TooLargeError{What: "decoded response body", Limit: s.limit}
	}
	s.got += n
	return n, err
}

// end returns io.EOF if the source ended too. Looking for that also drives the response to its end, where its trailers are.
func (s *stage) end() error {
	var rest okio.Buffer
	defer rest.Clear()
	for !s.in.ended && s.in.err == nil {
		if n, _ := s.in.ReadBuffer(&rest, 1); n > 0 {
			return &DecodeError{s.coding, errTrailing}
		}
	}
	if s.in.err != nil {
		return s.in.err
	}
	return io.EOF
}

// blame tells a failure of the decoder from one of what it reads.
func (s *stage) blame(err error) error {
	switch {
	case s.in.err != nil:
		return s.in.err
	case err == okio.ErrClosed:
		return err
	}
	return &DecodeError{s.coding, err}
}

func (s *stage) Close() error { return s.out.Close() }

// input remembers how a source ended.
type input struct {
	okio.Source
	ended bool
	err   error
}

func (i *input) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	n, err := i.Source.ReadBuffer(dst, most)
	switch {
	case err == io.EOF:
		i.ended = true
	case err != nil && i.err == nil:
		i.err = err
	}
	return n, err
}
