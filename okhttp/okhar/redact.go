package okhar

import (
	"net/url"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

const (
	blocks        = "██"
	encodedBlocks = "%E2%96%88%E2%96%88"
)

var sensitive = []string{
	"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "Api-Key", "X-Api-Key", "X-Auth-Token", "X-Csrf-Token", "X-Xsrf-Token",
}

// sensitiveFields are names in queries, forms and JSON whose values are secrets, in the form of [plain].
var sensitiveFields = []string{
	"accesstoken", "refreshtoken", "idtoken", "idtokenhint", "authtoken", "sessiontoken", "securitytoken", "csrftoken", "xsrftoken", "token", "jwt",
	"apikey", "accesskey", "secretkey", "privatekey", "clientsecret", "secret", "clientassertion", "assertion", "codeverifier",
	"password", "passwd", "pwd", "passphrase", "signature", "sig", "sessionid", "xamzsignature", "xamzsecuritytoken", "xgoogsignature",
}

// sensitiveParameters are such names in queries and forms alone: the code of OAuth (RFC 6749 section 4.1.2) is in JSON that of an error.
var sensitiveParameters = []string{"code"}

// redactor hides what must not be recorded. It is not modified once it is made.
type redactor struct {
	keep    bool            // hide nothing
	headers map[string]bool // in lower case
	query   map[string]bool // plain, also of forms
	members map[string]bool // the same, of JSON
}

func newRedactor(c *Config) redactor {
	r := redactor{keep: c.KeepSecrets, headers: make(map[string]bool), query: make(map[string]bool), members: make(map[string]bool)}
	for _, list := range [][]string{sensitive, c.RedactHeaders} {
		for _, name := range list {
			r.headers[strings.ToLower(name)] = true
		}
	}
	for _, list := range [][]string{sensitiveFields, c.RedactQuery} {
		for _, name := range list {
			r.query[plain(name)], r.members[plain(name)] = true, true
		}
	}
	for _, name := range sensitiveParameters {
		r.query[name] = true
	}
	return r
}

// plain is a name without what differs between spellings, and of one such as user[password] the last step: access_token, accessToken and
// data[Access-Token] are one.
func plain(name string) string {
	if i := strings.LastIndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
		name = name[i+1 : len(name)-1]
	}
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}

func (r *redactor) header(name, value string) string {
	if r.keep {
		return value
	}
	name = strings.ToLower(name)
	switch {
	case r.headers[name]:
		return blocks
	case name == "location", name == "content-location", name == "referer":
		return r.reference(value)
	case name == ":path":
		if path, query, ok := strings.Cut(value, "?"); ok {
			return path + "?" + r.pairs(query)
		}
	}
	return value
}

func (r *redactor) cookie(value string) string {
	if r.keep {
		return value
	}
	return blocks
}

func (r *redactor) parameter(name, value string) string {
	if r.keep || !r.query[plain(name)] {
		return value
	}
	return blocks
}

// url returns a URL without its fragment, which is not sent.
func (r *redactor) url(u okhttp.URL) string {
	s, _, _ := strings.Cut(u.String(), "#")
	if r.keep {
		return s
	}
	return r.reference(s)
}

// reference hides the secrets of a URL or a relative reference, and leaves the rest as it was written.
func (r *redactor) reference(s string) string {
	s, fragment, hasFragment := strings.Cut(s, "#")
	s, query, hasQuery := strings.Cut(s, "?")
	if scheme, rest, ok := strings.Cut(s, "//"); ok && (scheme == "" || strings.HasSuffix(scheme, ":")) {
		end := strings.IndexAny(rest, `/\`)
		if end < 0 {
			end = len(rest)
		}
		s = scheme + "//" + rest[strings.LastIndexByte(rest[:end], '@')+1:]
	}
	if hasQuery {
		s += "?" + r.pairs(query)
	}
	if hasFragment {
		s += "#" + r.pairs(fragment) // some authorization servers put tokens there
	}
	return s
}

// pairs hides values in the format of forms.
func (r *redactor) pairs(text string) string {
	if r.keep {
		return text
	}
	list := strings.Split(text, "&")
	for i, p := range list {
		name, _, ok := strings.Cut(p, "=")
		unescaped, err := url.QueryUnescape(name)
		if err != nil {
			unescaped = name
		}
		if ok && r.query[plain(unescaped)] {
			list[i] = name + "=" + encodedBlocks
		}
	}
	return strings.Join(list, "&")
}
