package match

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/okhttp-go/ok/mockserver"
	"github.com/okhttp-go/ok/okhttp/okcompress"
	"github.com/okhttp-go/ok/okio"
)

// maxDecoded bounds what a compressed body is decoded to.
const maxDecoded = 16 << 20

// content returns the body of a request without its content codings (gzip, deflate, zstd), or what keeps it from being compared.
func content(r *mockserver.Request) (body []byte, wrong []mockserver.Mismatch) {
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
		body, wrong := content(r)
		if wrong != nil {
			return wrong
		}
		if text := string(body); !p.Fits(text, r.Body != nil) {
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
