package http1

import (
	"io"
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/fault"
	"github.com/okhttp-go/ok/okio"
)

// headReader takes blocks of lines off a source, all of them within one budget.
type headReader struct {
	src    *okio.BufferedSource
	limit  int64 // of an exchange
	left   int64 // of the current exchange
	folded bool  // obs-fold is a space (responses), not an error (requests)
	what   string
}

// block consumes lines up to and including the next empty one and returns them as one string. The string holds the bytes of the
// wire, line ends included, so that names and values can be cut out of it without another allocation. The number of lines is
// that of the non-empty ones.
//
// At the end of input it returns io.EOF if no byte came and io.ErrUnexpectedEOF otherwise.
func (h *headReader) block() (text string, lines int, err error) {
	buf := h.src.Buffer()
	var pos int64
	for {
		i, err := h.src.IndexByte('\n', pos, pos+h.left+2)
		if err != nil {
			return "", 0, err
		}
		if i < 0 {
			if buf.Len() >= pos+h.left+2 {
				return "", 0, &TooLargeError{What: h.what, Limit: h.limit}
			}
			if buf.Len() == 0 {
				return "", 0, io.EOF
			}
			return "", 0, io.ErrUnexpectedEOF
		}
		n := i - pos
		if n > 0 && buf.At(i-1) == '\r' {
			n--
		}
		if n == 0 {
			text, err = h.src.ReadText(i + 1)
			return text, lines, err
		}
		if h.left -= n; h.left < 0 {
			return "", 0, &TooLargeError{What: h.what, Limit: h.limit}
		}
		lines++
		pos = i + 1
	}
}

// cutLine splits the first line off a block. The line comes without its end.
func cutLine(block string) (line, rest string) {
	i := strings.IndexByte(block, '\n')
	line, rest = block[:i], block[i+1:]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, rest
}

// checkBlock refuses what no line may have: NUL, and CR anywhere but before LF (RFC 9112 section 2.2, RFC 9110 section 5.5).
func checkBlock(block string) error {
	if strings.IndexByte(block, 0) >= 0 {
		return fault.Protocolf("NUL in a header")
	}
	for rest := block; ; {
		i := strings.IndexByte(rest, '\r')
		if i < 0 {
			return nil
		}
		if i+1 == len(rest) || rest[i+1] != '\n' {
			return fault.Protocolf("CR without LF in a header")
		}
		rest = rest[i+2:]
	}
}

// fields parses the lines of a block into alternating names and values. The slice has room for exactly what came.
func (h *headReader) fields(block string, lines int) ([]string, error) {
	if lines == 0 {
		return nil, nil
	}
	nv := make([]string, 0, 2*lines)
	for {
		line, rest := cutLine(block)
		block = rest
		if line == "" {
			return nv, nil
		}
		if line[0] == ' ' || line[0] == '\t' {
			if !h.folded || len(nv) == 0 {
				return nil, fault.Protocolf("header line starts with white space: %s", fault.Quote(line))
			}
			// RFC 9112 section 5.2: a user agent replaces each obs-fold with a space.
			last := &nv[len(nv)-1]
			*last = trimOWS(*last + " " + trimOWS(line))
			continue
		}
		colon := strings.IndexByte(line, ':')
		if colon < 0 {
			return nil, fault.Protocolf("header line without a colon: %s", fault.Quote(line))
		}
		name := line[:colon]
		if !isToken(name) {
			return nil, fault.Protocolf("invalid header name %s", fault.Quote(name))
		}
		nv = append(nv, name, trimOWS(line[colon+1:]))
	}
}

// trimOWS removes optional white space (RFC 9110 section 5.6.3) from both ends.
func trimOWS(s string) string {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}
