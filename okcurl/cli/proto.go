package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

var (
	// spoken are the schemes of URLs that okcurl can fetch.
	spoken = []string{"http", "https", "ws", "wss"}

	// unspoken are those that curl knows besides: they can be named, and it makes no difference.
	unspoken = strings.Fields("dict file ftp ftps gopher gophers imap imaps ipfs ipns ldap ldaps mqtt mqtts pop3 pop3s rtmp rtmpe rtmps rtmpt rtmpte rtmpts rtsp " +
		"scp sftp smb smbs smtp smtps telnet tftp")
)

// schemes reads the argument of --proto and --proto-redir: names with commas between them, each added, or taken away if "-" is before it, or alone from there
// on if it is "="; "all" stands for each. A name that curl does not know either is an error, since one that was mistyped would permit what it should not.
func schemes(text string) ([]string, error) {
	allowed := slices.Clone(spoken)
	for item := range strings.SplitSeq(text, ",") {
		name := strings.ToLower(strings.TrimLeft(item, "+-="))
		var these []string
		switch {
		case name == "all":
			these = spoken
		case slices.Contains(spoken, name):
			these = []string{name}
		case !slices.Contains(unspoken, name):
			return nil, fmt.Errorf("%q is no scheme, expected http, https, ws, wss or all, with +, - or = before it", name)
		}
		for _, sign := range modifiers(item) {
			switch sign {
			case '=':
				allowed = nil
			case '-':
				allowed = slices.DeleteFunc(slices.Clone(allowed), func(s string) bool { return slices.Contains(these, s) })
				these = nil
			}
		}
		allowed = append(allowed, these...)
	}
	if allowed == nil {
		allowed = []string{} // none, and not as if nothing had been said
	}
	return allowed, nil
}

// modifiers are the signs that an item begins with.
func modifiers(item string) string { return item[:len(item)-len(strings.TrimLeft(item, "+-="))] }

// permitted checks the scheme of a URL of the command line. One without has http.
func (o *options) permitted(text string) error {
	scheme, ok := schemeOf(text)
	if !ok {
		scheme = "http"
	}
	if scheme = strings.ToLower(scheme); o.proto == nil || slices.Contains(o.proto, scheme) || !slices.Contains(spoken, scheme) {
		return nil // of one that is not spoken others complain
	}
	return &failure{exitScheme, "--proto does not permit " + scheme}
}

// permittedNext checks where a redirect leads. --proto-redir cannot permit what --proto does not.
func (o *options) permittedNext(scheme string) error {
	switch {
	case o.proto != nil && !slices.Contains(o.proto, scheme):
		return &failure{exitScheme, "--proto does not permit the redirect to " + scheme}
	case o.protoRedir != nil && !slices.Contains(o.protoRedir, scheme):
		return &failure{exitScheme, "--proto-redir does not permit the redirect to " + scheme}
	}
	return nil
}

// mayFollow checks the redirect of a response, if there is one that is followed. A location that is no URL is for others.
func (t *transfer) mayFollow(resp *okhttp.Response) error {
	if !t.o.location || !isRedirect(resp) {
		return nil
	}
	location, _ := resp.Headers().Last("Location")
	u, err := resp.Request().URL().Resolve(location)
	if err != nil {
		return nil
	}
	return t.o.permittedNext(u.Scheme())
}

// socketRedirects leaves redirects that are not permitted for answers, on the way to a web socket: no interceptor sees its exchanges.
func (o *options) socketRedirects(u okhttp.URL) (settings []okhttp.Option) {
	same, other := "ws", "wss"
	if u.Scheme() == "https" {
		same, other = other, same
	}
	if o.permittedNext(same) != nil {
		settings = append(settings, okhttp.WithFollowRedirects(false))
	}
	if o.permittedNext(other) != nil {
		settings = append(settings, okhttp.WithFollowTLSRedirects(false))
	}
	return settings
}
