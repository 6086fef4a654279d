package okdns

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// incomplete is how long a look-up counts that lacks addresses for want of a reply.
const incomplete = 10 * time.Second

// NotFound reports whether a look-up, or a call because of it, failed because the name does not exist or has no address, and not because
// nobody could be asked.
func NotFound(err error) bool {
	var unknown *okhttp.UnknownHostError
	if errors.As(err, &unknown) {
		for unknown.Err != nil {
			again, ok := unknown.Err.(*okhttp.UnknownHostError)
			if !ok || again.Host != unknown.Host {
				break
			}
			unknown = again // a resolver's, in that of a call
		}
		if unknown.Err == nil {
			return true
		}
	}
	// The name is compared because a resolver can be unreachable for want of its own address.
	var failure *net.DNSError
	return errors.As(err, &failure) && failure.IsNotFound && (unknown == nil || unknown.Host == failure.Name)
}

// failed makes a failure of a look-up that which it is to be: the end of the context, or an unknown host.
func failed(ctx context.Context, host string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if unknown, ok := err.(*okhttp.UnknownHostError); ok && unknown.Host == host {
		return err
	}
	return &okhttp.UnknownHostError{Host: host, Err: err}
}
