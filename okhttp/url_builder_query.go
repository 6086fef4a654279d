package okhttp

import "strings"

// Query replaces the whole query, without "?". "+" and "%" are encoded; "&" and "=" keep their meaning.
func (b *URLBuilder) Query(query string) *URLBuilder {
	b.query, b.hasQuery = appendEncoded(nil, query, rawQuery), true
	return b
}

// EncodedQuery replaces the whole query by one that may be percent-encoded.
func (b *URLBuilder) EncodedQuery(query string) *URLBuilder {
	b.query, b.hasQuery = appendEncoded(nil, removeNewlines(query), encodeQuery), true
	return b
}

// ClearQuery removes the query and its "?".
func (b *URLBuilder) ClearQuery() *URLBuilder {
	b.query, b.hasQuery = nil, false
	return b
}

// AddQuery adds a parameter at the end, after any others of that name.
func (b *URLBuilder) AddQuery(name, value string) *URLBuilder {
	b.AddQueryName(name)
	b.query = appendEncoded(append(b.query, '='), value, rawParameter)
	return b
}

// AddQueryName adds a parameter without a value, as "b" in "?a=1&b".
func (b *URLBuilder) AddQueryName(name string) *URLBuilder {
	if b.hasQuery {
		b.query = append(b.query, '&')
	}
	b.query, b.hasQuery = appendEncoded(b.query, name, rawParameter), true
	return b
}

// SetQuery replaces every parameter of that name by one at the end.
func (b *URLBuilder) SetQuery(name, value string) *URLBuilder {
	return b.RemoveQuery(name).AddQuery(name, value)
}

// RemoveQuery removes every parameter of that name. With the last parameter goes the "?".
func (b *URLBuilder) RemoveQuery(name string) *URLBuilder {
	if !b.hasQuery {
		return b
	}
	name = replaceInvalid(name)
	var kept []byte
	some := false
	for pair := range strings.SplitSeq(string(b.query), "&") {
		if n, _, _ := strings.Cut(pair, "="); percentDecode(n, true) == name {
			continue
		}
		if some {
			kept = append(kept, '&')
		}
		kept, some = append(kept, pair...), true
	}
	b.query, b.hasQuery = kept, some
	return b
}
