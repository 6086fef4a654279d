package hostname

import (
	"crypto/x509"
	"net"
	"net/netip"
	"regexp"
	"strings"
	"testing"
)

// plainHost is a host name as crypto/x509 takes it for one too.
var plainHost = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_][A-Za-z0-9_-]*)*\.?$`)

// FuzzVerify compares with crypto/x509 where both should agree: hosts that are addresses or plain names, and certificates without the
// dot of absolute names, which that package takes literally.
func FuzzVerify(f *testing.F) {
	f.Add("foo.com", "*.com", []byte{10, 0, 0, 1})
	f.Add("a.b.c.", "*.B.c", []byte{})
	f.Add("10.0.0.1", "10.0.0.1", []byte{10, 0, 0, 1})
	f.Add("::ffff:10.0.0.1", "*.0.0.1", []byte{10, 0, 0, 1})
	f.Add("::1", "*", []byte("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"))
	f.Add("-a.com", "*.a*.com", []byte{1})
	f.Add("1.2.3", "1.2.3", []byte(nil))
	f.Add("k.com", "\u212a.com", []byte(nil))
	f.Fuzz(func(t *testing.T, host, san string, ip []byte) {
		c := &x509.Certificate{DNSNames: []string{san, "other." + san}, IPAddresses: []net.IP{ip}}
		err := Verify(host, c)
		if err != nil && err.Error() == "" {
			t.Fatal("an error without text")
		}
		if looksLikeIP(host) {
			if _, e := netip.ParseAddr(host); e != nil {
				if err == nil {
					t.Fatalf("%q matches, which is neither name nor address", host)
				}
				return
			}
		} else if !plainHost.MatchString(host) || strings.HasSuffix(san, ".") {
			return
		}
		if std := c.VerifyHostname(host); (err == nil) != (std == nil) {
			t.Fatalf("host %q, name %q, address %v: %v, crypto/x509 %v", host, san, ip, err, std)
		}
	})
}
