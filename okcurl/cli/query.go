package cli

import (
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// encoded is the content of a --data-urlencode: of "text", "=text", "name=text", "@FILE" and "name@FILE" the text or the file is encoded.
func encoded(text string, in io.Reader) ([]byte, error) {
	at := strings.IndexAny(text, "=@")
	if at < 0 {
		return []byte(url.QueryEscape(text)), nil
	}
	name, value := text[:at], []byte(text[at+1:])
	if text[at] == '@' {
		var err error
		if value, err = readNamed(text[at+1:], in); err != nil {
			return nil, err
		}
	}
	if name != "" {
		name += "="
	}
	return append([]byte(name), url.QueryEscape(string(value))...), nil
}

// withQuery puts data behind the query that the URL has.
func (o *options) withQuery(u okhttp.URL, data []byte) (okhttp.URL, error) {
	if len(data) == 0 {
		return u, nil
	}
	query := string(data)
	if own, _ := u.EncodedQuery(); own != "" {
		query = own + "&" + query
	}
	return u.Edit().EncodedQuery(query).Build()
}

// addURLQuery notes a --url-query. A plus before it says that it is encoded.
func (o *options) addURLQuery(text string) {
	part := dataPart{dataEncoded, text}
	if raw, ok := strings.CutPrefix(text, "+"); ok {
		part = dataPart{dataRaw, raw}
	}
	o.urlQuery = append(o.urlQuery, part)
}

// wholeQuery reads what goes behind the queries of all URLs: that of --url-query, then the data of --get.
func (o *options) wholeQuery(in io.Reader) ([]byte, error) {
	parts := o.urlQuery
	if o.get {
		parts = slices.Concat(parts, o.data)
	}
	return joined(parts, in)
}

// joined reads all parts, with & between the pieces, and nothing before JSON.
func joined(parts []dataPart, in io.Reader) (all []byte, err error) {
	for i, p := range parts {
		text, err := p.content(in)
		if err != nil {
			return nil, err
		}
		if i > 0 && p.kind != dataJSON {
			all = append(all, '&')
		}
		all = append(all, text...)
	}
	return slices.Clip(all), nil
}
