package okdoh

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/okhttp-go/ok/okhttp"
)

// service is what HTTPS records say of a host (RFC 9460).
type service struct {
	alpn         []string
	ech          []byte
	hint4, hint6 []netip.Addr
}

// hints returns the address hints of a family.
func (s *service) hints(t dnsmessage.Type) []netip.Addr {
	if t == dnsmessage.TypeAAAA {
		return s.hint6
	}
	return s.hint4
}

// record is an HTTPS record and its owner, which is the host or what that is an alias of.
type record struct {
	owner string
	dnsmessage.SVCBResource
}

// choose reads all records and returns the best of those that apply to a connection to the host, the zero value if none does.
func choose(records []record, host string) (service, error) {
	var best service
	priority, alias := 0, false
	for _, r := range records {
		if r.Priority == 0 { // its parameters mean nothing (RFC 9460 section 2.4.1)
			alias = true
			continue
		}
		s, applies, err := r.read(host)
		if err != nil {
			return service{}, err
		}
		if applies && (priority == 0 || int(r.Priority) < priority) {
			best, priority = s, int(r.Priority)
		}
	}
	if alias {
		return service{}, nil
	}
	return best, nil
}

// read checks a record in service mode and reports whether it applies.
func (r *record) read(host string) (s service, applies bool, err error) {
	applies = r.isAbout(host)
	noDefault := false
	for _, param := range r.Params {
		v := param.Value
		ok := true
		switch param.Key {
		case dnsmessage.SVCParamMandatory:
			var known bool
			if known, ok = r.mandatory(v); !known {
				applies = false
			}
		case dnsmessage.SVCParamALPN:
			s.alpn, ok = alpn(v)
		case dnsmessage.SVCParamNoDefaultALPN:
			noDefault, ok = true, len(v) == 0
		case dnsmessage.SVCParamPort:
			if ok = len(v) == 2; ok && binary.BigEndian.Uint16(v) != 443 {
				applies = false
			}
		case dnsmessage.SVCParamIPv4Hint:
			s.hint4, ok = addresses(v, 4)
		case dnsmessage.SVCParamECH:
			if ok = isECHConfigList(v); ok && usableECH(v) {
				s.ech = v
			}
		case dnsmessage.SVCParamIPv6Hint:
			s.hint6, ok = addresses(v, 16)
		}
		if !ok {
			return service{}, false, &okhttp.ProtocolError{Detail: fmt.Sprintf("malformed HTTPS record: parameter %d", param.Key)}
		}
	}
	switch {
	case noDefault && s.alpn == nil:
		return service{}, false, &okhttp.ProtocolError{Detail: "malformed HTTPS record: no-default-alpn without alpn"}
	case s.alpn != nil && !noDefault && !slices.Contains(s.alpn, "http/1.1"):
		s.alpn = append(s.alpn, "http/1.1")
	}
	overTCP := s.alpn == nil || slices.Contains(s.alpn, "h2") || slices.Contains(s.alpn, "http/1.1")
	return s, applies && overTCP, nil
}

// isAbout reports whether the record is about the host itself, as the addresses are, and not about another one that stands in for it.
func (r *record) isAbout(host string) bool {
	target := r.Target.String()
	return target == "." || strings.EqualFold(target, r.owner) || strings.EqualFold(target, strings.TrimSuffix(host, ".")+".")
}

// mandatory reads the list of keys without which a record is useless (RFC 9460 section 8): ascending, each of them there.
func (r *record) mandatory(v []byte) (known, ok bool) {
	if len(v) == 0 || len(v)%2 != 0 {
		return false, false
	}
	known = true
	for last := dnsmessage.SVCParamMandatory; len(v) > 0; v = v[2:] {
		key := dnsmessage.SVCParamKey(binary.BigEndian.Uint16(v))
		if _, there := r.GetParam(key); !there || key <= last {
			return false, false
		}
		last = key
		known = known && key <= dnsmessage.SVCParamIPv6Hint
	}
	return known, true
}

// alpn reads protocol names, each after its length (RFC 9460 section 7.1.1).
func alpn(v []byte) (list []string, ok bool) {
	for len(v) > 0 {
		n := int(v[0])
		if n == 0 || len(v) < 1+n {
			return nil, false
		}
		list, v = append(list, string(v[1:1+n])), v[1+n:]
	}
	return list, list != nil
}

func addresses(v []byte, size int) (list []netip.Addr, ok bool) {
	if len(v) == 0 || len(v)%size != 0 {
		return nil, false
	}
	for one := range slices.Chunk(v, size) {
		addr, _ := netip.AddrFromSlice(one)
		list = append(list, addr.Unmap())
	}
	return list, true
}
