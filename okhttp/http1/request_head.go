package http1

import (
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
	"github.com/okhttp-go/ok/okhttp/internal/fault"
	"github.com/okhttp-go/ok/okio"
)

// RequestHead is a request line with its fields (RFC 9112 section 3).
type RequestHead struct {
	Method string
	Target string // origin-form, absolute-form, authority-form or "*"
	// Minor is the minor version: 0 for HTTP/1.0, 1 for HTTP/1.1 and above.
	Minor  int
	Fields []string // alternating names and values
}

// CheckHost demands one Host of HTTP/1.1 and at most one of HTTP/1.0 (RFC 9112 section 3.2). A server answers 400 to what fails it; a server
// for tests may want to see such requests.
func (h *RequestHead) CheckHost() error {
	hosts := 0
	for i := 0; i+1 < len(h.Fields); i += 2 {
		if ascii.EqualFold(h.Fields[i], "host") {
			hosts++
		}
	}
	if hosts > 1 || hosts < h.Minor {
		return fault.Protocolf("expected one Host header but got %d", hosts)
	}
	return nil
}

func writeRequestHead(b *okio.Buffer, method, target string, fields []string) error {
	if !ascii.IsToken(method) {
		return fault.Protocolf("invalid method %s", fault.Quote(method))
	}
	if !isTarget(target) {
		return fault.Protocolf("invalid request target %s", fault.Quote(target))
	}
	if err := checkFields(fields); err != nil {
		return err
	}
	const version = " HTTP/1.1\r\n"
	writeBlock(b, fields, method, " ", target, version)
	return nil
}

// isTarget refuses what would end the request line early.
func isTarget(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] == 0x7f {
			return false
		}
	}
	return s != ""
}

// checkFields refuses what would let a field forge another line. It is the last guard before the wire; the values a user gave were
// checked when they were set.
func checkFields(fields []string) error {
	if len(fields)%2 != 0 {
		return fault.Protocolf("%d header names and values: expected them to alternate", len(fields))
	}
	for i := 0; i < len(fields); i += 2 {
		if !ascii.IsToken(fields[i]) {
			return fault.Protocolf("invalid header name %s", fault.Quote(fields[i]))
		}
		v := fields[i+1]
		for j := 0; j < len(v); j++ {
			if c := v[j]; c <= '\r' && (c == '\r' || c == '\n' || c == 0) {
				return fault.Protocolf("unexpected char 0x%02x at %d in the value of header %s", c, j, fields[i])
			}
		}
	}
	return nil
}

// writeBlock writes the pieces of a start line, checked fields, and the empty line that ends a block.
func writeBlock(b *okio.Buffer, fields []string, start ...string) {
	size := len("\r\n")
	for _, s := range start {
		size += len(s)
	}
	for _, s := range fields {
		size += len(s) + 2
	}
	if size > maxReserve {
		writePieces(b, fields, start)
		return
	}
	// One piece of room and plain copies: this runs once an exchange.
	p := b.Reserve(size)[:0]
	for _, s := range start {
		p = append(p, s...)
	}
	for i := 0; i < len(fields); i += 2 {
		p = append(p, fields[i]...)
		p = append(p, ": "...)
		p = append(p, fields[i+1]...)
		p = append(p, "\r\n"...)
	}
	p = append(p, "\r\n"...)
	b.Commit(len(p))
}

// maxReserve is the most that a buffer gives in one piece.
const maxReserve = 16 << 10

func writePieces(b *okio.Buffer, fields, start []string) {
	for _, s := range start {
		b.WriteString(s)
	}
	for i := 0; i < len(fields); i += 2 {
		b.WriteString(fields[i])
		b.WriteString(": ")
		b.WriteString(fields[i+1])
		b.WriteString("\r\n")
	}
	b.WriteString("\r\n")
}

// parseRequestLine accepts exactly method SP target SP HTTP/1.x.
func parseRequestLine(line string) (h RequestHead, err error) {
	method, rest, _ := strings.Cut(line, " ")
	target, version, _ := strings.Cut(rest, " ")
	switch {
	case version == "HTTP/1.0":
	case version == "HTTP/1.1":
		h.Minor = 1
	case len(version) == len("HTTP/1.x") && strings.HasPrefix(version, "HTTP/1.") && '2' <= version[7] && version[7] <= '9':
		h.Minor = 1 // RFC 9110 section 2.5: a higher minor version is understood as the highest one known
	default:
		return h, fault.Protocolf("unexpected request line: %s", fault.Quote(line))
	}
	if !ascii.IsToken(method) || !isTarget(target) {
		return h, fault.Protocolf("unexpected request line: %s", fault.Quote(line))
	}
	h.Method, h.Target = method, target
	return h, nil
}
