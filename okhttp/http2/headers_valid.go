package http2

import (
	"fmt"
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
	"github.com/okhttp-go/ok/okhttp/internal/fault"
)

// malformed is the error of a message whose fields are wrong (RFC 9113 section 8.1.1). Values that can be secret are never part of it.
func malformed(format string, args ...any) error {
	return &StreamError{Code: ProtocolErrorCode, Detail: fmt.Sprintf(format, args...)}
}

// ValidResponse checks the fields of a response head, interim ones too: exactly one :status of three digits, but not 101, which HTTP/2 does not
// have, before the other fields, and nothing that a message of HTTP/2 must not have (RFC 9113 sections 8.1.1, 8.2 and 8.3). The error is a [*StreamError] with
// the code PROTOCOL_ERROR, whose Stream is for the caller to set.
func ValidResponse(nv []string) error {
	var v validator
	for i := 0; i+1 < len(nv); i += 2 {
		name, value := nv[i], nv[i+1]
		if !isPseudo(name) {
			if err := v.field(name, value); err != nil {
				return err
			}
			continue
		}
		if name != ":status" {
			return malformed("pseudo-header %s in a response", fault.Quote(name))
		}
		if err := v.pseudo(name, value, pseudoStatus); err != nil {
			return err
		}
	}
	if !v.has(pseudoStatus) {
		return malformed("expected ':status' header not present")
	}
	switch status := Status(nv); status {
	case 0:
		return malformed("':status' header is not a number of three digits")
	case 101:
		return malformed("status 101, which HTTP/2 does not have")
	}
	return nil
}

// ValidTrailers checks the fields of trailers: no pseudo-header field, and nothing that a message of HTTP/2 must not have (RFC 9113 section 8.1). The error is
// that of [ValidResponse].
func ValidTrailers(nv []string) error {
	var v validator
	for i := 0; i+1 < len(nv); i += 2 {
		if isPseudo(nv[i]) {
			return malformed("pseudo-header %s in trailers", fault.Quote(nv[i]))
		}
		if err := v.field(nv[i], nv[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// Status returns the number in the first :status of a block, 100 to 999, and 0 if there is none.
func Status(nv []string) (status int) {
	for i := 0; i+1 < len(nv); i += 2 {
		if nv[i] != ":status" {
			continue
		}
		value := nv[i+1]
		if len(value) != 3 || value[0] == '0' {
			return 0
		}
		for j := range 3 {
			c := value[j] - '0'
			if c > 9 {
				return 0
			}
			status = 10*status + int(c)
		}
		return status
	}
	return 0
}

// SplitPseudo divides a block that was found valid into its pseudo-header fields and the others.
func SplitPseudo(nv []string) (pseudo, fields []string) {
	i := 0
	for i+1 < len(nv) && isPseudo(nv[i]) {
		i += 2
	}
	return nv[:i:i], nv[i:]
}

// ContentLength returns what Content-Length says, and -1 without one. It may repeat, in fields or in a list, as long as it says the same each time; anything
// else is the error of [ValidResponse], which has looked already.
func ContentLength(nv []string) (int64, error) {
	v := validator{length: -1}
	for i := 0; i+1 < len(nv); i += 2 {
		if nv[i] == "content-length" {
			if err := v.contentLength(nv[i+1]); err != nil {
				return -1, err
			}
		}
	}
	return v.length, nil
}

func isPseudo(name string) bool { return strings.HasPrefix(name, ":") }

// The pseudo-header fields, as bits.
const (
	pseudoStatus = 1 << iota
	pseudoMethod
	pseudoScheme
	pseudoAuthority
	pseudoPath
	pseudoProtocol
)

// A validator knows what it has seen of one block.
type validator struct {
	seen      uint8
	fields    bool
	length    int64
	hasLength bool
}

func (v *validator) has(bit uint8) bool { return v.seen&bit != 0 }

func (v *validator) pseudo(name, value string, bit uint8) error {
	switch {
	case v.fields:
		return malformed("pseudo-header %s after a field", name)
	case v.has(bit):
		return malformed("pseudo-header %s more than once", name)
	}
	v.seen |= bit
	return validValue(name, value)
}

// field checks a field that is not a pseudo-header field.
func (v *validator) field(name, value string) error {
	v.fields = true
	if err := validName(name); err != nil {
		return err
	}
	if err := validValue(name, value); err != nil {
		return err
	}
	switch name {
	case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade":
		return malformed("connection-specific field %s", name)
	case "te":
		if !ascii.EqualFold(value, "trailers") {
			return malformed("field te with another value than trailers")
		}
	case "content-length":
		return v.contentLength(value)
	}
	return nil
}

func (v *validator) contentLength(value string) error {
	for more := true; more; {
		var item string
		item, value, more = strings.Cut(value, ",")
		n, ok := parseLength(ascii.TrimOWS(item))
		if !ok {
			return malformed("content-length is not a number of bytes: %s", fault.Quote(item))
		}
		if v.hasLength && n != v.length {
			return malformed("content-length is both %d and %d", v.length, n)
		}
		v.length, v.hasLength = n, true
	}
	return nil
}

// parseLength reads 1*DIGIT that fits 63 bits.
func parseLength(s string) (n int64, ok bool) {
	for i := 0; i < len(s); i++ {
		c := s[i] - '0'
		if c > 9 || n > (1<<63-1-int64(c))/10 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	return n, s != ""
}

// validName wants a token in lower case.
func validName(name string) error {
	if !ascii.IsToken(name) {
		return malformed("field name %s: expected a token", fault.Quote(name))
	}
	for i := 0; i < len(name); i++ {
		if ascii.IsUpper(name[i]) {
			return malformed("mixed case name %s", fault.Quote(name))
		}
	}
	return nil
}

// validValue allows what an HTTP/1.1 message could carry, bytes above 0x7f too. White space around a value would be dropped there and mean something
// here, so it is refused.
func validValue(name, value string) error {
	if at := lineEnd(value); at >= 0 {
		return malformed("unexpected char 0x%02x at %d in the value of %s", value[at], at, name)
	}
	if ascii.TrimOWS(value) != value {
		return malformed("white space around the value of %s", name)
	}
	return nil
}
