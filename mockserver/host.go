package mockserver

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/okhttp-go/ok/mockserver/internal/target"
	"github.com/okhttp-go/ok/okhttp/http1"
)

// hostFault is what makes the Host of a request one that has to be answered with 400 (RFC 9112 section 3.2): there are several of them, which two servers
// may choose from in two ways, or it is no host with a port. That there is none on HTTP/1.1 is let pass, so that clients can be seen that forget it: the
// URL of the request has the address of the server then.
func hostFault(head http1.RequestHead) error {
	hosts := 0
	for i := 0; i < len(head.Fields); i += 2 {
		if !strings.EqualFold(head.Fields[i], "Host") {
			continue
		}
		if hosts++; hosts > 1 {
			return &http1.ProtocolError{Detail: fmt.Sprintf("expected one Host header but got %q and %q", target.Shown(firstHost(head)), target.Shown(head.Fields[i+1]))}
		}
		if !validHost(head.Fields[i+1]) {
			return &http1.ProtocolError{Detail: fmt.Sprintf("expected a host with an optional port in the Host header but got %q", target.Shown(head.Fields[i+1]))}
		}
	}
	return nil
}

func firstHost(head http1.RequestHead) string {
	for i := 0; i < len(head.Fields); i += 2 {
		if strings.EqualFold(head.Fields[i], "Host") {
			return head.Fields[i+1]
		}
	}
	return ""
}

// validHost reports whether text is uri-host [ ":" port ] (RFC 9110 section 7.2, RFC 3986 section 3.2.2). It may be empty, for targets without an authority.
func validHost(text string) bool {
	host, port := text, ""
	if i := strings.LastIndexByte(text, ':'); i > strings.LastIndexByte(text, ']') {
		host, port = text[:i], text[i+1:]
	}
	if strings.Trim(port, "0123456789") != "" {
		return false
	}
	if literal, ok := strings.CutPrefix(host, "["); ok {
		literal, ok = strings.CutSuffix(literal, "]")
		if ok && strings.HasPrefix(strings.ToLower(literal), "v") { // an address of the future
			return len(literal) > 1 && only(literal, ":")
		}
		literal, zone, zoned := strings.Cut(literal, "%25") // RFC 6874
		addr, err := netip.ParseAddr(literal)
		return ok && err == nil && addr.Is6() && (!zoned || zone != "" && only(zone, "%"))
	}
	return only(host, "%")
}

// only reports whether text consists of unreserved characters, sub-delims and those of more.
func only(text, more string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', strings.IndexByte("-._~!$&'()*+,;=", c) >= 0, strings.IndexByte(more, c) >= 0:
		default:
			return false
		}
	}
	return true
}
