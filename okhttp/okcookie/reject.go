package okcookie

// A Reason is why a cookie was refused.
type Reason string

// The reasons.
const (
	ReasonURL          Reason = "url"           // the URL has no host, or its scheme is not http or https
	ReasonSyntax       Reason = "syntax"        // no name, no "=", or a part that cannot be written as it is
	ReasonCharacter    Reason = "character"     // a control character, or one beyond ASCII in the name or the value
	ReasonDomain       Reason = "domain"        // the domain is not that of the host
	ReasonPublicSuffix Reason = "public-suffix" // the domain is one that strangers share, such as "com" or "github.io"
	ReasonSize         Reason = "size"          // larger than the jar takes
	ReasonPrefix       Reason = "prefix"        // the name begins with __Secure- or __Host- and the cookie is not such a one
	ReasonInsecure     Reason = "insecure"      // a Secure cookie that came over http
	ReasonShadow       Reason = "shadow"        // it came over http and would hide a Secure cookie
)

// A RejectError reports a cookie that was not taken. It does not contain the value of the cookie.
type RejectError struct {
	Reason Reason
	Name   string // of the cookie, "" if it has none or one that cannot be printed
	Detail string // what came and what was expected
}

func (e *RejectError) Error() string {
	if e.Name == "" {
		return "okcookie: " + e.Detail
	}
	return "okcookie: cookie " + quote(e.Name) + ": " + e.Detail
}

func reject(reason Reason, name, detail string) error {
	return &RejectError{Reason: reason, Name: name, Detail: detail}
}
