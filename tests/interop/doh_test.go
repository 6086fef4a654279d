package interop

import (
	"crypto/hpke"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okdns"
	"github.com/okhttp-go/ok/okhttp/okdoh"
)

// zone is what the server knows, in the form of zone files. $ECH stands for a list of keys.
const zone = `
both.example.     300  IN A     192.0.2.1
both.example.     200  IN A     192.0.2.2
both.example.     100  IN AAAA  2001:db8::1
both.example.     300  IN TXT   "not what was asked for"
four.example.     300  IN A     192.0.2.4
www.example.       60  IN CNAME cdn.example.
cdn.example.      600  IN CNAME edge.cdn.example.
edge.cdn.example. 300  IN A     192.0.2.5
edge.cdn.example. 300  IN AAAA  2001:db8::5
edge.cdn.example. 300  IN HTTPS 1 edge.cdn.example. alpn=h2
loop.example.     300  IN CNAME loop.example.
h2.example.       300  IN A     192.0.2.6
h2.example.       120  IN HTTPS 2 . alpn=http/1.1
h2.example.       120  IN HTTPS 1 . mandatory=alpn,ipv4hint alpn=h3,h2 no-default-alpn ipv4hint=192.0.2.6 ech=$ECH
port.example.     300  IN A     192.0.2.7
port.example.     300  IN HTTPS 1 . alpn=h2 port=8443
port.example.     300  IN HTTPS 2 . alpn=h2,http/1.1 port=443 key65280="new"
alias.example.    300  IN A     192.0.2.8
alias.example.    300  IN HTTPS 0 other.example.
must.example.     300  IN A     192.0.2.9
must.example.     300  IN HTTPS 1 . mandatory=key65280 alpn=h2 key65280="new"
hint.example.     300  IN HTTPS 1 . alpn=h2 ipv4hint=192.0.2.10 ipv6hint=2001:db8::10
xn--bcher-kva.example. 300 IN A 192.0.2.11
`

// dnsServer is DNS over HTTPS by miekg/dns.
type dnsServer struct {
	t       *testing.T
	records []dns.RR
}

func newDNSServer(t *testing.T, ech []byte) *dnsServer {
	t.Helper()
	s := &dnsServer{t: t}
	text := strings.ReplaceAll(zone, "$ECH", base64.StdEncoding.EncodeToString(ech))
	for i := range 200 {
		text += fmt.Sprintf("many.example. 300 IN A 198.51.100.%d\n", i)
	}
	parser := dns.NewZoneParser(strings.NewReader(text), ".", "")
	for rr, ok := parser.Next(); ok; rr, ok = parser.Next() {
		s.records = append(s.records, rr)
	}
	if err := parser.Err(); err != nil {
		t.Fatal(err)
	}
	return s
}

// ServeHTTP answers questions as RFC 8484 has it.
func (s *dnsServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const kind = "application/dns-message"
	var raw []byte
	var err error
	switch {
	case r.Method == "GET":
		raw, err = base64.RawURLEncoding.DecodeString(r.URL.Query().Get("dns"))
	case r.Header.Get("Content-Type") == kind:
		raw, err = io.ReadAll(r.Body)
	default:
		w.WriteHeader(http.StatusUnsupportedMediaType)
		return
	}
	q := new(dns.Msg)
	if err == nil {
		err = q.Unpack(raw)
	}
	if err != nil || len(q.Question) != 1 || r.Header.Get("Accept") != kind {
		s.t.Errorf("%s %s: %v, Accept %q", r.Method, r.RequestURI, err, r.Header.Get("Accept"))
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	answer, err := s.answer(q).Pack()
	if err != nil {
		s.t.Error(err)
	}
	w.Header().Set("Content-Type", kind)
	w.Write(answer)
}

// answer follows aliases, adds what resolvers add, and compresses names.
func (s *dnsServer) answer(q *dns.Msg) *dns.Msg {
	m := new(dns.Msg)
	m.SetReply(q)
	m.Compress, m.RecursionAvailable = true, true
	name, known := q.Question[0].Name, false
	for range 5 {
		next := ""
		for _, rr := range s.records {
			if !strings.EqualFold(rr.Header().Name, name) {
				continue
			}
			known = true
			if alias, ok := rr.(*dns.CNAME); ok {
				next = alias.Target
			} else if rr.Header().Rrtype != q.Question[0].Qtype {
				continue
			}
			m.Answer = append(m.Answer, rr)
		}
		if name = next; next == "" {
			break
		}
	}
	switch {
	case strings.HasPrefix(q.Question[0].Name, "hint.") && q.Question[0].Qtype != dns.TypeHTTPS:
		m.Rcode = dns.RcodeServerFailure
	case !known:
		m.Rcode = dns.RcodeNameError
	}
	if m.Rcode != dns.RcodeSuccess || len(m.Answer) == 0 {
		soa, err := dns.NewRR("example. 900 IN SOA ns.example. admin.example. 1 7200 900 1209600 60")
		if err != nil {
			s.t.Error(err)
		}
		m.Ns = append(m.Ns, soa)
	}
	m.SetEdns0(1232, true)
	return m
}

// echList makes keys that crypto/tls takes (RFC 9849 section 4).
func echList(t *testing.T) []byte {
	t.Helper()
	kem, err := hpke.NewKEM(0x20)
	if err != nil {
		t.Fatal(err)
	}
	key, err := kem.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	public := key.PublicKey().Bytes()
	c := binary.BigEndian.AppendUint16([]byte{7, 0, 0x20}, uint16(len(public)))
	c = append(append(c, public...), 0, 4, 0, 1, 0, 1, 32, byte(len("public.example")))
	c = append(append(c, "public.example"...), 0, 0)
	c = append(binary.BigEndian.AppendUint16([]byte{0xfe, 0x0d}, uint16(len(c))), c...)
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(c))), c...)
}

func TestDNSOverHTTPS(t *testing.T) {
	ech := echList(t)
	server := httptest.NewTLSServer(newDNSServer(t, ech))
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	client := newClient(t, okhttp.WithTLSConfig(&tls.Config{RootCAs: roots}))
	for _, post := range []bool{false, true} {
		r, err := okdoh.New(okdoh.Config{Client: client, URL: server.URL + "/dns-query", POST: post})
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct{ host, want string }{
			{"both.example", "192.0.2.1 192.0.2.2 2001:db8::1; TTL 1m40s 3m20s"},
			{"BOTH.example.", "192.0.2.1 192.0.2.2 2001:db8::1; TTL 1m40s 3m20s"},
			{"four.example", "192.0.2.4; TTL 5m0s"},
			{"www.example", "192.0.2.5 2001:db8::5 alpn h2,http/1.1; TTL 1m0s 1m0s 1m0s"},
			{"loop.example", "; TTL; no addresses"},
			{"h2.example", fmt.Sprintf("192.0.2.6 alpn h3,h2 ech %d; TTL 2m0s 5m0s", len(ech))},
			{"port.example", "192.0.2.7 alpn h2,http/1.1; TTL 5m0s 5m0s"},
			{"alias.example", "192.0.2.8; TTL 5m0s"},
			{"must.example", "192.0.2.9; TTL 5m0s"},
			{"hint.example", "192.0.2.10 2001:db8::10 alpn h2,http/1.1; TTL 10s 5m0s"},
			{"xn--bcher-kva.example", "192.0.2.11; TTL 5m0s"},
			{"none.example", "; TTL; no such host"},
		} {
			if got := lookup(t, r, tt.host); got != tt.want {
				t.Errorf("POST %v, %s: %s\nwant %s", post, tt.host, got, tt.want)
			}
		}
		count := 0
		for a, err := range r.Lookup(t.Context(), "many.example") {
			if count += len(a.Addrs); err != nil {
				t.Error(err)
			}
		}
		if count != 200 {
			t.Errorf("%d addresses, want 200", count)
		}
	}
}

// lookup renders all answers for a host, in an order that does not depend on which arrived first.
func lookup(t *testing.T, r okhttp.DNS, host string) string {
	t.Helper()
	var addrs []string
	var ttls []time.Duration
	extra, failure := "", ""
	for a, err := range r.Lookup(t.Context(), host) {
		switch {
		case err != nil && okdns.NotFound(err):
			failure = "; " + err.Error()[strings.LastIndex(err.Error(), "no "):]
			failure, _, _ = strings.Cut(failure, " (")
			continue
		case err != nil:
			t.Errorf("%s: %v", host, err)
			continue
		}
		for _, addr := range a.Addrs {
			addrs = append(addrs, addr.String())
		}
		if ttls = append(ttls, a.TTL); a.ALPN != nil {
			extra += " alpn " + strings.Join(a.ALPN, ",")
		}
		if a.ECHConfigList != nil {
			extra += fmt.Sprint(" ech ", len(a.ECHConfigList))
		}
	}
	slices.Sort(addrs)
	slices.Sort(ttls)
	text := strings.Join(addrs, " ") + extra + "; TTL"
	for _, ttl := range ttls {
		text += " " + ttl.String()
	}
	return text + failure
}
