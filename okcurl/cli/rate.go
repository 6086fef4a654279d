package cli

import (
	"context"
	"io"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// throttle makes what --limit-rate asks for, nil without it. It is one for everything that is under way.
func (o *options) throttle() *okio.Throttler {
	if o.rate == 0 {
		return nil
	}
	t := new(okio.Throttler)
	_ = t.Set(o.rate, min(o.rate, 8<<10), max(o.rate/4, 8<<10)) // fails for negative numbers alone
	return t
}

// slowed is a body that is sent at the rate of a throttler.
func slowed(body *okhttp.Body, t *okio.Throttler) *okhttp.Body {
	if body == nil || t == nil {
		return body
	}
	slow, err := okhttp.NewBody(okhttp.BodyConfig{
		ContentType: body.ContentType(), Len: body.Len(), OneShot: body.IsOneShot(),
		Write: func(ctx context.Context, w io.Writer) error {
			sink := okio.NewBufferedSink(t.Sink(okio.ToWriter(w)))
			if err := body.Write(ctx, sink); err != nil {
				return err
			}
			return sink.Flush()
		},
	})
	if err != nil {
		return body // which cannot be: it is as valid as the one it is made of
	}
	return slow
}

// slowedReader is a response that is taken at the rate of a throttler.
func slowedReader(b *okhttp.ResponseBody, t *okio.Throttler) io.WriterTo {
	if t == nil {
		return b
	}
	return okio.NewBufferedSource(t.Source(b))
}
