package match

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/mockserver/internal/memo"
	"github.com/okhttp-go/ok/okhttp/okcompress"
	"github.com/okhttp-go/ok/okio"
)

// maxDecoded bounds what a compressed body is decoded to.
const maxDecoded = 16 << 20

// The kinds of what is kept of a request while its routes are asked.
type (
	contentKind struct{}
	textKind    struct{}
	jsonKind    struct{}
	formKind    struct{}
	partsKind   struct{}
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

// content returns the body of a request without its content codings (gzip, deflate, zstd), or what keeps it from being compared.
func content(r *mockserver.Request) (body []byte, wrong []mockserver.Mismatch) {
	o := memo.Of(r, contentKind{}, func() (o outcome[[]byte], weight int) {
		o.value, o.wrong = decoded(r)
		return o, len(o.value)
	})
	return o.value, slices.Clone(o.wrong)
}

func textOf(r *mockserver.Request) (string, []mockserver.Mismatch) {
	return found(r, textKind{}, func(body []byte) (string, []mockserver.Mismatch) { return string(body), nil })
}

func decoded(r *mockserver.Request) (body []byte, wrong []mockserver.Mismatch) {
	if r.BodySize > int64(len(r.Body)) {
		return nil, one("body", "a body that was kept whole", fmt.Sprintf("cut off after %d of %d bytes", len(r.Body), r.BodySize), 1)
	}
	body = r.Body
	var codings []string
	for line := range r.Headers.Values("Content-Encoding") {
		for token := range strings.SplitSeq(line, ",") {
			if token = strings.ToLower(strings.TrimSpace(token)); token != "" && token != "identity" {
				codings = append(codings, token)
			}
		}
	}
	for _, coding := range slices.Backward(codings) {
		decoded, err := decode(coding, body)
		if err != nil {
			return nil, one("body", "a body that can be decoded", coding+": "+err.Error(), 1)
		}
		body = decoded
	}
	return body, nil
}

func decode(coding string, body []byte) ([]byte, error) {
	for _, a := range []okcompress.Algorithm{okcompress.Gzip(), okcompress.Deflate(), okcompress.Zstd()} {
		if a.Token != strings.TrimPrefix(coding, "x-") {
			continue
		}
		buffer := new(okio.Buffer)
		if _, err := buffer.Write(body); err != nil {
			return nil, err
		}
		source, err := a.Decoder(buffer)
		if err != nil {
			return nil, err
		}
		decoded, err := io.ReadAll(io.LimitReader(okio.NewBufferedSource(source), maxDecoded+1))
		if err == nil && len(decoded) > maxDecoded {
			err = fmt.Errorf("more than %d bytes", maxDecoded)
		}
		if closed := source.Close(); err == nil {
			err = closed
		}
		return decoded, err
	}
	return nil, fmt.Errorf("a coding that is not known")
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
		return one("body", want+" "+base64Of(body), fmt.Sprintf("%d bytes %s, different from byte %d on", r.BodySize, base64Of(r.Body), at), distance(string(body), string(r.Body)))
	}}
}

// base64Of shows the beginning of bytes.
func base64Of(p []byte) string {
	if len(p) > 48 {
		return base64.StdEncoding.EncodeToString(p[:48]) + "…"
	}
	return base64.StdEncoding.EncodeToString(p)
}
