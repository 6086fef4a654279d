package okauth

import (
	"context"
	"crypto/sha512"
	"hash"
	"io"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
)

// vector answers one challenge as an example of a standard does, whose cnonce is given.
func vector(t *testing.T, challenge, name, password, method, uri, cnonce string, swap func() hash.Hash) string {
	t.Helper()
	h, err := okhttp.NewHeaders("WWW-Authenticate", challenge)
	if err != nil {
		t.Fatal(err)
	}
	d, ok := chooseDigest(okhttp.NewResponse(nil, 401, okhttp.ResponseHeaders(h)).Challenges(), nil)
	if !ok {
		t.Fatalf("%s cannot be answered", challenge)
	}
	if swap != nil {
		d.algorithm.hash = swap
	}
	u := &user{name, password}
	return d.authorization(d.beginning(u), d.secret(u, cnonce), digestAnswer{method: method, uri: uri, nonce: d.nonce, cnonce: cnonce, count: 1})
}

func TestVectors(t *testing.T) {
	const (
		mufasa  = `realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", algorithm=`
		mufasaC = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
		doe     = `realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=`
		doeC    = "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v"
		old     = `realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"`
	)
	for _, tt := range []struct {
		name, challenge, user, password, uri, cnonce string
		swap                                         func() hash.Hash
		want                                         string
	}{
		{
			"RFC 7616 section 3.9.1 MD5", mufasa + "MD5", "Mufasa", "Circle of Life", "/dir/index.html", mufasaC, nil,
			`Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=MD5, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, response="8ca523f5e9506fed4657c9700eebdbec", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`,
		},
		{
			"RFC 7616 section 3.9.1 SHA-256", mufasa + "SHA-256", "Mufasa", "Circle of Life", "/dir/index.html", mufasaC, nil,
			`Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`,
		},
		{ // The example as printed was made with SHA-512 cut to 256 bits, which shows that all but the hash is as meant.
			"RFC 7616 section 3.9.2 as printed", doe + "true", "Jäsøn Doe", "Secret, or not?", "/doe.json", doeC, func() hash.Hash { return cut{sha512.New()} },
			`Digest username="488869477bf257147b804c45308cd62ac4e25eb717b12b298c79e62dcea254ec", realm="api@example.org", uri="/doe.json", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", nc=00000001, cnonce="NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v", qop=auth, response="ae66e67d6b427bd3f120414a82e4acff38e8ecd9101d6c861229025f607a79dd", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", userhash=true`,
		},
		{ // With SHA-512/256 of FIPS 180-4, which the algorithm names: erratum 4897.
			"RFC 7616 section 3.9.2 corrected", doe + "true", "Jäsøn Doe", "Secret, or not?", "/doe.json", doeC, nil,
			`Digest username="793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b", realm="api@example.org", uri="/doe.json", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", nc=00000001, cnonce="NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v", qop=auth, response="3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", userhash=true`,
		},
		{
			"RFC 7616 section 3.9.2 without userhash", doe + "false", "Jäsøn Doe", "Secret, or not?", "/doe.json", doeC, nil,
			`Digest username*=UTF-8''J%C3%A4s%C3%B8n%20Doe, realm="api@example.org", uri="/doe.json", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", nc=00000001, cnonce="NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v", qop=auth, response="3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS"`,
		},
		{
			"RFC 2617 section 3.5", old + `, qop="auth,auth-int"`, "Mufasa", "Circle Of Life", "/dir/index.html", "0a4f113b", nil,
			`Digest username="Mufasa", realm="testrealm@host.com", uri="/dir/index.html", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", nc=00000001, cnonce="0a4f113b", qop=auth, response="6629fae49393a05397450978507c4ef1", opaque="5ccc069c403ebaf9f0171e9517f40e41"`,
		},
		{
			"RFC 2069, no qop", old, "Mufasa", "Circle Of Life", "/dir/index.html", "0a4f113b", nil,
			`Digest username="Mufasa", realm="testrealm@host.com", uri="/dir/index.html", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", response="670fd8c2df070c60b045671b8b24ff02", opaque="5ccc069c403ebaf9f0171e9517f40e41"`,
		},
	} {
		if got := vector(t, "Digest "+tt.challenge, tt.user, tt.password, "GET", tt.uri, tt.cnonce, tt.swap); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// cut is a hash of which the first 256 bits count.
type cut struct{ hash.Hash }

func (c cut) Sum(b []byte) []byte { return append(b, c.Hash.Sum(nil)[:32]...) }

func TestChooseDigest(t *testing.T) {
	text, once, streamed := okhttp.Text("x"), okhttp.OneShot("", 1, strings.NewReader("x")), okhttp.Streamed("", nil)
	duplex, err := okhttp.NewBody(okhttp.BodyConfig{Len: 1, Duplex: true, Write: func(context.Context, io.Writer) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, header string
		body         *okhttp.Body
		algorithm    string // as chosen; "-" if nothing can be answered
		qop          string
	}{
		{"strongest of several", `Digest realm="r", nonce="1", qop="auth", algorithm=MD5, Digest realm="r", nonce="2", qop="auth", algorithm=SHA-256`, nil, "SHA-256", "auth"},
		{"strongest first", `Digest realm="r", nonce="2", qop="auth", algorithm=SHA-512-256, Digest realm="r", nonce="1", qop="auth", algorithm=SHA-256`, nil, "SHA-512-256", "auth"},
		{"first of equal ones", `Digest realm="r", nonce="1", qop="auth", algorithm=MD5-sess, Digest realm="r", nonce="2", qop="auth", algorithm=MD5`, nil, "MD5-sess", "auth"},
		{"unknown ones are passed over", `Digest realm="r", nonce="1", qop="auth", algorithm=SHA-3, Digest realm="r", nonce="2", qop="auth", algorithm=md5`, nil, "md5", "auth"},
		{"no algorithm is MD5", `Digest realm="r", nonce="1", qop="auth"`, nil, "", "auth"},
		{"nothing known", `Digest realm="r", nonce="1", algorithm=whirlpool`, nil, "-", ""},
		{"just a suffix", `Digest realm="r", nonce="1", algorithm="-sess"`, nil, "-", ""},
		{"no nonce", `Digest realm="r", qop="auth"`, nil, "-", ""},
		{"no realm", `Digest nonce="1", qop="auth"`, nil, "-", ""},
		{"another scheme", `Basic realm="r"`, nil, "-", ""},
		{"auth before auth-int", `Digest realm="r", nonce="1", qop="auth-int,auth"`, text, "", "auth"},
		{"auth-int without a body", `Digest realm="r", nonce="1", qop="auth-int"`, nil, "", "auth-int"},
		{"auth-int with a body", `Digest realm="r", nonce="1", qop="auth-int"`, text, "", "auth-int"},
		{"auth-int with a body that is sent once", `Digest realm="r", nonce="1", qop="auth-int"`, once, "-", ""},
		{"auth-int with a body without an end", `Digest realm="r", nonce="1", qop="auth-int"`, streamed, "-", ""},
		{"auth-int with a duplex body", `Digest realm="r", nonce="1", qop="auth-int"`, duplex, "-", ""},
		{"unknown qop", `Digest realm="r", nonce="1", qop="auth-conf"`, nil, "-", ""},
		{"auth-int alone is passed over", `Digest realm="r", nonce="1", qop="auth-int", algorithm=SHA-256, Digest realm="r", nonce="2", qop="AUTH", algorithm=MD5`, once, "MD5", "auth"},
		{"no qop", `Digest realm="r", nonce="1"`, text, "", ""},
	} {
		h, err := okhttp.NewHeaders("WWW-Authenticate", tt.header)
		if err != nil {
			t.Fatal(err)
		}
		d, ok := chooseDigest(okhttp.NewResponse(nil, 401, okhttp.ResponseHeaders(h)).Challenges(), tt.body)
		if !ok {
			d.name, d.qop = "-", ""
		}
		if d.name != tt.algorithm || d.qop != tt.qop {
			t.Errorf("%s: %s: chose %q with qop %q, want %q with %q", tt.name, tt.header, d.name, d.qop, tt.algorithm, tt.qop)
		}
	}
}
