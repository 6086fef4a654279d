package cli

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What -H says is not replaced by what an option makes of the same field.
func TestOwnHeaders(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if to, ok := strings.CutPrefix(r.URL.Path, "/to"); ok {
			http.SetCookie(w, &http.Cookie{Name: "set", Value: "1", Path: "/"})
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), "boundary=")
		body, err := io.ReadAll(r.Body)
		io.WriteString(w, strings.Join(r.Header.Values("Cookie"), "|")+"\n"+kind+"\n"+strings.Join(r.TransferEncoding, ",")+"\n")
		if err != nil || strings.Contains(string(body), "\r\n\r\nb\r\n") {
			io.WriteString(w, "b\n")
		}
	})
	jar := filepath.Join(t.TempDir(), "jar")
	if err := os.WriteFile(jar, []byte("127.0.0.1\tFALSE\t/\tFALSE\t0\tkept\t2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-b", "x=1", url}, "x=1\n\n\n"},
		{[]string{"-H", "Cookie: z=1", "-b", "x=1", url}, "z=1\n\n\n"},
		{[]string{"-H", "Cookie: z=1", "-b", "x=1", "-b", jar, url}, "z=1; kept=2\n\n\n"},
		{[]string{"-H", "Cookie: z=1", "-b", jar, "-L", url + "/to/"}, "z=1; kept=2; set=1\n\n\n"},
		{[]string{"-H", "Cookie;", "-b", "x=1", url}, "\n\n\n"},
		{[]string{"-F", "a=b", url}, "\nmultipart/form-data; \n\nb\n"},
		{[]string{"-H", "Content-Type: a/b", "-F", "a=b", url}, "\na/b; \n\nb\n"},
		{[]string{"-H", "Content-Type: multipart/form-data; boundary=q", "-F", "a=b", url}, "\nmultipart/form-data; \n\nb\n"},
		{[]string{"-H", "Transfer-Encoding: chunked", "-F", "a=b", url}, "\nmultipart/form-data; \nchunked\nb\n"},
	} {
		okcurl(t, c.args...).want(t, 0, c.want, "")
	}
}

// ";auto" makes the Referer of a redirect, without what must not be told, unless -H has one.
func TestAutoReferer(t *testing.T) {
	there := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Referer()) })
	here := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Referer", r.Referer())
		http.Redirect(w, r, there, http.StatusFound)
	})
	from := here + "/a?b"
	secret := strings.Replace(from, "http://", "http://u:hunter2@", 1) + "#c"
	for _, c := range []struct {
		args  []string
		first string
		want  string
	}{
		{[]string{"-e", "http://x/"}, "http://x/", "http://x/"},
		{[]string{"-e", "http://x/;auto"}, "http://x/", from},
		{[]string{"-e", ";auto"}, "", from},
		{[]string{"-e", ";auto", "-H", "Referer: http://y/"}, "http://y/", "http://y/"},
	} {
		okcurl(t, append(c.args, "-L", secret)...).want(t, 0, c.want, "")
		okcurl(t, append(c.args, "-w", "%header{x-referer}", "-o", os.DevNull, secret)...).want(t, 0, c.first, "")
	}
	if got := okcurl(t, "-k", "-L", "-e", ";auto", "-H", "Referer:", from); got.out != "" {
		t.Errorf("a removed header came: %+v", got)
	}
}
