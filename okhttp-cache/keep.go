package okcache

import (
	"errors"
	"io"
	"time"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// keep stores a response of the network while it is read, if it may be, and forgets what it made obsolete. It returns the response to hand on: the same one
// if it is not stored.
func (x *exchange) keep(resp *okhttp.Response) *okhttp.Response {
	c := x.cache
	if x.filed {
		if e := x.entryFor(resp); e != nil {
			return x.store(x.place, e, resp)
		}
	}
	if x.request.Method() == "HEAD" {
		x.freshen(resp)
	}
	if invalidates(x.request.Method()) {
		c.invalidate(x.request, resp)
		if e := x.entryOfPost(resp); e != nil {
			return x.store(placeOf(x.request.URL()), e, resp)
		}
	}
	return resp
}

// entryFor returns the head to store for a response, nil if it must not be.
func (x *exchange) entryFor(resp *okhttp.Response) *entry {
	if x.said.noStore {
		return nil
	}
	headers := storedFields(pairs(resp.Headers()))
	names, ok := varyOf(headers)
	if !ok {
		return nil
	}
	sent := resp.Request()
	if n := resp.NetworkResponse(); n != nil {
		sent = n.Request() // with what network interceptors added
	}
	e := &entry{
		url: x.place.text, method: "GET",
		varied: selectHeaders(sent.Headers(), names),
		status: resp.Status, message: resp.Message, protocol: resp.Protocol,
		headers: headers,
		sent:    millis(resp.SentAt()), received: millis(resp.ReceivedAt()),
		handshake: resp.Handshake(),
	}
	if f := x.cache.freshnessOf(e, e.received); !x.cache.storable(e.status, f) {
		return nil
	}
	return e
}

// entryOfPost returns the head of a response to a POST that is what a GET of the same URL would get (RFC 9110 section 9.3.3).
func (x *exchange) entryOfPost(resp *okhttp.Response) *entry {
	if !x.cache.config.RFC9111 || x.request.Method() != "POST" || !resp.IsSuccess() {
		return nil
	}
	value, ok := resp.Headers().Last("Content-Location")
	if !ok {
		return nil
	}
	u, err := x.request.URL().Resolve(value)
	if err != nil || placeOf(u).text != placeOf(x.request.URL()).text {
		return nil
	}
	if d := directivesOf(resp.Headers()); d.maxAge == unsaid && resp.Headers().Get("Expires") == "" {
		return nil
	}
	x.place = placeOf(x.request.URL())
	return x.entryFor(resp)
}

// store begins to store a response. What the store does not take is not stored.
func (x *exchange) store(p place, e *entry, resp *okhttp.Response) *okhttp.Response {
	c := x.cache
	editor, err := c.edit(p, e)
	if err != nil {
		return resp
	}
	if err := writeValue(editor, metadataValue, e.encode()); err != nil {
		editor.Abort()
		return resp
	}
	sink, err := editor.Sink(bodyValue)
	if err != nil {
		editor.Abort()
		return resp
	}
	tee := &teeBody{cache: c, upstream: resp.Body, editor: editor, sink: sink, length: e.length(), content: hasContent(e.status)}
	if resp.Body.Len() == 0 || !tee.content {
		tee.finish() // nobody may read what is empty
	}
	return resp.With(okhttp.ResponseBodyFrom(resp.Body.ContentType(), resp.Body.Len(), tee))
}

// edit begins to write an entry.
func (c *Cache) edit(p place, e *entry) (Editor, error) {
	if !c.config.Variants {
		return c.store.Edit(p.key)
	}
	key, err := c.variantFor(p, e)
	if err != nil {
		return nil, err
	}
	if key != p.key {
		e.method = variantMethod
	}
	return c.store.Edit(key)
}

// salvageTime is how long closing a response waits for what is left of it, so that it can be stored.
const salvageTime = 100 * time.Millisecond

func isEOF(err error) bool { return errors.Is(err, io.EOF) }

// teeBody is the body of a response that is stored as far as it is read.
type teeBody struct {
	cache    *Cache
	upstream *okhttp.ResponseBody
	editor   Editor // nil once the response was stored or given up
	sink     okio.Sink
	length   int64 // that the head tells of, or -1
	got      int64
	content  bool
	copied   okio.Buffer
}

func (t *teeBody) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	n, err := t.upstream.ReadBuffer(dst, most)
	if n > 0 && t.editor != nil {
		if dst.CopyTo(&t.copied, dst.Len()-n, n) == nil { // which shares the bytes
			t.write()
		}
	}
	t.ended(err)
	return n, err
}

func (t *teeBody) Read(p []byte) (int, error) {
	n, err := t.upstream.Read(p)
	if n > 0 && t.editor != nil {
		t.copied.Write(p[:n])
		t.write()
	}
	t.ended(err)
	return n, err
}

// write passes on what was copied. A store that fails is no reason for the reader to.
func (t *teeBody) write() {
	n := t.copied.Len()
	if t.sink.WriteBuffer(&t.copied, n) != nil {
		t.abort()
	}
	t.copied.Clear()
	t.got += n
}

// WriteBuffer takes what came after the reader had enough.
func (t *teeBody) WriteBuffer(src *okio.Buffer, n int64) error {
	if t.editor == nil {
		return src.Skip(n)
	}
	if err := t.copied.WriteBuffer(src, n); err != nil {
		return err
	}
	t.write()
	return nil
}

func (t *teeBody) Flush() error { return nil }

// ended ends the storing with the reading.
func (t *teeBody) ended(err error) {
	switch {
	case err == nil || t.editor == nil:
	case isEOF(err):
		t.finish()
	default:
		t.abort()
	}
}

// Close gives up the body. What is left of it is stored if it comes at once.
func (t *teeBody) Close() error {
	if t.editor == nil {
		return t.upstream.Close()
	}
	if t.upstream.CloseInto(restSink{t}, salvageTime) {
		t.finish()
	} else {
		t.abort()
	}
	return nil
}

// restSink is the tee as a sink: closing it means something else than closing the body.
type restSink struct{ *teeBody }

func (restSink) Close() error { return nil }

// finish stores the response.
func (t *teeBody) finish() {
	editor := t.editor
	if editor == nil {
		return
	}
	if t.content && t.length >= 0 && t.length != t.got {
		t.abort() // an interceptor has changed one of the two
		return
	}
	t.editor = nil
	err := t.sink.Close()
	if err != nil {
		editor.Abort()
	} else {
		err = editor.Commit()
	}
	if err != nil {
		t.cache.stats.aborted.Add(1)
		return
	}
	t.cache.stats.stored.Add(1)
}

// abort gives up storing.
func (t *teeBody) abort() {
	editor := t.editor
	if editor == nil {
		return
	}
	t.editor = nil
	t.sink.Close()
	editor.Abort()
	t.copied.Clear()
	t.cache.stats.aborted.Add(1)
}
