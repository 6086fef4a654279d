package okmultipart

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/okhttp-go/ok/okhttp"
)

// octetStream is the type of a file that nobody named the type of. Without one, it would be text (RFC 7578 section 4.4).
const octetStream = "application/octet-stream"

// Form makes a body of type "multipart/form-data" (RFC 7578) of the parts of a form. It fails as [New] does.
func Form(parts ...Part) (*okhttp.Body, error) { return New(&Config{Type: FormData}, parts...) }

// Field is the field of a form with a text. The text is sent as it is, in UTF-8.
func Field(name, value string) Part {
	return Data(okhttp.Headers{}, "", []byte(value)).disposed(name, nil)
}

// Bytes is a file of a form with the content p, which must not be modified afterwards. contentType "" means "application/octet-stream".
func Bytes(name, filename, contentType string, p []byte) Part {
	return Data(okhttp.Headers{}, orOctetStream(contentType), p).disposed(name, &filename)
}

// File is a file of a form, under the last element of its path. Its length is read now, and a file that is not there fails [New]; the file is
// opened anew for each attempt, and if it is longer or shorter by then the call fails. contentType "" means "application/octet-stream".
func File(name, file, contentType string) Part {
	info, err := os.Stat(file)
	return ofFile(info, err, contentType, func() (fs.File, error) { return os.Open(file) }).disposed(name, new(filepath.Base(file)))
}

// FileFS is like [File] for a file in a file system.
func FileFS(name string, fsys fs.FS, file, contentType string) Part {
	info, err := fs.Stat(fsys, file)
	return ofFile(info, err, contentType, func() (fs.File, error) { return fsys.Open(file) }).disposed(name, new(path.Base(file)))
}

func ofFile(info fs.FileInfo, err error, contentType string, open func() (fs.File, error)) Part {
	p := Part{contentType: orOctetStream(contentType), length: -1, err: err}
	p.open = func(context.Context) (io.ReadCloser, error) { return open() }
	switch {
	case err != nil:
	case info.IsDir():
		p.err = &fs.PathError{Op: "open", Path: info.Name(), Err: errors.New("is a directory")}
	case info.Mode().IsRegular():
		p.length = info.Size()
	}
	return p
}

// FromReader is a file of a form that is read from r, once, so that the body is one-shot. The length is in bytes, -1 if it is not known. If r is
// an [io.Closer], it is closed after it was sent or sending it failed. contentType "" means "application/octet-stream".
func FromReader(name, filename, contentType string, length int64, r io.Reader) Part {
	opened := new(atomic.Bool)
	return Part{contentType: orOctetStream(contentType), length: max(length, -1), oneShot: true, open: func(context.Context) (io.ReadCloser, error) {
		if opened.Swap(true) {
			return nil, errors.New("okmultipart: a one-shot part was sent before")
		}
		if rc, ok := r.(io.ReadCloser); ok {
			return rc, nil
		}
		return io.NopCloser(r), nil
	}}.disposed(name, &filename)
}

// FromBody is a field of a form with the content and the media type of the body of a request, such as one of [okhttp.JSON]; with a filename that is not
// "" it is a file. Otherwise it is as [BodyPart].
func FromBody(name, filename string, body *okhttp.Body) Part {
	p := BodyPart(okhttp.Headers{}, body)
	if filename == "" {
		return p.disposed(name, nil)
	}
	p.contentType = orOctetStream(p.contentType)
	return p.disposed(name, &filename)
}

func orOctetStream(contentType string) string {
	if contentType == "" {
		return octetStream
	}
	return contentType
}

// formQuotes escapes what would end a quoted name, as browsers do (WHATWG HTML section 4.10.21.8). A backslash and characters beyond ASCII stay.
var formQuotes = strings.NewReplacer("\n", "%0A", "\r", "%0D", `"`, "%22")

// disposed puts the name of a field, and of a file, on the part.
func (p Part) disposed(name string, filename *string) Part {
	value := `form-data; name="` + formQuotes.Replace(name) + `"`
	if filename != nil {
		value += `; filename="` + formQuotes.Replace(*filename) + `"`
	}
	h, err := p.headers.AddNonASCII("Content-Disposition", value)
	if p.err == nil {
		p.headers, p.err = h, err
	}
	return p
}
