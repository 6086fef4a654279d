package cli

import (
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okcookie"
)

// jar makes the cookie jar that --cookie and --cookie-jar ask for, nil if none does, with the cookies of files.
func (o *options) jar() (*okcookie.Jar, error) {
	if len(o.cookies) == 0 && o.cookieJar == nil {
		return nil, nil
	}
	jar := okcookie.New(nil)
	for _, text := range o.cookies {
		if strings.Contains(text, "=") || text == "" { // an empty name only begins to keep cookies
			continue
		}
		if err := jar.LoadNetscape(text); err != nil {
			return nil, &failure{exitRead, "cannot read the cookies of " + pathText(err)}
		}
	}
	return jar, nil
}

// giveCookies puts those of the command line into the jar, for the host of a URL and no other.
func (s *session) giveCookies(u okhttp.URL) error {
	for _, text := range s.o.cookies {
		if !strings.Contains(text, "=") {
			continue
		}
		for pair := range strings.SplitSeq(text, ";") {
			if pair = strings.TrimSpace(pair); pair == "" {
				continue
			}
			if _, err := s.jar.SetCookie(u, pair+"; Path=/"); err != nil {
				return usageError("option --cookie: %s", libraryText(err))
			}
		}
	}
	return nil
}

// saveCookies writes the jar where --cookie-jar says.
func (s *session) saveCookies() *failure {
	if s.o.cookieJar == nil {
		return nil
	}
	var err error
	if name := *s.o.cookieJar; name == "-" {
		err = s.jar.WriteNetscape(s.out)
	} else {
		err = s.jar.SaveNetscape(name)
	}
	if err != nil {
		return &failure{exitWrite, "cannot write the cookies: " + pathText(err)}
	}
	return nil
}
