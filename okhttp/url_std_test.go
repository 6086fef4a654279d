package okhttp

import (
	"errors"
	"net/url"
	"testing"
)

func TestURLStd(t *testing.T) {
	for in, want := range map[string]string{
		"http://h/":                      "http://h/",
		"https://u:p@h:8443/a%2Fb?c=d#e": "https://u:p@h:8443/a%2Fb?c=d#e",
		"http://u@h/?":                   "http://u@h/?",
		"http://[::1]:81/":               "http://[::1]:81/",
		"http://h/a%2fb/%C3%A9/'!":       "http://h/a%2fb/%C3%A9/'!",
		"http://h/[a]%2F|%zz%":           "http://h/%5Ba%5D%2F%7C%25zz%25",
		"http://h/?a|b^`{}\\%&+":         "http://h/?a%7Cb%5E%60%7B%7D%5C%25&+",
		"http://h/#a#b%2f|%":             "http://h/#a%23b%2f%7C%25",
		"http://h/%FF":                   "http://h/%FF",
	} {
		std := mustURL(t, in).Std()
		if std.String() != want {
			t.Errorf("Std of %s = %s, want %s", in, std, want)
		}
		reparsed, err := url.Parse(std.String())
		if err != nil || reparsed.String() != want {
			t.Errorf("net/url reads %s as %s, %v", std, reparsed, err)
		}
		back, err := URLFrom(std)
		if err != nil || back.String() != want {
			t.Errorf("back from %s: %s, %v", std, back, err)
		}
	}
	std := mustURL(t, "http://b%C3%B6b:%2F@h/a%20b%2Fc").Std()
	password, _ := std.User.Password()
	if std.User.Username() != "böb" || password != "/" || std.Path != "/a b/c" || std.RawPath != "/a%20b%2Fc" {
		t.Errorf("got %#v, %v", std, std.User)
	}
}

func TestURLFrom(t *testing.T) {
	for _, tt := range []struct {
		in   *url.URL
		want string
		part string
	}{
		{nil, "", "scheme"},
		{&url.URL{}, "", "scheme"},
		{&url.URL{Scheme: "ftp", Host: "h"}, "", "scheme"},
		{&url.URL{Scheme: "http", Path: "/evil.com/x"}, "", "host"},
		{&url.URL{Scheme: "http", Opaque: "evil.com"}, "", "host"},
		{&url.URL{Scheme: "http", Host: "h", Opaque: "x"}, "", "path"},
		{&url.URL{Scheme: "http", Host: "h:x"}, "", "port"},
		{&url.URL{Scheme: "http", Host: "[fe80::1%eth0]"}, "", "host"},
		{&url.URL{Scheme: "HTTP", Host: "H"}, "http://h/", ""},
		{&url.URL{Scheme: "http", Host: "h", Path: "//x"}, "http://h//x", ""},
		{&url.URL{Scheme: "http", Host: "h", Path: "/a b", RawQuery: "c d"}, "http://h/a%20b?c%20d", ""},
		{&url.URL{Scheme: "http", Host: "h", Opaque: "/a%2f", RawQuery: "q", User: url.UserPassword("u", "p")}, "http://u:p@h/a%2f?q", ""},
		{&url.URL{Scheme: "http", Host: "h", Opaque: "//h/a%2f"}, "http://h/a%2f", ""},
	} {
		u, err := URLFrom(tt.in)
		var e *URLError
		if tt.part != "" {
			if !errors.As(err, &e) || e.Part != tt.part {
				t.Errorf("URLFrom(%#v) = %q, %v; want an error about the %s", tt.in, u, err, tt.part)
			}
		} else if err != nil || u.String() != tt.want {
			t.Errorf("URLFrom(%#v) = %q, %v; want %q", tt.in, u, err, tt.want)
		}
	}
}
