package mockserver

import (
	"errors"
	"fmt"
	"os"

	"github.com/okhttp-go/ok/okhttp/http1"
	"github.com/okhttp-go/ok/okhttp/http2"
)

var (
	// errEffect is the failure of a request that an effect of the script cut short.
	errEffect = errors.New("mockserver: the request was cut short by an effect of its response")
	// errCutOff is why an exchange ends whose stream, or connection, this side ended: by the effect of another request, most likely.
	errCutOff = errors.New("mockserver: the server ended the connection before there was a response")
)

// failure returns why a request could not be read: err, unless the end of the server is behind that, or an effect of another request.
func (c *connection) failure(err error) error {
	switch {
	case err == nil, err == errEffect:
		return err
	case c.server.context.Err() != nil && broken(err), errors.Is(err, os.ErrDeadlineExceeded) && c.server.isDraining():
		return ErrClosed
	case c.cut.Load() && broken(err):
		return fmt.Errorf("%w: %w", errCutOff, err)
	}
	return err
}

// unheard returns why there is no response to a request: err is of the stream, or of what was to be sent before the response, nil if that is not known.
func (c *connection) unheard(err error) error {
	cause, reset := ErrClientGone, (*http2.StreamResetError)(nil)
	switch {
	case c.server.context.Err() != nil:
		return ErrClosed
	case c.cut.Load(), errors.As(err, &reset) && !reset.Remote:
		cause = errCutOff
	}
	if err == nil {
		return cause
	}
	return fmt.Errorf("%w: %w", cause, err)
}

// broken reports whether err is of a connection that broke, or came to its end, and not of what was sent over it.
func broken(err error) bool {
	var p *http1.ProtocolError
	var l *http1.TooLargeError
	return !errors.As(err, &p) && !errors.As(err, &l) && !errors.Is(err, os.ErrDeadlineExceeded)
}
