package http2

import (
	"github.com/okhttp-go/ok/okhttp/internal/ascii"
	"github.com/okhttp-go/ok/okhttp/internal/fault"
)

// RequestHead is the control data of a request (RFC 9113 section 8.3.1).
type RequestHead struct {
	Method string
	// Path is the path with the query, or "*". CONNECT without Protocol has none.
	Path string
	// Authority is the host, with the port if it is not the scheme's. A field Host takes its place.
	Authority string
	// Scheme is "https" or "http". CONNECT without Protocol has none.
	Scheme string
	// Protocol makes an extended CONNECT of the request (RFC 8441 section 4), "websocket"; empty for all others.
	Protocol string
}

// plainConnect reports whether the request is a CONNECT that has no scheme and path.
func (r *RequestHead) plainConnect() bool { return r.Method == "CONNECT" && r.Protocol == "" }

// AppendRequest writes the header block of a request: the pseudo-header fields in the order :method, :path, :authority, :scheme, :protocol, then the
// fields. Those that HTTP/2 does not have, or says otherwise, are left out: Connection, Host, Keep-Alive, Proxy-Connection, TE other than
// "trailers", Transfer-Encoding, Encoding, Upgrade, :method, :path, :scheme and :authority. White space around values is not sent (section 8.2.1).
//
// Fields that cannot be sent are a [*ProtocolError], which never shows a value; dst is then returned as it was, and the table is unchanged.
func (e *HeaderEncoder) AppendRequest(dst []byte, r RequestHead, fields []string) ([]byte, error) {
	for i := 0; i+1 < len(fields); i += 2 {
		if ascii.EqualFold(fields[i], "host") {
			r.Authority = ascii.TrimOWS(fields[i+1])
			break
		}
	}
	if known := e.memo.find(&r, fields); known != nil {
		return append(dst, known...), nil
	}
	if err := r.check(); err != nil {
		return dst, err
	}
	if err := checkFields(fields); err != nil {
		return dst, err
	}
	e.begin(dst)
	e.write(":method", r.Method)
	if !r.plainConnect() {
		e.write(":path", r.Path)
	}
	if r.Authority != "" {
		e.write(":authority", r.Authority)
	}
	if !r.plainConnect() {
		e.write(":scheme", r.Scheme)
	}
	if r.Protocol != "" {
		e.write(":protocol", r.Protocol)
	}
	e.writeFields(fields)
	block := e.finish()
	if !e.out.changed {
		e.memo.add(&r, fields, block[len(dst):])
	}
	return block, nil
}

// AppendResponse writes the header block of a response, with a status of three digits. The fields are treated as those of a request are.
func (e *HeaderEncoder) AppendResponse(dst []byte, status int, fields []string) ([]byte, error) {
	if status < 100 || status > 999 {
		return dst, fault.Protocolf("status %d: expected three digits", status)
	}
	if err := checkFields(fields); err != nil {
		return dst, err
	}
	e.begin(dst)
	e.write(":status", threeDigits[3*(status-100):][:3])
	e.writeFields(fields)
	return e.finish(), nil
}

// AppendTrailers writes the header block of trailers. The fields are treated as those of a request are.
func (e *HeaderEncoder) AppendTrailers(dst []byte, fields []string) ([]byte, error) {
	if err := checkFields(fields); err != nil {
		return dst, err
	}
	e.begin(dst)
	e.writeFields(fields)
	return e.finish(), nil
}

func (e *HeaderEncoder) writeFields(fields []string) {
	for i := 0; i+1 < len(fields); i += 2 {
		name, value := fields[i], ascii.TrimOWS(fields[i+1])
		if !dropped(name, value) {
			e.write(e.lowerCase(name), value)
		}
	}
}

// check refuses what would be another request at a server that forwards it over HTTP/1.1.
func (r *RequestHead) check() error {
	for _, part := range [...]struct{ name, value string }{
		{"method", r.Method}, {"path", r.Path}, {"authority", r.Authority}, {"scheme", r.Scheme}, {"protocol", r.Protocol},
	} {
		if i := blankOrControl(part.value); i >= 0 {
			return fault.Protocolf("blank or control character at byte %d of the request's %s", i, part.name)
		}
	}
	if !ascii.IsToken(r.Method) {
		return fault.Protocolf("method %s: expected a token", fault.Quote(r.Method))
	}
	switch {
	case r.plainConnect() && r.Authority == "":
		return fault.Protocolf("CONNECT without an authority")
	case !r.plainConnect() && (r.Path == "" || r.Scheme == ""):
		return fault.Protocolf("%s without a path or a scheme", r.Method)
	}
	return nil
}

// checkFields wants names that are tokens and values without line ends and NUL, as http1 does. Pseudo-header fields that will be dropped pass.
func checkFields(fields []string) error {
	if len(fields)%2 != 0 {
		return fault.Protocolf("%d header names and values: expected them to alternate", len(fields))
	}
	for i := 0; i < len(fields); i += 2 {
		name, value := fields[i], fields[i+1]
		if !ascii.IsToken(name) && !requestPseudo(name) {
			return fault.Protocolf("invalid header name %s", fault.Quote(name))
		}
		if at := lineEnd(value); at >= 0 {
			return fault.Protocolf("unexpected char 0x%02x at %d in the value of header %s", value[at], at, name)
		}
	}
	return nil
}

// dropped reports whether a field has no place in HTTP/2 (RFC 9113 section 8.2.2). The name is compared without case, the value is TE's only as
// this client writes it.
func dropped(name, value string) bool {
	switch len(name) {
	case len("te"):
		return ascii.EqualFold(name, "te") && value != "trailers"
	case len("host"):
		return ascii.EqualFold(name, "host")
	case len("upgrade"): // and :method, :scheme
		return ascii.EqualFold(name, "upgrade") || name == ":method" || name == ":scheme"
	case len("encoding"):
		return ascii.EqualFold(name, "encoding")
	case len(":path"):
		return name == ":path"
	case len("connection"): // and keep-alive, :authority
		return ascii.EqualFold(name, "connection") || ascii.EqualFold(name, "keep-alive") || name == ":authority"
	case len("proxy-connection"):
		return ascii.EqualFold(name, "proxy-connection")
	case len("transfer-encoding"):
		return ascii.EqualFold(name, "transfer-encoding")
	}
	return false
}

// requestPseudo reports whether the name is one that an application may have copied from another request.
func requestPseudo(name string) bool {
	switch name {
	case ":method", ":path", ":scheme", ":authority":
		return true
	}
	return false
}

// threeDigits is "100101102" to "999", so that no status needs a string of its own.
var threeDigits = func() string {
	b := make([]byte, 0, 3*900)
	for n := 100; n < 1000; n++ {
		b = append(b, byte('0'+n/100), byte('0'+n/10%10), byte('0'+n%10))
	}
	return string(b)
}()
