package http1

import (
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
	"github.com/okhttp-go/ok/okhttp/internal/fault"
)

// Lengths that are not a number of bytes.
const (
	// Chunked is the length of a body in the chunked transfer coding (RFC 9112 section 7.1).
	Chunked int64 = -1
	// UntilClose is the length of a response body that ends with the connection (RFC 9112 section 6.3).
	UntilClose int64 = -2
)

// framing is what the fields of one head say about its body and its connection.
type framing struct {
	length     int64 // content length, -1 without one
	hasLength  bool
	coded      bool // Transfer-Encoding came
	chunked    bool // and its last coding is chunked
	close      bool // Connection: close
	keepAlive  bool // Connection: keep-alive
	contradict bool // both Content-Length and Transfer-Encoding came
}

// frame reads the framing fields of a head (RFC 9112 section 6.3). Content-Length may repeat, in fields or in a list, as long as
// it says the same each time.
func frame(fields []string) (f framing, err error) {
	f.length = -1
	for i := 0; i+1 < len(fields); i += 2 {
		switch name := fields[i]; len(name) {
		case len("connection"):
			if ascii.EqualFold(name, "connection") {
				f.close = f.close || listHas(fields[i+1], "close")
				f.keepAlive = f.keepAlive || listHas(fields[i+1], "keep-alive")
			}
		case len("content-length"):
			if ascii.EqualFold(name, "content-length") {
				if err = f.addLength(fields[i+1]); err != nil {
					return f, err
				}
			}
		case len("transfer-encoding"):
			if ascii.EqualFold(name, "transfer-encoding") {
				if err = f.addCoding(fields[i+1]); err != nil {
					return f, err
				}
			}
		}
	}
	f.contradict = f.coded && f.hasLength
	return f, nil
}

func (f *framing) addLength(value string) error {
	for more := true; more; {
		var item string
		item, value, more = strings.Cut(value, ",")
		n, ok := parseLength(ascii.TrimOWS(item))
		if !ok {
			return fault.Protocolf("Content-Length is not a number of bytes: %s", fault.Quote(item))
		}
		if f.hasLength && n != f.length {
			return fault.Protocolf("Content-Length is both %d and %d", f.length, n)
		}
		f.length, f.hasLength = n, true
	}
	return nil
}

// addCoding accepts chunked once and last. Other codings are not understood: reading their bytes as content would deliver
// something that was never sent.
func (f *framing) addCoding(value string) error {
	for more := true; more; {
		var item string
		item, value, more = strings.Cut(value, ",")
		item = ascii.TrimOWS(item)
		switch {
		case item == "":
			continue // empty list elements are ignored (RFC 9110 section 5.6.1.2)
		case f.chunked:
			return fault.Protocolf("Transfer-Encoding continues after chunked: %s", fault.Quote(item))
		case ascii.EqualFold(item, "chunked"):
			f.chunked = true
		case ascii.EqualFold(item, "identity"):
			// Withdrawn since RFC 2616; it changes nothing, and the body ends with the connection.
		default:
			return fault.Protocolf("unknown Transfer-Encoding %s", fault.Quote(item))
		}
		f.coded = true
	}
	return nil
}

// parseLength reads 1*DIGIT that fits 63 bits.
func parseLength(s string) (n int64, ok bool) {
	if s == "" {
		return 0, false
	}
	for i := 0; i < len(s); i++ {
		c := s[i] - '0'
		if c > 9 || n > (1<<63-1-int64(c))/10 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	return n, true
}

// without returns the fields less those of a name, in a slice of its own.
func without(fields []string, name string) []string {
	kept := make([]string, 0, len(fields))
	for i := 0; i+1 < len(fields); i += 2 {
		if !ascii.EqualFold(fields[i], name) {
			kept = append(kept, fields[i], fields[i+1])
		}
	}
	return kept
}
