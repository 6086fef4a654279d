package http1

import (
	"bytes"
	"io"
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
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

// block is the lines up to and including an empty one, in one string that holds the bytes of the wire. Names and values are cut out of
// it without another allocation.
type block struct {
	text  string
	lines int // that are not empty
}

// block consumes lines up to and including the next empty one. At the end of input it returns io.EOF if no byte came and
// io.ErrUnexpectedEOF otherwise.
func (h *headReader) block() (b block, err error) {
	var end, crlf int64
	if b.lines, end, crlf, err = h.find(); err != nil {
		return b, err
	}
	if b.text, err = h.src.ReadText(end); err != nil {
		return b, err
	}
	// No line may have a NUL, nor a CR anywhere but before LF (RFC 9112 section 2.2, RFC 9110 section 5.5).
	if strings.IndexByte(b.text, 0) >= 0 {
		return b, fault.Protocolf("NUL in a header")
	}
	if int64(strings.Count(b.text, "\r")) != crlf {
		return b, fault.Protocolf("CR without LF in a header")
	}
	return b, nil
}

// find looks for the end of the next block, and counts its lines and how many of them, the empty one included, end in CRLF.
func (h *headReader) find() (lines int, end, crlf int64, err error) {
	if ok, err := h.src.Request(1); err != nil {
		return 0, 0, 0, err
	} else if !ok {
		return 0, 0, 0, io.EOF
	}
	buf := h.src.Buffer()
	if lines, end, crlf = h.findAt(buf); end > 0 {
		return lines, end, crlf, nil
	}
	left := h.left
	lines, crlf = 0, 0
	for pos := int64(0); ; {
		i, err := h.src.IndexByte('\n', pos, pos+left+2)
		if err != nil {
			return 0, 0, 0, err
		}
		if i < 0 {
			if buf.Len() >= pos+left+2 {
				return 0, 0, 0, &TooLargeError{What: h.what, Limit: h.limit}
			}
			return 0, 0, 0, io.ErrUnexpectedEOF
		}
		n := i - pos
		if n > 0 && buf.At(i-1) == '\r' {
			n--
			crlf++
		}
		if n == 0 {
			h.left = left
			return lines, i + 1, crlf, nil
		}
		if left -= n; left < 0 {
			return 0, 0, 0, &TooLargeError{What: h.what, Limit: h.limit}
		}
		lines++
		pos = i + 1
	}
}

// findAt is find for the common case: the whole block is there, in one segment, and within the budget. Otherwise end is 0.
func (h *headReader) findAt(buf *okio.Buffer) (lines int, end, crlf int64) {
	var p []byte
	for p = range buf.Chunks() {
		break
	}
	left := h.left
	for pos := 0; ; {
		i := bytes.IndexByte(p[pos:], '\n')
		if i < 0 {
			return 0, 0, 0
		}
		n := i
		if n > 0 && p[pos+i-1] == '\r' {
			n--
			crlf++
		}
		pos += i + 1
		if n == 0 {
			h.left = left
			return lines, int64(pos), crlf
		}
		if left -= int64(n); left < 0 {
			return 0, 0, 0
		}
		lines++
	}
}

// cutLine splits the first line off a block. The line comes without its end.
func cutLine(text string) (line, rest string) {
	i := strings.IndexByte(text, '\n')
	line, rest = text[:i], text[i+1:]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return line, rest
}

// fields parses lines, the empty one included, into alternating names and values. The slice has room for exactly what came.
func (h *headReader) fields(text string, lines int) ([]string, error) {
	if lines == 0 {
		return nil, nil
	}
	nv := make([]string, 0, 2*lines)
	var fold []byte // the last value, while lines continue it
	unfold := func() {
		if fold != nil {
			nv[len(nv)-1], fold = string(fold), nil
		}
	}
	for {
		colon := 0
		for ascii.IsTokenByte(text[colon]) { // the line end that is always there is no token character
			colon++
		}
		var line string
		if colon > 0 && text[colon] == ':' {
			unfold()
			name := text[:colon]
			line, text = cutLine(text[colon+1:])
			nv = append(nv, name, ascii.TrimOWS(line))
			continue
		}
		line, text = cutLine(text)
		switch {
		case line == "":
			unfold()
			return nv, nil
		case line[0] != ' ' && line[0] != '\t':
			return nil, badLine(line)
		case !h.folded || len(nv) == 0:
			return nil, strayFold(nv)
		}
		// RFC 9112 section 5.2: a user agent replaces each obs-fold with a space.
		if more := ascii.TrimOWS(line); more != "" {
			if fold == nil {
				fold = append(fold, nv[len(nv)-1]...)
			}
			if len(fold) > 0 {
				fold = append(fold, ' ')
			}
			fold = append(fold, more...)
		}
	}
}

// strayFold is the failure of a line that continues the one before, which it names: the line itself may be of a secret.
func strayFold(before []string) error {
	if len(before) == 0 {
		return fault.Protocolf("header line starts with white space, after the first line")
	}
	return fault.Protocolf("header line starts with white space, after %s", fault.Quote(before[len(before)-2]))
}

// badLine is the failure of a line that has no valid name. It shows what may be meant as one, and no value.
func badLine(line string) error {
	name, _, found := strings.Cut(line, ":")
	if !found {
		end := 0
		for end < len(line) && ascii.IsTokenByte(line[end]) {
			end++
		}
		if end < len(line) {
			return fault.Protocolf("header line without a colon: %s and %d bytes more", fault.Quote(line[:end]), len(line)-end)
		}
		return fault.Protocolf("header line without a colon: %s", fault.Quote(line))
	}
	return fault.Protocolf("invalid header name %s", fault.Quote(name))
}
