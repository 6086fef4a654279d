package okhttp

import "strings"

// Query replaces the whole query, without "?". "+" and "%" are encoded; "&" and "=" keep their meaning.
func (b *URLBuilder) Query(query string) *URLBuilder {
	b.query, b.hasQuery = encode(query, rawQuery), true
	return b
}

// EncodedQuery replaces the whole query by one that may be percent-encoded.
func (b *URLBuilder) EncodedQuery(query string) *URLBuilder {
	b.query, b.hasQuery = encode(removeNewlines(query), encodeQuery), true
	return b
}

// ClearQuery removes the query and its "?".
func (b *URLBuilder) ClearQuery() *URLBuilder {
	b.query, b.hasQuery = "", false
	return b
}

// AddQuery adds a parameter at the end, after any others of that name.
func (b *URLBuilder) AddQuery(name, value string) *URLBuilder {
	return b.addParameter(encode(name, rawParameter) + "=" + encode(value, rawParameter))
}

// AddQueryName adds a parameter without a value, as "b" in "?a=1&b".
func (b *URLBuilder) AddQueryName(name string) *URLBuilder {
	return b.addParameter(encode(name, rawParameter))
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
	var kept []string
	for pair := range strings.SplitSeq(b.query, "&") {
		if n, _, _ := strings.Cut(pair, "="); percentDecode(n, true) != name {
			kept = append(kept, pair)
		}
	}
	b.query, b.hasQuery = strings.Join(kept, "&"), len(kept) > 0
	return b
}

func (b *URLBuilder) addParameter(pair string) *URLBuilder {
	if b.hasQuery {
		pair = b.query + "&" + pair
	}
	b.query, b.hasQuery = pair, true
	return b
}
