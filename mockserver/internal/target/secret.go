package target

import "strings"

// secrets are the names of query parameters, form fields and members of JSON whose values are secret, in the form of [Plain].
var secrets = map[string]bool{}

func init() {
	for _, name := range []string{
		"access_token", "refresh_token", "id_token", "id_token_hint", "auth_token", "session_token", "security_token", "csrf_token", "xsrf_token", "token", "jwt",
		"api_key", "access_key", "secret_key", "private_key", "client_secret", "secret", "client_assertion", "assertion", "code_verifier",
		"password", "passwd", "pwd", "passphrase", "signature", "sig", "session_id", "x_amz_signature", "x_amz_security_token", "x_goog_signature",
	} {
		secrets[Plain(name)] = true
	}
}

// Secret reports whether what has that name is a secret, by itself or as the last step of a name such as user[password].
func Secret(name string) bool { return secrets[Plain(Last(name))] }

// Last returns the last step of a name such as user[password], or else the name.
func Last(name string) string {
	if i := strings.LastIndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
		return name[i+1 : len(name)-1]
	}
	return name
}

// Plain is a name without what differs between spellings: access_token, accessToken and Access-Token are one.
func Plain(name string) string {
	if strings.IndexFunc(name, func(c rune) bool { return c < '0' || c > '9' && c < 'a' || c > 'z' }) < 0 {
		return name // as most are, of the many in a body of JSON
	}
	return spellings.Replace(strings.ToLower(name))
}

var spellings = strings.NewReplacer("_", "", "-", "")

// headers are the fields of headers whose values are secret, in lower case.
var headers = map[string]bool{
	"authorization": true, "proxy-authorization": true, "cookie": true, "set-cookie": true, "api-key": true, "x-api-key": true, "x-auth-token": true, "x-csrf-token": true,
	"x-xsrf-token": true,
}

// SecretHeader reports whether the value of that header field is a secret.
func SecretHeader(name string) bool { return headers[strings.ToLower(name)] }
