package okhttp

import "github.com/okhttp-go/ok/okhttp/internal/ascii"

// Challenge is one way to authenticate that a server or proxy offers (RFC 9110 section 11.3).
type Challenge struct {
	// Scheme is the name as it was sent, "Basic" or "Digest" for example. Its case does not count.
	Scheme string
	// Token68 is what schemes such as Negotiate and NTLM have instead of parameters, "" if there is none.
	Token68 string
	// Params are the parameters, under names in lower case; nil if there are none.
	Params map[string]string
}

// Realm returns the realm parameter, "" if there is none: RFC 9110 section 11.5.
func (c Challenge) Realm() string { return c.Params["realm"] }

// Charset returns the charset in which the server wants user names and passwords: "UTF-8" if it says so (RFC 7617 section 2.1), and
// "ISO-8859-1" if it says nothing or anything else.
func (c Challenge) Charset() string {
	if ascii.EqualFold(c.Params["charset"], credentialsUTF8) {
		return credentialsUTF8
	}
	return credentialsLatin1
}

// Challenges returns what WWW-Authenticate says if the status is 401, and what Proxy-Authenticate says if it is 407, in order; nothing for
// other statuses. A header that breaks the grammar counts up to the challenge with the fault.
func (r *Response) Challenges() []Challenge {
	var name string
	switch r.Status {
	case 401:
		name = "WWW-Authenticate"
	case 407:
		name = "Proxy-Authenticate"
	}
	var list []Challenge
	if name != "" {
		for value := range r.headers.Values(name) {
			list = appendChallenges(list, value)
		}
	}
	return list
}
