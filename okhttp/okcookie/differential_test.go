package okcookie

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/publicsuffix"
)

// The jar of package net/http knows less of RFC 6265bis: it lets http set Secure cookies, and takes a host's and a domain's cookie for one. Beyond
// that the two must agree, for any sequence of responses, requests and waits.
func TestAgreesWithNetHTTP(t *testing.T) {
	hosts := []string{"example.com", "www.example.com", "a.www.example.com", "example.org", "shop.example.co.uk", "10.1.2.3", "github.io", "x.github.io"}
	paths := []string{"/", "/a", "/a/", "/a/b", "/a/bc", "/ab", "/a/b/c/"}
	domains := []string{"", "", "example.com", ".example.com", "www.example.com", "com", "co.uk", "example.co.uk", "github.io", "x.github.io", "10.1.2.3", "2.3", "example.org"}
	rnd := rand.New(rand.NewPCG(4, 6265))
	pick := func(list []string) string { return list[rnd.IntN(len(list))] }
	sent := 0
	synctest.Test(t, func(t *testing.T) {
		for range 300 {
			theirs, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
			if err != nil {
				t.Fatal(err)
			}
			ours := New(nil)
			for range 40 {
				u := &url.URL{Scheme: "https", Host: pick(hosts), Path: pick(paths)}
				domain := pick(domains)
				line := fmt.Sprintf("%s%s=%d", pick([]string{"a", "b", "c"}), domain, rnd.IntN(100)) // no cookie with and without a domain
				if rnd.IntN(4) == 0 {
					line = strings.Replace(line, "=", `="`, 1) + `"`
				}
				if domain != "" {
					line += "; Domain=" + domain
				}
				if rnd.IntN(2) == 0 {
					line += "; Path=" + pick(append(paths, "", "x"))
				}
				switch rnd.IntN(6) {
				case 0:
					line += fmt.Sprintf("; Max-Age=%d", rnd.IntN(5)-1)
				case 1:
					line += "; Expires=" + time.Now().Add(time.Duration(rnd.IntN(6)-1)*time.Second).UTC().Format(http.TimeFormat)
				case 2:
					line += "; Secure; HttpOnly; SameSite=Lax"
				}
				cookies := (&http.Response{Header: http.Header{"Set-Cookie": {line}}}).Cookies()
				theirs.SetCookies(u, cookies)
				ours.SetCookies(u, cookies)
				time.Sleep(time.Duration(rnd.IntN(700)) * time.Millisecond) // of the bubble's clock
				u = &url.URL{Scheme: pick([]string{"http", "https"}), Host: pick(hosts), Path: pick(paths)}
				if got, want := header(ours, u), header(theirs, u); !slices.Equal(got, want) {
					t.Fatalf("after %q: request to %s\n got %q\nwant %q", line, u, got, want)
				} else {
					sent += len(got)
				}
			}
		}
	})
	if sent < 1000 {
		t.Errorf("only %d cookies were sent", sent)
	}
}

func header(j http.CookieJar, u *url.URL) []string {
	req := &http.Request{Header: http.Header{}}
	for _, c := range j.Cookies(u) {
		req.AddCookie(c)
	}
	return req.Header["Cookie"]
}
