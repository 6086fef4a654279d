package okws

import (
	"io"

	"github.com/okhttp-go/ok/okio"
)

// begun is a socket of which something was read before it came here.
type begun struct {
	okio.Socket
	source begunSource
}

func (s *begun) Source() okio.Source { return &s.source }

type begunSource struct {
	okio.Source
	early *okio.Buffer
}

func (s *begunSource) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if s.early.Len() > 0 {
		return s.early.ReadBuffer(dst, most)
	}
	return s.Source.ReadBuffer(dst, most)
}

// Read implements [io.Reader].
func (s *begunSource) Read(p []byte) (int, error) {
	if s.early.Len() > 0 {
		return s.early.Read(p)
	}
	return s.Source.(io.Reader).Read(p) // of okio.NewSocket
}

func (s *begunSource) Timeout() *okio.Timeout { return okio.TimeoutOf(s.Source) }
