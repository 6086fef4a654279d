package okio

import "strings"

// The prefixes of Windows paths that begin in the namespace of devices. What is behind the second goes to the system without a look at it.
const (
	serverPrefix   = `\\`
	devicePrefix   = `\\.\`
	verbatimPrefix = `\\?\`
)

// deviceRoot moves what is a part of the root from the parts to the prefix, if they begin with the name of a server that is none: \\.\ and \\?\ and
// \\?\C:\ are prefixes. Only the text itself can have \\.\, as nothing else has parts that are ".".
func deviceRoot(prefix string, parts []string) (string, []string) {
	if prefix == serverPrefix {
		if len(parts) > 0 && parts[0] == "." {
			return devicePrefix, parts[1:]
		}
		if parts = withoutDots(parts); len(parts) > 0 && parts[0] == "?" {
			prefix, parts = verbatimPrefix, parts[1:]
		}
	}
	if prefix == verbatimPrefix {
		if parts = withoutDots(parts); len(parts) > 0 && len(parts[0]) == 2 && startsWithVolume(parts[0]) {
			prefix, parts = prefix+parts[0]+`\`, parts[1:]
		}
	}
	return prefix, parts
}

// withoutDots drops the parts in front that mean nothing behind a root.
func withoutDots(parts []string) []string {
	for len(parts) > 0 && (parts[0] == "" || parts[0] == "." || parts[0] == "..") {
		parts = parts[1:]
	}
	return parts
}

// splitServer returns the prefix of a text that starts with two backslashes.
func splitServer(s string) string {
	if !strings.HasPrefix(s, verbatimPrefix) && !strings.HasPrefix(s, devicePrefix) {
		return serverPrefix
	}
	if volume := s[len(verbatimPrefix):]; s[2] == '?' && len(volume) > 2 && startsWithVolume(volume) && volume[2] == '\\' {
		return s[:len(verbatimPrefix)+3]
	}
	return s[:len(verbatimPrefix)]
}

// rootParts is how many of the parts belong to the root: the server of \\server, the device of \\.\device, and UNC, server and share of
// \\?\UNC\server\share. There may be fewer parts yet.
func rootParts(prefix string, parts []string) int {
	switch {
	case prefix == serverPrefix:
		return 1
	case prefix != devicePrefix && prefix != verbatimPrefix:
		return 0
	case len(parts) > 0 && strings.EqualFold(parts[0], "UNC"):
		return 3
	}
	return 1
}

// splitRoot takes the parts of the root from those behind it.
func splitRoot(prefix string, parts []string) (root, rest []string) {
	n := min(rootParts(prefix, parts), len(parts))
	return parts[:n], parts[n:]
}
