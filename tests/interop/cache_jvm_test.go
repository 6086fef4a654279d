package interop

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	okcache "github.com/okhttp-go/ok/okhttp-cache"
)

// jvm returns the command that runs a Java program of testdata with OkHttp, as Debian packages it (libokhttp-java, libokio-java and a JDK).
func jvm(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	java, err := exec.LookPath("java")
	if err != nil {
		t.Skip("no java")
	}
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("no JDK, which runs programs from their source")
	}
	jars := []string{"/usr/share/java/okhttp.jar", "/usr/share/java/okio.jar"}
	for _, jar := range jars {
		if _, err := os.Stat(jar); err != nil {
			t.Skipf("no OkHttp: %v", err)
		}
	}
	return exec.Command(java, append([]string{"-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", strings.Join(jars, ":"), "testdata/" + program}, args...)...)
}

// TestOkHttpReadsTheCache has OkHttp on the JVM read a directory that was written here.
func TestOkHttpReadsTheCache(t *testing.T) {
	dir := t.TempDir()
	command := jvm(t, "ReadCache.java", dir)
	plain := httptest.NewServer(http.HandlerFunc(cacheable))
	defer plain.Close()
	secure := httptest.NewUnstartedServer(http.HandlerFunc(cacheable))
	secure.EnableHTTP2 = true
	secure.StartTLS()
	defer secure.Close()
	cache, err := okcache.Open(dir, 100<<20, okcache.Config{NoAge: true, Variants: true})
	if err != nil {
		t.Fatal(err)
	}
	client := okhttp.New(okhttp.WithCache(cache), okhttp.WithFollowRedirects(false), okhttp.WithTLSConfig(secure.Client().Transport.(*http.Transport).TLSClientConfig))
	defer client.Close()
	type line struct {
		url     string
		headers []string
	}
	lines := []line{
		{plain.URL + "/plain", nil},
		{plain.URL + "/gzip", nil},
		{plain.URL + "/vary", []string{"Accept-Language: fr-CH, fr;q=0.9", "X-Tenant: t1"}},
		{plain.URL + "/updated", nil},
		{plain.URL + "/empty", nil},
		{plain.URL + "/missing", nil},
		{plain.URL + "/moved", nil},
		{plain.URL + "/utf8", nil},
		{plain.URL + "/big", nil},
		{plain.URL + "/query?a=1&b=%C3%A9&c=x+y", nil},
		{secure.URL + "/secure", nil},
	}
	get := func(l line, force bool) (*okhttp.Response, []byte) {
		var opts []okhttp.RequestOption
		for _, h := range l.headers {
			name, value, _ := strings.Cut(h, ": ")
			opts = append(opts, okhttp.AddHeader(name, value))
		}
		if force {
			opts = append(opts, okhttp.WithCacheControl(okhttp.ForceCache()))
		}
		req, err := okhttp.NewRequest("GET", l.url, opts...)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := resp.Body.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return resp, body
	}
	for _, l := range lines {
		get(l, false)
	}
	get(line{plain.URL + "/updated", nil}, false)                                          // validated
	get(line{plain.URL + "/vary", []string{"Accept-Language: de", "X-Tenant: t1"}}, false) // another variant, which OkHttp does not find
	var asked, want strings.Builder
	for _, l := range lines {
		asked.WriteString(strings.Join(append([]string{l.url}, l.headers...), "\t") + "\n")
		resp, body := get(l, true)
		stored := resp.CacheResponse()
		if stored == nil {
			t.Fatalf("%s is not stored", l.url)
		}
		fmt.Fprintf(&want, "%s\t%d %s", l.url, resp.Status, resp.Message)
		for name, value := range stored.Headers().All() {
			want.WriteString("\t" + name + ": " + value)
		}
		fmt.Fprintf(&want, "\tsent %d received %d", stored.SentAt().UnixMilli(), stored.ReceivedAt().UnixMilli())
		if h := resp.Handshake(); h != nil {
			fmt.Fprintf(&want, "\t%s %s %d", h.Version, h.CipherSuite, len(h.PeerCertificates))
		}
		sum := sha256.Sum256(body)
		want.WriteString("\t" + hex.EncodeToString(sum[:]) + "\n")
	}
	size, err := cache.Size()
	if err != nil {
		t.Fatal(err)
	}
	if err := cache.Close(); err != nil {
		t.Fatal(err)
	}
	command.Stdin = strings.NewReader(asked.String())
	var complaints bytes.Buffer
	command.Stderr = &complaints
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaints.String())
	}
	first, got, _ := strings.Cut(string(out), "\n")
	if want := fmt.Sprintf("urls %d size %d", len(lines)+2, size); first != want { // the variant and its index count there
		t.Errorf("%s, want %s", first, want)
	}
	if got != want.String() {
		t.Errorf("OkHttp reads\n%s\nwant\n%s", got, want.String())
	}
	// And what it left is read here again.
	in, err := okcache.Inspect(dir)
	if err != nil || len(in.Problems) > 0 {
		t.Errorf("%v, %v", in, err)
	}
}

// cacheable is a server of responses that are worth storing.
func cacheable(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "max-age=315360000")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	switch r.URL.Path {
	case "/gzip":
		h.Set("Content-Encoding", "gzip")
		h.Set("Vary", "Accept-Encoding")
		z := gzip.NewWriter(w)
		io.WriteString(z, strings.Repeat("compressed ", 200))
		z.Close()
	case "/vary":
		h.Add("Vary", "Accept-Language")
		h.Add("Vary", "X-Tenant")
		io.WriteString(w, r.Header.Get("Accept-Language"))
	case "/updated":
		h.Set("Cache-Control", "max-age=0")
		h.Set("ETag", `"v1"`)
		if slices.Contains(r.Header["If-None-Match"], `"v1"`) {
			h.Set("Cache-Control", "max-age=315360000")
			h.Set("X-Updated", time.Now().UTC().Format(time.RFC3339))
			w.WriteHeader(http.StatusNotModified)
			return
		}
		io.WriteString(w, "updated")
	case "/empty":
	case "/missing":
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, "not here")
	case "/moved":
		h.Set("Location", "/plain")
		w.WriteHeader(http.StatusMovedPermanently)
	case "/utf8":
		h.Set("X-Title", "Übergrößenträger")
		io.WriteString(w, "schön")
	case "/big":
		w.Write(make([]byte, 1<<20))
	default:
		io.WriteString(w, "body of "+r.URL.String())
	}
}
