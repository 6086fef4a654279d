// Package target writes what requests have into reports: their targets, and other text, without the secrets that can be told by their names.
package target

import "strings"

// Shown returns a request target as reports show it: without the user information that one in absolute form, or in authority form, may have (RFC 9110 section 4.2.4), and
// without the values of query parameters that are called like secrets, see [Secret].
func Shown(target string) string {
	path, query, ok := strings.Cut(target, "?")
	if !ok {
		return withoutUser(target)
	}
	return withoutUser(path) + "?" + Form(query)
}

func withoutUser(target string) string {
	begin := 0
	if strings.HasPrefix(target, "/") {
		return target
	}
	if i := strings.Index(target, "://"); i >= 0 {
		begin = i + len("://")
	}
	authority := target[begin:]
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority = authority[:end]
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return target
	}
	return target[:begin] + "..." + target[begin+at:]
}
