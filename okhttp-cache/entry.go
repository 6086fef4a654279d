package okcache

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"strconv"

	"github.com/okhttp-go/ok/okhttp"
)

// The files of an entry.
const (
	metadataValue = 0
	bodyValue     = 1
	valueCount    = 2
)

const (
	sentMillis     = "OkHttp-Sent-Millis"
	receivedMillis = "OkHttp-Received-Millis"
)

// entry is the head of a stored response: what the first file of an entry says, in OkHttp's format.
//
//	http://example.com/hello.txt       the URL
//	GET                                the method
//	1                                  how many request headers Vary names
//	Accept-Language: fr-CA
//	HTTP/1.1 200 OK
//	4                                  how many response headers follow
//	Vary: Accept-Language
//	Content-Length: 5
//	OkHttp-Sent-Millis: 1700000000000
//	OkHttp-Received-Millis: 1700000000123
//
// An entry of an https URL goes on with an empty line, the cipher suite, the certificates of the server and of the client, each list behind its length
// and each certificate in base64 on a line, and the version of TLS.
type entry struct {
	url, method string
	varied      []string // the request's headers that Vary names, name and value in turn
	protocol    okhttp.Protocol
	status      int
	message     string
	headers     []string // the response's, without the two that tell its times
	sent        int64    // milliseconds since 1970
	received    int64
	handshake   *okhttp.Handshake // nil for http, and if there was none
}

// keyOf returns the key of what is stored for a URL: the MD5 of its text in hex.
func keyOf(url string) string {
	sum := md5.Sum([]byte(url))
	return hex.EncodeToString(sum[:])
}

// encode writes the entry.
func (e *entry) encode() []byte {
	b := make([]byte, 0, 1024)
	b = line(b, e.url)
	b = line(b, e.method)
	b = count(b, len(e.varied)/2)
	b = fields(b, e.varied)
	protocol := "HTTP/1.1"
	if e.protocol == okhttp.HTTP10 {
		protocol = "HTTP/1.0"
	}
	b = append(b, protocol...)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(e.status), 10)
	b = append(b, ' ')
	b = line(b, e.message)
	b = count(b, len(e.headers)/2+2)
	b = fields(b, e.headers)
	b = append(append(b, sentMillis...), ": "...)
	b = append(strconv.AppendInt(b, e.sent, 10), '\n')
	b = append(append(b, receivedMillis...), ": "...)
	b = append(strconv.AppendInt(b, e.received, 10), '\n')
	if h := e.handshake; h != nil && isHTTPS(e.url) {
		b = line(b, "")
		b = line(b, javaSuite(h.CipherSuite))
		b = certificates(b, h.PeerCertificates)
		b = certificates(b, h.LocalCertificates)
		b = line(b, javaVersion(h.Version))
	}
	return b
}

func isHTTPS(url string) bool { return len(url) > 6 && url[:6] == "https:" }

// line appends a line. An entry is made of lines, so those that a string has of its own become spaces: a reason phrase or a field that a network
// interceptor made could have one.
func line(b []byte, s string) []byte { return append(text(b, s), '\n') }

func text(b []byte, s string) []byte {
	at := len(b)
	b = append(b, s...)
	for i := at; i < len(b); i++ {
		if b[i] == '\n' || b[i] == '\r' {
			b[i] = ' '
		}
	}
	return b
}

func count(b []byte, n int) []byte { return append(strconv.AppendInt(b, int64(n), 10), '\n') }

func fields(b []byte, nv []string) []byte {
	for i := 0; i+1 < len(nv); i += 2 {
		b = append(text(b, nv[i]), ": "...)
		b = line(b, nv[i+1])
	}
	return b
}

func certificates(b []byte, list []*certificate) []byte {
	b = count(b, len(list))
	for _, c := range list {
		b = append(base64.StdEncoding.AppendEncode(b, c.Raw), '\n')
	}
	return b
}
