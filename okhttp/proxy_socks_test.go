package okhttp

import (
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"
)

// socksGrants is a SOCKS5 proxy (RFC 1928) that wants no credentials and grants what it is asked for, which it returns.
func socksGrants(p *peer) string {
	methods := p.bytes(2)
	methods = p.bytes(int(methods[1]))
	p.send("\x05\x00")
	to := socksRequest(p)
	p.send("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
	return fmt.Sprintf("%x %s", methods, to)
}

// socksRequest reads a request and returns the type of its address, and the address.
func socksRequest(p *peer) string {
	head := p.bytes(4)
	if string(head[:3]) != "\x05\x01\x00" {
		p.t.Errorf("a request begins with %x", head)
	}
	kind, host := "name", ""
	switch head[3] {
	case 1, 4:
		ip, _ := netip.AddrFromSlice(p.bytes(map[byte]int{1: 4, 4: 16}[head[3]]))
		kind, host = "ip", ip.String()
	case 3:
		host = string(p.bytes(int(p.bytes(1)[0])))
	}
	return fmt.Sprint(kind, " ", host, " ", binary.BigEndian.Uint16(p.bytes(2)))
}

// bytes reads so many bytes; zeros stand for those that do not come.
func (p *peer) bytes(n int) []byte {
	b := make([]byte, n)
	io.ReadFull(p.in, b)
	return b
}
