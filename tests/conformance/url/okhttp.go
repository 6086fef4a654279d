package url

import (
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// OkHTTP is okhttp.URL and okhttp.URLBuilder as a subject.
var OkHTTP = Subject{Parse: parse, Set: set}

func parse(input, base string) (Parts, error) {
	var b okhttp.URL
	if base != "" {
		// A base with another scheme cannot lend anything to a result that is http or https.
		b, _ = okhttp.ParseURL(base)
	}
	u, err := b.Resolve(input)
	if err != nil {
		return Parts{}, err
	}
	return partsOf(u), nil
}

// partsOf cuts the canonical text the way the attributes of the URL Standard do.
func partsOf(u okhttp.URL) Parts {
	p := Parts{Href: u.String(), Protocol: u.Scheme() + ":", Pathname: u.EncodedPath(), Hostname: u.Host()}
	if strings.Contains(p.Hostname, ":") {
		p.Hostname = "[" + p.Hostname + "]"
	}
	rest := strings.TrimPrefix(p.Href, p.Protocol+"//")
	authority, _, _ := strings.Cut(rest, "/")
	if userinfo, host, ok := strings.Cut(authority, "@"); ok {
		p.Username, p.Password, _ = strings.Cut(userinfo, ":")
		authority = host
	}
	p.Host = authority
	if p.Host != p.Hostname {
		p.Port = strconv.Itoa(u.Port())
	}
	if query, _ := u.EncodedQuery(); query != "" {
		p.Search = "?" + query
	}
	if _, fragment, _ := strings.Cut(p.Href, "#"); fragment != "" {
		p.Hash = "#" + fragment
	}
	return p
}

// set maps a setter to a method of the builder. What the standard does around the value (removing tabs and newlines,
// ignoring what follows a delimiter) is done here; what the value means is up to the builder. A value it refuses
// changes nothing.
func set(href, attribute, value string) (Parts, error) {
	u, err := okhttp.ParseURL(href)
	if err != nil {
		return Parts{}, err
	}
	b := u.Edit()
	clean := strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(value)
	switch attribute {
	case "protocol":
		scheme, _, _ := strings.Cut(clean, ":")
		b.Scheme(scheme)
	case "username":
		b.EncodedUsername(value)
	case "password":
		b.EncodedPassword(value)
	case "hostname":
		host, port, hasPort := cutHost(clean)
		if hasPort || port != "" {
			return partsOf(u), nil
		}
		b.Host(host)
	case "host":
		host, port, _ := cutHost(clean)
		if next, err := u.Edit().Host(host).Build(); err == nil {
			u, b = next, b.Host(host)
		}
		setPort(b, port)
	case "port":
		if value == "" {
			b.Port(map[string]int{"http": 80, "https": 443}[u.Scheme()])
		}
		setPort(b, clean)
	case "pathname":
		if !strings.HasPrefix(clean, "/") && !strings.HasPrefix(clean, `\`) {
			clean = "/" + clean
		}
		b.EncodedPath(clean)
	case "search":
		if value == "" {
			b.ClearQuery()
		} else {
			b.EncodedQuery(strings.TrimPrefix(value, "?"))
		}
	case "hash":
		if value == "" {
			b.ClearFragment()
		} else {
			b.EncodedFragment(strings.TrimPrefix(value, "#"))
		}
	}
	if next, err := b.Build(); err == nil {
		u = next
	}
	return partsOf(u), nil
}

// cutHost splits a value at the first colon outside brackets and drops what follows a delimiter.
func cutHost(value string) (host, port string, hasPort bool) {
	if end := strings.IndexAny(value, `/\?#`); end >= 0 {
		value = value[:end]
	}
	from := 0
	if strings.HasPrefix(value, "[") {
		from = strings.Index(value, "]") + 1
	}
	if i := strings.IndexByte(value[from:], ':'); i >= 0 {
		return value[:from+i], value[from+i+1:], true
	}
	return value, "", false
}

// setPort takes the leading digits, as the port state of the standard does; without any it changes nothing.
func setPort(b *okhttp.URLBuilder, text string) {
	end := 0
	for end < len(text) && '0' <= text[end] && text[end] <= '9' {
		end++
	}
	if n, err := strconv.Atoi(text[:end]); err == nil {
		b.Port(n)
	}
}
