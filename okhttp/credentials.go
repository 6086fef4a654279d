package okhttp

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
	"github.com/okhttp-go/ok/okhttp/internal/fault"
)

const (
	credentialsLatin1 = "ISO-8859-1"
	credentialsUTF8   = "UTF-8"
)

// BasicCredentials returns the value of an Authorization or Proxy-Authorization header for Basic authentication (RFC 7617). The charset is
// that of [Challenge.Charset], "UTF-8" or "ISO-8859-1"; "" means the latter, which servers expect that do not say otherwise. Text in UTF-8
// is taken as it is, without normalising it.
//
// It fails with a [*CredentialsError], rather than send credentials that cannot be right, if the user name contains a colon, either
// contains control characters, or a character does not exist in the charset.
func BasicCredentials(user, password, charset string) (string, error) {
	utf8 := ascii.EqualFold(charset, credentialsUTF8)
	if !utf8 && charset != "" && !ascii.EqualFold(charset, credentialsLatin1) {
		return "", &CredentialsError{"charset", "is " + fault.Quote(charset) + ", expected UTF-8 or ISO-8859-1"}
	}
	if strings.Contains(user, ":") {
		return "", &CredentialsError{"user name", "contains a colon, which would end it (RFC 7617 section 2)"}
	}
	pair, err := appendCredential(nil, "user name", user, utf8)
	if err == nil {
		pair, err = appendCredential(append(pair, ':'), "password", password, utf8)
	}
	if err != nil {
		return "", err
	}
	return "Basic " + base64.StdEncoding.EncodeToString(pair), nil
}

func appendCredential(dst []byte, part, text string, asUTF8 bool) ([]byte, error) {
	if !utf8.ValidString(text) {
		return nil, &CredentialsError{part, "is not valid UTF-8"}
	}
	for _, r := range text {
		switch {
		case r < ' ' || r == 0x7f:
			return nil, &CredentialsError{part, "contains a control character (RFC 7617 section 2)"}
		case asUTF8:
			dst = utf8.AppendRune(dst, r)
		case r > 0xff:
			return nil, &CredentialsError{part, "contains a character that is not in ISO-8859-1"}
		default:
			dst = append(dst, byte(r))
		}
	}
	return dst, nil
}

// CredentialsError reports a user name or password that cannot be sent. It never contains them.
type CredentialsError struct {
	Part   string // "user name", "password" or "charset"
	Detail string // what is wrong with it
}

func (e *CredentialsError) Error() string { return "okhttp: " + e.Part + " " + e.Detail }
