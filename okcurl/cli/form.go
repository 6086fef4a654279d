package cli

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp/okmultipart"
)

// formPart is one --form or --form-string.
type formPart struct {
	name        string
	content     byte   // '@' for a file, '<' for the text of one, 0 for a text
	text        string // or the name of the file
	contentType string // "" if none was given
	filename    string // the same
}

// addForm reads name=text, name=@FILE or name=<FILE, with parameters behind. A plain one is name=text alone.
func (o *options) addForm(text string, plain bool) error {
	name, rest, ok := strings.Cut(text, "=")
	if !ok {
		return errors.New("expected NAME=CONTENT") // the text may be a secret
	}
	p := formPart{name: name, text: rest}
	if !plain {
		if err := p.parse(rest); err != nil {
			return err
		}
	}
	o.form = append(o.form, p)
	return nil
}

func (p *formPart) parse(text string) error {
	if text != "" && (text[0] == '@' || text[0] == '<') {
		p.content, text = text[0], text[1:]
	}
	var err error
	if p.text, text, err = formValue(text); err != nil {
		return err
	}
	if p.content != 0 && p.text == "" {
		return fmt.Errorf("part %s: expected a file name after %c", p.name, p.content)
	}
	for text != "" {
		key, rest, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("part %s: expected type= or filename= after the semicolon", p.name)
		}
		var value string
		if value, text, err = formValue(rest); err != nil {
			return err
		}
		switch strings.TrimSpace(key) {
		case "type":
			for text != "" && !strings.HasPrefix(strings.TrimSpace(text), "filename=") { // parameters of the type
				var more string
				if more, text, err = formValue(text); err != nil {
					return err
				}
				value += ";" + more
			}
			p.contentType = value
		case "filename":
			p.filename = value
		default:
			return fmt.Errorf("part %s: unknown parameter %q, expected type or filename", p.name, strings.TrimSpace(key))
		}
	}
	return nil
}

// formValue takes a value off a text, up to a semicolon, or in quotes with backslashes before quotes and backslashes.
func formValue(text string) (value, rest string, err error) {
	if !strings.HasPrefix(text, `"`) {
		value, rest, _ = strings.Cut(text, ";")
		return value, rest, nil
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			rest, ok := strings.CutPrefix(strings.TrimSpace(text[i+1:]), ";")
			if !ok && rest != "" {
				return "", "", errors.New("expected a semicolon after the closing quote")
			}
			return b.String(), rest, nil
		case c == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", "", errors.New("expected a closing quote")
}

// formBody makes the multipart body. Files are read anew each time it is sent.
func (o *options) formBody(in io.Reader) (*okhttp.Body, error) {
	parts := make([]okmultipart.Part, len(o.form))
	for i, p := range o.form {
		part, err := p.part(in)
		if err != nil {
			return nil, err
		}
		parts[i] = part
	}
	kind, given := o.headerValue("Content-Type")
	own, _ := okmultipart.BoundaryOf(kind) // "" if it has none
	body, err := okmultipart.New(&okmultipart.Config{Type: okmultipart.FormData, Boundary: own}, parts...)
	if err != nil {
		return nil, &failure{exitRead, "cannot make the form: " + libraryText(err)}
	}
	if given {
		if boundary, err := okmultipart.BoundaryOf(body.ContentType()); err == nil && own == "" { // it has one
			kind += "; boundary=" + boundary
		}
		if body, err = okhttp.NewBody(okhttp.BodyConfig{ContentType: kind, Len: body.Len(), OneShot: body.IsOneShot(), Open: body.Open}); err != nil {
			return nil, err
		}
	}
	return o.framed(body)
}

func (p *formPart) part(in io.Reader) (okmultipart.Part, error) {
	filename := p.filename
	switch {
	case p.content == '@':
		if filename == "" {
			filename = path.Base(strings.ReplaceAll(p.text, `\`, "/"))
		}
		if p.text == "-" {
			return p.made(filename, okhttp.OneShot(p.typeOr("application/octet-stream"), -1, in))
		}
		if !isRegular(p.text) { // a pipe, or what cannot be read
			text, err := readNamed(p.text, in)
			if err != nil {
				return okmultipart.Part{}, err
			}
			return p.made(filename, okhttp.Bytes(p.typeOr("application/octet-stream"), text))
		}
		return p.made(filename, okhttp.File(p.text, p.typeOr("application/octet-stream")))
	case p.content == '<':
		text, err := readNamed(p.text, in)
		if err != nil {
			return okmultipart.Part{}, err
		}
		return p.made(filename, okhttp.Bytes(p.contentType, text))
	}
	return p.made(filename, okhttp.Bytes(p.contentType, []byte(p.text)))
}

// made is the part with its content. Without a name its field has none, which a form does not know (RFC 7578 section 4.2), but curl.
func (p *formPart) made(filename string, body *okhttp.Body) (okmultipart.Part, error) {
	if p.name != "" {
		return okmultipart.FromBody(p.name, filename, body), nil
	}
	disposition := "form-data"
	if filename != "" {
		disposition += `; filename="` + strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A").Replace(filename) + `"`
	}
	headers, err := (okhttp.Headers{}).AddNonASCII("Content-Disposition", disposition)
	if err != nil {
		return okmultipart.Part{}, &failure{exitUsage, "cannot make the form: " + libraryText(err)}
	}
	return okmultipart.BodyPart(headers, body), nil
}

func (p *formPart) typeOr(standard string) string {
	if p.contentType != "" {
		return p.contentType
	}
	return standard
}
