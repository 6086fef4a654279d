package admin

import (
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/target"
)

// A Journal is the answer to GET /requests.
type Journal struct {
	Count    int     `json:"count"` // of requests that came, kept or not
	Requests []Entry `json:"requests"`
}

// An Entry is a request that came. Secrets in its headers and its query are not shown; its body is, as it came.
type Entry struct {
	Received   time.Time   `json:"received"`
	Connection int         `json:"connection"`
	Index      int         `json:"index"`
	Method     string      `json:"method"`
	Target     string      `json:"target"`
	Proto      string      `json:"proto"`
	Host       string      `json:"host,omitempty"`
	Headers    [][2]string `json:"headers"`
	Body       string      `json:"body,omitempty"`
	Base64     string      `json:"base64,omitempty"` // of a body that is no text
	BodySize   int64       `json:"bodySize"`
	Failure    string      `json:"failure,omitempty"`
	Missed     []string    `json:"missed,omitempty"` // what was scripted and did not strike
	TLS        string      `json:"tls,omitempty"`
	ServerName string      `json:"serverName,omitempty"`
	Remote     string      `json:"remote,omitempty"`
}

// shown bounds how much of a body is in an entry.
const shown = 64 << 10

func entryOf(r *mockserver.Request) Entry {
	e := Entry{
		Received: r.Received, Connection: r.ConnIndex, Index: r.Index, Method: r.Method, Target: target.Shown(r.Target), Proto: r.Proto, Host: r.Authority, Headers: [][2]string{}, BodySize: r.BodySize,
	}
	for name, value := range r.Headers.All() {
		if target.SecretHeader(name) {
			value = fmt.Sprintf("(%d bytes, hidden)", len(value))
		}
		e.Headers = append(e.Headers, [2]string{name, value})
	}
	body := r.Body[:min(len(r.Body), shown)]
	if utf8.Valid(body) {
		e.Body = string(body)
	} else {
		e.Base64 = base64.StdEncoding.EncodeToString(body)
	}
	if r.Failure != nil {
		e.Failure = r.Failure.Error()
	}
	e.Missed = r.Missed
	if r.TLS != nil {
		e.TLS, e.ServerName = tls.VersionName(r.TLS.Version), r.TLS.ServerName
	}
	if r.RemoteAddr != nil {
		e.Remote = r.RemoteAddr.String()
	}
	return e
}

// String is the entry in one line, without control characters that would play with a terminal.
func (e Entry) String() string {
	line := fmt.Sprintf("%s %s %s", e.Method, e.Target, e.Proto)
	if e.Method == "" {
		line = "unreadable request"
	}
	line = fmt.Sprintf("%s %s (connection %d, request %d, body of %d bytes)", e.Received.Format("15:04:05.000"), line, e.Connection, e.Index, e.BodySize)
	if e.Failure != "" {
		line += ": " + e.Failure
	}
	for _, missed := range e.Missed {
		line += ": " + missed
	}
	return Printable(line)
}

// Printable writes control characters, but for line ends and tabs, as Go does.
func Printable(text string) string {
	var b strings.Builder
	for _, c := range text {
		if c < ' ' && c != '\n' && c != '\t' || c >= 0x7f && c < 0xa0 {
			fmt.Fprintf(&b, `\x%02x`, c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
