package match

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"

	"github.com/okhttp-go/ok/mockserver"
	bodies "github.com/okhttp-go/ok/mockserver/internal/content"
	"github.com/okhttp-go/ok/mockserver/internal/memo"
	"github.com/okhttp-go/ok/mockserver/internal/target"
)

// The kinds of what is kept of a request while its routes are asked.
type (
	textKind  struct{}
	formKind  struct{}
	partsKind struct{}
)

// outcome is what was found in a body, or what is wrong with it.
type outcome[T any] struct {
	value T
	wrong []mockserver.Mismatch
}

// found finds something in the content of a request, once while its routes are asked. The mismatches are the caller's.
func found[T any](r *mockserver.Request, kind any, find func(body []byte) (T, []mockserver.Mismatch)) (T, []mockserver.Mismatch) {
	o := memo.Of(r, kind, func() (o outcome[T], weight int) {
		body, wrong := content(r)
		if wrong != nil {
			o.wrong = wrong
			return o, 0
		}
		o.value, o.wrong = find(body)
		return o, len(body)
	})
	return o.value, slices.Clone(o.wrong)
}

// content returns the body of a request without its content codings, or what keeps it from being compared.
func content(r *mockserver.Request) ([]byte, []mockserver.Mismatch) {
	body, wrong := bodies.Of(r)
	return body, unreadable(wrong)
}

func jsonOf(r *mockserver.Request) (any, []mockserver.Mismatch) {
	value, wrong := bodies.JSON(r)
	return value, unreadable(wrong)
}

func unreadable(wrong *bodies.Fault) []mockserver.Mismatch {
	if wrong == nil {
		return nil
	}
	return one("body", wrong.Want, wrong.Got, 1)
}

func textOf(r *mockserver.Request) (string, []mockserver.Mismatch) {
	return found(r, textKind{}, func(body []byte) (string, []mockserver.Mismatch) { return string(body), nil })
}

// Body matches requests whose body is text that p describes. What is compressed is compared decoded; a request without a body has none.
func Body(p Pattern) mockserver.Matcher {
	return &matcher{text: "body " + p.String(), err: p.err, body: true, match: func(r *mockserver.Request) []mockserver.Mismatch {
		text, wrong := textOf(r)
		if wrong != nil {
			return wrong
		}
		if !p.Fits(text, r.Body != nil) {
			return one("body", p.String(), got(text, r.Body != nil), p.distance(text, r.Body != nil))
		}
		return nil
	}}
}

// Bytes matches requests with exactly that body, as it was sent.
func Bytes(body []byte) mockserver.Matcher {
	body = bytes.Clone(body)
	want := fmt.Sprintf("%d bytes", len(body))
	return &matcher{text: "body of " + want, body: true, match: func(r *mockserver.Request) []mockserver.Mismatch {
		if r.BodySize == int64(len(r.Body)) && bytes.Equal(r.Body, body) {
			return nil
		}
		at := 0
		for at < len(body) && at < len(r.Body) && body[at] == r.Body[at] {
			at++
		}
		return one("body", want+base64Of(body), fmt.Sprintf("%d bytes%s, different from byte %d on", r.BodySize, base64Of(r.Body), at), distance(string(body), string(r.Body)))
	}}
}

// base64Of shows the beginning of bytes, unless there are secrets in them.
func base64Of(p []byte) string {
	text := string(p[:min(len(p), 8*bodies.Shown)])
	switch {
	case target.Text(text) != text:
		return ", hidden"
	case len(p) > 48:
		return " " + base64.StdEncoding.EncodeToString(p[:48]) + "…"
	}
	return " " + base64.StdEncoding.EncodeToString(p)
}
