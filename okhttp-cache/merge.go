package okcache

import (
	"slices"
	"strings"
)

// merge returns the headers of a stored response that a 304 has updated (RFC 9111 section 3.2): what the server says now counts, apart from what describes
// the content that is stored and what is for one connection.
func merge(stored, update []string) []string {
	merged := make([]string, 0, len(stored)+len(update))
	for i := 0; i < len(stored); i += 2 {
		name, value := stored[i], stored[i+1]
		switch {
		case equalFold(name, "Warning") && strings.HasPrefix(value, "1"):
		case equalFold(name, "Age"): // it was of the answer before
		case isContentSpecific(name) || isHopByHop(name) || !has(update, name):
			merged = append(merged, name, value)
		}
	}
	for i := 0; i < len(update); i += 2 {
		if name := update[i]; !isContentSpecific(name) && !isHopByHop(name) {
			merged = append(merged, name, update[i+1])
		}
	}
	return merged
}

func has(headers []string, name string) bool {
	for i := 0; i < len(headers); i += 2 {
		if equalFold(headers[i], name) {
			return true
		}
	}
	return false
}

func isContentSpecific(name string) bool {
	return equalFold(name, "Content-Length") || equalFold(name, "Content-Encoding") || equalFold(name, "Content-Type")
}

// isHopByHop reports whether a header is OkHttp's idea of one for a single connection, which a 304 does not update.
func isHopByHop(name string) bool {
	switch len(name) {
	case len("TE"):
		return equalFold(name, "TE")
	case len("Upgrade"):
		return equalFold(name, "Upgrade")
	case len("Trailers"):
		return equalFold(name, "Trailers")
	case len("Connection"): // and Keep-Alive
		return equalFold(name, "Connection") || equalFold(name, "Keep-Alive")
	case len("Transfer-Encoding"):
		return equalFold(name, "Transfer-Encoding")
	case len("Proxy-Authenticate"):
		return equalFold(name, "Proxy-Authenticate")
	case len("Proxy-Authorization"):
		return equalFold(name, "Proxy-Authorization")
	}
	return false
}

// storedFields returns the headers of a response without those that are of its connection or of a proxy, which are not stored (RFC 9111 section 3.1).
func storedFields(headers []string) []string {
	drop := func(name string) bool {
		switch {
		case isHopByHop(name), equalFold(name, "Proxy-Connection"), equalFold(name, "Proxy-Authentication-Info"):
			return true
		}
		return false
	}
	var listed []string
	for i := 0; i < len(headers); i += 2 {
		if equalFold(headers[i], "Connection") {
			for option := range strings.SplitSeq(headers[i+1], ",") {
				if option = trim(option); option != "" && !isEndToEnd(option) {
					listed = append(listed, option)
				}
			}
		}
	}
	kept := make([]string, 0, len(headers))
	for i := 0; i < len(headers); i += 2 {
		name := headers[i]
		if !drop(name) && !slices.ContainsFunc(listed, func(l string) bool { return equalFold(l, name) }) {
			kept = append(kept, name, headers[i+1])
		}
	}
	return kept
}

// isEndToEnd reports whether a header says what may be done with the stored response: no connection option takes that away.
func isEndToEnd(name string) bool {
	return equalFold(name, "Cache-Control") || equalFold(name, "Vary") || isContentSpecific(name)
}
