//go:build !unix

package okio

import "net"

// rawReader exists on Unix systems only: elsewhere a descriptor cannot be read without blocking a thread.
type rawReader struct{}

func newRawReader(net.Conn) *rawReader { return nil }

func (*rawReader) read(*Buffer, int64) (int, error) { panic("unreachable: there is no raw reader") }
