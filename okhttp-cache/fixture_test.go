package okcache

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/okhttp-go/ok/okhttp"
)

// The directories in testdata/okhttp were written by OkHttp on the JVM, and expected.json is what it reads back itself.
type fixture struct {
	Size    int64
	Entries []struct {
		URL, Key                 string
		RequestHeaders           [][2]string
		Code                     int
		Message                  string
		ProtocolFromCache        string
		SentRequestAtMillis      int64
		ReceivedResponseAtMillis int64
		HeadersSeenByApp         [][2]string
		HeadersStored            [][2]string
		BodyLength               int64
		BodyBase64, BodySha256   string
		StoredLength             int64
		Handshake                *struct {
			TLSVersion        string
			CipherSuite       string
			PeerCertificates  []string
			LocalCertificates int
		}
	}
	Absent                 []struct{ URL, Key string }
	MissesWithOnlyIfCached []struct {
		URL            string
		RequestHeaders [][2]string
	}
}

// copyOf copies a directory of the fixture, since a cache changes what it opens.
func copyOf(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "okhttp", name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func loadFixture(t *testing.T) *fixture {
	t.Helper()
	p, err := os.ReadFile("testdata/okhttp/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	f := new(fixture)
	if err := json.Unmarshal(p, f); err != nil {
		t.Fatal(err)
	}
	return f
}

func requestOf(t *testing.T, url string, headers [][2]string) *okhttp.Request {
	t.Helper()
	opts := []okhttp.RequestOption{okhttp.WithCacheControl(okhttp.ForceCache())}
	for _, h := range headers {
		opts = append(opts, okhttp.AddHeader(h[0], h[1]))
	}
	req, err := okhttp.NewRequest("GET", url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func wantHeaders(t *testing.T, what string, got okhttp.Headers, want [][2]string) {
	t.Helper()
	var flat []string
	for _, h := range want {
		flat = append(flat, h[0], h[1])
	}
	if !slices.Equal(pairs(got), flat) {
		t.Errorf("%s: %q\nwant %q", what, pairs(got), flat)
	}
}

// Everything that OkHttp stored reads back as it does in OkHttp, after a clean end and after a crash.
func TestFixture(t *testing.T) {
	f := loadFixture(t)
	for name, n := range map[string]int{"cache": 16, "cache-crashed": 15} {
		t.Run(name, func(t *testing.T) {
			cache, err := Open(copyOf(t, name), 10<<20, Config{NoAge: true, NoWarnings: true})
			if err != nil {
				t.Fatal(err)
			}
			defer cache.Close()
			client := okhttp.New(okhttp.WithCache(cache), okhttp.WithFollowRedirects(false))
			defer client.Close()
			if got := len(slices.Collect(cache.URLs())); got != n {
				t.Errorf("%d URLs, want %d", got, n)
			}
			want := f.Size
			if name == "cache-crashed" {
				want = 109346
			}
			if size, err := cache.Size(); size != want || err != nil {
				t.Errorf("size %d, %v, want %d", size, err, want)
			}
			for _, e := range f.Entries {
				resp, err := client.Do(t.Context(), requestOf(t, e.URL, e.RequestHeaders))
				if err != nil {
					t.Errorf("%s: %v", e.URL, err)
					continue
				}
				body, err := resp.Body.Bytes()
				if err != nil {
					t.Errorf("%s: %v", e.URL, err)
				}
				sum := sha256.Sum256(body)
				if hex.EncodeToString(sum[:]) != e.BodySha256 || int64(len(body)) != e.BodyLength {
					t.Errorf("%s: %d bytes of body, want %d", e.URL, len(body), e.BodyLength)
				}
				stored := resp.CacheResponse()
				if stored == nil {
					t.Errorf("%s: %d, not from the cache", e.URL, resp.Status)
					continue
				}
				if resp.Status != e.Code || resp.Message != e.Message || string(resp.Protocol) != e.ProtocolFromCache {
					t.Errorf("%s: %s %d %s", e.URL, resp.Protocol, resp.Status, resp.Message)
				}
				if !stored.SentAt().Equal(time.UnixMilli(e.SentRequestAtMillis)) || !stored.ReceivedAt().Equal(time.UnixMilli(e.ReceivedResponseAtMillis)) {
					t.Errorf("%s: times %v, %v", e.URL, stored.SentAt(), stored.ReceivedAt())
				}
				wantHeaders(t, e.URL+" stored", stored.Headers(), e.HeadersStored)
				wantHeaders(t, e.URL+" seen", resp.Headers(), e.HeadersSeenByApp)
				h := resp.Handshake()
				if (h != nil) != (e.Handshake != nil) {
					t.Errorf("%s: handshake %v", e.URL, h)
					continue
				}
				if h == nil {
					continue
				}
				var peers []string
				for _, c := range h.PeerCertificates {
					peers = append(peers, base64.StdEncoding.EncodeToString(c.Raw))
				}
				if h.Version != e.Handshake.TLSVersion || h.CipherSuite != e.Handshake.CipherSuite || !reflect.DeepEqual(peers, e.Handshake.PeerCertificates) ||
					len(h.LocalCertificates) != e.Handshake.LocalCertificates {
					t.Errorf("%s: handshake %+v", e.URL, h)
				}
			}
			for _, a := range f.Absent {
				f.MissesWithOnlyIfCached = append(f.MissesWithOnlyIfCached, struct {
					URL            string
					RequestHeaders [][2]string
				}{a.URL, nil})
			}
			for _, m := range f.MissesWithOnlyIfCached {
				resp, err := client.Do(t.Context(), requestOf(t, m.URL, m.RequestHeaders))
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if resp.Status != 504 {
					t.Errorf("%s %v: %d, want 504", m.URL, m.RequestHeaders, resp.Status)
				}
			}
		})
	}
}

// What OkHttp wrote would be written here byte for byte.
func TestFixtureIsWrittenTheSame(t *testing.T) {
	in, err := Inspect(filepath.Join("testdata", "okhttp", "cache"))
	if err != nil || len(in.Problems) > 0 || len(in.Entries) != 16 {
		t.Fatalf("%+v, %v", in, err)
	}
	for _, e := range in.Entries {
		raw, err := os.ReadFile(filepath.Join("testdata", "okhttp", "cache", e.Key+".0"))
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parseEntry(string(raw))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(parsed.encode()); got != string(raw) {
			t.Errorf("%s: %q\nwant %q", e.URL, got, raw)
		}
		if keyOf(e.URL) != e.Key {
			t.Errorf("%s: key %s, want %s", e.URL, keyOf(e.URL), e.Key)
		}
	}
}

// Inspect finds what a crash left, and changes nothing.
func TestInspectCrashed(t *testing.T) {
	dir := copyOf(t, "cache-crashed")
	before := listing(t, dir)
	in, err := Inspect(dir)
	if err != nil || len(in.Entries) != 15 {
		t.Fatalf("%+v, %v", in, err)
	}
	var problems []string
	for _, p := range in.Problems {
		problems = append(problems, p.String())
	}
	const key = "8f3b2f0e24e8ea8c4bd46781d2d0b549"
	if got := strings.Join(problems, "\n"); got != key+": an edit was not finished\n"+key+".0.tmp: a value that was being written\n"+key+".1.tmp: a value that was being written" {
		t.Errorf("problems:\n%s", got)
	}
	if after := listing(t, dir); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		p, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(p)
		b.WriteString(f.Name() + " " + hex.EncodeToString(sum[:4]) + "\n")
	}
	return b.String()
}
