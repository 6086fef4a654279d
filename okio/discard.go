package okio

// Discard returns a sink that drops whatever it is given.
func Discard() Sink { return discardSink{} }

type discardSink struct{}

func (discardSink) WriteBuffer(src *Buffer, n int64) error {
	if err := checkTake(src, n); err != nil {
		return err
	}
	src.drop(n)
	return nil
}

func (discardSink) Flush() error { return nil }
func (discardSink) Close() error { return nil }
