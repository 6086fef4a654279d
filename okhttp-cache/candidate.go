package okcache

import (
	"errors"
	"io"
	"io/fs"
	"strconv"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okhttp-cache/disklru"
	"github.com/okhttp-go/ok/okio"
)

// candidate is a stored response that may be the answer to a request.
type candidate struct {
	entry    *entry
	snapshot Snapshot
	after    func() // to do when the body is closed, or nil
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

// load reads the head of an entry. What is damaged is no use and is removed; what cannot be read now may be the next time.
func (c *Cache) load(p place, key string) *candidate {
	snapshot, err := c.store.Get(key)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			c.log("could not read the store", p.url, err)
		}
		return nil
	}
	e, err := c.readEntry(snapshot)
	if err == nil && e.url == p.text {
		snapshot.Source(metadataValue).Close() // it has been read, and descriptors are few
		return &candidate{entry: e, snapshot: snapshot}
	}
	snapshot.Close()
	switch {
	case err == nil: // it is of another URL with the same key
	case damaged(err):
		c.log("a stored response is damaged", p.url, err)
		c.store.Remove(key)
	default:
		c.log("could not read a stored response", p.url, err)
	}
	return nil
}

// damaged reports whether err tells of a stored response that will never be read, rather than of a disk or a system that cannot read it now.
func damaged(err error) bool {
	var corrupt *CorruptError
	return errors.As(err, &corrupt) || errors.Is(err, errUndecipherable) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// readEntry reads the head of an entry.
func (c *Cache) readEntry(s Snapshot) (*entry, error) {
	text, err := readMetadata(s)
	if err != nil {
		return nil, err
	}
	e, err := c.heads.parse(s.Key(), text)
	if err != nil {
		return nil, err
	}
	return e, checkBody(s, e)
}

// checkBody holds the length that a head tells against the body.
func checkBody(s Snapshot, e *entry) error {
	if want, got := e.length(), s.Length(bodyValue); want >= 0 && want != got && hasContent(e.status) {
		return &CorruptError{1, "the body has " + strconv.FormatInt(got, 10) + " bytes, but Content-Length tells of " + strconv.FormatInt(want, 10)}
	}
	return nil
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
func (e *entry) response(to *okhttp.Request) *okhttp.Response {
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
	return e.make(req, e.headers, okhttp.ResponseBodyFrom(okhttp.UncheckedHeaders(e.headers).Get("Content-Type"), e.length(), unread{}), nil)
}

// unread is the body of a response that is not to be read.
type unread struct{}

func (unread) ReadBuffer(*okio.Buffer, int64) (int64, error) { return 0, okhttp.ErrUnreadableBody }
func (unread) Close() error                                  { return nil }

// answer returns the stored response as one to a request, with those headers and its body, which closes the snapshot.
func (s *candidate) answer(to *okhttp.Request, headers []string) *okhttp.Response {
	body := &storedBody{snapshot: s.snapshot, source: s.snapshot.Source(bodyValue), left: s.snapshot.Length(bodyValue), after: s.after}
	e := s.entry
	return e.make(to, headers, okhttp.ResponseBodyFrom(okhttp.UncheckedHeaders(headers).Get("Content-Type"), e.length(), body), e.asCached(to))
}

// asCached tells of what is stored, if anybody asks: it takes as long as the answer does.
func (e *entry) asCached(to *okhttp.Request) okhttp.ResponseOption {
	return okhttp.WithCacheResponseFunc(func() *okhttp.Response { return e.response(to) })
}

func (e *entry) make(req *okhttp.Request, headers []string, body, cached okhttp.ResponseOption) *okhttp.Response {
	handshake := okhttp.ResponseOption(nil)
	if e.handshake != nil {
		handshake = okhttp.WithHandshake(e.handshake)
	}
	resp := okhttp.NewResponse(req, e.status, body, cached, handshake,
		okhttp.ResponseHeaders(okhttp.UncheckedHeaders(headers)),
		okhttp.WithTimes(time.UnixMilli(e.sent), time.UnixMilli(e.received)),
	)
	resp.Message, resp.Protocol = e.message, e.protocol
	return resp
}

// update stores what has changed of the head. The body stays. Where open files cannot be replaced, that has to wait until the body is closed: later is not nil
// then.
func (s *candidate) update() (later func()) {
	editor, err := s.snapshot.Edit()
	var refused *disklru.RefusedError
	if errors.As(err, &refused) && refused.Reason == disklru.Reading {
		again := *s
		return func() { again.update() }
	}
	if err != nil {
		return nil // it has changed meanwhile, or the store would rather not
	}
	if err := writeValue(editor, metadataValue, s.entry.encode()); err != nil {
		editor.Abort()
		return nil
	}
	_ = editor.Commit() // of which nobody but the store has to know
	return nil
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
	left     int64  // known, so that nobody has to read in order to see the end
	after    func() // to do when it is closed, or nil
	closed   bool
}

// ended reports whether nothing is left, and why.
func (b *storedBody) ended() error {
	switch {
	case b.closed:
		return okio.ErrClosed
	case b.left == 0:
		return io.EOF
	}
	return nil
}

// took accounts for what was read. A file that ends too early is none that was stored.
func (b *storedBody) took(n int64, err error) error {
	b.left -= n
	if isEOF(err) && b.left > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (b *storedBody) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	if err := b.ended(); err != nil || most == 0 {
		return 0, err
	}
	n, err := b.source.ReadBuffer(dst, min(most, b.left))
	return n, b.took(n, err)
}

// Read implements [io.Reader], for those who have a place of their own for the bytes.
func (b *storedBody) Read(p []byte) (int, error) {
	if err := b.ended(); err != nil || len(p) == 0 {
		return 0, err
	}
	p = p[:min(int64(len(p)), b.left)]
	if r, ok := b.source.(io.Reader); ok {
		n, err := r.Read(p)
		return n, b.took(int64(n), err)
	}
	var buf okio.Buffer
	n, err := b.source.ReadBuffer(&buf, int64(len(p)))
	if err != nil {
		return 0, b.took(0, err)
	}
	buf.Read(p)
	return int(n), b.took(n, nil)
}

func (b *storedBody) Close() error {
	b.closed = true
	err := b.snapshot.Close()
	if b.after != nil {
		b.after()
		b.after = nil
	}
	return err
}

func secondsText(millis int64) string { return strconv.FormatInt(millis/1000, 10) }

func pairs(h okhttp.Headers) []string {
	nv := make([]string, 0, 2*h.Len())
	for name, value := range h.All() {
		nv = append(nv, name, value)
	}
	return nv
}
