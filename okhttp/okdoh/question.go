package okdoh

import (
	"context"
	"encoding/base64"
	"io"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/okhttp-go/ok/okhttp"
)

// contentType is the media type of DNS messages (RFC 8484 section 6).
const contentType = "application/dns-message"

// maxReply bounds an answer in bytes: no DNS message is larger.
const maxReply = 65536

func typeName(t dnsmessage.Type) string { return strings.TrimPrefix(t.String(), "Type") }

// ask sends one question and reads the answer.
func (r *Resolver) ask(ctx context.Context, host string, t dnsmessage.Type) (reply, error) {
	message, q, err := question(host, t)
	if err != nil {
		return reply{}, err
	}
	req, err := r.request(message, host, t)
	if err != nil {
		return reply{}, err
	}
	resp, err := r.client.Do(ctx, req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	raw, err := content(resp)
	if err != nil {
		return reply{}, err
	}
	answer, rcode, err := parse(raw, q, host)
	if err != nil {
		return reply{}, err
	}
	if rcode != 0 {
		return reply{}, answered(rcode, host, r.url.Host())
	}
	answer.ttl = max(answer.ttl-age(resp.Headers()), 1) // 0 would be unknown
	return answer, nil
}

// question makes a message with id 0, by which caches can know it again (RFC 8484 section 4.1).
func question(host string, t dnsmessage.Type) ([]byte, dnsmessage.Question, error) {
	name, err := dnsmessage.NewName(strings.TrimSuffix(host, ".") + ".")
	if err != nil {
		return nil, dnsmessage.Question{}, err
	}
	q := dnsmessage.Question{Name: name, Type: t, Class: dnsmessage.ClassINET}
	m := dnsmessage.Message{Header: dnsmessage.Header{RecursionDesired: true}, Questions: []dnsmessage.Question{q}}
	raw, err := m.Pack()
	return raw, q, err
}

func (r *Resolver) request(message []byte, host string, t dnsmessage.Type) (*okhttp.Request, error) {
	accept := okhttp.Header("Accept", contentType)
	if r.post {
		filed, err := r.url.Edit().AddQuery("hostname", host).AddQuery("type", strconv.Itoa(int(t))).Build()
		if err != nil {
			return nil, err
		}
		return okhttp.NewRequest("POST", r.url.String(), accept, okhttp.WithBody(okhttp.Bytes(contentType, message)), okhttp.CacheURL(filed), okhttp.Idempotent())
	}
	u, err := r.url.Edit().AddQuery("dns", base64.RawURLEncoding.EncodeToString(message)).Build()
	if err != nil {
		return nil, err
	}
	return okhttp.NewRequest("GET", u.String(), accept)
}

// content reads the message out of a response.
func content(resp *okhttp.Response) ([]byte, error) {
	if !resp.IsSuccess() {
		return nil, &StatusError{resp.Status, resp.Message}
	}
	if kind, _, _ := strings.Cut(resp.Body.ContentType(), ";"); !strings.EqualFold(strings.TrimSpace(kind), contentType) {
		return nil, &okhttp.ProtocolError{Detail: "content type " + brief(resp.Body.ContentType()) + ", expected " + contentType}
	}
	tooLarge := &okhttp.TooLargeError{What: "dns message", Limit: maxReply}
	if resp.Body.Len() > maxReply {
		return nil, tooLarge
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if err == nil && len(raw) > maxReply {
		return nil, tooLarge
	}
	return raw, err
}

// age is how long a response was in caches, for which its TTLs have gone on (RFC 8484 section 5.1).
func age(h okhttp.Headers) time.Duration {
	text, _ := h.Last("Age")
	seconds, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// brief renders what a server sent for an error.
func brief(s string) string {
	const most = 64
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strconv.Quote(s)
}
