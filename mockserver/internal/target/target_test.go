package target_test

import (
	"testing"

	"github.com/okhttp-go/ok/mockserver/internal/target"
)

func TestShown(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "",
		"*":                            "*",
		"/a@b?c=d://e:f@g":             "/a@b?c=d://e:f@g",
		"http://h/a@b":                 "http://h/a@b",
		"http://h?a@b":                 "http://h?a@b",
		"http://user:sesame@h:1/a@b":   "http://...@h:1/a@b",
		"http://user:ses@me@h":         "http://...@h",
		"user:sesame@h:443":            "...@h:443",
		"h:443":                        "h:443",
		"HTTPS://user@[::1]/#x://y@z/": "HTTPS://...@[::1]/#x://y@z/",
		"/?api_key=s3cret&a=b&accessToken=&x%5Bpassword%5D=y=z&token&%zz=1&=": "/?api_key=redacted&a=b&accessToken=redacted&x%5Bpassword%5D=redacted&token&%zz=1&=",
		"http://user:sesame@h?SIG=a@b":                                        "http://...@h?SIG=redacted",
		"/?":                                                                  "/?",
		"/a?tokens=1":                                                         "/a?tokens=1",
		"://@":                                                                "://...@",
	} {
		if got := target.Shown(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}
