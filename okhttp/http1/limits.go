package http1

// Defaults of [Limits].
const (
	// DefaultMaxHead bounds the lines of all heads and trailers of one exchange, in bytes without line ends.
	DefaultMaxHead = 256 << 10
	// maxChunkLine bounds one chunk-size line with its extensions.
	maxChunkLine = 4 << 10
	// maxExtensions bounds the extensions of all chunks of a body together. Nobody uses them, but for making a peer read.
	maxExtensions = 256 << 10
)

// Limits bounds what a peer can make this side hold. The zero value means the defaults.
type Limits struct {
	// MaxHead is the most bytes of lines, without their ends, that the start line, the 1xx heads, the header fields and the
	// trailer fields of one exchange may have together. 0 means [DefaultMaxHead].
	MaxHead int64
}

func (l Limits) maxHead() int64 {
	if l.MaxHead <= 0 {
		return DefaultMaxHead
	}
	return l.MaxHead
}
