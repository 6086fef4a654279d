package okdoh

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/okhttp-go/ok/okhttp"
)

// reply is the answer to one question.
type reply struct {
	addrs   []netip.Addr
	service service
	ttl     time.Duration // the smallest of all records that count
}

// parse reads the answer to a question, or its error code. Records of other types and classes do not count, those of other names do: they are what the
// name of the question is an alias of. The TTL of an alias bounds that of what it leads to.
func parse(raw []byte, q dnsmessage.Question, host string) (reply, int, error) {
	var p dnsmessage.Parser
	h, err := p.Start(raw)
	switch {
	case err != nil:
		return reply{}, 0, malformed(err)
	case !h.Response:
		return reply{}, 0, &okhttp.ProtocolError{Detail: "dns message is a question, expected an answer"}
	case h.Truncated:
		return reply{}, 0, &okhttp.ProtocolError{Detail: "dns message is truncated"}
	}
	if err := aboutQuestion(&p, q); err != nil {
		return reply{}, 0, err
	}
	if err := whole(raw); err != nil {
		return reply{}, 0, err
	}
	if h.RCode != dnsmessage.RCodeSuccess {
		return reply{}, int(h.RCode), nil
	}
	a, err := answers(&p, q.Type, host)
	return a, 0, err
}

// aboutQuestion compares the question that an answer repeats, if it does, so that a mix-up on the way is noticed.
func aboutQuestion(p *dnsmessage.Parser, q dnsmessage.Question) error {
	list, err := p.AllQuestions()
	if err != nil {
		return malformed(err)
	}
	for _, got := range list {
		if got.Type != q.Type || got.Class != q.Class || !strings.EqualFold(got.Name.String(), q.Name.String()) {
			return &okhttp.ProtocolError{Detail: "dns message answers another question"}
		}
	}
	return nil
}

// whole refuses messages that end too early or too late. The parser does not say where it is: if what is left without the last byte is a whole message
// too, then that byte is too much.
func whole(raw []byte) error {
	if err := skipAll(raw); err != nil {
		return malformed(err)
	}
	if skipAll(raw[:len(raw)-1]) == nil {
		return &okhttp.ProtocolError{Detail: "dns message has bytes after its end"}
	}
	return nil
}

func skipAll(raw []byte) error {
	var p dnsmessage.Parser
	_, err := p.Start(raw)
	for _, skip := range []func() error{p.SkipAllQuestions, p.SkipAllAnswers, p.SkipAllAuthorities, p.SkipAllAdditionals} {
		if err == nil {
			err = skip()
		}
	}
	return err
}

// answers reads the answer section.
func answers(p *dnsmessage.Parser, want dnsmessage.Type, host string) (reply, error) {
	var a reply
	var records []record
	first := true
	for {
		h, err := p.AnswerHeader()
		if errors.Is(err, dnsmessage.ErrSectionDone) {
			break
		}
		if err != nil {
			return reply{}, malformed(err)
		}
		if h.Class != dnsmessage.ClassINET || h.Type != want && h.Type != dnsmessage.TypeCNAME {
			if err := p.SkipAnswer(); err != nil {
				return reply{}, malformed(err)
			}
			continue
		}
		if ttl := lifetime(h.TTL); first || ttl < a.ttl {
			a.ttl, first = ttl, false
		}
		switch h.Type {
		case dnsmessage.TypeA, dnsmessage.TypeAAAA:
			addr, err := address(p, h)
			if err != nil {
				return reply{}, err
			}
			a.addrs = append(a.addrs, addr)
		case dnsmessage.TypeHTTPS:
			r, err := p.HTTPSResource()
			if err != nil {
				return reply{}, malformed(err)
			}
			records = append(records, record{h.Name.String(), r.SVCBResource})
		default:
			if _, err := p.CNAMEResource(); err != nil {
				return reply{}, malformed(err)
			}
		}
	}
	var err error
	a.service, err = choose(records, host)
	return a, err
}

func address(p *dnsmessage.Parser, h dnsmessage.ResourceHeader) (netip.Addr, error) {
	size := 4
	if h.Type == dnsmessage.TypeAAAA {
		size = 16
	}
	if int(h.Length) != size { // which the parser takes as it comes
		return netip.Addr{}, &okhttp.ProtocolError{Detail: fmt.Sprintf("dns record %s of %d bytes, expected %d", typeName(h.Type), h.Length, size)}
	}
	if h.Type == dnsmessage.TypeAAAA {
		r, err := p.AAAAResource()
		if err != nil {
			return netip.Addr{}, malformed(err)
		}
		return netip.AddrFrom16(r.AAAA).Unmap(), nil
	}
	r, err := p.AResource()
	if err != nil {
		return netip.Addr{}, malformed(err)
	}
	return netip.AddrFrom4(r.A), nil
}

// lifetime reads a TTL, of which values with the highest bit mean 0 (RFC 2181 section 8).
func lifetime(ttl uint32) time.Duration {
	if int32(ttl) < 0 {
		return 0
	}
	return time.Duration(ttl) * time.Second
}

func malformed(err error) error {
	return &okhttp.ProtocolError{Detail: "malformed dns message: " + err.Error(), Err: err}
}
