package okcookie

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The Netscape cookie file, which curl, wget and many others read and write: a line a cookie, with seven fields between tabs. They are the domain,
// whether hosts below it count, the path, whether it is Secure, the end of its life in seconds since 1970, the name and the value. Other
// lines that begin with # are comments.
const (
	netscapeHead     = "# Netscape HTTP Cookie File\n# https://curl.se/docs/http-cookies.html\n\n"
	netscapeHTTPOnly = "#HttpOnly_" // before the domain
	netscapeFields   = 7
)

// maxLine bounds a line of a Netscape cookie file, in bytes. The longest cookie that a jar takes by default is about an eighth of it.
const maxLine = 64 << 10

// A LineError reports a line of a Netscape cookie file that was not taken. It does not contain the value of a cookie.
type LineError struct {
	Line   int    // the first is 1
	Detail string // what came and what was expected
	Err    error  // a [*RejectError] if the line is as it should be and its cookie is not, otherwise nil
}

func (e *LineError) Error() string {
	return "okcookie: line " + strconv.Itoa(e.Line) + ": " + e.Detail
}

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// ParseNetscape reads a Netscape cookie file, as curl's cookies.txt, and yields its cookies in their order, expired ones among them. In the place
// of a line that is none it yields a [*LineError] and goes on; an error of r is the last it yields. Memory does not depend on what comes:
// lines of more than 64 KiB are none.
//
// A line is as curl has it. The field for hosts below the domain decides, not the dot before the domain. A last field that is not there is an empty value, since
// editors remove tabs at the end of a line. The end of a session cookie is 0 or nothing. wget's ports behind domains are not looked at: cookies
// do not know ports (RFC 6265bis section 8.5).
func ParseNetscape(r io.Reader) iter.Seq2[Cookie, error] {
	return func(yield func(Cookie, error) bool) {
		lines := bufio.NewReaderSize(r, maxLine)
		for n := 1; ; n++ {
			line, err := lines.ReadSlice('\n')
			long := err == bufio.ErrBufferFull
			for err == bufio.ErrBufferFull {
				_, err = lines.ReadSlice('\n')
			}
			if err != nil && err != io.EOF {
				yield(Cookie{}, fmt.Errorf("okcookie: %w", err))
				return
			}
			if n == 1 {
				line = bytes.TrimPrefix(line, []byte("\ufeff")) // Windows
			}
			c, found, lineErr := Cookie{}, true, errLongLine
			if !long {
				c, found, lineErr = netscapeLine(string(bytes.TrimRight(line, "\r\n")))
			}
			if lineErr != nil {
				c, lineErr = Cookie{}, atLine(n, lineErr)
			}
			if found && !yield(c, lineErr) || err == io.EOF {
				return
			}
		}
	}
}

var errLongLine = errors.New("longer than the limit of " + strconv.Itoa(maxLine) + " bytes")

func atLine(n int, err error) error {
	e := &LineError{Line: n, Detail: strings.TrimPrefix(err.Error(), "okcookie: ")}
	if r, ok := errors.AsType[*RejectError](err); ok {
		e.Err = r
	}
	return e
}

// netscapeLine reads a line. It finds nothing in comments and empty ones.
func netscapeLine(line string) (c Cookie, found bool, err error) {
	line, c.HTTPOnly = strings.CutPrefix(line, netscapeHTTPOnly)
	if !c.HTTPOnly && (strings.HasPrefix(line, "#") || strings.TrimLeft(line, " \t") == "") {
		return Cookie{}, false, nil
	}
	fields := strings.Split(line, "\t")
	if len(fields) == netscapeFields-1 {
		fields = append(fields, "")
	}
	if len(fields) != netscapeFields {
		return Cookie{}, true, fmt.Errorf("expected %d fields between tabs, got %d", netscapeFields, len(fields))
	}
	below, ok := netscapeFlag(fields[1])
	if !ok {
		return Cookie{}, true, errors.New("expected TRUE or FALSE in the field for hosts below the domain, got something else")
	}
	if c.Secure, ok = netscapeFlag(fields[3]); !ok {
		return Cookie{}, true, errors.New("expected TRUE or FALSE in the field for Secure, got something else")
	}
	if c.Expires, ok = netscapeTime(fields[4]); !ok {
		return Cookie{}, true, errors.New("expected seconds since 1970 in the field for the end, got something else")
	}
	c.HostOnly = !below
	c.Domain = strings.TrimPrefix(withoutPort(fields[0]), ".")
	c.Path, c.Name, c.Value = fields[2], fields[5], fields[6]
	c, err = NewCookie(c)
	return c, true, err
}

func netscapeFlag(s string) (on, ok bool) {
	on = strings.EqualFold(s, "TRUE")
	return on, on || strings.EqualFold(s, "FALSE")
}

// netscapeTime reads the end of a life. No end is the zero time.
func netscapeTime(s string) (time.Time, bool) {
	seconds, ok := parseMaxAge(s)
	switch {
	case s == "":
		return time.Time{}, true
	case !ok || s[0] == '-':
		return time.Time{}, false
	case seconds == 0:
		return time.Time{}, true
	}
	return time.Unix(min(seconds, latest.Unix()), 0).UTC(), true
}

// withoutPort drops what wget puts behind a host. An IPv6 address has more colons than one, or brackets.
func withoutPort(host string) string {
	at := strings.LastIndexByte(host, ':')
	if at < 0 || strings.IndexByte(host, ':') != at && host[at-1] != ']' {
		return host
	}
	if port := host[at+1:]; port == "" || strings.Trim(port, "0123456789") != "" {
		return host
	}
	return host[:at]
}

// WriteNetscape writes the cookies that have not expired in the format of [ParseNetscape], the oldest first, session cookies only under
// [Options].SaveSession. The format has whole seconds and no SameSite. A path with a tab, which no request has, cannot be told in it, and its cookie
// is left out.
func (j *Jar) WriteNetscape(w io.Writer) error {
	var text bytes.Buffer
	text.WriteString(netscapeHead)
	for _, e := range j.entries(j.now()) {
		if (!e.IsSession() || j.opt.SaveSession) && !strings.Contains(e.Path, "\t") {
			text.WriteString(e.netscape())
		}
	}
	if _, err := text.WriteTo(w); err != nil {
		return fmt.Errorf("okcookie: %w", err)
	}
	return nil
}

// netscape is the cookie as a line.
func (c Cookie) netscape() string {
	flag := func(on bool) string { return strings.ToUpper(strconv.FormatBool(on)) }
	var b strings.Builder
	if c.HTTPOnly {
		b.WriteString(netscapeHTTPOnly)
	}
	if !c.HostOnly {
		b.WriteByte('.')
	}
	seconds := int64(0)
	if !c.IsSession() {
		seconds = c.Expires.Unix()
	}
	for _, field := range []string{c.Domain, flag(!c.HostOnly), c.Path, flag(c.Secure), strconv.FormatInt(seconds, 10), c.Name} {
		b.WriteString(field)
		b.WriteByte('\t')
	}
	b.WriteString(c.Value)
	b.WriteByte('\n')
	return b.String()
}

// SaveNetscape writes what [Jar.WriteNetscape] does to a file, in the way of [Jar.Save]: only its owner can read it, and there is the old file or the
// new one.
func (j *Jar) SaveNetscape(path string) error {
	var text bytes.Buffer
	if err := j.WriteNetscape(&text); err != nil {
		return err
	}
	if err := replaceFile(path, text.Bytes()); err != nil {
		return fmt.Errorf("okcookie: %w", err)
	}
	return nil
}

// LoadNetscape adds the cookies of a file in the format of [ParseNetscape] in place of the same ones in the jar. Those that have expired and those that the
// jar would refuse from any server are left out. It takes the file or, if it fails, nothing: with [fs.ErrNotExist] if there is no such file, with a
// [*FileError] if it is larger than 64 MiB or has a line that is no cookie, which is a [*LineError]. A program that wants what it can get
// calls [ParseNetscape] and [Jar.Put].
func (j *Jar) LoadNetscape(path string) error {
	text, err := readFile(path)
	if err != nil {
		return err
	}
	now := j.now()
	var entries []Entry
	for c, err := range ParseNetscape(bytes.NewReader(text)) {
		if _, refused := errors.AsType[*RejectError](err); refused {
			continue
		}
		if err != nil {
			return &FileError{Path: path, Detail: strings.TrimPrefix(err.Error(), "okcookie: "), Err: err}
		}
		if c.IsExpired(now) || j.check(c) != nil {
			continue
		}
		if entries = append(entries, Entry{Cookie: c, Created: now, Accessed: now}); len(entries)/2 >= j.opt.MaxCookies {
			entries = slices.Delete(entries, 0, len(entries)/2) // which there is no room for: a large file must not take many times its size
		}
	}
	j.take(entries, now)
	return nil
}
