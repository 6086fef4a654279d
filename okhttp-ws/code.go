package okws

import (
	"strconv"
	"unicode/utf8"
)

// Code is the status code of a close frame (RFC 6455 section 7.4 and IANA's registry). Codes from 3000 to 3999 are for libraries and frameworks, from
// 4000 to 4999 for applications.
type Code int

// The codes that have a name.
const (
	CodeNormal             Code = 1000 // all was said
	CodeGoingAway          Code = 1001 // a server shuts down, or a page is left
	CodeProtocolError      Code = 1002
	CodeUnsupportedData    Code = 1003 // a type of message that the receiver cannot take
	CodeNoStatus           Code = 1005 // never sent: the peer's close frame had no code
	CodeAbnormal           Code = 1006 // never sent: the connection ended without a close frame
	CodeInvalidPayload     Code = 1007 // text that is not UTF-8, or data that does not inflate
	CodePolicyViolation    Code = 1008
	CodeTooBig             Code = 1009
	CodeMandatoryExtension Code = 1010 // a client misses an extension in the server's response
	CodeInternalError      Code = 1011
	CodeServiceRestart     Code = 1012
	CodeTryAgainLater      Code = 1013
	CodeBadGateway         Code = 1014
	CodeTLSHandshake       Code = 1015 // never sent
)

// maxReason is the room for the reason in a close frame, in bytes.
const maxReason = maxControl - 2

// fault says what is wrong with sending or receiving the code, "" if nothing is.
func (c Code) fault() string {
	switch {
	case c < 1000 || c >= 5000:
		return "Code must be in range [1000,5000): " + strconv.Itoa(int(c))
	case c >= 1004 && c <= 1006, c >= 1015 && c <= 2999:
		return "Code " + strconv.Itoa(int(c)) + " is reserved and may not be used."
	}
	return ""
}

// checkClose checks what is to be sent in a close frame.
func checkClose(c Code, reason string) error {
	if fault := c.fault(); fault != "" {
		return &ArgumentError{fault}
	}
	if len(reason) > maxReason {
		return &ArgumentError{"reason.size() > 123: " + reason}
	}
	if !utf8.ValidString(reason) { // the peer would have to take it for a violation
		return &ArgumentError{"a reason that is not UTF-8: " + strconv.Quote(reason)}
	}
	return nil
}
