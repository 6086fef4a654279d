package okhar_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okhar"
)

// Each secret of a call is in the archive if it is to be kept, and nowhere otherwise.
func TestRedaction(t *testing.T) {
	const hidden = "%E2%96%88%E2%96%88"
	use := func(c *okhttp.Client, url string) {
		post(t, okhttp.Form("pin", "secret01", "name", "Bob"),
			okhttp.Header("Authorization", "Bearer secret02"),
			okhttp.Header("Proxy-Authorization", "Basic secret03"),
			okhttp.Header("Cookie", "a=secret04; b=secret05"),
			okhttp.Header("X-Api-Key", "secret06"),
			okhttp.Header("x-own", "secret07"),
			okhttp.Header("Referer", "https://secret08:secret09@example.com/?PIN=secret10&x=1"),
		)(c, strings.Replace(url, "http://", "http://secret11:secret12@", 1)+"/p?pin=secret13&%50in=secret14&y=2#secret15")
	}
	handle := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Add("Set-Cookie", "c=secret16; Path=/; Expires=Wed, 09 Jun 2100 10:18:14 GMT")
		w.Header().Add("Set-Cookie", "d=secret17; Max-Age=0")
		w.Header().Set("Content-Location", "//secret18@example.com/x?pin=secret19#pin=secret20&z=3")
	}
	text := func(keep bool) (string, harEntry) {
		list := recorded(t, &okhar.Config{RedactHeaders: []string{"X-Own"}, RedactQuery: []string{"pin"}, KeepSecrets: keep}, handle, use)
		e := only(t, list)
		var all strings.Builder
		all.WriteString(e.Request.URL)
		for _, list := range [][]harPair{e.Request.Headers, e.Request.Cookies, e.Request.QueryString, e.Request.PostData.Params, e.Response.Headers} {
			for _, p := range list {
				all.WriteString(" " + p.Name + "=" + p.Value)
			}
		}
		for _, c := range e.Response.Cookies {
			all.WriteString(" " + c.Name + "=" + c.Value)
		}
		return all.String(), e
	}
	redacted, e := text(false)
	if strings.Contains(redacted, "secret") {
		t.Errorf("not redacted: %s", redacted)
	}
	if !strings.HasSuffix(e.Request.URL, "/p?pin="+hidden+"&%50in="+hidden+"&y=2") {
		t.Errorf("URL %s", e.Request.URL)
	}
	if got := find(e.Request.Headers, "Referer"); got != "https://example.com/?PIN="+hidden+"&x=1" {
		t.Errorf("Referer %s", got)
	}
	if got := find(e.Response.Headers, "Content-Location"); got != "//example.com/x?pin="+hidden+"#pin="+hidden+"&z=3" {
		t.Errorf("Content-Location %s", got)
	}
	if got := find(e.Request.PostData.Params, "name"); got != "Bob" {
		t.Errorf("name %s", got)
	}
	if c := e.Response.Cookies; len(c) != 2 || c[0].Expires != "2100-06-09T10:18:14.000Z" || c[0].Path != "/" || c[1].Expires == "" {
		t.Errorf("cookies %+v", c)
	}
	kept, _ := text(true)
	for n := range 21 {
		secret := "secret" + string([]byte{'0' + byte(n/10), '0' + byte(n%10)})
		if n > 0 && n != 15 && !strings.Contains(kept, secret) { // fragments are not sent
			t.Errorf("%s is lost: %s", secret, kept)
		}
	}
}
