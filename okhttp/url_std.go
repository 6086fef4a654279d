package okhttp

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/okhttp-go/ok/okhttp/internal/ascii"
)

// URLFrom converts a URL of package net/url. It fails with a [*URLError] as [ParseURL] does, and for one that is nil or
// has no host: [ParseURL] would take the first segment of its path for one.
func URLFrom(u *url.URL) (URL, error) {
	text, err := textOfStd(u)
	if err != nil {
		return URL{}, err
	}
	return ParseURL(text)
}

// urlToSend is [URLFrom] for the URL of a request, where dot segments stay, as net/http sends them: the path is the name
// of something, that somebody has signed maybe, and without its dots it would be the name of something else.
func urlToSend(u *url.URL) (URL, error) {
	text, err := textOfStd(u)
	if err != nil {
		return URL{}, err
	}
	parsed, err := ParseURL(text)
	if err != nil || parsed.s == text {
		return parsed, err
	}
	_, path, _ := strings.Cut(text, "://")
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	_, path, _ = strings.Cut(path, "/")
	segments := strings.Split(path, "/")
	if !slices.ContainsFunc(segments, func(s string) bool { return dotSegment(s) != 0 }) {
		return parsed, nil
	}
	buf := []byte(parsed.s[:parsed.pathStart])
	for _, segment := range segments {
		buf = appendEncoded(append(buf, '/'), segment, encodePath)
	}
	return newURL(append(buf, parsed.s[parsed.pathEnd:]...))
}

// textOfStd is the text of a URL of package net/url, for [ParseURL].
func textOfStd(u *url.URL) (string, error) {
	switch {
	case u == nil:
		return "", &URLError{Part: "scheme", Detail: "expected a URL but got nil"}
	case !ascii.EqualFold(u.Scheme, "http") && !ascii.EqualFold(u.Scheme, "https"):
		return "", &URLError{Part: "scheme", Detail: "expected URL scheme 'http' or 'https' but was '" + abridge(u.Scheme, 40) + "'"}
	case u.Host == "":
		return "", &URLError{Part: "host", Detail: "expected a URL host but none was set"}
	case u.Opaque != "" && u.Opaque[0] != '/':
		return "", &URLError{Part: "path", Detail: "expected an opaque part that begins with '/'"}
	case u.Opaque != "" && !strings.HasPrefix(u.Opaque, "//"):
		// A path that must not be decoded and encoded again.
		whole := *u
		whole.Opaque = "//" + u.Host + u.Opaque
		if u.User != nil {
			whole.Opaque = "//" + u.User.String() + "@" + u.Host + u.Opaque
		}
		return whole.String(), nil
	}
	return u.String(), nil
}

// Std converts to a URL of package net/url, which the caller owns. What that package would reject or rewrite is
// percent-encoded: a few symbols, and each "%" that is not part of an escape. For the zero URL it is empty.
func (u URL) Std() *url.URL {
	if u.s == "" {
		return &url.URL{}
	}
	std := &url.URL{Scheme: u.Scheme(), Host: u.hostPort()}
	if name, password := u.encodedUserinfo(); password != "" {
		std.User = url.UserPassword(decodeBytes(name), decodeBytes(password))
	} else if name != "" {
		std.User = url.User(decodeBytes(name))
	}
	std.RawPath = encodeForStd(u.EncodedPath())
	std.Path = decodeBytes(std.RawPath)
	if (&url.URL{Path: std.Path}).EscapedPath() == std.RawPath {
		std.RawPath = ""
	}
	if query, ok := u.EncodedQuery(); ok {
		std.RawQuery, std.ForceQuery = encodeForStd(query), query == ""
	}
	if int(u.queryEnd) < len(u.s) {
		std.RawFragment = encodeForStd(u.s[u.queryEnd+1:])
		std.Fragment = decodeBytes(std.RawFragment)
		if (&url.URL{Fragment: std.Fragment}).EscapedFragment() == std.RawFragment {
			std.RawFragment = ""
		}
	}
	return std
}

// TopPrivateDomain returns the registrable domain of the host: its public suffix (publicsuffix.org) and one label more,
// in ASCII. "www.google.co.uk" has "google.co.uk". There is none for an IP address, a single label and a name that is
// itself a public suffix. A trailing dot is left out.
func (u URL) TopPrivateDomain() (string, bool) {
	host := strings.TrimSuffix(u.Host(), ".")
	if host == "" {
		return "", false
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return "", false
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	return domain, err == nil
}

// encodeForStd encodes what a canonical URL may contain and a RawPath, RawQuery or RawFragment may not.
func encodeForStd(s string) string {
	var buf []byte
	start := 0
	for i := range len(s) {
		c := s[i]
		if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) || c != '%' && strings.IndexByte("[]\\^`{|}\"#<>", c) < 0 {
			continue
		}
		buf = append(append(buf, s[start:i]...), '%', upperHex[c>>4], upperHex[c&15])
		start = i + 1
	}
	if start == 0 {
		return s
	}
	return string(append(buf, s[start:]...))
}

// decodeBytes decodes escapes and keeps bytes that are not UTF-8, as package net/url does.
func decodeBytes(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	return string(appendDecoded(make([]byte, 0, len(s)), s, false))
}
