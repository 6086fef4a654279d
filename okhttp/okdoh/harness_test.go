package okdoh

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// The resolver of these tests.
const (
	serverHost = "dns.example"
	serverAddr = "192.0.2.53"
	serverURL  = "https://dns.example/dns-query"
)

// world is a network in memory with a DNS over HTTPS server on it, in a synctest bubble.
type world struct {
	t       *testing.T
	network okio.Network
	client  *okhttp.Client

	mu    sync.Mutex
	zone  map[string]answer // by "TYPE host"
	asked []string          // what the server got, "METHOD TYPE host"
	heads []http.Header
}

// answer is what the server says to a question.
type answer struct {
	wait    time.Duration
	status  int // 0: 200
	header  []string
	rcode   dnsmessage.RCode
	records []dnsmessage.Resource
	raw     []byte // instead of a message
}

func inWorld(t *testing.T, zone map[string]answer, test func(t *testing.T, w *world)) {
	t.Helper()
	server, client := certificates()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, zone: zone}
		l, err := w.network.Listen(net.JoinHostPort(serverAddr, "443"))
		if err != nil {
			t.Fatal(err)
		}
		s := &http.Server{Handler: w, ErrorLog: log.New(io.Discard, "", 0)}
		var serving sync.WaitGroup
		serving.Go(func() { s.Serve(tls.NewListener(l, server)) })
		w.client = okhttp.New(okhttp.WithDialer(&w.network), okhttp.WithTLSConfig(client))
		defer func() {
			w.client.Close()
			s.Close()
			serving.Wait()
		}()
		test(t, w)
	})
}

// resolver makes a resolver that asks the server, changed as the test wants it.
func (w *world) resolver(change ...func(*Config)) *Resolver {
	w.t.Helper()
	c := Config{Client: w.client, URL: serverURL, Bootstrap: []netip.Addr{netip.MustParseAddr(serverAddr)}}
	for _, f := range change {
		f(&c)
	}
	r, err := New(c)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// ServeHTTP answers a question.
func (w *world) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	var raw []byte
	var err error
	if req.Method == "POST" {
		raw, err = io.ReadAll(req.Body)
	} else {
		raw, err = base64.RawURLEncoding.DecodeString(req.URL.Query().Get("dns"))
	}
	var m dnsmessage.Message
	if err == nil {
		err = m.Unpack(raw)
	}
	if err != nil || len(m.Questions) != 1 {
		w.t.Errorf("%s %s: not a question: %v", req.Method, req.RequestURI, err)
		rw.WriteHeader(400)
		return
	}
	q := m.Questions[0]
	key := typeName(q.Type) + " " + strings.TrimSuffix(q.Name.String(), ".")
	w.mu.Lock()
	a, known := w.zone[key]
	w.asked, w.heads = append(w.asked, req.Method+" "+key), append(w.heads, req.Header)
	w.mu.Unlock()
	if !known {
		a.rcode = dnsmessage.RCodeNameError
	}
	select {
	case <-time.After(a.wait):
	case <-req.Context().Done():
		return
	}
	h := rw.Header()
	h.Set("Content-Type", contentType)
	for i := 0; i < len(a.header); i += 2 {
		h[a.header[i]] = a.header[i+1 : i+2]
	}
	if a.status != 0 {
		rw.WriteHeader(a.status)
	}
	if a.raw == nil {
		a.raw = message(w.t, q, a)
	}
	rw.Write(a.raw)
}

// message makes the answer to a question.
func message(t testing.TB, q dnsmessage.Question, a answer) []byte {
	t.Helper()
	m := dnsmessage.Message{Header: dnsmessage.Header{Response: true, RCode: a.rcode}, Questions: []dnsmessage.Question{q}, Answers: a.records}
	for i := range m.Answers {
		if m.Answers[i].Header.Name.Length == 0 {
			m.Answers[i].Header.Name = q.Name
		}
	}
	raw, err := m.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func questions(w *world) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := slices.Clone(w.asked)
	slices.Sort(list)
	return list
}

func in(ttl uint32) dnsmessage.ResourceHeader {
	return dnsmessage.ResourceHeader{Class: dnsmessage.ClassINET, TTL: ttl}
}

func a(ttl uint32, addr string) dnsmessage.Resource {
	return dnsmessage.Resource{Header: in(ttl), Body: &dnsmessage.AResource{A: netip.MustParseAddr(addr).As4()}}
}

func aaaa(ttl uint32, addr string) dnsmessage.Resource {
	return dnsmessage.Resource{Header: in(ttl), Body: &dnsmessage.AAAAResource{AAAA: netip.MustParseAddr(addr).As16()}}
}

func cname(ttl uint32, name string) dnsmessage.Resource {
	return dnsmessage.Resource{Header: in(ttl), Body: &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName(name)}}
}

// https makes an HTTPS record; parameters are alternating keys and values.
func https(ttl uint32, priority uint16, target string, params ...any) dnsmessage.Resource {
	r := dnsmessage.SVCBResource{Priority: priority, Target: dnsmessage.MustNewName(target)}
	for i := 0; i < len(params); i += 2 {
		r.Params = append(r.Params, dnsmessage.SVCParam{Key: params[i].(dnsmessage.SVCParamKey), Value: []byte(params[i+1].(string))})
	}
	return dnsmessage.Resource{Header: in(ttl), Body: &dnsmessage.HTTPSResource{SVCBResource: r}}
}

// named gives a record an owner other than the name of the question.
func named(name string, r dnsmessage.Resource) dnsmessage.Resource {
	r.Header.Name = dnsmessage.MustNewName(name)
	return r
}

// The parameters of HTTPS records, for short.
const (
	mandatory     = dnsmessage.SVCParamMandatory
	alpnKey       = dnsmessage.SVCParamALPN
	noDefaultALPN = dnsmessage.SVCParamNoDefaultALPN
	port          = dnsmessage.SVCParamPort
	ipv4hint      = dnsmessage.SVCParamIPv4Hint
	echKey        = dnsmessage.SVCParamECH
	ipv6hint      = dnsmessage.SVCParamIPv6Hint
	unknownKey    = dnsmessage.SVCParamKey(65280)
)

// report renders a look-up: each answer with when it came, and the failure.
func report(ctx context.Context, dns okhttp.DNS, host string) string {
	began := time.Now()
	var parts []string
	for a, err := range dns.Lookup(ctx, host) {
		text := fmt.Sprint(time.Since(began))
		if len(a.Addrs) > 0 {
			text += fmt.Sprint(" ", a.Addrs)
		}
		if a.ALPN != nil {
			text += fmt.Sprint(" alpn ", a.ALPN)
		}
		if a.ECHConfigList != nil {
			text += fmt.Sprint(" ech ", len(a.ECHConfigList))
		}
		if a.TTL != 0 {
			text += fmt.Sprint(" ttl ", a.TTL)
		}
		if err != nil {
			text += " " + err.Error()
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

func want(t *testing.T, dns okhttp.DNS, host, text string) {
	t.Helper()
	if got := report(t.Context(), dns, host); got != text {
		t.Errorf("%s: %s\nwant %s", host, got, text)
	}
}

// failure returns what a look-up without answers fails with.
func failure(t *testing.T, dns okhttp.DNS, host string) error {
	t.Helper()
	var last error
	for a, err := range dns.Lookup(t.Context(), host) {
		if last = err; err == nil {
			t.Errorf("answer %v, want a failure", a)
		}
	}
	if unknown, ok := last.(*okhttp.UnknownHostError); !ok || unknown.Host != host {
		t.Errorf("error %T %v, want that %s is unknown", last, last, host)
	}
	return last
}

// certificates are the TLS configurations of the server and its client.
var certificates = sync.OnceValues(func() (server, client *tls.Config) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), // synctest bubbles live in the year 2000
		NotAfter:     time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC),
		DNSNames:     []string{serverHost, "site.example"},
		IPAddresses:  []net.IP{net.ParseIP(serverAddr)},
		IsCA:         true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(cert)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, &tls.Config{RootCAs: roots}
})
