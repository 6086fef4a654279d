package okdoh

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
)

// What look-ups fail with that the configuration forbids. Nothing was sent.
var (
	ErrPrivateHost = errors.New("private hosts not resolved")
	ErrPublicHost  = errors.New("public hosts not resolved")
)

// QueryError is what a look-up failed with, inside its okhttp.UnknownHostError. Err is one of:
//
//   - an [*okhttp.Error], if the resolver could not be asked;
//   - a [*StatusError], if it answered with another status than 2xx;
//   - an [*okhttp.TooLargeError] for more than 65536 bytes;
//   - an [*okhttp.ProtocolError] for an answer that is not a DNS message, or is a malformed one;
//   - a [*net.DNSError] that holds an [*RCodeError], if it answered that it has none. Its IsNotFound tells names that do not exist.
type QueryError struct {
	Type   string // "A" or "AAAA"
	Err    error
	Others []error // what the other question failed with, as a *QueryError; it is data and not part of Unwrap
}

func (e *QueryError) Error() string {
	text := e.Type + " over https: " + strings.TrimPrefix(e.Err.Error(), "okhttp: ")
	if n := len(e.Others); n > 0 {
		text += fmt.Sprintf(" (and %d more)", n)
	}
	return text
}

// Unwrap returns Err.
func (e *QueryError) Unwrap() error { return e.Err }

// StatusError is a resolver's response whose status is not 2xx, by its number and, over HTTP/1.1, its reason phrase.
type StatusError struct {
	Status  int
	Message string
}

func (e *StatusError) Error() string {
	return strings.TrimSpace("response: " + strconv.Itoa(e.Status) + " " + e.Message)
}

// RCodeError is an answer with an error code (RFC 1035 section 4.1.1), 2 for a resolver that failed and 3 for a name that does not exist.
type RCodeError struct{ RCode int }

// The codes that are told apart.
const (
	serverFailure = int(dnsmessage.RCodeServerFailure)
	nameError     = int(dnsmessage.RCodeNameError)
)

func (e *RCodeError) Error() string {
	switch e.RCode {
	case serverFailure:
		return "DNS server failure"
	case nameError:
		return "no such host"
	}
	return "DNS server answered with code " + strconv.Itoa(e.RCode)
}

// answered makes an error of a code that package net's users know.
func answered(rcode int, host, server string) error {
	e := &RCodeError{rcode}
	return &net.DNSError{UnwrapErr: e, Err: e.Error(), Name: host, Server: server, IsNotFound: rcode == nameError, IsTemporary: rcode == serverFailure}
}
