package okmultipart

import (
	"io"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// Limits of the headers of one part.
const (
	maxHead   = 256 << 10 // bytes
	maxFields = 1000
)

const crlf okio.ByteString = "\r\n"

// readHeaders reads the headers of a part and the empty line after them.
func (r *Reader) readHeaders() (okhttp.Headers, error) {
	var fields []string // name, value, name, value …
	ascii := true
	for left := int64(maxHead); ; {
		line, err := r.headerLine(left)
		if err != nil {
			return okhttp.Headers{}, err
		}
		if line == "" {
			break
		}
		left -= int64(len(line) + len(crlf))
		if line[0] == ' ' || line[0] == '\t' {
			if len(fields) == 0 {
				return okhttp.Headers{}, protocolError("the headers of a part begin with a continuation line", nil)
			}
			// A folded value: the fold is a space (RFC 5322 section 2.2.3). It goes on with the part and the value it belongs to.
			fields[len(fields)-1] = strings.TrimRight(fields[len(fields)-1]+" "+strings.Trim(line, " \t"), " ")
		} else {
			name, value, ok := strings.Cut(line, ":")
			if !ok || name == "" || strings.TrimRight(name, " \t") != name {
				return okhttp.Headers{}, protocolError("expected a header of a part, name: value, got "+quote(line), nil)
			}
			if len(fields) == 2*maxFields {
				return okhttp.Headers{}, protocolError("expected at most "+strconv.Itoa(maxFields)+" headers of a part, got more", nil)
			}
			fields = append(fields, name, strings.Trim(value, " \t"))
		}
		for i := range len(line) {
			ascii = ascii && line[i] < 0x80
		}
	}
	h, err := headersOf(fields, ascii)
	if err != nil {
		return okhttp.Headers{}, protocolError("header of a part: "+strings.TrimPrefix(err.Error(), "okhttp: "), err)
	}
	return h, nil
}

// headersOf checks the fields. Names of files come in UTF-8, which headers of HTTP admit one by one only.
func headersOf(fields []string, ascii bool) (h okhttp.Headers, err error) {
	if ascii {
		return okhttp.NewHeaders(fields...)
	}
	for i := 0; i < len(fields); i += 2 {
		if h, err = h.AddNonASCII(fields[i], fields[i+1]); err != nil {
			return okhttp.Headers{}, err
		}
	}
	return h, nil
}

// headerLine reads a line that ends in CRLF, both of which fit into the limit.
func (r *Reader) headerLine(limit int64) (string, error) {
	most := max(limit-int64(len(crlf))+1, 0) // positions where the CRLF may be
	n, err := r.src.Index(crlf, 0, most)
	if err != nil {
		return "", err
	}
	if n < 0 {
		if r.src.Buffer().Len() >= most {
			return "", &okhttp.TooLargeError{What: "head of a multipart part", Limit: maxHead}
		}
		return "", protocolError("multipart body ended in the headers of a part", io.ErrUnexpectedEOF)
	}
	line, err := r.src.ReadText(n)
	if err != nil {
		return "", err
	}
	return line, r.src.Skip(int64(len(crlf)))
}
