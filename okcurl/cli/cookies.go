package cli

import (
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okcookie"
)

// cookies are a jar, and beside it the cookies of the command line, which no file is to have. A server's cookie goes before one of that name.
type cookies struct {
	*okcookie.Jar
	given *okcookie.Jar
	apart bool // -H has a Cookie, beside which those of the jar are put last: see beside
}

// Cookies returns those for a URL. It overrides that of the jar.
func (c *cookies) Cookies(u *url.URL) []*http.Cookie {
	if c.apart {
		return nil
	}
	kept := c.Jar.Cookies(u)
	given := slices.DeleteFunc(c.given.Cookies(u), func(g *http.Cookie) bool {
		return slices.ContainsFunc(kept, func(k *http.Cookie) bool { return k.Name == g.Name })
	})
	return append(given, kept...)
}

// jar makes the cookie jar that --cookie and --cookie-jar ask for, nil if none does, with the cookies of files. A file that does not exist has none: with
// -b FILE -c FILE a series of commands begins like that.
func (o *options) jar() (*cookies, error) {
	if len(o.cookies) == 0 && o.cookieJar == nil {
		return nil, nil
	}
	jar := okcookie.New(&okcookie.Options{SaveSession: true}) // to the programs that such a file is for, a run of okcurl is no session
	for _, text := range o.cookies {
		if strings.Contains(text, "=") || text == "" { // an empty name only begins to keep cookies
			continue
		}
		if err := jar.LoadNetscape(text); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, &failure{exitRead, "cannot read the cookies of " + pathText(err)}
		}
	}
	if o.junkSession {
		for e := range jar.All() {
			if e.IsSession() {
				jar.Remove(e.Cookie)
			}
		}
	}
	_, apart := o.headerValue("Cookie")
	return &cookies{jar, okcookie.New(nil), apart}, nil
}

// beside puts the cookies of the jar behind those that -H has, in one field (RFC 6265 section 5.4). Those of --cookie are not sent then, as in curl.
func (c *cookies) beside(h okhttp.Headers, u *url.URL) (okhttp.Headers, error) {
	if c == nil || !c.apart {
		return h, nil
	}
	list := slices.Collect(h.Values("Cookie"))
	for _, k := range c.Jar.Cookies(u) {
		list = append(list, k.Name+"="+k.Value)
	}
	if len(list) == 0 {
		return h, nil
	}
	return h.With("Cookie", strings.Join(list, "; "))
}

// giveCookies takes those of the command line, for the host of a URL and no other.
func (s *session) giveCookies(u okhttp.URL) error {
	for _, text := range s.o.cookies {
		if !strings.Contains(text, "=") {
			continue
		}
		for pair := range strings.SplitSeq(text, ";") {
			if pair = strings.TrimSpace(pair); pair == "" {
				continue
			}
			if _, err := s.jar.given.SetCookie(u, pair+"; Path=/"); err != nil {
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
