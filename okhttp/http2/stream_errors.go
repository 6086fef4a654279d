package http2

import "fmt"

// StreamResetError is the end of a stream by a reset.
type StreamResetError struct {
	Code   ErrorCode
	Remote bool // the peer reset it
}

func (e *StreamResetError) Error() string { return "stream was reset: " + e.Code.String() }

// GoAwayError is the end of what a peer says goodbye to (RFC 9113 section 6.8): streams numbered above LastStream were not acted on.
type GoAwayError struct {
	LastStream uint32
	Code       ErrorCode
	Debug      string // what the peer had to say, quoted and abridged
}

func (e *GoAwayError) Error() string {
	text := fmt.Sprintf("the peer says goodbye (GOAWAY): %v, after stream %d", e.Code, e.LastStream)
	if e.Debug != "" {
		text += ": " + e.Debug
	}
	return text
}
