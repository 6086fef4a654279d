package okdoh

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

func TestHTTPSRecords(t *testing.T) {
	h2 := []any{alpnKey, "\x02h2"}
	keys := echList(t)
	for _, tt := range []struct {
		name    string
		records []dnsmessage.Resource
		want    string // ALPN, length of the ECH list, hints; or the error
	}{
		{"none", nil, "[] 0 [] []"},
		{"nothing said", rr(https(60, 1, ".")), "[] 0 [] []"},
		{"ALPN", rr(https(60, 1, ".", h2...)), "[h2 http/1.1] 0 [] []"},
		{"several protocols", rr(https(60, 1, ".", alpnKey, "\x02h3\x02h2")), "[h3 h2 http/1.1] 0 [] []"},
		{"the default is there", rr(https(60, 1, ".", alpnKey, "\x08http/1.1\x02h2")), "[http/1.1 h2] 0 [] []"},
		{"no default", rr(https(60, 1, ".", alpnKey, "\x02h2", noDefaultALPN, "")), "[h2] 0 [] []"},
		{"ECH", rr(https(60, 1, ".", echKey, keys)), fmt.Sprintf("[] %d [] []", len(keys))},
		{"ECH that nobody can use", rr(https(60, 1, ".", alpnKey, "\x02h2", echKey, "\x00\x05\xfe\x0a\x00\x01\x00")), "[h2 http/1.1] 0 [] []"},
		{"hints", rr(https(60, 1, ".", ipv4hint, "\xc0\x00\x02\x07", ipv6hint, "\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07")), "[] 0 [192.0.2.7] [2001:db8::7]"},
		{"unknown keys", rr(https(60, 1, ".", alpnKey, "\x02h2", unknownKey, "x")), "[h2 http/1.1] 0 [] []"},

		{"target is the host", rr(https(60, 1, "H.example.", h2...)), "[h2 http/1.1] 0 [] []"},
		{"target is what the host is an alias of", rr(named("c.example.", https(60, 1, "c.example.", h2...))), "[h2 http/1.1] 0 [] []"},
		{"target is another host", rr(https(60, 1, "other.example.", h2...)), "[] 0 [] []"},
		{"port 443", rr(https(60, 1, ".", alpnKey, "\x02h2", port, "\x01\xbb")), "[h2 http/1.1] 0 [] []"},
		{"another port", rr(https(60, 1, ".", alpnKey, "\x02h2", port, "\x20\xfb")), "[] 0 [] []"},
		{"no protocol over TCP", rr(https(60, 1, ".", alpnKey, "\x02h3", noDefaultALPN, "")), "[] 0 [] []"},
		{"mandatory", rr(https(60, 1, ".", mandatory, "\x00\x01", alpnKey, "\x02h2")), "[h2 http/1.1] 0 [] []"},
		{"mandatory and unknown", rr(https(60, 1, ".", mandatory, "\x00\x01\xff\x00", alpnKey, "\x02h2", unknownKey, "x")), "[] 0 [] []"},
		{"mandatory and unknown, and another", rr(https(60, 1, ".", mandatory, "\xff\x00", unknownKey, "x"), https(60, 2, ".", h2...)), "[h2 http/1.1] 0 [] []"},

		{"the smallest priority", rr(https(60, 3, ".", alpnKey, "\x08http/1.1"), https(60, 1, ".", h2...), https(60, 2, ".", alpnKey, "\x02h3")), "[h2 http/1.1] 0 [] []"},
		{"the smallest that applies", rr(https(60, 1, "other.example.", alpnKey, "\x02h3"), https(60, 2, ".", h2...)), "[h2 http/1.1] 0 [] []"},
		{"the first of equals", rr(https(60, 1, ".", h2...), https(60, 1, ".", alpnKey, "\x02h3")), "[h2 http/1.1] 0 [] []"},
		{"alias", rr(https(60, 0, "other.example.")), "[] 0 [] []"},
		{"alias beside others", rr(https(60, 1, ".", h2...), https(60, 0, "other.example.")), "[] 0 [] []"},
		{"parameters of an alias", rr(https(60, 0, "other.example.", alpnKey, "\x09")), "[] 0 [] []"},

		{"empty ALPN", rr(https(60, 1, ".", alpnKey, "")), "malformed HTTPS record: parameter 1"},
		{"empty protocol", rr(https(60, 1, ".", alpnKey, "\x00")), "malformed HTTPS record: parameter 1"},
		{"protocol cut short", rr(https(60, 1, ".", alpnKey, "\x03h2")), "malformed HTTPS record: parameter 1"},
		{"no default with a value", rr(https(60, 1, ".", alpnKey, "\x02h2", noDefaultALPN, "x")), "malformed HTTPS record: parameter 2"},
		{"no default alone", rr(https(60, 1, ".", noDefaultALPN, "")), "malformed HTTPS record: no-default-alpn without alpn"},
		{"short port", rr(https(60, 1, ".", port, "\x01")), "malformed HTTPS record: parameter 3"},
		{"long port", rr(https(60, 1, ".", port, "\x00\x01\xbb")), "malformed HTTPS record: parameter 3"},
		{"empty hint", rr(https(60, 1, ".", ipv4hint, "")), "malformed HTTPS record: parameter 4"},
		{"short hint", rr(https(60, 1, ".", ipv4hint, "\xc0\x00\x02")), "malformed HTTPS record: parameter 4"},
		{"empty ECH", rr(https(60, 1, ".", echKey, "")), "malformed HTTPS record: parameter 5"},
		{"ECH of another length", rr(https(60, 1, ".", echKey, keys+"x")), "malformed HTTPS record: parameter 5"},
		{"short IPv6 hint", rr(https(60, 1, ".", ipv6hint, "\x20\x01\x0d\xb8")), "malformed HTTPS record: parameter 6"},
		{"empty mandatory", rr(https(60, 1, ".", mandatory, "")), "malformed HTTPS record: parameter 0"},
		{"half a key", rr(https(60, 1, ".", mandatory, "\x00", alpnKey, "\x02h2")), "malformed HTTPS record: parameter 0"},
		{"mandatory itself", rr(https(60, 1, ".", mandatory, "\x00\x00")), "malformed HTTPS record: parameter 0"},
		{"mandatory twice", rr(https(60, 1, ".", mandatory, "\x00\x01\x00\x01", alpnKey, "\x02h2")), "malformed HTTPS record: parameter 0"},
		{"mandatory and missing", rr(https(60, 1, ".", mandatory, "\x00\x01\x00\x03", alpnKey, "\x02h2")), "malformed HTTPS record: parameter 0"},
		{"one of several", rr(https(60, 1, ".", h2...), https(60, 2, "other.example.", port, "")), "malformed HTTPS record: parameter 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := asking(dnsmessage.TypeHTTPS)
			r, _, err := parse(message(t, q, answer{records: tt.records}), q, "h.example")
			s := r.service
			got := fmt.Sprint(s.alpn, " ", len(s.ech), " ", s.hint4, " ", s.hint6)
			if err != nil {
				got = strings.TrimPrefix(err.Error(), "protocol error: ")
				if !isProtocol(err) {
					t.Errorf("%T, want a protocol error", err)
				}
			}
			if got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func rr(records ...dnsmessage.Resource) []dnsmessage.Resource { return records }

// TestHTTPSRecordsOnTheWire has what the tests' writer refuses to write.
func TestHTTPSRecordsOnTheWire(t *testing.T) {
	const head = "0000 8180 0001 0001 0000 0000" + about + "0041 0001 c00c 0041 0001 0000003c"
	for _, tt := range []struct{ name, rdata, want string }{
		{"as it should be", "000a 0001 00 0001 0003 026832", "[h2 http/1.1]"},
		{"keys out of order", "000f 0001 00 0003 0002 01bb 0002 0000 00", "malformed"},
		{"a key twice", "0011 0001 00 0001 0003 026832 0001 0003 026832", "malformed"},
		{"value beyond the record", "000a 0001 00 0001 0004 026832", "malformed"},
		{"no target", "0002 0001", "malformed"},
		{"half a parameter", "0006 0001 00 0001 00", "malformed"},
	} {
		r, _, err := parse(unhex(t, head+tt.rdata), asking(dnsmessage.TypeHTTPS), "h.example")
		if got := fmt.Sprint(r.service.alpn, err); !strings.Contains(got, tt.want) || (err == nil) != strings.HasPrefix(tt.want, "[") {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
