package okdoh

import (
	"encoding/hex"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func asking(kind dnsmessage.Type) dnsmessage.Question {
	return dnsmessage.Question{Name: dnsmessage.MustNewName("h.example."), Type: kind, Class: dnsmessage.ClassINET}
}

// The pieces of messages about h.example.
const (
	about     = "0168 076578616d706c65 00"
	questionA = about + "0001 0001"
	recordA   = "c00c 0001 0001 0000003c 0004 c0000201"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, message string
		kind          dnsmessage.Type
		want          string // addresses
		ttl           time.Duration
	}{
		{"A", "0000 8180 0001 0001 0000 0000" + questionA + recordA, dnsmessage.TypeA, "192.0.2.1", time.Minute},
		{"without the question", "0000 8180 0000 0001 0000 0000" + about + "0001 0001 0000003c 0004 c0000201", dnsmessage.TypeA, "192.0.2.1", time.Minute},
		{"the question in other letters", "0000 8180 0001 0001 0000 0000 0148 074558414d504c65 00 0001 0001" + recordA, dnsmessage.TypeA, "192.0.2.1", time.Minute},
		{"any id", "abcd 8180 0001 0001 0000 0000" + questionA + recordA, dnsmessage.TypeA, "192.0.2.1", time.Minute},
		{"AAAA", "0000 8180 0001 0001 0000 0000" + about + "001c 0001 c00c 001c 0001 0000003c 0010 20010db8000000000000000000000001", dnsmessage.TypeAAAA, "2001:db8::1", time.Minute},
		{"mapped", "0000 8180 0001 0001 0000 0000" + about + "001c 0001 c00c 001c 0001 0000003c 0010 00000000000000000000ffffc0000201", dnsmessage.TypeAAAA, "192.0.2.1", time.Minute},
		{"TTL with the highest bit", "0000 8180 0001 0001 0000 0000" + questionA + "c00c 0001 0001 80000000 0004 c0000201", dnsmessage.TypeA, "192.0.2.1", 0},
		{"TTL as large as can be", "0000 8180 0001 0001 0000 0000" + questionA + "c00c 0001 0001 7fffffff 0004 c0000201", dnsmessage.TypeA, "192.0.2.1", 1<<31*time.Second - time.Second},
		{"of another name", "0000 8180 0001 0001 0000 0000" + questionA + "0178 00 0001 0001 0000003c 0004 c0000201", dnsmessage.TypeA, "192.0.2.1", time.Minute},
		{"other types are skipped", "0000 8180 0001 0003 0000 0000" + questionA + "c00c 0010 0001 00000001 0003 026f6b" + recordA + "c00c 001c 0001 00000001 0002 ffff", dnsmessage.TypeA, "192.0.2.1", time.Minute},
		{"other classes are skipped", "0000 8180 0001 0002 0000 0000" + questionA + "c00c 0001 0003 00000001 0002 ffff" + recordA, dnsmessage.TypeA, "192.0.2.1", time.Minute},
		{"authorities and additionals do not count", "0000 8180 0001 0001 0001 0002" + questionA + recordA + "c00c 0001 0001 00000001 0004 c0000209" + "c00c 0001 0001 00000001 0004 c0000209" + "00 0029 1000 00000000 0000", dnsmessage.TypeA, "192.0.2.1", time.Minute},
		{"nothing", "0000 8180 0001 0000 0000 0000" + questionA, dnsmessage.TypeA, "", 0},
		{"nothing at all", "0000 8180 0000 0000 0000 0000", dnsmessage.TypeA, "", 0},
		{"alias", "0000 8180 0001 0002 0000 0000" + questionA + "c00c 0005 0001 0000000a 0004 0163 c00e 0163 c00e 0001 0001 0000003c 0004 c0000201", dnsmessage.TypeA, "192.0.2.1", 10 * time.Second},
	} {
		r, rcode, err := parse(unhex(t, tt.message), asking(tt.kind), "h.example")
		var list []string
		for _, a := range r.addrs {
			list = append(list, a.String())
		}
		if got := strings.Join(list, " "); got != tt.want || r.ttl != tt.ttl || rcode != 0 || err != nil {
			t.Errorf("%s: %q, TTL %v, code %d, %v\nwant %q, TTL %v", tt.name, got, r.ttl, rcode, err, tt.want, tt.ttl)
		}
	}
}

func TestParseErrors(t *testing.T) {
	const head = "0000 8180 0001 0001 0000 0000"
	for _, tt := range []struct{ name, message, want string }{
		{"empty", "", "malformed"},
		{"half a header", "0000 8180 0001", "malformed"},
		{"a question", "0000 0100 0001 0000 0000 0000" + questionA, "is a question"},
		{"truncated", "0000 8380 0001 0000 0000 0000" + questionA, "is truncated"},
		{"another name", "0000 8180 0001 0000 0000 0000 0178 00 0001 0001", "answers another question"},
		{"another type", "0000 8180 0001 0000 0000 0000" + about + "001c 0001", "answers another question"},
		{"another class", "0000 8180 0001 0000 0000 0000" + about + "0001 0003", "answers another question"},
		{"two questions", "0000 8180 0002 0000 0000 0000" + questionA + "0178 00 0001 0001", "answers another question"},
		{"half a question", "0000 8180 0001 0000 0000 0000" + about + "0001", "malformed"},
		{"a record is missing", head + questionA, "malformed"},
		{"half a record", head + questionA + "c00c 0001 0001 0000003c 0004 c00002", "malformed"},
		{"a byte too many", head + questionA + recordA + "00", "bytes after its end"},
		{"a record too many", head + questionA + recordA + recordA, "bytes after its end"},
		{"a byte too many after nothing", "0000 8180 0000 0000 0000 0000 00", "bytes after its end"},
		{"a byte too many after an error", "0000 8183 0001 0000 0000 0000" + questionA + "00", "bytes after its end"},
		{"additionals are missing", "0000 8180 0001 0001 0000 0001" + questionA + recordA, "malformed"},
		{"short address", head + questionA + "c00c 0001 0001 0000003c 0003 c00002", "dns record A of 3 bytes, expected 4"},
		{"long address", head + questionA + "c00c 0001 0001 0000003c 0005 c000020100", "dns record A of 5 bytes, expected 4"},
		{"pointer to itself", head + questionA + "c01b 0001 0001 0000003c 0004 c0000201", "malformed"},
		{"pointers in a circle", head + questionA + "0161 c01b 0001 0001 0000003c 0004 c0000201", "malformed"},
		{"pointer beyond the end", head + questionA + "ffff 0001 0001 0000003c 0004 c0000201", "malformed"},
		{"reserved label 01", head + questionA + "4168 00 0001 0001 0000003c 0004 c0000201", "malformed"},
		{"reserved label 10", head + questionA + "8168 00 0001 0001 0000003c 0004 c0000201", "malformed"},
		{"alias in a circle", head + questionA + "c00c 0005 0001 0000003c 0002 c027", "malformed"},
	} {
		r, _, err := parse(unhex(t, tt.message), asking(dnsmessage.TypeA), "h.example")
		if err == nil || !isProtocol(err) || !strings.Contains(err.Error(), tt.want) || r.addrs != nil {
			t.Errorf("%s: %v, %v, want a protocol error with %q", tt.name, r.addrs, err, tt.want)
		}
	}
	r, _, err := parse(unhex(t, "0000 8180 0001 0001 0000 0000"+about+"001c 0001 c00c 001c 0001 0000003c 0004 c0000201"), asking(dnsmessage.TypeAAAA), "h.example")
	if err == nil || err.Error() != "protocol error: dns record AAAA of 4 bytes, expected 16" {
		t.Errorf("short AAAA: %v, %v", r, err)
	}
}

// FuzzParse compares the addresses with those that the whole message has by golang.org/x/net's own reading of it.
func FuzzParse(f *testing.F) {
	for _, kind := range []dnsmessage.Type{dnsmessage.TypeA, dnsmessage.TypeAAAA, dnsmessage.TypeHTTPS} {
		for _, records := range [][]dnsmessage.Resource{
			nil,
			{a(60, "192.0.2.1"), a(0, "192.0.2.2"), cname(1, "c.example.")},
			{aaaa(60, "2001:db8::1")},
			{https(60, 1, ".", alpnKey, "\x02h2", ipv4hint, "\xc0\x00\x02\x01"), https(60, 0, "c.example.")},
		} {
			f.Add(message(f, asking(kind), answer{records: records}), uint16(kind))
		}
	}
	f.Add(unhex(f, "0000 8180 0001 0001 0000 0000"+questionA+"c01b 0001 0001 0000003c 0004 c0000201"), uint16(dnsmessage.TypeA))
	f.Add(unhex(f, "0000 8183 0001 0000 0000 0000"+questionA), uint16(dnsmessage.TypeA))
	f.Fuzz(func(t *testing.T, raw []byte, kind uint16) {
		q := asking(dnsmessage.Type(kind))
		r, rcode, err := parse(raw, q, "h.example")
		if err != nil {
			if !isProtocol(err) || r.addrs != nil {
				t.Errorf("%v, %T %v", r, err, err)
			}
			return
		}
		var m dnsmessage.Message
		if rcode != 0 || m.Unpack(raw) != nil { // that reads what is skipped here, too
			return
		}
		var want []netip.Addr
		for _, record := range m.Answers {
			if record.Header.Class != dnsmessage.ClassINET || record.Header.Type != q.Type {
				continue
			}
			switch body := record.Body.(type) {
			case *dnsmessage.AResource:
				want = append(want, netip.AddrFrom4(body.A))
			case *dnsmessage.AAAAResource:
				want = append(want, netip.AddrFrom16(body.AAAA).Unmap())
			}
		}
		if !slices.Equal(r.addrs, want) {
			t.Errorf("addresses %v, want %v", r.addrs, want)
		}
		if r.ttl < 0 {
			t.Errorf("TTL %v", r.ttl)
		}
		for _, p := range r.service.alpn {
			if p == "" {
				t.Error("a protocol without a name")
			}
		}
	})
}
