package http1

import (
	"strings"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
)

// HasToken reports whether the comma-separated lists in the fields of that name contain the token. Both the name and the token
// are compared without case (RFC 9110 section 5.6.1).
func HasToken(fields []string, name, token string) bool {
	for i := 0; i+1 < len(fields); i += 2 {
		if ascii.EqualFold(fields[i], name) && listHas(fields[i+1], token) {
			return true
		}
	}
	return false
}

func listHas(list, token string) bool {
	for more := true; more; {
		var item string
		item, list, more = strings.Cut(list, ",")
		if ascii.EqualFold(ascii.TrimOWS(item), token) {
			return true
		}
	}
	return false
}
