package okhttp

import (
	"net/netip"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// maxUnicodeHost bounds, in bytes, a host name that needs IDNA processing: Punycode takes quadratic time, and no name
// that DNS can carry comes near.
const maxUnicodeHost = 4096

// canonicalHost is the host parser of the WHATWG URL Standard (section 3.5) for http and https. IPv6 results are in
// brackets. One rule is the reference's: an IPv4-mapped IPv6 address becomes the IPv4 address it stands for.
func canonicalHost(host string) (string, bool) {
	if strings.HasPrefix(host, "[") {
		if !strings.HasSuffix(host, "]") {
			return "", false
		}
		return canonicalIPv6(host[1 : len(host)-1])
	}
	if strings.Contains(host, "%") {
		host = string(appendDecoded(make([]byte, 0, len(host)), host, false))
	}
	host, ok := domainToASCII(host)
	if !ok {
		return "", false
	}
	if endsInNumber(host) {
		return canonicalIPv4(host)
	}
	return host, true
}

// canonicalIPv6 parses an IPv6 address without brackets. Zones have no place in a URL.
func canonicalIPv6(text string) (string, bool) {
	addr, err := netip.ParseAddr(text)
	switch {
	case err != nil || addr.Zone() != "" || addr.Is4():
		return "", false
	case addr.Is4In6():
		return addr.Unmap().String(), true
	default:
		return "[" + addr.String() + "]", true
	}
}

// endsInNumber reports whether the last label of a name makes it an IPv4 address or nothing (WHATWG URL Standard,
// section 3.5, "ends in a number").
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" || last[0] < '0' || last[0] > '9' {
		return false
	}
	digits := true
	for i := range len(last) {
		digits = digits && '0' <= last[i] && last[i] <= '9'
	}
	if digits {
		return true
	}
	_, ok := ipv4Number(last)
	return ok
}

// canonicalIPv4 reads one to four decimal, octal or hexadecimal numbers, of which the last fills the remaining bytes.
func canonicalIPv4(host string) (string, bool) {
	host = strings.TrimSuffix(host, ".")
	if strings.Count(host, ".") > 3 {
		return "", false
	}
	var addr uint64
	for shift := 24; ; shift -= 8 {
		part, rest, more := strings.Cut(host, ".")
		n, ok := ipv4Number(part)
		switch {
		case !ok:
			return "", false
		case more && n > 255, !more && n>>(shift+8) != 0:
			return "", false
		case more:
			addr |= n << shift
		default:
			addr |= n
			return netip.AddrFrom4([4]byte{byte(addr >> 24), byte(addr >> 16), byte(addr >> 8), byte(addr)}).String(), true
		}
		host = rest
	}
}

// ipv4Number parses one number of an IPv4 address: "0x" means hexadecimal, a leading zero octal.
func ipv4Number(text string) (uint64, bool) {
	base := 10
	switch {
	case text == "":
		return 0, false
	case len(text) >= 2 && text[0] == '0' && text[1]|0x20 == 'x':
		text, base = text[2:], 16
	case len(text) >= 2 && text[0] == '0':
		text, base = text[1:], 8
	}
	if text == "" {
		return 0, true
	}
	for i := range len(text) {
		if !isHex(text[i]) || int(unhex(text[i])) >= base {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(text, base, 33)
	if err != nil {
		n = 1 << 33 // out of range everywhere
	}
	return n, true
}

// domainProfile is UTS #46 as the URL Standard asks for it in "domain to ASCII" with beStrict false. Underscores and
// other ASCII symbols are allowed, because names with them exist; lengths are left to DNS.
var domainProfile = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.CheckJoiners(true),
	idna.BidiRule(),
	idna.VerifyDNSLength(false),
)

// domainToASCII maps a name to lower-case ASCII. A name that is ASCII already is only lower-cased: what its "xn--"
// labels decode to is not looked at, as the URL Standard has it.
func domainToASCII(domain string) (string, bool) {
	if isASCII(domain) {
		domain = strings.ToLower(domain)
	} else {
		if len(domain) > maxUnicodeHost || !utf8.ValidString(domain) {
			return "", false
		}
		var err error
		if domain, err = domainProfile.ToASCII(strings.Map(mapUnicode16, domain)); err != nil {
			return "", false
		}
	}
	for i := range len(domain) {
		if urlClass[domain[i]]&forbiddenHost != 0 {
			return "", false
		}
	}
	return domain, domain != ""
}

// mapUnicode16 maps the characters whose UTS #46 status changed in Unicode 15.1 and 16, so that a name means the same
// with older tables: x/net/idna has the new ones from Go 1.27 on.
func mapUnicode16(r rune) rune {
	switch {
	case r == 0x1e9e: // capital sharp s: its small form, no longer "ss"
		return 0xdf
	case r == 0x04c0, 0x10a0 <= r && r <= 0x10c5, r == 0x2132, r == 0x2183: // were disallowed, are mapped
		return unicode.ToLower(r)
	case r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x17b4, r == 0x17b5, r == 0x180e,
		0x206a <= r && r <= 0x206f, 0x1d173 <= r && r <= 0x1d17a: // are ignored
		return -1
	case r == 0x2f868: // ideographs that were disallowed because their decomposition was corrected once
		return 0x36fc
	case r == 0x2f874:
		return 0x5f53
	case r == 0x2f91f:
		return 0x243ab
	case r == 0x2f95f:
		return 0x7aee
	case r == 0x2f9bf:
		return 0x45d7
	}
	return r
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
