package cli

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/oktls"
)

var testTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Client certificates, versions, pins and the log of secrets.
func TestSecure(t *testing.T) {
	pair := oktls.Localhost().Certificate()
	private, err := pair.PrivateKeyPKCS8PEM()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	keep := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cert, key := keep("cert.pem", pair.CertificatePEM()), keep("key.pem", private)
	both := keep("both.pem", append(pair.CertificatePEM(), private...))
	locked := keep("locked.pem", []byte("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"))
	pool := x509.NewCertPool()
	pool.AddCert(pair.Certificate())
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %d", tls.VersionName(r.TLS.Version), len(r.TLS.PeerCertificates))
	}))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair.TLSCertificate()},
		ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: pool}
	s.StartTLS()
	t.Cleanup(s.Close)
	pin := okhttp.PinOf(pair.Certificate())
	secrets := filepath.Join(dir, "secrets")
	t.Setenv("SSLKEYLOGFILE", secrets)
	wrong := "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	for _, c := range []struct {
		args, want string // what is printed, or the failure in parentheses
	}{
		{"URL", "TLS 1.3 0"},
		{"--cert CERT --key KEY URL", "TLS 1.3 1"},
		{"-E BOTH URL", "TLS 1.3 1"},
		{"--tls-max 1.2 URL", "TLS 1.2 0"},
		{"--tlsv1.3 --tls-max 1.3 URL", "TLS 1.3 0"},
		{"--pin 127.0.0.1=" + pin + " URL", "TLS 1.3 0"},
		{"--pin 127.0.0.1=" + wrong + "," + pin + " URL", "TLS 1.3 0"},
		{"--pin other.test=" + wrong + " URL", "TLS 1.3 0"},
		{"--pin 127.0.0.1=" + wrong + " URL", "(90) "},
		{"--cert missing --key KEY URL", "(58) cannot read the client certificate: missing: "},
		{"--cert CERT --key missing URL", "(58) cannot read the key of the client certificate: missing: "},
		{"--cert CERT URL", "(58) cannot use the client certificate CERT: no key in PEM form in CERT (--key names another file)"},
		{"--cert CERT --key LOCKED URL", "(58) cannot use the client certificate CERT: the key in LOCKED has a passphrase, which okcurl does not ask for"},
		{"--pin nothing URL", "(2) option --pin: expected HOST=PIN, got \"nothing\""},
		{"--pin a.test=sha256/x URL", "(2) option --pin: "},
	} {
		fill := strings.NewReplacer("URL", s.URL, "CERT", cert, "KEY", key, "BOTH", both, "LOCKED", locked)
		r := okcurl(t, strings.Fields(fill.Replace("--cacert CERT "+c.args))...)
		got := r.out
		if strings.HasPrefix(c.want, "(") {
			got = strings.TrimPrefix(r.err, "okcurl: ")
		}
		if !strings.HasPrefix(got, fill.Replace(c.want)) {
			t.Errorf("%s: %+v, want %s", c.args, r, c.want)
		}
	}
	if text, err := os.ReadFile(secrets); !strings.Contains(string(text), "CLIENT_TRAFFIC_SECRET_0 ") || !strings.Contains(string(text), "CLIENT_RANDOM ") {
		t.Errorf("secrets %d bytes, %v", len(text), err)
	}
	if info, err := os.Stat(secrets); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// Cookies of the command line go to the host of the URL alone, those of a file and of responses to whom they belong; all are written at the end.
func TestCookies(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/set":
			http.SetCookie(w, &http.Cookie{Name: "got", Value: "1", Path: "/", MaxAge: 100})
		case "/session":
			http.SetCookie(w, &http.Cookie{Name: "id", Value: "1", Path: "/"})
		case "/away":
			http.Redirect(w, r, strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1)+"/", http.StatusFound)
			return
		}
		io.WriteString(w, r.Header.Get("Cookie")+"\n")
	})
	file := filepath.Join(t.TempDir(), "cookies.txt")
	if r := okcurl(t, "-b", "a=1; b=2", "-c", file, url+"/set", url+"/"); r.code != 0 || r.out != "a=1; b=2\na=1; b=2; got=1\n" {
		t.Errorf("%+v", r)
	}
	if text, err := os.ReadFile(file); !strings.Contains(string(text), "\tgot\t1\n") {
		t.Errorf("%s, %v", text, err)
	}
	if r := okcurl(t, "-b", file, url); r.out != "got=1\n" { // those of the command line are in no file
		t.Errorf("%+v", r)
	}
	if r := okcurl(t, "-L", "-b", "a=1", url+"/away"); r.out != "\n" {
		t.Errorf("another host got %+v", r)
	}
	if r := okcurl(t, "-c", "-", url+"/set"); !strings.HasPrefix(r.out, "\n# ") || !strings.Contains(r.out, "\tgot\t1\n") {
		t.Errorf("%+v", r)
	}
	// A login without an end lasts from one run to the next, and the first run has no file yet.
	session := filepath.Join(t.TempDir(), "session.txt")
	for _, c := range []struct{ args, want string }{{"/session", "\n"}, {"/", "id=1\n"}, {"/ -j", "\n"}} {
		args := strings.Fields(c.args)
		if r := okcurl(t, append([]string{"-b", session, "-c", session, url + args[0]}, args[1:]...)...); r.code != 0 || r.out != c.want {
			t.Errorf("%s: %+v", c.args, r)
		}
	}
	if r := okcurl(t, "-b", t.TempDir(), url); r.code != exitRead {
		t.Errorf("%+v", r)
	}
}

// Digest answers a challenge, and a token is sent at once.
func TestAuthentication(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		auth := r.Header.Get("Authorization")
		if auth == "" || strings.HasPrefix(auth, "Basic ") {
			w.Header().Set("WWW-Authenticate", `Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256`)
			w.WriteHeader(401)
			return
		}
		io.WriteString(w, strings.Fields(auth)[0]+" "+fmt.Sprint(strings.Contains(auth, `username="me"`)))
	})
	if r := okcurl(t, "--digest", "-u", "me:secret", url); r.out != "Digest true" {
		t.Errorf("%+v", r)
	}
	if r := okcurl(t, "--oauth2-bearer", "token", url); r.out != "Bearer false" {
		t.Errorf("%+v", r)
	}
}

// What is recorded of a run: events, an archive, heads.
func TestRecords(t *testing.T) {
	url := serve(t, echo)
	dir := t.TempDir()
	har, headers := filepath.Join(dir, "x.har"), filepath.Join(dir, "heads")
	r := okcurl(t, "--events", "--har", har, "-D", headers, "-u", "me:secret", url+"/1", url+"/2")
	if r.code != 0 || r.out != "GET /1\nGET /2\n" {
		t.Errorf("%+v", r)
	}
	for _, want := range []string{" ms  call start method=GET url=" + url + "/...\n", " ms  connection acquired ", " ms  call end"} {
		if !strings.Contains(r.err, want) {
			t.Errorf("no %q in\n%s", want, r.err)
		}
	}
	var archive struct{ Log struct{ Entries []any } }
	text, err := os.ReadFile(har)
	if json.Unmarshal(text, &archive) != nil || len(archive.Log.Entries) != 2 || strings.Contains(string(text), "c2VjcmV0") {
		t.Errorf("archive %v: %.200s", err, text)
	}
	if text, _ := os.ReadFile(headers); strings.Count(string(text), "HTTP/1.1 200 OK\r\n") != 2 || !strings.HasSuffix(string(text), "\r\n\r\n") {
		t.Errorf("heads %q", text)
	}
	if r := okcurl(t, "-D", "-", "-s", url); !strings.HasPrefix(r.out, "HTTP/1.1 200 OK\r\n") || !strings.HasSuffix(r.out, "\r\n\r\nGET /\n") {
		t.Errorf("%+v", r)
	}
	if r := okcurl(t, "--har", filepath.Join(dir, "no", "x.har"), url); r.code != exitWrite {
		t.Errorf("%+v", r)
	}
	if r := okcurl(t, "--create-dirs", "--output-dir", filepath.Join(dir, "a"), "-o", "b/c", url); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a", "b", "c")); string(text) != "GET /\n" {
		t.Errorf("%q, %v", text, err)
	}
	bad := serve(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "sorry", 500) })
	if r := okcurl(t, "--fail-with-body", bad); r.code != exitStatus || r.out != "sorry\n" {
		t.Errorf("%+v", r)
	}
}
