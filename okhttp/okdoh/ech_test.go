package okdoh

import (
	"crypto/hpke"
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
)

// vector is text after its length, of so many bytes.
func vector(size int, parts ...string) (v string) {
	for _, p := range parts {
		v += p
	}
	length := string([]byte{byte(len(v) >> 8), byte(len(v))})
	return length[2-size:] + v
}

// echOf builds one configuration of the known version.
func echOf(kem, key, suites, name, extensions string) string {
	return "\xfe\x0d" + vector(2, "\x01", kem, vector(2, key), vector(2, suites), "\x20", vector(1, name), vector(2, extensions))
}

// The usual algorithms: X25519, and HKDF-SHA256 with AES-128-GCM.
const (
	x25519 = "\x00\x20"
	suite  = "\x00\x01\x00\x01"
)

func echPublicKey(t testing.TB) string {
	t.Helper()
	kem, err := hpke.NewKEM(0x20)
	if err != nil {
		t.Fatal(err)
	}
	private, err := kem.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	return string(private.PublicKey().Bytes())
}

// echList is a list that can be used.
func echList(t testing.TB) string {
	return vector(2, echOf(x25519, echPublicKey(t), suite, "public.example", ""))
}

func echLists(t testing.TB) map[string]string {
	key := echPublicKey(t)
	good := echOf(x25519, key, suite, "public.example", "")
	return map[string]string{
		"good":                    vector(2, good),
		"second":                  vector(2, "\xfe\x0a"+vector(2, "whatever"), good),
		"other suites too":        vector(2, echOf(x25519, key, "\xff\xff\xff\xff"+suite, "public.example", "")),
		"optional extension":      vector(2, echOf(x25519, key, suite, "public.example", "\x00\x07"+vector(2, "x"))),
		"empty":                   "",
		"empty list":              vector(2, ""),
		"too long":                vector(2, good) + "x",
		"too short":               vector(2, good)[:20],
		"cut inside":              vector(2, good[:20]),
		"rest":                    vector(2, good, "\xfe"),
		"other version":           vector(2, "\xfe\x0a"+vector(2, "whatever")),
		"unknown kem":             vector(2, echOf("\xff\xff", key, suite, "public.example", "")),
		"bad key":                 vector(2, echOf(x25519, key[1:], suite, "public.example", "")),
		"unknown suite":           vector(2, echOf(x25519, key, "\x00\x01\xff\xf0", "public.example", "")),
		"unknown kdf":             vector(2, echOf(x25519, key, "\xff\xff\x00\x01", "public.example", "")),
		"suite that only exports": vector(2, echOf(x25519, key, "\x00\x01\xff\xff", "public.example", "")),
		"export first, then good": vector(2, echOf(x25519, key, "\x00\x01\xff\xff"+suite, "public.example", ""), good),
		"key of low order":        vector(2, echOf(x25519, strings.Repeat("\x00", 32), suite, "public.example", "")),
		"good, then low order":    vector(2, good, echOf(x25519, strings.Repeat("\x00", 32), suite, "public.example", "")),
		"no suite":                vector(2, echOf(x25519, key, "", "public.example", "")),
		"half a suite":            vector(2, echOf(x25519, key, suite+"\x00\x01", "public.example", "")),
		"one label":               vector(2, echOf(x25519, key, suite, "localhost", "")),
		"no name":                 vector(2, echOf(x25519, key, suite, "", "")),
		"underscore":              vector(2, echOf(x25519, key, suite, "a_b.example", "")),
		"hyphen":                  vector(2, echOf(x25519, key, suite, "-a.example", "")),
		"dots":                    vector(2, echOf(x25519, key, suite, "a..example", "")),
		"mandatory extension":     vector(2, echOf(x25519, key, suite, "public.example", "\x80\x07"+vector(2, "x"))),
		"half an extension":       vector(2, echOf(x25519, key, suite, "public.example", "\x00\x07\x00")),
		"bytes in a config":       vector(2, "\xfe\x0d"+vector(2, good[4:], "x")),
		"good and malformed":      vector(2, good, "\xfe\x0d"+vector(2, "x")),
		"good and empty":          vector(2, good, "\xfe\x0d"+vector(2, "")),
		"unusable and then good":  vector(2, echOf("\xff\xff", key, suite, "public.example", ""), good),
	}
}

func TestUsableECH(t *testing.T) {
	usable := []string{"good", "second", "other suites too", "optional extension", "bytes in a config", "unusable and then good", "good, then low order"}
	for name, list := range echLists(t) {
		want := slices.Contains(usable, name)
		if got := usableECH([]byte(list)); got != want {
			t.Errorf("%s: %v", name, got)
		}
		if got := takenByTLS([]byte(list)); got != want && list != "" {
			t.Errorf("%s: crypto/tls says %v", name, got)
		}
	}
}

// FuzzUsableECH has crypto/tls take every list that is passed on to it. It takes some more: it reads a field that is longer than its configuration from
// the next one.
func FuzzUsableECH(f *testing.F) {
	for _, list := range echLists(f) {
		f.Add([]byte(list))
	}
	f.Fuzz(func(t *testing.T, list []byte) {
		if usableECH(list) && !takenByTLS(list) {
			t.Error("crypto/tls refuses the list")
		}
	})
}

// takenByTLS reports whether crypto/tls gets to send a Client Hello with a list.
func takenByTLS(list []byte) bool {
	c := tls.Client(unwritable{}, &tls.Config{ServerName: "h.example", MinVersion: tls.VersionTLS13, EncryptedClientHelloConfigList: list})
	return errors.Is(c.Handshake(), errWritten)
}

var errWritten = errors.New("written")

type unwritable struct{ net.Conn }

func (unwritable) Write([]byte) (int, error) { return 0, errWritten }
func (unwritable) Close() error              { return nil }
