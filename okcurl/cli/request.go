package cli

import (
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// target reads a URL as it stands on a command line. Its user info is taken out, so that nothing can print it; -u goes before it.
func (o *options) target(text string) (okhttp.URL, *credentials, error) {
	if strings.TrimSpace(text) == "" {
		return okhttp.URL{}, nil, &failure{exitURL, "the URL is empty"}
	}
	switch scheme, ok := schemeOf(text); {
	case !ok:
		text = "http://" + text
	case !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https"):
		return okhttp.URL{}, nil, &failure{exitScheme, "scheme " + printable(scheme) + " is not supported, expected http, https, ws or wss"}
	}
	u, err := okhttp.ParseURL(text)
	if err != nil {
		return okhttp.URL{}, nil, err
	}
	user := o.user
	if name, password := u.Username(), u.Password(); name != "" || password != "" {
		if user == nil {
			user = &credentials{name, password}
		}
		u, err = withoutUserinfo(u)
	}
	return u, user, err
}

// schemeOf returns what stands before "://".
func schemeOf(text string) (string, bool) {
	scheme, _, ok := strings.Cut(strings.TrimLeft(text, " \t"), "://")
	if !ok || scheme == "" {
		return "", false
	}
	for i := range len(scheme) {
		c := scheme[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || (c < '0' || '9' < c) && c != '+' && c != '-' && c != '.') {
			return "", false
		}
	}
	return scheme, true
}

func withoutUserinfo(u okhttp.URL) (okhttp.URL, error) {
	return u.Edit().Username("").Password("").Build()
}

// request makes the request for one URL.
func (o *options) request(u okhttp.URL, user *credentials, body *okhttp.Body, uploaded bool) (*okhttp.Request, error) {
	headers, err := o.requestHeaders(user)
	if err != nil {
		return nil, err
	}
	method := o.method
	switch {
	case method != "":
	case o.head:
		method = "HEAD"
	case uploaded:
		method = "PUT"
	case body != nil:
		method = "POST"
	default:
		method = "GET"
	}
	if body == nil && needsBody(method) {
		body = okhttp.Bytes("", nil)
	}
	return okhttp.NewRequest(method, u.String(), okhttp.WithHeaders(headers), okhttp.WithBody(body))
}

// needsBody reports whether the library insists on a body. curl sends such requests without one, and an empty one is what servers make
// of that (RFC 9110 section 8.6).
func needsBody(method string) bool {
	switch method {
	case "POST", "PUT", "PATCH", "PROPPATCH", "REPORT", "QUERY":
		return true
	}
	return false
}

// fileName is what --remote-name calls the response: the last part of the path, as it stands in the URL.
func fileName(u okhttp.URL) string {
	path := u.EncodedPath()
	return path[strings.LastIndexByte(path, '/')+1:]
}
