package url

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Parts are the attributes of a URL as the URL Standard names them. Hostname includes the brackets of an IPv6 address.
type Parts struct {
	Href, Protocol, Username, Password, Host, Hostname, Port, Pathname, Search, Hash string
}

// A Subject is what is measured.
type Subject struct {
	// Parse parses input against base; "" is no base.
	Parse func(input, base string) (Parts, error)
	// Set applies a setter of the URL Standard ("host", "port" …) to href. As there, a value that is not valid changes
	// nothing.
	Set func(href, attribute, value string) (Parts, error)
}

// A Result is the score of one suite.
type Result struct {
	Suite       string
	Pass, Total int
	Fails       []Fail
}

// A Fail is one case that deviates.
type Fail struct {
	Case string // the input, quoted, with whatever else identifies the case
	Want string
	Got  string
}

func (r *Result) add(name, want, got string) {
	r.Total++
	if want == got {
		r.Pass++
		return
	}
	r.Fails = append(r.Fails, Fail{name, want, got})
}

const failure = "failure"

// load reads one data file; elements that are comments (strings) are left out.
func load[T any](dir, name string) ([]T, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var cases []T
	for _, message := range raw {
		if message[0] != '{' {
			continue
		}
		var c T
		if err := json.Unmarshal(message, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// describe prints a parse for comparison: every attribute counts.
func describe(p Parts, err error) string {
	if err != nil {
		return failure
	}
	return fmt.Sprintf("%q", p)
}

// URLTestData runs urltestdata.json: first the cases that are about http and https, then the others, in which a parser
// of http and https alone must fail.
func URLTestData(dir string, s Subject) (web, other Result, err error) {
	web.Suite, other.Suite = "urltestdata, http and https", "urltestdata, other schemes refused"
	type testCase struct {
		Input, Href, Protocol, Username, Password, Host, Hostname, Port, Pathname, Search, Hash string

		Base    *string
		Failure bool
	}
	cases, err := load[testCase](dir, "urltestdata.json")
	if err != nil {
		return web, other, err
	}
	for _, c := range cases {
		base := ""
		if c.Base != nil {
			base = *c.Base
		}
		name := fmt.Sprintf("%q against %q", c.Input, base)
		got := describe(s.Parse(c.Input, base))
		low := strings.ToLower(strings.TrimSpace(c.Input))
		isWeb := strings.HasPrefix(c.Protocol, "http") ||
			c.Failure && (strings.HasPrefix(low, "http") || strings.HasPrefix(base, "http") && !strings.Contains(low, "://"))
		switch {
		case !isWeb:
			other.add(name, failure, got)
		case c.Failure:
			web.add(name, failure, got)
		default:
			web.add(name, describe(Parts{c.Href, c.Protocol, c.Username, c.Password, c.Host, c.Hostname, c.Port, c.Pathname, c.Search, c.Hash}, nil), got)
		}
	}
	return web, other, nil
}

// Setters runs setters_tests.json for the URLs that are http or https.
func Setters(dir string, s Subject) (Result, error) {
	r := Result{Suite: "setters_tests, http and https"}
	data, err := os.ReadFile(filepath.Join(dir, "setters_tests.json"))
	if err != nil {
		return r, err
	}
	var attributes map[string]json.RawMessage
	if err := json.Unmarshal(data, &attributes); err != nil {
		return r, err
	}
	for _, attribute := range []string{"protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"} {
		var cases []struct {
			Href     string
			NewValue string `json:"new_value"`
			Expected map[string]string
		}
		if err := json.Unmarshal(attributes[attribute], &cases); err != nil {
			return r, fmt.Errorf("setters_tests.json: %s: %w", attribute, err)
		}
		for _, c := range cases {
			if !strings.HasPrefix(c.Href, "http://") && !strings.HasPrefix(c.Href, "https://") {
				continue
			}
			p, err := s.Set(c.Href, attribute, c.NewValue)
			got := map[string]string{
				"href": p.Href, "protocol": p.Protocol, "username": p.Username, "password": p.Password, "host": p.Host,
				"hostname": p.Hostname, "port": p.Port, "pathname": p.Pathname, "search": p.Search, "hash": p.Hash,
			}
			if err != nil {
				got = map[string]string{"error": err.Error()}
			}
			for k := range got {
				if _, ok := c.Expected[k]; !ok && err == nil {
					delete(got, k)
				}
			}
			r.add(fmt.Sprintf("%s of %q = %q", attribute, c.Href, c.NewValue), fmt.Sprintf("%q", c.Expected), fmt.Sprintf("%q", got))
		}
	}
	return r, nil
}

// ToASCII runs toascii.json, IdnaTestV2.json or okhttp-toascii.json: the host of https://INPUT/x.
func ToASCII(dir, file string, s Subject) (Result, error) {
	r := Result{Suite: strings.TrimSuffix(file, ".json")}
	type testCase struct {
		Input  string
		Output *string
	}
	cases, err := load[testCase](dir, file)
	if err != nil {
		return r, err
	}
	for _, c := range cases {
		if c.Input == "" {
			continue // no URL can hold it
		}
		want, got := failure, failure
		if c.Output != nil {
			want = *c.Output
		}
		if p, err := s.Parse("https://"+c.Input+"/x", ""); err == nil {
			got = p.Host
		}
		r.add(fmt.Sprintf("%+q", c.Input), want, got)
	}
	return r, nil
}

// PercentEncoding runs percent-encoding.json, of which only the column for UTF-8 concerns a client.
func PercentEncoding(dir string, s Subject) (Result, error) {
	r := Result{Suite: "percent-encoding, utf-8"}
	type testCase struct {
		Input  string
		Output map[string]string
	}
	cases, err := load[testCase](dir, "percent-encoding.json")
	if err != nil {
		return r, err
	}
	for _, c := range cases {
		want, ok := c.Output["utf-8"]
		if !ok {
			continue
		}
		p, err := s.Parse("https://doesnotmatter.invalid/?"+c.Input+"#"+c.Input, "")
		got := p.Search + p.Hash
		if err != nil {
			got = failure
		}
		r.add(fmt.Sprintf("%+q", c.Input), "?"+want+"#"+want, got)
	}
	return r, nil
}

// OkHttpList runs OkHttp's list with OkHttp's own selection and comparison.
func OkHttpList(dir string, s Subject) (Result, error) {
	r := Result{Suite: "okhttp-urltestdata"}
	type testCase struct {
		Input, Base, Scheme, Host, Port, Path, Query, Fragment string

		Known   bool `json:"okhttpKnownFailure"`
		Applies bool `json:"okhttpApplies"`
	}
	cases, err := load[testCase](dir, "okhttp-urltestdata.json")
	if err != nil {
		return r, err
	}
	for _, c := range cases {
		if !c.Applies {
			continue
		}
		base := c.Base
		if base == "about:blank" {
			base = ""
		}
		want := failure
		if c.Scheme != "" {
			// An attribute does not tell an empty query or fragment from none.
			query, fragment := strings.TrimSuffix(c.Query, "?"), strings.TrimSuffix(c.Fragment, "#")
			if len(c.Query) > 1 {
				query = c.Query
			}
			if len(c.Fragment) > 1 {
				fragment = c.Fragment
			}
			want = fmt.Sprintf("%q", []string{c.Scheme + ":", c.Host, c.Port, c.Path, query, fragment})
		}
		got := failure
		if p, err := s.Parse(c.Input, base); err == nil {
			got = fmt.Sprintf("%q", []string{p.Protocol, p.Hostname, p.Port, p.Pathname, p.Search, p.Hash})
		}
		name := fmt.Sprintf("%q against %q", c.Input, c.Base)
		if c.Known {
			name += " (OkHttp deviates too)"
		}
		r.add(name, want, got)
	}
	return r, nil
}
