package okcache

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
)

// Where several responses are stored for a URL, the first is where OkHttp looks for one, and the others are entries of their own that it does not find. An index
// tells which headers Vary has named, and a random word that the keys of these entries depend on: when the index is removed, so is the way to all of them, and
// they go as others do that nobody uses.
const (
	variantMethod = "VARIANT"  // in the place of the method
	indexMethod   = "VARIANTS" // in the place of the method
)

// maxIndexed bounds how many different Vary headers of a URL are remembered.
const maxIndexed = 8

type index struct {
	word  string
	names [][]string // lower case, sorted
}

func indexKey(p place) string { return keyOf(p.text + "\n" + indexMethod) }

// encode writes the index, which begins like an entry.
func (ix *index) encode(url string) []byte {
	b := line(line(line(nil, url), indexMethod), ix.word)
	b = count(b, len(ix.names))
	for _, names := range ix.names {
		b = line(b, strings.Join(names, ","))
	}
	return b
}

func parseIndex(s, url string) *index {
	p := entryParser{rest: s}
	if p.next() != url || p.next() != indexMethod {
		return nil
	}
	ix := &index{word: p.next()}
	for n := p.count(); n > 0 && p.err == nil; n-- {
		ix.names = append(ix.names, strings.Split(p.next(), ","))
	}
	if p.err != nil || len(ix.names) > maxIndexed {
		return nil
	}
	return ix
}

// isIndex reports whether an entry is an index that can be read.
func isIndex(metadata string) bool {
	p := entryParser{rest: metadata}
	return parseIndex(metadata, p.next()) != nil
}

func (c *Cache) loadIndex(p place) *index {
	snapshot, err := c.store.Get(indexKey(p))
	if err != nil {
		return nil
	}
	defer snapshot.Close()
	text, err := readMetadata(snapshot)
	if err != nil {
		return nil
	}
	return parseIndex(text, p.text)
}

func (c *Cache) writeIndex(p place, ix *index) error {
	editor, err := c.store.Edit(indexKey(p))
	if err != nil {
		return err
	}
	err = writeValue(editor, metadataValue, ix.encode(p.text))
	if err == nil {
		err = writeValue(editor, bodyValue, nil)
	}
	if err != nil {
		editor.Abort()
		return err
	}
	return editor.Commit()
}

// key returns the key of the entry for requests with those headers.
func (ix *index) key(c *Cache, p place, names []string, h okhttp.Headers) string {
	var b strings.Builder
	b.WriteString(p.text + "\n" + ix.word)
	for _, name := range names {
		b.WriteString("\n" + name)
		if c.config.RFC9111 {
			b.WriteString(":" + strconv.Quote(normalized(h, name)))
			continue
		}
		for value := range h.Values(name) {
			b.WriteString(":" + strconv.Quote(value))
		}
	}
	return keyOf(b.String())
}

// indexed returns names as an index has them.
func indexed(names []string) []string {
	lower := make([]string, len(names))
	for i, name := range names {
		lower[i] = strings.ToLower(name)
	}
	slices.Sort(lower)
	return lower
}

// lookupVariant finds the latest response for requests with those headers; found is the one that is in the first place.
func (c *Cache) lookupVariant(p place, h okhttp.Headers, found *candidate) *candidate {
	ix := c.loadIndex(p)
	if ix == nil {
		return found
	}
	for _, names := range ix.names {
		other := c.load(p, ix.key(c, p, names, h))
		if other == nil {
			continue
		}
		if other.entry.method != variantMethod || !c.varyMatches(other.entry, h) || found != nil && found.entry.received >= other.entry.received {
			other.close()
			continue
		}
		found.close()
		found = other
	}
	return found
}

var errTooManyVaries = errors.New("okcache: the URL varies in too many ways")

// variantFor returns the key to store a response under: the first place if that is free, has one for the same requests or one that does not vary, and
// otherwise one of its own.
func (c *Cache) variantFor(p place, e *entry) (string, error) {
	names, _ := varyOf(e.headers)
	if len(names) == 0 {
		_, err := c.store.Remove(indexKey(p)) // it is for all requests
		return p.key, err
	}
	first := c.load(p, p.key)
	if first == nil {
		return p.key, nil
	}
	firstNames, _ := varyOf(first.entry.headers)
	same := len(firstNames) == 0 ||
		slices.Equal(indexed(firstNames), indexed(names)) && c.varyMatches(first.entry, okhttp.UncheckedHeaders(e.varied))
	first.close()
	if same {
		return p.key, nil
	}
	ix := c.loadIndex(p)
	if ix == nil {
		word := make([]byte, 16)
		rand.Read(word)
		ix = &index{word: hex.EncodeToString(word)}
	}
	list := indexed(names)
	if !slices.ContainsFunc(ix.names, func(n []string) bool { return slices.Equal(n, list) }) {
		if len(ix.names) == maxIndexed {
			return "", errTooManyVaries
		}
		ix.names = append(ix.names, list)
		if err := c.writeIndex(p, ix); err != nil {
			return "", err
		}
	}
	return ix.key(c, p, list, okhttp.UncheckedHeaders(e.varied)), nil
}
