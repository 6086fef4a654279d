package hostname

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
)

// certificate has alternative names: IP addresses after "ip:", DNS names otherwise.
func certificate(names ...string) *x509.Certificate {
	c := &x509.Certificate{}
	for _, n := range names {
		if ip, ok := strings.CutPrefix(n, "ip:"); ok {
			c.IPAddresses = append(c.IPAddresses, net.ParseIP(ip))
		} else {
			c.DNSNames = append(c.DNSNames, n)
		}
	}
	return c
}

func TestVerify(t *testing.T) {
	const telSign, kelvinSign = "\u2121", "\u212a"
	for _, tt := range []struct {
		host string
		sans string // separated by blanks
		want bool
	}{
		// names
		{"foo.com", "foo.com", true},
		{"foo.com", "bar.com foo.com", true},
		{"foo.com", "bar.com", false},
		{"a.foo.com", "foo.com", false},
		{"foo.com", "a.foo.com", false},
		{"foo.com", "", false},
		{"a_b.com", "a_b.com", true},
		{"xn--mnchen-3ya.de", "xn--mnchen-3ya.de", true},

		// the host must be ASCII, and so must a name that matches
		{"münchen.de", "münchen.de", false},
		{telSign + ".com", "tel.com", false},
		{kelvinSign + ".com", "k.com", false},
		{"k.com", kelvinSign + ".com", false},
		{"tel.com", telSign + ".com", false},
		{"tel.com", telSign + ".com *.com", true},
		{"a.k.com", "*." + kelvinSign + ".com", false},

		// case
		{"FOO.com", "foo.COM", true},
		{"bar.foo.com", "*.FOO.com", true},
		{"k.com", "K.com", true},

		// the dot of an absolute name
		{"foo.com.", "foo.com", true},
		{"foo.com", "foo.com.", true},
		{"foo.com.", "foo.com.", true},
		{"bar.foo.com.", "*.foo.com", true},
		{"bar.foo.com", "*.foo.com.", true},

		// malformed
		{"", "foo.com", false},
		{".", ".", false},
		{".foo.com", ".foo.com", false},
		{"foo.com..", "foo.com..", false},
		{"foo.com", "foo.com..", false},
		{"foo.com..", "foo.com", false},
		{"bar.foo.com", ".foo.com", false},
		{"foo.com", "foo.com\x00.evil.com", false},

		// wildcards
		{"bar.foo.com", "*.foo.com", true},
		{"foo.com", "*.foo.com", false},
		{".foo.com", "*.foo.com", false},
		{"a.bar.foo.com", "*.foo.com", false},
		{"google.com", "*.com", true}, // public suffixes are not considered
		{"foo.com", "*", false},
		{"com", "*", false},
		{"com", "*.", false},
		{"foo.com", "*.", false},
		{"foo.com.", "*..", false},
		{"foo.com", "*.*", false},
		{"a.foo.com", "a*.foo.com", false},
		{"ab.foo.com", "a*.foo.com", false},
		{"ba.foo.com", "*a.foo.com", false},
		{"a.foo.com", "a*a.foo.com", false},
		{"a.b.com", "a.*.com", false},
		{"a.b.com", "*.*.com", false},
		{"a.b.com", "*.b.*", false},
		{"a.foo.com", "**.foo.com", false},
		{"xfoo.com", "*foo.com", false},
		{"xn--mnchen-3ya.de", "*.de", true},
		{"a.localhost", "*.localhost", true},

		// IP addresses
		{"10.0.0.1", "ip:10.0.0.1", true},
		{"10.0.0.1", "ip:10.0.0.2", false},
		{"10.0.0.1", "10.0.0.1", false}, // a DNS name
		{"10.0.0.1", "*.0.0.1", false},
		{"foo.com", "ip:10.0.0.1", false},
		{"::1", "ip:::1", true},
		{"2001:DB8:0:0::1", "ip:2001:db8::1", true},
		{"2001:db8::1", "2001:db8::1", false},
		{"::ffff:10.0.0.1", "ip:10.0.0.1", true},
		{"::ffff:a00:1", "ip:10.0.0.1", true},
		{"10.0.0.1", "ip:::ffff:10.0.0.1", true},
		{"::10.0.0.1", "ip:10.0.0.1", false},        // another address
		{"fe80::1%eth0", "ip:fe80::1", false},       // of one machine only
		{"[::1]", "ip:::1", false},                  // brackets belong to the URL
		{"10.0.0.1.", "ip:10.0.0.1", false},         // neither address nor name
		{"010.0.0.1", "ip:10.0.0.1", false},         // not the canonical form, in which hosts come here
		{"1.2.3.4.5", "1.2.3.4.5 *.2.3.4.5", false}, // looks like an address
		{"127.1", "127.1", false},
		{"1", "1", false},
		{"1.com", "1.com", true},
		{"foo.1com", "foo.1com", true},
	} {
		t.Run(fmt.Sprintf("%q of %q", tt.host, tt.sans), func(t *testing.T) {
			c := certificate(strings.Fields(tt.sans)...)
			c.Subject.CommonName = tt.host // never counts
			err := Verify(tt.host, c)
			if (err == nil) != tt.want {
				t.Errorf("%v, want a match: %v", err, tt.want)
			}
			if err != nil {
				var e *Error
				if !errors.As(err, &e) || e.Host != tt.host || e.Leaf != c {
					t.Errorf("%#v", err)
				}
			}
		})
	}
}

// Addresses that are none, which only certificates made by hand can have.
func TestVerifyMalformedIP(t *testing.T) {
	c := &x509.Certificate{IPAddresses: []net.IP{nil, {1, 2, 3}, {10, 0, 0, 1}}}
	if err := Verify("10.0.0.1", c); err != nil {
		t.Error(err)
	}
	if err := Verify("10.0.0.2", c); err == nil || !strings.Contains(err.Error(), "[10.0.0.1]") {
		t.Error(err)
	}
}

func TestError(t *testing.T) {
	if got, want := Verify("foo.com", nil).Error(), "hostname foo.com not verified: no certificates"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	c := certificate("foo.com", "ip:::1", "*.bar.com", "ip:10.0.0.1")
	c.RawSubjectPublicKeyInfo = []byte("key")
	c.Subject = pkix.Name{CommonName: "foo", Organization: []string{"Foo\nInc"}}
	const want = "hostname baz.com not verified: certificate sha256/LHDhK3oGRvkiefQnx7OOczTY5Tic/xZ6HcMOc/gmtoM=, " +
		"subject CN=foo,O=Foo\ufffdInc, alternative names [::1, 10.0.0.1, foo.com, *.bar.com]"
	if got := Verify("baz.com", c).Error(); got != want {
		t.Errorf("\n%q, want\n%q", got, want)
	}
}

// A certificate has as many names as it likes.
func TestErrorIsBounded(t *testing.T) {
	c := &x509.Certificate{Subject: pkix.Name{CommonName: strings.Repeat("n", 1e4)}}
	for range 10_000 {
		c.DNSNames = append(c.DNSNames, strings.Repeat("x", 1000))
	}
	text := Verify("foo.com", c).Error()
	if len(text) > 12_000 || !strings.HasSuffix(text, "... and 9968 more]") {
		t.Errorf("%d bytes, ending in %q", len(text), text[len(text)-30:])
	}
}
