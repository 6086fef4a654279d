package target

import "strings"

// secrets are the names of query parameters, form fields and members of JSON whose values are secret, in the form of [Plain].
var secrets = map[string]bool{}

func init() {
	for _, name := range []string{
		"access_token", "refresh_token", "id_token", "token", "api_key", "client_secret", "secret", "password", "passwd", "signature", "sig",
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
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}
