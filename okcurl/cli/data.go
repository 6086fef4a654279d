package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

type dataKind uint8

const (
	dataForm    dataKind = iota // -d
	dataBinary                  // --data-binary
	dataRaw                     // --data-raw
	dataJSON                    // --json
	dataEncoded                 // --data-urlencode
)

// dataPart is one piece of the request body, as it was given.
type dataPart struct {
	kind dataKind
	text string
}

func (o *options) addData(kind dataKind, text string) {
	o.data = append(o.data, dataPart{kind, text})
}

func (o *options) sendsJSON() bool {
	for _, p := range o.data {
		if p.kind == dataJSON {
			return true
		}
	}
	return false
}

// file returns the file that a part stands for, "-" for standard input.
func (p dataPart) file() (name string, ok bool) {
	if p.kind == dataRaw || p.kind == dataEncoded {
		return "", false
	}
	return strings.CutPrefix(p.text, "@")
}

// content reads a part. Forms lose what an editor adds to a file: its line ends, and NUL, which no form can have.
func (p dataPart) content(in io.Reader) ([]byte, error) {
	if p.kind == dataEncoded {
		return encoded(p.text, in)
	}
	name, ok := p.file()
	if !ok {
		return []byte(p.text), nil
	}
	text, err := readNamed(name, in)
	if err != nil {
		return nil, err
	}
	if p.kind == dataForm {
		text = slices.DeleteFunc(text, func(c byte) bool { return c == '\r' || c == '\n' || c == 0 })
	}
	return text, nil
}

// readNamed reads a file, or standard input for "-".
func readNamed(name string, in io.Reader) ([]byte, error) {
	if name != "-" {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, &failure{code: exitRead, text: "cannot read " + pathText(err)}
		}
		return text, nil
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, &failure{code: exitRead, text: "cannot read standard input: " + err.Error()}
	}
	return text, nil
}

// pathText renders the failure of a file without the name of the system call.
func pathText(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Path + ": " + pe.Err.Error()
	}
	return err.Error()
}

// body makes the request body of all parts, nil if there are none. That of a file to upload belongs to its URL: see upload. It is made once and sent to every URL. A file that is the whole body
// is not loaded but read anew each time.
func (o *options) body(in io.Reader) (*okhttp.Body, error) {
	switch {
	case len(o.form) > 0:
		return o.formBody(in)
	case len(o.data) == 0 || o.get:
		return nil, nil
	}
	contentType := o.contentType()
	if p := o.data[0]; len(o.data) == 1 && p.kind != dataForm && p.kind != dataEncoded {
		if name, ok := p.file(); ok && isRegular(name) {
			return o.framed(okhttp.File(name, contentType))
		}
	}
	all, err := joined(o.data, in)
	if err != nil {
		return nil, err
	}
	return o.framed(okhttp.Bytes(contentType, all))
}

// framed returns the body, or the same content sent chunked if a header asks for it.
func (o *options) framed(body *okhttp.Body) (*okhttp.Body, error) {
	if coding, ok := o.headerValue("Transfer-Encoding"); !ok || !strings.EqualFold(coding, "chunked") || body.Len() < 0 {
		return body, nil
	}
	return okhttp.NewBody(okhttp.BodyConfig{ContentType: body.ContentType(), Len: -1, OneShot: body.IsOneShot(), Open: body.Open})
}

// isRegular reports whether a name is that of a file that can be read again.
func isRegular(name string) bool {
	if name == "-" {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false // reading it says why
	}
	defer f.Close()
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// contentType returns the type that a header names, otherwise the one that the kind of data implies.
func (o *options) contentType() string {
	if value, ok := o.headerValue("Content-Type"); ok {
		return value
	}
	switch {
	case o.removes("Content-Type"):
		return ""
	case o.sendsJSON():
		return "application/json"
	}
	return "application/x-www-form-urlencoded"
}
