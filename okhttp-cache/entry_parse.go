package okcache

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// A CorruptError reports the head of an entry that cannot be read: what came, and what was expected. To a call such an entry is a miss, which the
// log of the cache tells of; [Inspect] has it among the problems.
type CorruptError struct {
	Line   int // of the head, from 1
	Detail string
}

func (e *CorruptError) Error() string {
	return "okcache: line " + strconv.Itoa(e.Line) + " of an entry: " + e.Detail
}

// entryParser reads lines.
type entryParser struct {
	rest string
	line int
	err  *CorruptError
}

func (p *entryParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = &CorruptError{max(p.line, 1), fmt.Sprintf(format, args...)}
	}
}

// next reads a line. Every line has an end.
func (p *entryParser) next() string {
	if p.err != nil {
		return ""
	}
	p.line++
	s, rest, ok := strings.Cut(p.rest, "\n")
	if !ok {
		p.fail("the entry ends in it")
		return ""
	}
	p.rest = rest
	return strings.TrimSuffix(s, "\r")
}

// count reads a number of lines. There cannot be more than are left.
func (p *entryParser) count() int {
	s := p.next()
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil || s[0] == '+' {
		p.fail("expected an int but was %s", quote(s))
		return 0
	}
	if int(n) > len(p.rest) {
		p.fail("%d lines are to follow, but only %d bytes do", n, len(p.rest))
		return 0
	}
	return int(n)
}

// fields reads header lines, leniently: what an old version or another program wrote is read as well as it can be.
func (p *entryParser) fields(n, room int) []string {
	nv := make([]string, 0, 2*min(n, 64)+room)
	for ; n > 0 && p.err == nil; n-- {
		s := p.next()
		name, value := "", s
		if s != "" {
			// A name may begin with a colon (":status"), and a line that has no other has no name.
			switch i := strings.IndexByte(s[1:], ':'); {
			case i >= 0:
				name, value = s[:i+1], s[i+2:]
			case s[0] == ':':
				value = s[1:]
			}
		}
		nv = append(nv, name, strings.TrimSpace(value))
	}
	return nv
}

func quote(s string) string {
	const most = 64
	if len(s) > most {
		return strconv.Quote(s[:most]) + "…"
	}
	return strconv.Quote(s)
}

// parseEntry reads the head of an entry. The error is a [*CorruptError].
func parseEntry(s string) (*entry, error) {
	p := entryParser{rest: s}
	e := new(entry)
	e.url = p.next()
	if p.err == nil && !strings.HasPrefix(e.url, "http://") && !strings.HasPrefix(e.url, "https://") {
		p.fail("expected a URL but was %s", quote(e.url))
	}
	e.method = p.next()
	e.varied = p.fields(p.count(), 0)
	p.status(e)
	e.headers = p.fields(p.count(), 0)
	p.times(e)
	if isHTTPS(e.url) && p.err == nil {
		p.handshake(e)
	}
	if p.err != nil {
		return nil, p.err
	}
	return e, nil
}

// status reads the status line. Two other protocols look like HTTP.
func (p *entryParser) status(e *entry) {
	s := p.next()
	if p.err != nil {
		return
	}
	rest := ""
	switch {
	case strings.HasPrefix(s, "HTTP/1.0 "):
		e.protocol, rest = okhttp.HTTP10, s[9:]
	case strings.HasPrefix(s, "HTTP/1.1 "):
		e.protocol, rest = okhttp.HTTP11, s[9:]
	case strings.HasPrefix(s, "ICY "):
		e.protocol, rest = okhttp.HTTP10, s[4:]
	case strings.HasPrefix(s, "SOURCETABLE "):
		e.protocol, rest = okhttp.HTTP11, s[12:]
	default:
		p.fail("expected a status line but was %s", quote(s))
		return
	}
	code, message, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseUint(code, 10, 16)
	if err != nil || len(code) != 3 || n < 100 {
		p.fail("expected a status of three digits but was %s", quote(s))
		return
	}
	e.status, e.message = int(n), message
}

// times takes the two fields that are not the server's out of the others.
func (p *entryParser) times(e *entry) {
	kept := e.headers[:0]
	for i := 0; i+1 < len(e.headers); i += 2 {
		name, value := e.headers[i], e.headers[i+1]
		switch {
		case equalFold(name, sentMillis):
			e.sent = p.millis(value)
		case equalFold(name, receivedMillis):
			e.received = p.millis(value)
		default:
			kept = append(kept, name, value)
		}
	}
	e.headers = kept
}

func (p *entryParser) millis(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > math.MaxInt64/2 || n < math.MinInt64/2 {
		p.fail("expected milliseconds but was %s", quote(s))
	}
	return n
}

// handshake reads what TLS agreed on.
func (p *entryParser) handshake(e *entry) {
	if p.rest == "" {
		p.line++
		p.fail("an entry of https has no handshake")
		return
	}
	if s := p.next(); s != "" {
		p.fail(`expected "" but was %s`, quote(s))
		return
	}
	h := &okhttp.Handshake{CipherSuite: goSuite(p.next())}
	h.PeerCertificates = p.certificates()
	h.LocalCertificates = p.certificates()
	h.Version = "SSLv3" // of those that wrote no version
	if p.rest != "" {
		s := p.next()
		if !knownVersion(s) {
			p.fail("expected a version of TLS but was %s", quote(s))
		}
		h.Version = s
	}
	e.handshake = h
}

// certificates reads a list, which may be absent: -1.
func (p *entryParser) certificates() []*certificate {
	if rest, ok := strings.CutPrefix(p.rest, "-1\n"); ok {
		p.rest = rest
		p.line++
		return nil
	}
	var list []*certificate
	for n := p.count(); n > 0 && p.err == nil; n-- {
		c, err := parseCertificate(p.next())
		if err != nil {
			p.fail("%v", err)
			return nil
		}
		list = append(list, c)
	}
	return list
}
