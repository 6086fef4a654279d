package http1

import (
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/fault"
	"github.com/okhttp-go/ok/okio"
)

// ResponseHead is a status line with its fields (RFC 9112 section 4).
type ResponseHead struct {
	// Minor is the minor version: 0 for HTTP/1.0, 1 for HTTP/1.1.
	Minor  int
	Status int
	Reason string   // may be empty
	Fields []string // alternating names and values
}

// Informational reports whether another head follows this one: 1xx, but for 101, which ends HTTP on the connection
// (RFC 9110 section 15.2).
func (h *ResponseHead) Informational() bool {
	return h.Status >= 100 && h.Status < 200 && h.Status != 101
}

// parseStatusLine accepts HTTP/1.0 and HTTP/1.1, and the two other names that streaming servers put in their place.
func parseStatusLine(line string) (h ResponseHead, err error) {
	var rest string
	switch {
	case strings.HasPrefix(line, "HTTP/1.1 "):
		h.Minor, rest = 1, line[len("HTTP/1.1 "):]
	case strings.HasPrefix(line, "HTTP/1.0 "):
		rest = line[len("HTTP/1.0 "):]
	case strings.HasPrefix(line, "ICY "): // Shoutcast
		rest = line[len("ICY "):]
	case strings.HasPrefix(line, "SOURCETABLE "): // NTRIP
		h.Minor, rest = 1, line[len("SOURCETABLE "):]
	default:
		return h, fault.Protocolf("unexpected status line: %s", fault.Quote(line))
	}
	if len(rest) < 3 || len(rest) > 3 && rest[3] != ' ' || rest[0] == '0' {
		return h, fault.Protocolf("unexpected status line: %s", fault.Quote(line))
	}
	for i := range 3 {
		c := rest[i] - '0'
		if c > 9 {
			return h, fault.Protocolf("unexpected status line: %s", fault.Quote(line))
		}
		h.Status = h.Status*10 + int(c)
	}
	if len(rest) > 4 {
		h.Reason = rest[4:]
	}
	return h, nil
}

func writeResponseHead(b *okio.Buffer, status int, reason string, fields []string) error {
	if status < 100 || status > 999 {
		return fault.Protocolf("status %d: expected three digits", status)
	}
	if strings.ContainsAny(reason, "\r\n\x00") {
		return fault.Protocolf("line end or NUL in the reason phrase %s", fault.Quote(reason))
	}
	if err := checkFields(fields); err != nil {
		return err
	}
	writeBlock(b, fields, "HTTP/1.1 ", strconv.Itoa(status), " ", reason, "\r\n")
	return nil
}
