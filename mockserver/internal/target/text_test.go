package target

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"plain text":                            "plain text",
		"token=x":                               "token=redacted",
		"a=1&token=x&b=2":                       "a=1&token=redacted&b=2",
		"a=1&token=":                            "a=1&token=",
		"see https://h/?access_token=x#y":       "see https://h/?access_token=redacted#y",
		"user%5Bpassword%5D=x&a=1":              "user%5Bpassword%5D=redacted&a=1",
		"/[?]token=x":                           "/[?]token=redacted",
		"http://ann:x@h/":                       "http://ann:redacted@h/",
		`{"password": "x", "a": 1}`:             `{"password": "redacted", "a": 1}`,
		`{"password": "it's \" x", "a": 1}`:     `{"password": "redacted", "a": 1}`,
		`{"password": {"x": [1, "}"]}, "a": 1}`: `{"password": "redacted", "a": 1}`,
		"--b\r\nContent-Disposition: form-data; name=\"token\"\r\nContent-Type: text/plain\r\n\r\nx\r\ny\r\n--b--": "--b\r\nContent-Disposition: form-data; name=\"token\"\r\nContent-Type: text/plain\r\n\r\nredacted\r\n--b--",
		"content-disposition: form-data; name=a\n\ntext":                                                           "content-disposition: form-data; name=a\n\ntext",
		"content-disposition: form-data; name=token\n\ntext":                                                       "content-disposition: form-data; name=token\n\nredacted",
		`{"token": 12, "a": 1}`:                    `{"token": "redacted", "a": 1}`,
		`{"pass\u0077ord": "x", "a": 1}`:           `{"pass\u0077ord": "redacted", "a": 1}`,
		`{"password": "x that does not end`:        `{"password": "redacted"`,
		`{"a": 1, "password"`:                      `{"a": 1, "password"`,
		`{"tokens": 3, "mytoken": "shown anyway"}`: `{"tokens": 3, "mytoken": "shown anyway"}`,
	} {
		if got := Text(text); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}

func TestSecretNames(t *testing.T) {
	for name, want := range map[string]bool{
		"token": true, "access_token": true, "accessToken": true, "Access-Token": true, "user[password]": true, "SESSION_ID": true, "X-Amz-Signature": true,
		"tokens": false, "name": false, "": false, "password[name]": false,
	} {
		if Secret(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
	for name, want := range map[string]bool{"Authorization": true, "set-cookie": true, "X-API-Key": true, "Accept": false} {
		if SecretHeader(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// A secret is found wherever it stands, and what was taken out stays out.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"a=1&", `{"a": "b", `, "x ", `"\"`, "]", "https://u@h/?"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, before string) {
		if once := Text(before); Text(once) != once {
			t.Errorf("%q became %q, and then %q", before, once, Text(once))
		}
		if text := before + "\n&token=sesame&"; !strings.Contains(before, "sesame") && !strings.ContainsAny(before, `"`) && strings.Contains(Text(text), "sesame") {
			t.Errorf("%q became %q", text, Text(text))
		}
	})
}
