package okcache

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/okhttp-go/ok/okhttp"
	"github.com/okhttp-go/ok/okio"
)

// byteRange is a part of a body: [from, to).
type byteRange struct{ from, to int64 }

// rangeOf reads a Range header of one range of bytes (RFC 9110 section 14.1.2), as that of a body of n bytes. ok is false for what is no such header, which is
// ignored then; a range that holds nothing of the body is empty.
func rangeOf(s string, n int64) (r byteRange, ok bool) {
	unit, set, found := strings.Cut(s, "=")
	if !found || !equalFold(trim(unit), "bytes") {
		return r, false
	}
	first, last, found := strings.Cut(trim(set), "-")
	if !found {
		return r, false
	}
	first, last = trim(first), trim(last)
	if first == "" {
		length, ok := position(last)
		return byteRange{max(0, n-length), n}, ok
	}
	from, ok := position(first)
	if !ok {
		return r, false
	}
	if last == "" {
		return byteRange{min(from, n), n}, true
	}
	to, ok := position(last)
	if !ok || to < from {
		return r, false
	}
	return byteRange{min(from, n), min(to, n-1) + 1}, true
}

// position reads digits.
func position(s string) (int64, bool) {
	if s == "" || len(s) > 18 {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// ranged returns the part of a stored response that the request asks for, or the response if it asks for no part.
func (x *exchange) ranged(stored *candidate, resp *okhttp.Response) *okhttp.Response {
	value, ok := x.request.Headers().Last("Range")
	if !ok || resp.Status != 200 || x.request.Method() != "GET" {
		return resp
	}
	if coding, _ := resp.Headers().Last("Content-Encoding"); coding != "" {
		return resp // a part of compressed content is of no use to anyone who did not ask for that
	}
	n := stored.snapshot.Length(bodyValue)
	r, ok := rangeOf(value, n)
	if !ok || !x.sameAsBefore(stored.entry) {
		return resp
	}
	h := resp.Headers().Without("Content-Length").Without("Content-Range")
	nv := pairs(h)
	if r.from >= r.to {
		resp.Body.Close()
		nv = append(nv, "Content-Range", fmt.Sprintf("bytes */%d", n), "Content-Length", "0")
		return resp.With(okhttp.ResponseStatus(416, "Range Not Satisfiable"), okhttp.ResponseHeaders(okhttp.UncheckedHeaders(nv)),
			okhttp.ResponseBodyFrom(h.Get("Content-Type"), 0, new(okio.Buffer)))
	}
	nv = append(nv, "Content-Range", fmt.Sprintf("bytes %d-%d/%d", r.from, r.to-1, n), "Content-Length", strconv.FormatInt(r.to-r.from, 10))
	return resp.With(okhttp.ResponseStatus(206, "Partial Content"), okhttp.ResponseHeaders(okhttp.UncheckedHeaders(nv)),
		okhttp.ResponseBodyFrom(h.Get("Content-Type"), r.to-r.from, &storedBody{snapshot: stored.snapshot, source: stored.section(r), left: r.to - r.from, after: stored.after}))
}

// sameAsBefore reports whether the response is the one that If-Range wants a range of, if it wants one (RFC 9110 section 13.1.5).
func (x *exchange) sameAsBefore(e *entry) bool {
	want, ok := x.request.Headers().Last("If-Range")
	if !ok {
		return true
	}
	stored := okhttp.UncheckedHeaders(e.headers)
	if strings.HasPrefix(want, `"`) {
		etag, _ := stored.Last("ETag")
		return etag == want
	}
	modified, ok := stored.Last("Last-Modified")
	return ok && modified == want
}

// section returns the source of a part of the body.
func (s *candidate) section(r byteRange) okio.Source {
	if s, ok := s.snapshot.(readerAtSnapshot); ok {
		if at := s.ReaderAt(bodyValue); at != nil {
			return okio.FromReader(io.NewSectionReader(at, r.from, r.to-r.from))
		}
	}
	return okio.NewLimitSource(&skippedSource{s.snapshot.Source(bodyValue), r.from}, r.to-r.from, false)
}

// skippedSource is a source without its beginning.
type skippedSource struct {
	okio.Source
	skip int64
}

func (s *skippedSource) ReadBuffer(dst *okio.Buffer, most int64) (int64, error) {
	var waste okio.Buffer
	for s.skip > 0 {
		n, err := s.Source.ReadBuffer(&waste, min(s.skip, 64<<10))
		waste.Clear()
		if err != nil {
			return 0, err
		}
		s.skip -= n
	}
	return s.Source.ReadBuffer(dst, most)
}
