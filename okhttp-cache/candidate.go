package okcache

import (
	"errors"
	"io"
	"io/fs"
	"strconv"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// candidate is a stored response that may be the answer to a request.
type candidate struct {
	entry    *entry
	snapshot Snapshot
}

func (s *candidate) entryOrNil() *entry {
	if s == nil {
		return nil
	}
	return s.entry
}

func (s *candidate) close() {
	if s != nil {
		s.snapshot.Close()
	}
}

// lookup finds what is stored in a place and is for requests with those headers.
func (c *Cache) lookup(p place, h okhttp.Headers) *candidate {
	found := c.load(p, p.key)
	if found != nil && !(found.entry.method == "GET" && c.varyMatches(found.entry, h)) {
		found.close()
		found = nil
	}
	if c.config.Variants {
		return c.lookupVariant(p, h, found)
	}
	return found
}

// load reads the head of an entry. What cannot be read is no use and is removed.
func (c *Cache) load(p place, key string) *candidate {
	snapshot, err := c.store.Get(key)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			c.log("could not read the store", p.url, err)
		}
		return nil
	}
	e, err := readEntry(snapshot)
	if err == nil && e.url == p.text {
		return &candidate{e, snapshot}
	}
	snapshot.Close()
	if err != nil {
		c.log("a stored response is damaged", p.url, err)
		c.store.Remove(key)
	}
	return nil
}

// readEntry reads the head of an entry, and holds the length that it tells against the body.
func readEntry(s Snapshot) (*entry, error) {
	text, err := readMetadata(s)
	if err != nil {
		return nil, err
	}
	return readEntryOf(s, text)
}

func readEntryOf(s Snapshot, text string) (*entry, error) {
	e, err := parseEntry(text)
	if err != nil {
		return nil, err
	}
	if want, got := e.length(), s.Length(bodyValue); want >= 0 && want != got && hasContent(e.status) {
		return nil, &CorruptError{1, "the body has " + strconv.FormatInt(got, 10) + " bytes, but Content-Length tells of " + strconv.FormatInt(want, 10)}
	}
	return e, nil
}

// hasContent reports whether responses of that status to a GET have content.
func hasContent(status int) bool { return status != 204 && status != 304 }

// length returns the Content-Length, -1 if there is none.
func (e *entry) length() int64 {
	for i := len(e.headers) - 2; i >= 0; i -= 2 {
		if equalFold(e.headers[i], "Content-Length") {
			n, err := strconv.ParseInt(e.headers[i+1], 10, 64)
			if err != nil {
				return -1
			}
			return n
		}
	}
	return -1
}

// response returns the stored response as it is stored, without its body.
func (s *candidate) response(to *okhttp.Request) *okhttp.Response {
	e := s.entry
	req := to
	opts := []okhttp.RequestOption{okhttp.WithMethod("GET"), okhttp.WithBody(nil), okhttp.WithHeaders(okhttp.UncheckedHeaders(e.varied))}
	if e.url != to.URL().String() {
		if u, err := okhttp.ParseURL(e.url); err == nil {
			opts = append(opts, okhttp.WithURL(u))
		}
	}
	if r, err := to.With(opts...); err == nil {
		req = r
	}
	return s.make(req, e.headers, nil).With(okhttp.WithoutBody())
}

// answer returns the stored response as one to a request, with those headers and its body, which closes the snapshot.
func (s *candidate) answer(to *okhttp.Request, headers []string) *okhttp.Response {
	return s.make(to, headers, &storedBody{s.snapshot, s.snapshot.Source(bodyValue)}).With(okhttp.WithCacheResponse(s.response(to)))
}

func (s *candidate) make(req *okhttp.Request, headers []string, body okio.Source) *okhttp.Response {
	e := s.entry
	h := okhttp.UncheckedHeaders(headers)
	if body == nil {
		body = new(okio.Buffer)
	}
	resp := okhttp.NewResponse(req, e.status,
		okhttp.ResponseStatus(e.status, e.message),
		okhttp.ResponseHeaders(h),
		okhttp.ResponseBodyFrom(h.Get("Content-Type"), e.length(), body),
		okhttp.WithHandshake(e.handshake),
		okhttp.WithTimes(time.UnixMilli(e.sent), time.UnixMilli(e.received)),
	)
	resp.Protocol = e.protocol
	return resp
}

// update stores what has changed of the head. The body stays.
func (s *candidate) update(c *Cache) {
	editor, err := s.snapshot.Edit()
	if err != nil {
		return // it has changed meanwhile, or the store would rather not
	}
	if err := writeValue(editor, metadataValue, s.entry.encode()); err != nil {
		editor.Abort()
		return
	}
	_ = editor.Commit() // of which nobody but the store has to know
}

func writeValue(editor Editor, value int, p []byte) error {
	sink, err := editor.Sink(value)
	if err != nil {
		return err
	}
	var b okio.Buffer
	defer b.Clear()
	b.Write(p)
	err = sink.WriteBuffer(&b, b.Len())
	if closing := sink.Close(); err == nil {
		err = closing
	}
	return err
}

// storedBody is the body of a stored response.
type storedBody struct {
	snapshot Snapshot
	source   okio.Source
}

func (b *storedBody) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	return b.source.ReadBuffer(dst, most)
}

// Read implements [io.Reader], for those who have a place of their own for the bytes.
func (b *storedBody) Read(p []byte) (int, error) {
	if r, ok := b.source.(io.Reader); ok {
		return r.Read(p)
	}
	if len(p) == 0 {
		return 0, nil
	}
	var buf okio.Buffer
	if _, err := b.source.ReadBuffer(&buf, int64(len(p))); err != nil {
		return 0, err
	}
	return buf.Read(p)
}

func (b *storedBody) Close() error { return b.snapshot.Close() }

func secondsText(millis int64) string { return strconv.FormatInt(millis/1000, 10) }

func pairs(h okhttp.Headers) []string {
	nv := make([]string, 0, 2*h.Len())
	for name, value := range h.All() {
		nv = append(nv, name, value)
	}
	return nv
}
