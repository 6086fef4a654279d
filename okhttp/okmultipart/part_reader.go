package okmultipart

import (
	"io"
	"mime"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// PartReader is a part as it comes: an [io.ReadCloser] and an [okio.Source]. It can be read until the next call of [Reader.NextPart], and fails with
// [okio.ErrClosed] afterwards. It is not safe for concurrent use.
type PartReader struct {
	r        *Reader
	headers  okhttp.Headers
	isClosed bool
}

// Headers returns the headers of the part. A Content-Length among them means nothing.
func (p *PartReader) Headers() okhttp.Headers { return p.headers }

// ContentType returns the media type, "" if the part names none, which means "text/plain" (RFC 2046 section 5.1).
func (p *PartReader) ContentType() string { return p.headers.Get("Content-Type") }

// FormName returns the name of the field of a form (RFC 7578 section 4.2), "" if the part is none. What browsers write for a quote and for ends
// of lines, as "%22", stays, because a name may have these characters itself.
func (p *PartReader) FormName() string {
	kind, params := p.disposition()
	if kind != "form-data" {
		return ""
	}
	return params["name"]
}

// FileName returns the name of the file that the part is, without any directories (RFC 7578 section 4.2), "" if it is none. It is what the sender
// claims; "." and ".." are none.
func (p *PartReader) FileName() string {
	_, params := p.disposition()
	name := params["filename"]
	if name = name[strings.LastIndexAny(name, `/\`)+1:]; name == "." || name == ".." {
		return ""
	}
	return name
}

func (p *PartReader) disposition() (string, map[string]string) {
	value := p.headers.Get("Content-Disposition")
	kind, params, err := mime.ParseMediaType(value)
	if err != nil {
		// Browsers write a backslash as it is (WHATWG HTML section 4.10.21.8), where it is the last one too: then it is no escape of the quote.
		kind, params, err = mime.ParseMediaType(strings.ReplaceAll(value, `\`, `\\`))
	}
	if err != nil {
		return "", nil
	}
	return kind, params
}

// Read implements [io.Reader].
func (p *PartReader) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if err := p.ready(); err != nil {
		return 0, err
	}
	n, err := p.r.src.Buffer().Read(b[:min(int64(len(b)), p.r.clear)])
	p.r.clear -= int64(n)
	return n, err
}

// ReadBuffer implements [okio.Source]: whole segments move, nothing is copied.
func (p *PartReader) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if most > 0 {
		if err := p.ready(); err != nil {
			return 0, err
		}
		most = min(most, p.r.clear)
	}
	n, err := p.r.src.Buffer().ReadBuffer(dst, most) // which refuses a count below zero
	p.r.clear -= n
	return n, err
}

// ready waits until there are bytes of the part in front.
func (p *PartReader) ready() error {
	if p.isClosed || p.r.current != p {
		return okio.ErrClosed
	}
	if err := p.r.usable(); err != nil {
		return err
	}
	if err := p.r.scan(); err != nil {
		return err
	}
	if p.r.clear == 0 {
		return io.EOF
	}
	return nil
}

// Close gives up the part. It does not close the reader, which goes on with the next part.
func (p *PartReader) Close() error {
	p.isClosed = true
	return nil
}

// Timeout returns the time limits of the source beneath.
func (p *PartReader) Timeout() *okio.Timeout { return p.r.src.Timeout() }
