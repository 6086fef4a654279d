package okhttp

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

func TestBasicCredentials(t *testing.T) {
	for _, c := range []struct{ user, password, charset, want string }{
		{"Aladdin", "open sesame", "", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="}, // RFC 7617 section 2
		{"test", "123\u00a3", "UTF-8", "Basic dGVzdDoxMjPCow=="},             // section 2.1
		{"test", "123\u00a3", "utf-8", "Basic dGVzdDoxMjPCow=="},
		{"test", "123\u00a3", "", "Basic dGVzdDoxMjOj"},
		{"test", "123\u00a3", "iso-8859-1", "Basic dGVzdDoxMjOj"},
		{"", "", "", "Basic Og=="},
		{"", "a:b:c", "", "Basic OmE6Yjpj"},
		{"\u00ff", "\u20ac", "UTF-8", "Basic w7864oKs"},
	} {
		got, err := BasicCredentials(c.user, c.password, c.charset)
		if err != nil || got != c.want {
			t.Errorf("%q:%q in %q: %q, %v; want %q", c.user, c.password, c.charset, got, err, c.want)
		}
	}
}

func TestBasicCredentialsErrors(t *testing.T) {
	for _, c := range []struct{ user, password, charset, part string }{
		{"a:b", "secret", "", "user name"},
		{"secret\n", "x", "UTF-8", "user name"},
		{"x", "secret\x00", "", "password"},
		{"x", "secret\x7f", "", "password"},
		{"x", "secret\u20ac", "", "password"},
		{"secret\u0100", "x", "ISO-8859-1", "user name"},
		{"x", "secret\xff", "", "password"},
		{"x", "secret\xff", "UTF-8", "password"},
		{"x", "secret", "UTF-16", "charset"},
	} {
		got, err := BasicCredentials(c.user, c.password, c.charset)
		var e *CredentialsError
		if !errors.As(err, &e) || e.Part != c.part || got != "" || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q:%q in %q: %q, %v", c.user, c.password, c.charset, got, err)
		}
	}
}

func FuzzBasicCredentials(f *testing.F) {
	f.Add("user", "pass:word", false)
	f.Add("\u00fc", "\u20ac", true)
	f.Fuzz(func(t *testing.T, user, password string, utf8 bool) {
		charset := ""
		if utf8 {
			charset = "UTF-8"
		}
		got, err := BasicCredentials(user, password, charset)
		if err != nil {
			return
		}
		encoded, ok := strings.CutPrefix(got, "Basic ")
		pair, err := base64.StdEncoding.DecodeString(encoded)
		if !utf8 && err == nil {
			text, _ := decodeCharset(string(pair), "iso-8859-1")
			pair = []byte(text)
		}
		u, p, colon := strings.Cut(string(pair), ":")
		if !ok || err != nil || !colon || u != user || p != password {
			t.Fatalf("%q:%q becomes %q: %q:%q, %v", user, password, got, u, p, err)
		}
	})
}
