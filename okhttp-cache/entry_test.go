package okcache

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/okhttp-go/ok/okhttp"
)

// Section 2.1 of the format.
func TestKeys(t *testing.T) {
	for raw, want := range map[string]string{
		"http://example.com/hello.txt": "11af91b07c2f696ac9e7c60356870dc1",
		"https://example.com/":         "182ccedb33a9e03fbf1079b209da1a31",
		"HTTPS://EXAMPLE.com:443":      "182ccedb33a9e03fbf1079b209da1a31",
		"https://example.com/a?x=1":    "9b8955d52ed3057a501060504db05ad3",
		"https://example.com/#frag":    "182ccedb33a9e03fbf1079b209da1a31", // without what no server sees
		"http://localhost:8080/":       "9825c2a542dd888e55b9b0e06b04f672",
	} {
		u, err := okhttp.ParseURL(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := placeOf(u).key; got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}

// hello is the worked example of the format, of 214 bytes.
const hello = "http://example.com/hello.txt\nGET\n1\nAccept-Language: fr-CA\nHTTP/1.1 200 OK\n5\nCache-Control: max-age=60\nVary: Accept-Language\n" +
	"Content-Length: 5\nOkHttp-Sent-Millis: 1700000000000\nOkHttp-Received-Millis: 1700000000123\n"

var helloEntry = entry{
	url: "http://example.com/hello.txt", method: "GET", varied: []string{"Accept-Language", "fr-CA"}, protocol: okhttp.HTTP11, status: 200, message: "OK",
	headers: []string{"Cache-Control", "max-age=60", "Vary", "Accept-Language", "Content-Length", "5"}, sent: 1700000000000, received: 1700000000123,
}

func TestEncode(t *testing.T) {
	if got := string(helloEntry.encode()); got != hello || len(got) != 214 {
		t.Errorf("%d bytes %q\nwant %q", len(got), got, hello)
	}
	e, err := parseEntry(hello)
	if err != nil || !reflect.DeepEqual(e, &helloEntry) {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestEncodeProtocols(t *testing.T) {
	for protocol, want := range map[okhttp.Protocol]string{okhttp.HTTP10: "HTTP/1.0", okhttp.HTTP11: "HTTP/1.1", okhttp.HTTP2: "HTTP/1.1"} {
		e := entry{url: "http://h/", method: "GET", protocol: protocol, status: 200}
		if got := string(e.encode()); !strings.Contains(got, "\n"+want+" 200 \n") {
			t.Errorf("%s: %q", protocol, got)
		}
	}
}

// What a server or an interceptor says cannot add lines.
func TestEncodeLineEnds(t *testing.T) {
	e := helloEntry
	e.message, e.headers = "O\nK\r", []string{"A\nB", "c\r\nd"}
	got, err := parseEntry(string(e.encode()))
	if err != nil || got.message != "O K " || !reflect.DeepEqual(got.headers, []string{"A B", "c  d"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// replaced is the worked example with one part replaced.
func replaced(from, to string) string {
	if !strings.Contains(hello, from) {
		panic(from)
	}
	return strings.Replace(hello, from, to, 1)
}

func TestParseLeniently(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want func(*entry) bool
	}{
		"CR before LF":         {strings.ReplaceAll(hello, "\n", "\r\n"), func(e *entry) bool { return reflect.DeepEqual(e, &helloEntry) }},
		"more behind the end":  {hello + "\nmore", func(e *entry) bool { return reflect.DeepEqual(e, &helloEntry) }},
		"100 empty name":       {replaced("Content-Length: 5", ": A"), func(e *entry) bool { return has(e.headers, "") }},
		"101 status as header": {replaced("Content-Length: 5", ":status: 200 OK"), func(e *entry) bool { return has(e.headers, ":status") }},
		"no colon":             {replaced("Content-Length: 5", "nothing"), func(e *entry) bool { return e.headers[4] == "" && e.headers[5] == "nothing" }},
		"no reason":            {replaced("200 OK", "200"), func(e *entry) bool { return e.status == 200 && e.message == "" }},
		"an empty reason":      {replaced("200 OK", "200 "), func(e *entry) bool { return e.status == 200 && e.message == "" }},
		"HTTP/1.0":             {replaced("HTTP/1.1", "HTTP/1.0"), func(e *entry) bool { return e.protocol == okhttp.HTTP10 }},
		"ICY":                  {replaced("HTTP/1.1", "ICY"), func(e *entry) bool { return e.protocol == okhttp.HTTP10 }},
		"SOURCETABLE":          {replaced("HTTP/1.1", "SOURCETABLE"), func(e *entry) bool { return e.protocol == okhttp.HTTP11 }},
		"times elsewhere": {replaced("5\nCache", "7\nokhttp-sent-millis: 7\nOKHTTP-RECEIVED-MILLIS: 8\nCache"), func(e *entry) bool {
			return len(e.headers) == 6 && e.received == 1700000000123
		}},
		"no times":     {replaced("OkHttp-Sent-Millis: 1700000000000\n", "A: b\n"), func(e *entry) bool { return e.sent == 0 }},
		"non-ASCII":    {replaced("Content-Length: 5", "α: β"), func(e *entry) bool { return e.headers[4] == "α" && e.headers[5] == "β" }},
		"spaces":       {replaced("Content-Length: 5", "A:   b  "), func(e *entry) bool { return e.headers[5] == "b" }},
		"not to trust": {replaced("Content-Length: 5", "Content-Length: five"), func(e *entry) bool { return e.length() == -1 }},
	} {
		e, err := parseEntry(c.text)
		if err != nil || !c.want(e) {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
}

const secure = "https://h/\nGET\n0\nHTTP/1.1 200 OK\n0\n"

func TestParseCorrupt(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for name, c := range map[string]struct {
		text string
		line int
	}{
		"empty":                        {"", 1},
		"62 without its beginning":     {hello[5:], 1},
		"no URL":                       {replaced("http://", "ftp://"), 1},
		"no count":                     {replaced("GET\n1\n", "GET\nx\n"), 3},
		"a negative count":             {replaced("GET\n1\n", "GET\n-1\n"), 3},
		"a count with more":            {replaced("GET\n1\n", "GET\n1 \n"), 3},
		"a huge count":                 {replaced("GET\n1\n", "GET\n2147483647\n"), 3},
		"a count beyond 31 bits":       {replaced("GET\n1\n", "GET\n2147483648\n"), 3},
		"no status line":               {replaced("HTTP/1.1", "HTTP/2"), 5},
		"no status":                    {replaced("200", "20"), 5},
		"a status of letters":          {replaced("200", "2OO"), 5},
		"a status below 100":           {replaced("200", "099"), 5},
		"no milliseconds":              {replaced("1700000000123", "soon"), 11},
		"too many milliseconds":        {replaced("1700000000123", "9223372036854775807"), 11},
		"https without a handshake":    {secure, 6},
		"no empty line":                {secure + "TLS_AES_128_GCM_SHA256\n0\n0\nTLSv1.3\n", 6},
		"no certificate":               {secure + "\nTLS_AES_128_GCM_SHA256\n1\n", 8},
		"a certificate not in base64":  {secure + "\nTLS_AES_128_GCM_SHA256\n1\n!!!!\n0\nTLSv1.3\n", 9},
		"a certificate that is none":   {secure + "\nTLS_AES_128_GCM_SHA256\n1\nAAAA\n0\nTLSv1.3\n", 9},
		"an unknown version of TLS":    {secure + "\nTLS_AES_128_GCM_SHA256\n0\n0\nTLSv9\n", 10},
		"a long line where a count is": {replaced("GET\n1\n", "GET\n"+long+"\n"), 3},
	} {
		_, err := parseEntry(c.text)
		var corrupt *CorruptError
		if !errors.As(err, &corrupt) || corrupt.Line != c.line || len(err.Error()) > 300 {
			t.Errorf("%s: %v", name, err)
		}
	}
	// 61: whatever is missing at the end
	for i := range len(hello) - 1 {
		if _, err := parseEntry(hello[:i]); err == nil {
			t.Errorf("%d bytes are enough", i)
		}
	}
}

func TestParseHandshake(t *testing.T) {
	for name, c := range map[string]struct{ text, suite, version string }{
		"TLS 1.3":                  {"\nTLS_AES_128_GCM_SHA256\n0\n0\nTLSv1.3\n", "TLS_AES_128_GCM_SHA256", "TLSv1.3"},
		"60 an odd suite":          {"\nSLT_AES\n0\n0\nTLSv1.2\n", "SLT_AES", "TLSv1.2"},
		"a suite of the JVM's":     {"\nSSL_RSA_WITH_3DES_EDE_CBC_SHA\n0\n0\nTLSv1\n", "TLS_RSA_WITH_3DES_EDE_CBC_SHA", "TLSv1"},
		"101 without a version":    {"\nTLS_AES_128_GCM_SHA256\n0\n0\n", "TLS_AES_128_GCM_SHA256", "SSLv3"},
		"without a list, as of -1": {"\nTLS_AES_128_GCM_SHA256\n-1\n-1\nTLSv1.3\n", "TLS_AES_128_GCM_SHA256", "TLSv1.3"},
	} {
		e, err := parseEntry(secure + c.text)
		if err != nil || e.handshake.CipherSuite != c.suite || e.handshake.Version != c.version {
			t.Errorf("%s: %+v, %v", name, e, err)
			continue
		}
		again, err := parseEntry(string(e.encode()))
		if err != nil || !reflect.DeepEqual(e, again) {
			t.Errorf("%s does not read back: %+v, %v", name, again, err)
		}
	}
}

func FuzzParseEntry(f *testing.F) {
	f.Add(hello)
	f.Add(secure + "\nTLS_AES_128_GCM_SHA256\n0\n0\nTLSv1.3\n")
	f.Add(replaced("Content-Length: 5", ":a:b"))
	f.Fuzz(func(t *testing.T, s string) {
		e, err := parseEntry(s)
		if err != nil {
			if !errors.As(err, new(*CorruptError)) {
				t.Fatalf("error %v", err)
			}
			return
		}
		again, err := parseEntry(string(e.encode()))
		if err != nil {
			t.Fatalf("%q was written as %q: %v", s, e.encode(), err)
		}
		if again.status != e.status || again.url != strings.ReplaceAll(e.url, "\r", " ") || again.sent != e.sent || len(again.headers) != len(e.headers) {
			t.Fatalf("%+v reads back as %+v", e, again)
		}
	})
}

// Fact 108.
func TestMerge(t *testing.T) {
	for _, c := range []struct{ stored, update, want []string }{
		{
			[]string{"Etag", "a", "Cache-Control", "c", "A", "a1", "B", "b2", "B", "b3", "Content-Length", "4"},
			[]string{"B", "b4", "B", "b5", "C", "c6", "Content-Length", "0"},
			[]string{"Etag", "a", "Cache-Control", "c", "A", "a1", "Content-Length", "4", "B", "b4", "B", "b5", "C", "c6"},
		},
		{[]string{"Content-Encoding", "gzip"}, []string{"Content-Encoding", "identity"}, []string{"Content-Encoding", "gzip"}},
		{nil, []string{"Content-Encoding", "gzip"}, nil},
		{[]string{"Transfer-Encoding", "identity"}, []string{"Transfer-Encoding", "none"}, []string{"Transfer-Encoding", "identity"}},
		{nil, []string{"Transfer-Encoding", "none"}, nil},
		{[]string{"Warning", "199 x"}, nil, nil},
		{[]string{"Warning", "299 x"}, nil, []string{"Warning", "299 x"}},
		{[]string{"Cache-Control", "max-age=0"}, []string{"cache-control", "max-age=30"}, []string{"cache-control", "max-age=30"}},
		{[]string{"Set-Cookie", "a"}, []string{"Set-Cookie", "b"}, []string{"Set-Cookie", "b"}},
		{[]string{"Age", "60", "A", "b"}, nil, []string{"A", "b"}},
		{[]string{"α", "β"}, []string{"γ", "δ"}, []string{"α", "β", "γ", "δ"}},
	} {
		if got := merge(c.stored, c.update); strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%q and %q: %q, want %q", c.stored, c.update, got, c.want)
		}
	}
}

func TestStoredFields(t *testing.T) {
	got := storedFields([]string{"Connection", "X-Mine, Cache-Control, close", "X-Mine", "1", "Cache-Control", "max-age=1", "Keep-Alive", "5", "Proxy-Authenticate", "Basic",
		"Proxy-Connection", "close", "TE", "gzip", "Transfer-Encoding", "chunked", "Upgrade", "h2c", "A", "b", "", "c"})
	if want := "Cache-Control max-age=1 A b  c"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}
