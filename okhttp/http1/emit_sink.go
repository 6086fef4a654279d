package http1

import "github.com/okhttp-go/ok/okio"

// emitSink remembers whether anything was written to it.
type emitSink struct {
	okio.Sink
	used bool
}

func (k *emitSink) WriteBuffer(src *okio.Buffer, n int64) error {
	k.used = true
	return k.Sink.WriteBuffer(src, n)
}

// Timeout implements [okio.Limited].
func (k *emitSink) Timeout() *okio.Timeout { return okio.TimeoutOf(k.Sink) }
