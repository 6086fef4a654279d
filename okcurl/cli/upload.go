package cli

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// upload makes the body of --upload-file, and the URL that it goes to: one that ends with a slash gets the name of the file. Standard input is sent as it
// comes, and once.
func (o *options) upload(n int, u okhttp.URL, in io.Reader) (*okhttp.Body, okhttp.URL, error) {
	name := o.uploads[n]
	if name == "-" || name == "." {
		return okhttp.OneShot(o.uploadType(), -1, in), u, nil
	}
	if strings.HasSuffix(u.EncodedPath(), "/") {
		named, err := u.Edit().AddPathSegment(filepath.Base(name)).Build()
		if err != nil {
			return nil, u, err
		}
		u = named
	}
	if isRegular(name) {
		body, err := o.framed(okhttp.File(name, o.uploadType()))
		return body, u, err
	}
	text, err := readNamed(name, in)
	if err != nil {
		return nil, u, err
	}
	body, err := o.framed(okhttp.Bytes(o.uploadType(), text))
	return body, u, err
}

// uploadType is what a header says, otherwise nothing: curl does not guess either.
func (o *options) uploadType() string {
	value, _ := o.headerValue("Content-Type")
	return value
}

// readsInput reports whether the body is standard input, which can be sent once.
func (o *options) readsInput() bool {
	for _, name := range o.uploads {
		if name == "-" || name == "." {
			return true
		}
	}
	for _, p := range o.form {
		if p.content == '@' && p.text == "-" {
			return true
		}
	}
	return false
}

// wantsAgain reports whether the client stopped at a response because what it asks for would take a body once more that can be sent once.
func (o *options) wantsAgain(resp *okhttp.Response) bool {
	body := resp.Request().Body()
	switch {
	case body == nil || !body.IsOneShot():
		return false
	case o.location && isRedirect(resp):
		location, _ := resp.Headers().Last("Location")
		_, err := resp.Request().URL().Resolve(location)
		return err == nil
	}
	return o.digest && resp.Status == 401 && slices.ContainsFunc(resp.Challenges(), func(c okhttp.Challenge) bool { return strings.EqualFold(c.Scheme, "Digest") })
}
